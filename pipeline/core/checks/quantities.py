"""M304, M305: numbers and units that the translation lacks, or that the English has not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.masked import URL, WORD
from pipeline.core.checks.numbers import (
    Number,
    chinese_values,
    english_values,
    numbers_of,
    values_of,
)
from pipeline.core.checks.units import Unit, names_unit, units_of


def find_numbers(subject: Subject) -> Iterator[Problem]:
    """Numbers in digits that only one of the two texts names.

    "10,000" may be ``1 万``, "twice" ``2 倍``, and "three" ``3``: so each is looked for in
    all the ways to write it.
    """
    english, chinese = subject.masked_english, subject.masked_chinese
    theirs, ours = numbers_of(english), numbers_of(chinese)  # of most messages none
    lost = _not_among(theirs, values_of(ours))
    new = _not_among(ours, values_of(theirs))
    # Mostly the digits agree. Where they do not, a number may stand in words or in code.
    if lost:
        lost = _not_among(
            lost, chinese_values(chinese) | _in_code(subject.msgstr, chinese)
        )
    if new:
        new = _not_among(
            new, english_values(english) | _in_code(subject.msgid, english)
        )
    text = _difference(
        "number", [number.text for number in lost], [number.text for number in new]
    )
    if text:
        yield Problem(
            text=text,
            hint="Compare the numbers with the English, in digits or in words.",
            spans=tuple((number.start, number.end) for number in new),
        )


def _not_among(numbers: Iterable[Number], values: set[str]) -> list[Number]:
    """The numbers that ``values`` do not hold, in any of the ways to take them."""
    return [number for number in numbers if not number.is_among(values)]


def _in_code(text: str, masked_text: str) -> set[str]:
    """The values of the numbers in the code, formulas and URLs of a text.

    The masked text has stand-ins in their places, and is as long as the text.
    """
    code = []
    for character, stand_in in zip(text, masked_text, strict=True):
        code.append(character if stand_in in (WORD, URL) else " ")
    return values_of(numbers_of("".join(code)))


def find_units(subject: Subject) -> Iterator[Problem]:
    """Units behind numbers that only one of the two texts names: ``3 毫秒`` for "3 seconds"."""
    # Behind a number one text has the symbol; the other may have it anywhere, also as a word.
    lost = _units_not_in(subject.msgstr, units_of(subject.masked_english))
    new = _units_not_in(subject.msgid, units_of(subject.masked_chinese))
    text = _difference(
        "unit", [unit.symbol for unit in lost], [unit.symbol for unit in new]
    )
    if text:
        yield Problem(
            text=text,
            hint="Use the unit of the English.",
            spans=tuple((unit.start, unit.end) for unit in new),
        )


def _units_not_in(text: str, units: Iterable[Unit]) -> list[Unit]:
    """The units that a text never names."""
    return [unit for unit in units if not names_unit(text, unit.symbol)]


def _difference(what: str, lost: list[str], new: list[str]) -> str:
    """What is said of numbers or units that only one of the texts has; empty if there are none.

    ``lacks the number 3, 4 and has the number 5, which the English has not``
    """
    parts = []
    if lost:
        parts.append(f"lacks the {what} {', '.join(dict.fromkeys(lost))}")
    if new:
        listed = ", ".join(dict.fromkeys(new))
        parts.append(f"has the {what} {listed}, which the English has not")
    return " and ".join(parts)
