"""The numbers and the units that a sentence names, in English and in Chinese, in digits and in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import prod

_WIDE = str.maketrans("０１２３４５６７８９．％", "0123456789.%")
_ANY_DIGIT = re.compile(r"\d")
_DIGITS = r"(?<![\w.])\.\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d+(?:\.\d+)*"
_POWERS = {"十": 10, "百": 100, "千": 10**3, "万": 10**4, "亿": 10**8, "兆": 10**12}
_NUMERALS = {**{digit: at for at, digit in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2}
_HAN_NUMBER = re.compile(f"[{''.join((*_POWERS, *_NUMERALS))}]+")
_HAN_WORDS = {  # what else a number may be called
    "0": re.compile("无|没|空|不"),
    "2": re.compile("[双俩倍番半]|成对"),
    "50": re.compile("半"),
    "0.5": re.compile("半"),
    "100": re.compile("全|所有|完"),
}
_SCALES = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}
_COUNTS = {
    name: at
    for names in (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
        "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    )
    for at, name in enumerate(names.split())
} | {
    name: at * 10
    for at, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_MONTHS = {
    name: at for at, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)
}
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\b")
_NAMES = {  # words that say a number without being one
    "0": "no none nothing null nil empty without",
    "0.5": "half halves halved",
    "1": "a an once single sole only unit unary each every per",
    "2": "twice double dual both pair couple binary square half halves halved between either other",
    "3": "triple thrice ternary cube cubic",
    "4": "quarter quadruple",
    "8": "octal byte",
    "10": "decimal decade",
    "16": "hexadecimal hex",
    "25": "quarter",
    "50": "half halves halved",
    "100": "century percent",
}
_SAYS: dict[str, tuple[str, ...]] = {}
for _value, _names in _NAMES.items():
    for _name in _names.split():
        _SAYS[_name] = (*_SAYS.get(_name, ()), _value)
_ENGLISH_WORD = re.compile(r"[a-z]+")
_COUNT = "|".join(sorted((*_COUNTS, *_SCALES), key=len, reverse=True))
_SPELLED = re.compile(rf"\b(?:{_COUNT})(?:(?:\s+and)?[\s-]+(?:{_COUNT}))*s?\b")
_SCALED = re.compile(
    rf"({_DIGITS})(?:[\s-]?({'|'.join(_SCALES)}|[kK](?![\w]))|\s?([{''.join(_POWERS)}]+))?"
)
_DECADE = re.compile(r"(\d\d)(\d0)['’]?s\b")


@dataclass(frozen=True, slots=True)
class Number:
    """A number in digits and where it stands. It is told again where all values of one of its ``ways`` are."""

    text: str
    start: int
    end: int
    ways: tuple[frozenset[str], ...]

    def is_among(self, values: Iterable[str]) -> bool:
        """Whether ``values`` hold it, one way or the other."""
        return any(way.issubset(values) for way in self.ways)


def numbers_of(text: str) -> list[Number]:
    """The numbers that a masked text has in digits."""
    if not _ANY_DIGIT.search(text):
        return []
    text = text.translate(_WIDE)
    return [
        Number(match[1], *match.span(1), ways=tuple(_ways(match, text)))
        for match in _SCALED.finditer(text)
    ]


def values_of(numbers: Iterable[Number]) -> set[str]:
    """Every value that numbers in digits may stand for."""
    return {value for number in numbers for way in number.ways for value in way}


def english_values(text: str) -> set[str]:
    """Every value that a masked English text names, in digits or in words."""
    values = values_of(numbers_of(text))
    lower = text.lower()
    for match in _SPELLED.finditer(lower):
        words = re.findall(_COUNT, match[0])
        values |= {
            str(_spelled(words)),
            *(str(_COUNTS.get(word) or _SCALES.get(word, 0)) for word in words),
        }
    for word in set(_ENGLISH_WORD.findall(lower)):
        values.update(_SAYS.get(word) or _SAYS.get(word.removesuffix("s").removesuffix("d"), ()))
    values.update(str(_MONTHS[match[1]]) for match in _MONTH.finditer(text))
    return values


def chinese_values(text: str) -> set[str]:
    """Every value that a masked Chinese text names, in digits or in numerals."""
    values = values_of(numbers_of(text))
    for match in _HAN_NUMBER.finditer(text):
        values |= {
            str(_numeral(match[0])),
            *(str(_NUMERALS.get(digit, _POWERS.get(digit))) for digit in match[0]),
        }
    values.update(value for value, words in _HAN_WORDS.items() if words.search(text))
    return values


def _ways(match: re.Match[str], text: str) -> Iterator[frozenset[str]]:
    digits, word, powers = match.groups()
    plain = digits.replace(",", "")
    plain = f"0{plain}" if plain.startswith(".") else plain
    yield frozenset((plain,))
    if "," in digits:
        yield frozenset(digits.split(","))  # a list without spaces looks the same
    if (word or powers) and plain.count(".") < 2:
        scale = prod(_POWERS[power] for power in powers) if powers else _SCALES.get(word, 1000)
        yield frozenset((f"{(Decimal(plain) * scale).normalize():f}",))
    if decade := _DECADE.match(text, match.start(1)):
        yield frozenset((decade[2],))  # the 1990s are 20 世纪 90 年代
        yield frozenset((str(int(decade[1]) + 1), decade[2]))


def _spelled(words: list[str]) -> int:
    total = current = 0
    for word in words:
        scale = _SCALES.get(word)
        if scale is None:
            current += _COUNTS[word]
        elif scale < 1000:
            current = max(current, 1) * scale
        else:
            total, current = total + max(current, 1) * scale, 0
    return total + current


def _numeral(text: str) -> int:
    """二十四 → 24, 一百万 → 1000000; digits alone are read one after the other."""
    if not any(digit in _POWERS for digit in text):
        return int("".join(str(_NUMERALS[digit]) for digit in text))
    total = section = digit = 0
    for character in text:
        power = _POWERS.get(character)
        if power is None:
            digit = _NUMERALS[character]
        elif power < 10**4:
            section, digit = section + max(digit, 1) * power, 0
        else:
            total = total + (section + digit) * power if section + digit else max(total, 1) * power
            section = digit = 0
    return total + section + digit


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit behind a number, by its symbol, and where it stands."""

    symbol: str
    start: int
    end: int


