"""The numbers that a sentence names, in English and in Chinese, in digits and in words.

A value is kept as text, as it would be written in plain digits: ``"1000000"``, ``"0.5"``. So
numbers of both languages can be compared, however they are written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import prod

# Full-width digits and marks, as ASCII.
NARROW_DIGITS = str.maketrans("０１２３４５６７８９．％", "0123456789.%")

# Digits.

_ANY_DIGIT = re.compile(r"\d")
_FRACTION = r"(?<![\w.])\.\d+"  # .5
_GROUPED = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])"  # 1,024.5
_PLAIN = r"\d+(?:\.\d+)*"  # also a version: 3.11.2
_DIGITS = f"{_FRACTION}|{_GROUPED}|{_PLAIN}"
_DECADE = re.compile(r"(\d\d)(\d0)['’]?s\b")  # 1990s

# Chinese.

_POWERS = {
    "十": 10,
    "百": 100,
    "千": 10**3,
    "万": 10**4,
    "亿": 10**8,
    "兆": 10**12,
    "萬": 10**4,
    "億": 10**8,  # Traditional
}
_GREAT = 10**4  # from this power on, it multiplies all that stands before it
_NUMERALS = {
    **{digit: at for at, digit in enumerate("零一二三四五六七八九")},
    "〇": 0,
    "两": 2,
    "兩": 2,
}
_VALUE_OF_HAN = {**_POWERS, **_NUMERALS}
_HAN_NUMBER = re.compile(f"[{''.join(_VALUE_OF_HAN)}]+")
_HAN_WORDS = {  # what else a number may be called
    "0": re.compile("[无無没沒空不]"),
    "2": re.compile("[双雙俩倆倍番半]|成[对對]"),
    "50": re.compile("半"),
    "0.5": re.compile("半"),
    "100": re.compile("全|所有|完"),
}

# English.

_SCALES = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}
_K = 1000  # 10k
_CARDINALS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
    """
_ORDINALS = """
    zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
    """
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_COUNTS = {
    **{name: count for count, name in enumerate(_CARDINALS.split())},
    **{name: count for count, name in enumerate(_ORDINALS.split())},
    **{name: 10 * count for count, name in enumerate(_TENS.split(), 2)},
}
_VALUE_OF_WORD = {**_COUNTS, **_SCALES}
_COUNT = "|".join(sorted(_VALUE_OF_WORD, key=len, reverse=True))
_SPELLED = re.compile(rf"\b(?:{_COUNT})(?:(?:\s+and)?[\s-]+(?:{_COUNT}))*s?\b")
_MONTH_NAMES = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES.split(), 1)}
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\b")
_ENGLISH_WORD = re.compile(r"[a-z]+")
_NAMES = {  # words that say a number without being one
    "0": "no none nothing null nil empty without",
    "0.5": "half halves halved",
    "1": "a an once single sole only unit unary each every per",
    "2": """twice double dual both pair couple binary square half halves halved
            between either other""",
    "3": "triple thrice ternary cube cubic",
    "4": "quarter quadruple",
    "8": "octal byte",
    "10": "decimal decade",
    "16": "hexadecimal hex",
    "25": "quarter",
    "50": "half halves halved",
    "100": "century percent",
}

_SCALED = re.compile(
    rf"({_DIGITS})(?:[\s-]?({'|'.join(_SCALES)}|[kK](?![\w]))|\s?([{''.join(_POWERS)}]+))?"
)


def _values_by_name() -> Mapping[str, list[str]]:
    """The values that each word of `_NAMES` may say: of ``half`` 0.5, 2 and 50."""
    values = defaultdict(list)
    for value, names in _NAMES.items():
        for name in names.split():
            values[name].append(value)
    return dict(values)


_VALUES_OF_NAME = _values_by_name()


@dataclass(frozen=True, slots=True)
class Number:
    """A number in digits, and where it stands.

    It is told again where all values of one of its ``ways`` are: "1,024" is 1024, or 1 and 024.
    """

    text: str
    start: int
    end: int
    ways: tuple[frozenset[str], ...]

    def is_among(self, values: Iterable[str]) -> bool:
        """Whether ``values`` hold it, one way or the other."""
        return any(way.issubset(values) for way in self.ways)


