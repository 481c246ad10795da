"""M304, M305: numbers and units that only one of the two texts has.

A number may be written in digits or in words: "a million" may be ``100 万``. To compare the two
languages, numbers are converted to values. A value is a string of plain digits, such as
``"1000000"`` or ``"0.5"``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache
from math import prod

from msgspec import Struct

from pipeline.core.checks.masked import HAN, URL, WORD
from pipeline.core.checks.model import Problem, Subject
from pipeline.tables import read_table

# Table for `str.translate`: full-width digits and marks to ASCII.
NARROW_DIGITS = str.maketrans("０１２３４５６７８９．％", "0123456789.%")
# Numbers in digits.
_ANY_DIGIT = re.compile(r"\d")
_FRACTION = r"(?<![\w.])\.\d+"  # .5
_GROUPED = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])"  # 1,024.5
_PLAIN = r"\d+(?:\.\d+)*"  # also a version: 3.11.2
_DIGITS = f"{_FRACTION}|{_GROUPED}|{_PLAIN}"
_DECADE = re.compile(r"(\d\d)(\d0)['’]?s\b")  # 1990s
_WORDS = read_table(__name__, "quantities")

# Chinese numbers.

_POWERS: dict[str, int] = _WORDS["powers"]
# From 万 (10,000) on, a power multiplies the complete number before it. A smaller power
# multiplies only the digit before it.
_GREAT = 10**4
_NUMERALS: dict[str, int] = _WORDS["numerals"]
_VALUE_OF_HAN = {**_POWERS, **_NUMERALS}
_HAN_NUMBER = re.compile(f"[{''.join(_VALUE_OF_HAN)}]+")
_HAN_WORDS = {value: re.compile(words) for value, words in _WORDS["chinese_names"].items()}

# English numbers.

_SCALES: dict[str, int] = _WORDS["scales"]
_K = 1000  # the factor of the k in 10k
_COUNTS = {
    **{name: count for count, name in enumerate(_WORDS["cardinals"].split())},
    **{name: count for count, name in enumerate(_WORDS["ordinals"].split())},
    **{name: 10 * count for count, name in enumerate(_WORDS["tens"].split(), 2)},
}
_VALUE_OF_WORD = {**_COUNTS, **_SCALES}
_COUNT = "|".join(sorted(_VALUE_OF_WORD, key=len, reverse=True))
_SPELLED = re.compile(rf"\b(?:{_COUNT})(?:(?:\s+and)?[\s-]+(?:{_COUNT}))*s?\b")
_MONTHS = {name: number for number, name in enumerate(_WORDS["months"].split(), 1)}
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\b")
_ENGLISH_WORD = re.compile(r"[a-z]+")
# English words such as "half", which imply a number without being one, with the numbers that a
# translation may have for the word. For "half", these are 0.5, 2 and 50.
_VALUES_OF_NAME: dict[str, list[str]] = defaultdict(list)
for _value, _names in _WORDS["names"].items():
    for _name in _names.split():
        _VALUES_OF_NAME[_name].append(_value)

_SCALED = re.compile(
    rf"({_DIGITS})(?:[\s-]?({'|'.join(_SCALES)}|[kK](?![\w]))|\s?([{''.join(_POWERS)}]+))?"
)


class Quantity(Struct, frozen=True):
    """A number in digits, or a unit after a number, with its position.

    A number may have several readings: "1,024" is 1024, or the list 1 and 024. ``ways`` has the
    values of each reading. The translation is correct if it has all values of one reading.
    """

    text: str
    start: int
    end: int
    ways: tuple[frozenset[str], ...] = ()  # empty for units

    def is_among(self, values: Iterable[str]) -> bool:
        """Return whether ``values`` contain all values of one of the readings."""
        return any(way.issubset(values) for way in self.ways)


def numbers_of(text: str) -> list[Quantity]:
    """Return the numbers in digits of a masked text: ``1,024``, ``.5``, ``3.11.2``, ``５``."""
    if not _ANY_DIGIT.search(text):
        return []
    text = text.translate(NARROW_DIGITS)
    numbers = []
    for match in _SCALED.finditer(text):
        start, end = match.span(1)
        numbers.append(Quantity(match[1], start, end, ways=tuple(_ways_to_read(match, text))))
    return numbers


def _ways_to_read(match: re.Match[str], text: str) -> Iterator[frozenset[str]]:
    """Yield the readings of a number, each with its values.

    "1.5 million" has two readings: 1.5 (the translation may be 1.5 百万), and 1500000.
    """
    digits, word, powers = match.groups()
    plain = digits.replace(",", "")
    if plain.startswith("."):
        plain = f"0{plain}"
    yield frozenset((plain,))
    if "," in digits:
        yield frozenset(digits.split(","))  # a list of numbers without spaces
    scale = _scale_of(word, powers)
    if scale and plain.count(".") < 2:  # a version such as 3.11.2 cannot be multiplied
        yield frozenset((f"{(Decimal(plain) * scale).normalize():f}",))
    if decade := _DECADE.match(text, match.start(1)):
        yield frozenset((decade[2],))  # the 1990s are 20 世纪 90 年代
        yield frozenset((str(int(decade[1]) + 1), decade[2]))


def _scale_of(word: str | None, powers: str | None) -> int | None:
    """Return the factor of a number: the value of the English word or Chinese powers after it.

    ``million`` -> 1000000, ``k`` -> 1000, ``百万`` -> 1000000
    """
    if powers:
        return prod(_POWERS[power] for power in powers)
    if word:
        return _SCALES.get(word, _K)
    return None


def values_of(numbers: Iterable[Quantity]) -> set[str]:
    """Return the values of all readings of numbers in digits: ``1,024`` -> 1024, 1, 024."""
    values: set[str] = set()
    for number in numbers:
        values.update(*number.ways)
    return values


def english_values(text: str) -> set[str]:
    """Return the values of all numbers in a masked English text, in digits or in words.

    ``two thousand in May`` -> 2, 1000, 2000, 5
    """
    values = values_of(numbers_of(text))
    lower = text.lower()
    for match in _SPELLED.finditer(lower):
        words = re.findall(_COUNT, match[0])
        values.add(str(_spelled(words)))
        for word in words:  # "two thousand" may be translated as 2 千
            values.add(str(_VALUE_OF_WORD[word]))
    # If the list lacks a form such as "doubled", look up the word without its ending.
    for word in set(_ENGLISH_WORD.findall(lower)):
        known = word
        if word not in _VALUES_OF_NAME:
            known = word.removesuffix("s").removesuffix("d")
        values.update(_VALUES_OF_NAME.get(known, ()))
    for match in _MONTH.finditer(text):
        values.add(str(_MONTHS[match[1]]))
    return values


def _spelled(words: list[str]) -> int:
    """Return the number that consecutive words mean: two, thousand, five -> 2005."""
    # `current` is the part that the next "thousand", "million" and so on multiplies.
    total = current = 0
    for word in words:
        scale = _SCALES.get(word)
        if scale is None:  # twenty, four
            current += _COUNTS[word]
        elif scale < _SCALES["thousand"]:
            current = max(current, 1) * scale
        else:
            total += max(current, 1) * scale
            current = 0
    return total + current


def chinese_values(text: str) -> set[str]:
    """Return the values of all numbers in a masked Chinese text, in digits or in numerals.

    ``3 个或二十四个`` -> 3, 24, and the single numerals of 二十四: 2, 10, 4
    """
    values = values_of(numbers_of(text))
    for match in _HAN_NUMBER.finditer(text):
        values.add(str(_numeral(match[0])))
        for digit in match[0]:  # 一两个 means 1 or 2, not 12
            values.add(str(_VALUE_OF_HAN[digit]))
    for value, words in _HAN_WORDS.items():
        if words.search(text):
            values.add(value)
    return values


def _numeral(text: str) -> int:
    """Return the number that Chinese numerals mean: 二十四 -> 24, 一百万 -> 1000000.

    Numerals without powers are digits: 二〇二四 -> 2024.
    """
    if not any(digit in _POWERS for digit in text):
        return int("".join(str(_NUMERALS[digit]) for digit in text))
    # `total` is the number up to the last great power (万 or more). `section` is the sum
    # of the tens to thousands after it. `digit` is the last digit, whose power follows.
    total = section = digit = 0
    for character in text:
        power = _POWERS.get(character)
        if power is None:
            digit = _NUMERALS[character]
        elif power < _GREAT:
            section += max(digit, 1) * power  # 十二 means 一十二
            digit = 0
        elif section + digit:
            total += (section + digit) * power
            section = digit = 0
        else:  # a great power directly after another one: 一万亿
            total = max(total, 1) * power
    return total + section + digit


_HAN = re.compile(f"[{HAN}]")


_UNITS: dict[str, dict[str, str]] = _WORDS["units"]


def _unit_forms(symbol: str) -> list[str]:
    """Return the forms of a unit that are unambiguous after a number.

    ``ms`` -> ``ms``, ``millisecond``, ``milliseconds``, ``毫秒``
    """
    unit = _UNITS[symbol]
    english = unit.get("english", "").split()
    plurals = [f"{word}s" for word in english]
    symbols, chinese = unit.get("symbols", ""), unit.get("chinese", "")
    return [symbol, *symbols.split(), *english, *plurals, *chinese.split()]


@cache  # compile on demand, because few units are ever searched for
def _unit_pattern(symbol: str) -> re.Pattern[str]:
    """Return a pattern for all forms of a unit, including ambiguous ones.

    The pattern does not match the 秒 in 毫秒 or the s in ms. Letters may follow a Chinese form, as
    in ``64 位x86``.
    """
    possible = _UNITS[symbol].get("possible", "").split()
    patterns = []
    for form in (*_unit_forms(symbol), *possible):
        before, behind = "(?<![A-Za-z])", "(?![A-Za-z])"
        if _HAN.match(form):
            before, behind = "(?<![毫微纳千兆吉太拍])", ""
        patterns.append(f"{before}{re.escape(form)}{behind}")
    return re.compile("|".join(patterns), re.IGNORECASE)


_SYMBOL_OF = {form: symbol for symbol in _UNITS for form in _unit_forms(symbol)}
_FORMS = "|".join(re.escape(form) for form in sorted(_SYMBOL_OF, key=len, reverse=True))
_BARE_S = re.compile(r"[\d,]+s")
_MEASURED = re.compile(
    # Match a number only from its start and as a whole. Otherwise a long list such as
    # "1,1,1,…" would be scanned once for each of its numbers.
    rf"(?<![\w.])(?<!\d,)\d[\d,.]*+(?P<gap>[ \u00a0-]?)(?P<unit>{_FORMS})(?![A-Za-z])"
)


def units_of(text: str) -> list[Quantity]:
    """Return the units after numbers in digits, in a masked text of either language.

    The ``text`` of each is the symbol of the unit: ``3 milliseconds``, ``3ms``, ``3 毫秒`` ->
    ``ms``.
    """
    if not _ANY_DIGIT.search(text):
        return []
    units = []
    for match in _MEASURED.finditer(text.translate(NARROW_DIGITS)):
        # "10s" may mean tens, and "1990s" years. So an s directly after an integer does
        # not count as seconds.
        if _BARE_S.fullmatch(match[0]):
            continue
        units.append(Quantity(_SYMBOL_OF[match["unit"]], *match.span("unit")))
    return units


def names_unit(text: str, symbol: str) -> bool:
    """Return whether a text contains a unit in any form, with or without a number."""
    return bool(_unit_pattern(symbol).search(text.translate(NARROW_DIGITS)))


def find_numbers(subject: Subject) -> Iterator[Problem]:
    """Report numbers in digits that only one of the two texts has.

    The other text may use another notation. For example, "10,000" may be ``1 万``, "twice"
    ``2 倍``, and "three" ``3``.
    """
    english, chinese = subject.masked_english, subject.masked_chinese
    theirs, ours = numbers_of(english), numbers_of(chinese)  # empty for most messages
    lost = _not_among(theirs, values_of(ours))
    new = _not_among(ours, values_of(theirs))
    # Usually the digits agree. If not, the other text may have the number in words or in
    # code.
    if lost:
        lost = _not_among(lost, chinese_values(chinese) | _in_code(subject.msgstr, chinese))
    if new:
        new = _not_among(new, english_values(english) | _in_code(subject.msgid, english))
    hint = "Compare the numbers with the English, in digits or in words."
    yield from _find_difference("number", lost, new, hint)


def _not_among(numbers: Iterable[Quantity], values: set[str]) -> list[Quantity]:
    """Return the numbers that have no reading whose values are all in ``values``."""
    return [number for number in numbers if not number.is_among(values)]


def _in_code(text: str, masked_text: str) -> set[str]:
    """Return the values of the numbers in the code, formulas and URLs of a text.

    The stand-ins in ``masked_text``, which has the same length, mark the positions of these parts.
    """
    code = []
    for character, stand_in in zip(text, masked_text, strict=True):
        code.append(character if stand_in in (WORD, URL) else " ")
    return values_of(numbers_of("".join(code)))


def find_units(subject: Subject) -> Iterator[Problem]:
    """Report units after numbers that only one text has: "3 seconds" became ``3 毫秒``."""
    # A unit after a number must occur in the other text, but there it may be anywhere.
    lost = _units_not_in(subject.msgstr, units_of(subject.masked_english))
    new = _units_not_in(subject.msgid, units_of(subject.masked_chinese))
    yield from _find_difference("unit", lost, new, "Use the unit of the English.")


def _units_not_in(text: str, units: Iterable[Quantity]) -> list[Quantity]:
    """Return the units that a text does not contain in any form."""
    return [unit for unit in units if not names_unit(text, unit.text)]


def _find_difference(
    what: str, lost: list[Quantity], new: list[Quantity], hint: str
) -> Iterator[Problem]:
    """Report the lost and the new quantities in a single problem, if there are any.

    ``what`` is "number" or "unit". An example of the message:

    ``lacks the number 3, 4 and has the number 5, which the English does not have``
    """
    parts = []
    if lost:
        listed = ", ".join(dict.fromkeys(quantity.text for quantity in lost))
        parts.append(f"lacks the {what} {listed}")
    if new:
        listed = ", ".join(dict.fromkeys(quantity.text for quantity in new))
        parts.append(f"has the {what} {listed}, which the English does not have")
    if parts:
        yield Problem(
            text=" and ".join(parts),
            hint=hint,
            spans=tuple((quantity.start, quantity.end) for quantity in new),
        )
