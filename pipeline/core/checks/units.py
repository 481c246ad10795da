"""The units of measure that a sentence names, in English and in Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from pipeline.core.checks.masked import HAN
from pipeline.core.checks.numbers import NARROW_DIGITS

_ANY_DIGIT = re.compile(r"\d")
_HAN = re.compile(f"[{HAN}]")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit behind a number, by its symbol, and where it stands."""

    symbol: str
    start: int
    end: int


# symbol: other symbols, English words, Chinese words; what the last part has may only stand for the
# unit, for it is a word of other meanings as well.
_UNITS = {
    "ns": ("", "nanosecond", "纳秒 奈秒", ""),
    "µs": ("μs us", "microsecond", "微秒", ""),
    "ms": ("", "millisecond", "毫秒", ""),
    "s": ("sec secs", "second", "秒钟 秒鐘 秒", ""),
    "min": ("mins", "minute", "分钟 分鐘", "分"),
    "h": ("hr hrs", "hour", "小时 小時", "时 時"),
    "KB": ("kB", "kilobyte", "千字节 千位元組", ""),
    "MB": ("", "megabyte", "兆字节", "兆"),
    "GB": ("", "gigabyte", "吉字节 千兆字节", ""),
    "TB": ("", "terabyte", "太字节", ""),
    "PB": ("", "petabyte", "拍字节", ""),
    "KiB": ("", "kibibyte", "", ""),
    "MiB": ("", "mebibyte", "", ""),
    "GiB": ("", "gibibyte", "", ""),
    "TiB": ("", "tebibyte", "", ""),
    "bit": ("bits", "", "比特", "位 位元"),
    "byte": ("bytes", "", "字节 字節 位元組", ""),
    "Hz": ("", "hertz", "赫兹 赫茲 赫", ""),
    "kHz": ("KHz", "kilohertz", "千赫兹 千赫", ""),
    "MHz": ("", "megahertz", "兆赫兹 兆赫", ""),
    "GHz": ("", "gigahertz", "吉赫兹 吉赫 千兆赫", ""),
    "nm": ("", "nanometer nanometre", "纳米 奈米", ""),
    "mm": ("", "millimeter millimetre", "毫米 公釐", ""),
    "cm": ("", "centimeter centimetre", "厘米 公分", ""),
    "km": ("", "kilometer kilometre", "千米 公里", ""),
    "px": ("", "pixel", "像素", ""),
    "%": ("", "percent percentage", "百分", "半 成 全 完"),
}


def _forms(symbol: str) -> list[str]:
    """Whatever is sure to mean a unit, if it stands behind a number.

    ``ms`` -> ``ms``, ``millisecond``, ``milliseconds``, ``毫秒``
    """
    symbols, english, chinese, _ = _UNITS[symbol]
    plurals = [f"{word}s" for word in english.split()]
    return [symbol, *symbols.split(), *english.split(), *plurals, *chinese.split()]


@cache  # compiled when it is asked for: few texts lack the unit at its place
def _anywhere(symbol: str) -> re.Pattern[str]:
    """Whatever may stand for a unit; 秒 is not found in 毫秒, nor s in ms.

    A Chinese word ends where it ends: there are 64 位 in ``64 位x86``.
    """
    possible = _UNITS[symbol][3].split()
    patterns = []
    for form in (*_forms(symbol), *possible):
        before, behind = "(?<![A-Za-z])", "(?![A-Za-z])"
        if _HAN.match(form):
            before, behind = "(?<![毫微纳千兆吉太拍])", ""
        patterns.append(f"{before}{re.escape(form)}{behind}")
    return re.compile("|".join(patterns), re.IGNORECASE)


_SYMBOL_OF = {form: symbol for symbol in _UNITS for form in _forms(symbol)}
_FORMS = "|".join(re.escape(form) for form in sorted(_SYMBOL_OF, key=len, reverse=True))
_BARE_S = re.compile(r"[\d,]+s")
_MEASURED = re.compile(
    # A number is taken whole, from its start: "1,1,1,…" is looked at once.
    rf"(?<![\w.])(?<!\d,)\d[\d,.]*+(?P<gap>[ \u00a0-]?)(?P<unit>{_FORMS})(?![A-Za-z])"
)


def units_of(text: str) -> list[Unit]:
    """The units that stand behind a number in digits, in a masked text of either language.

    ``3 milliseconds``, ``3ms``, ``3 毫秒`` -> ``ms``
    """
    if not _ANY_DIGIT.search(text):
        return []
    units = []
    for match in _MEASURED.finditer(text.translate(NARROW_DIGITS)):
        # "10s" may be tens, "1990s" are years: a bare s wants a space or a decimal point before it.
        if _BARE_S.fullmatch(match[0]):
            continue
        units.append(Unit(_SYMBOL_OF[match["unit"]], *match.span("unit")))
    return units


def names_unit(text: str, symbol: str) -> bool:
    """Whether a text has a unit anywhere, however it is written."""
    return bool(_anywhere(symbol).search(text.translate(NARROW_DIGITS)))