def numbers_of(text: str) -> list[Number]:
    """The numbers that a masked text has in digits: ``1,024``, ``.5``, ``3.11.2``, ``５``."""
    if not _ANY_DIGIT.search(text):
        return []
    text = text.translate(NARROW_DIGITS)
    numbers = []
    for match in _SCALED.finditer(text):
        start, end = match.span(1)
        numbers.append(Number(match[1], start, end, ways=tuple(_ways(match, text))))
    return numbers


def _ways(match: re.Match[str], text: str) -> Iterator[frozenset[str]]:
    """What a number may be taken for: of one way all values must be named elsewhere.

    "1.5 million" is 1.5 (the translation may say 1.5 百万), or 1500000.
    """
    digits, word, powers = match.groups()
    plain = digits.replace(",", "")
    if plain.startswith("."):
        plain = f"0{plain}"
    yield frozenset((plain,))
    if "," in digits:
        yield frozenset(digits.split(","))  # a list without spaces looks the same
    scale = _scale_of(word, powers)
    if scale and plain.count(".") < 2:  # a version has no scale
        yield frozenset((f"{(Decimal(plain) * scale).normalize():f}",))
    if decade := _DECADE.match(text, match.start(1)):
        yield frozenset((decade[2],))  # the 1990s are 20 世纪 90 年代
        yield frozenset((str(int(decade[1]) + 1), decade[2]))


def _scale_of(word: str | None, powers: str | None) -> int | None:
    """By what a number is multiplied: by an English word behind it, or by Chinese powers.

    ``million`` -> 1000000, ``k`` -> 1000, ``百万`` -> 1000000
    """
    if powers:
        return prod(_POWERS[power] for power in powers)
    if word:
        return _SCALES.get(word, _K)
    return None


def values_of(numbers: Iterable[Number]) -> set[str]:
    """Every value that numbers in digits may stand for: of ``1,024`` 1024, 1 and 024."""
    values: set[str] = set()
    for number in numbers:
        values.update(*number.ways)
    return values


def english_values(text: str) -> set[str]:
    """Every value that a masked English text names, in digits or in words.

    ``two thousand in May`` -> 2, 1000, 2000, 5
    """
    values = values_of(numbers_of(text))
    lower = text.lower()
    for match in _SPELLED.finditer(lower):
        words = re.findall(_COUNT, match[0])
        values.add(str(_spelled(words)))
        for word in words:  # "two thousand": the translation may be 2 千
            values.add(str(_VALUE_OF_WORD[word]))
    # "halves", "doubled": of a form that is not in the list, the word without its ending is tried.
    for word in set(_ENGLISH_WORD.findall(lower)):
        known = word
        if word not in _VALUES_OF_NAME:
            known = word.removesuffix("s").removesuffix("d")
        values.update(_VALUES_OF_NAME.get(known, ()))
    for match in _MONTH.finditer(text):
        values.add(str(_MONTHS[match[1]]))
    return values


def _spelled(words: list[str]) -> int:
    """The number that words in a row make: two, thousand, five -> 2005."""
    # `current` has what is still to be multiplied by a thousand or more.
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
    """Every value that a masked Chinese text names, in digits or in numerals.

    ``3 个或二十四个`` -> 3, 24, and the parts of that: 2, 10, 4
    """
    values = values_of(numbers_of(text))
    for match in _HAN_NUMBER.finditer(text):
        values.add(str(_numeral(match[0])))
        for digit in match[0]:  # 一两个 is no 12, but 1 or 2
            values.add(str(_VALUE_OF_HAN[digit]))
    for value, words in _HAN_WORDS.items():
        if words.search(text):
            values.add(value)
    return values


def _numeral(text: str) -> int:
    """The number that Chinese numerals make: 二十四 -> 24, 一百万 -> 1000000.

    Digits alone are read one after the other: 二〇二四 -> 2024.
    """
    if not any(digit in _POWERS for digit in text):
        return int("".join(str(_NUMERALS[digit]) for digit in text))
    # `total` has what stood before a great power, `section` the tens to thousands since then, and
    # `digit` the last one, of which it is not known yet what it counts.
    total = section = digit = 0
    for character in text:
        power = _POWERS.get(character)
        if power is None:
            digit = _NUMERALS[character]
        elif power < _GREAT:
            section += max(digit, 1) * power  # 十二 is 一十二
            digit = 0
        elif section + digit:
            total += (section + digit) * power
            section = digit = 0
        else:  # a great power multiplies the one before it: 一万亿
            total = max(total, 1) * power
    return total + section + digit