def _forms(symbol: str) -> list[str]:
    symbols, english, chinese, _ = _UNITS[symbol]
    return [
        symbol,
        *symbols.split(),
        *english.split(),
        *(f"{word}s" for word in english.split()),
        *chinese.split(),
    ]


def _pattern(symbol: str) -> re.Pattern[str]:
    """Whatever may stand for a unit; 秒 is not found in 毫秒, nor s in ms."""
    forms = "|".join(re.escape(form) for form in (*_forms(symbol), *_UNITS[symbol][3].split()))
    return re.compile(rf"(?<![A-Za-z毫微纳千兆吉太拍])(?:{forms})(?![A-Za-z])", re.IGNORECASE)


_UNITS = {  # symbol: other symbols, English words, Chinese words; what the last part has only may stand for it
    "ns": ("", "nanosecond", "纳秒", ""),
    "µs": ("μs us", "microsecond", "微秒", ""),
    "ms": ("", "millisecond", "毫秒", ""),
    "s": ("sec secs", "second", "秒钟 秒", ""),
    "min": ("mins", "minute", "分钟", "分"),
    "h": ("hr hrs", "hour", "小时", "时"),
    "KB": ("kB", "kilobyte", "千字节", ""),
    "MB": ("", "megabyte", "兆字节", "兆"),
    "GB": ("", "gigabyte", "吉字节 千兆字节", ""),
    "TB": ("", "terabyte", "太字节", ""),
    "PB": ("", "petabyte", "拍字节", ""),
    "KiB": ("", "kibibyte", "", ""),
    "MiB": ("", "mebibyte", "", ""),
    "GiB": ("", "gibibyte", "", ""),
    "TiB": ("", "tebibyte", "", ""),
    "bit": ("bits", "", "比特", "位"),
    "byte": ("bytes", "", "字节", ""),
    "Hz": ("", "hertz", "赫兹 赫", ""),
    "kHz": ("KHz", "kilohertz", "千赫兹 千赫", ""),
    "MHz": ("", "megahertz", "兆赫兹 兆赫", ""),
    "GHz": ("", "gigahertz", "吉赫兹 吉赫 千兆赫", ""),
    "nm": ("", "nanometer nanometre", "纳米", ""),
    "mm": ("", "millimeter millimetre", "毫米", ""),
    "cm": ("", "centimeter centimetre", "厘米", ""),
    "km": ("", "kilometer kilometre", "千米 公里", ""),
    "px": ("", "pixel", "像素", ""),
    "%": ("", "percent percentage", "百分", "半 成 全 完"),
}
_KNOWN = {form: symbol for symbol in _UNITS for form in _forms(symbol)}
_STANDS_FOR = {symbol: _pattern(symbol) for symbol in _UNITS}
_FORMS = "|".join(re.escape(form) for form in sorted(_KNOWN, key=len, reverse=True))
# "10s" may be tens, "1990s" are years: a bare s wants a space or a decimal point before it.
_MEASURED = re.compile(rf"(?<![\w.])\d[\d,.]*(?P<gap>[ \u00a0-]?)(?P<unit>{_FORMS})(?![A-Za-z])")


def units_of(text: str) -> list[Unit]:
    """The units that stand behind a number in digits, in a masked text of either language."""
    if not _ANY_DIGIT.search(text):
        return []
    found = _MEASURED.finditer(text.translate(_WIDE))
    return [
        Unit(_KNOWN[match["unit"]], *match.span("unit"))
        for match in found
        if match["unit"] != "s" or match["gap"] or "." in match[0]
    ]


def names_unit(text: str, symbol: str) -> bool:
    """Whether a text has a unit anywhere, however it is written."""
    return bool(_STANDS_FOR[symbol].search(text))
