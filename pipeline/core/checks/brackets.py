"""Pairs of brackets and quotes in a masked text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.core.checks.masked import HAN

_PAIRS = {
    "（": "）",
    "(": ")",
    "《": "》",
    "【": "】",
    "[": "]",
    "「": "」",
    "『": "』",
    "“": "”",
    "‘": "’",
}
_CLOSERS = {closer: opener for opener, closer in _PAIRS.items()}
_FULL = {"(": "（", ")": "）", "[": "【", "]": "】"}
_FAMILY = {
    "（": "round",
    "）": "round",
    "(": "round",
    ")": "round",
    "【": "square",
    "】": "square",
    "[": "square",
    "]": "square",
}
_BRACKET = re.compile("[" + re.escape("".join((*_PAIRS, *_CLOSERS))) + "]")
_QUOTED = re.compile(r"(?<=[“‘「])[\[(（【](?=[”’」])|(?<=[“‘「])[\])）】](?=[”’」])")  # spoken of
# An apostrophe, the bracket of ``1)``.
_NO_CLOSER = re.compile(
    r"(?<=[A-Za-z])’|(?:(?<=^\w)|(?<=^\w\w)|(?<=[\s，。；：、,;:]\w)|(?<=[\s，。；：、,;:]\w\w))[)）]"
)
_NO_BRACKET = rf"[^()\[\]{HAN}]*"
_INTERVAL = re.compile(rf"\({_NO_BRACKET},{_NO_BRACKET}\]|\[{_NO_BRACKET},{_NO_BRACKET}\)")


@dataclass(frozen=True, slots=True)
class Brackets:
    """Positions. ``single`` have no partner; each of ``mixed`` is a pair of a half-width and a full-width bracket."""

    pairs: tuple[tuple[int, int], ...]
    single: tuple[int, ...]
    mixed: tuple[tuple[int, int], ...]


def read_brackets(text: str) -> Brackets:
    """Pair the brackets of a masked text. Apostrophes, the bracket of ``1)``, those of ``[0, 1)`` and one that is quoted are none."""
    if "]" in text or "[" in text:
        text = _INTERVAL.sub(lambda match: " " * len(match[0]), text)
    found = list(_BRACKET.finditer(text))
    quoted = {match.start() for match in _QUOTED.finditer(text)} if found else ()
    waiting: list[int] = []
    single: list[int] = []
    pairs: list[tuple[int, int]] = []
    mixed: list[tuple[int, int]] = []
    for match in found:
        at, mark = match.start(), match[0]
        if at in quoted:
            continue
        if mark in _PAIRS:
            waiting.append(at)
            continue
        depth = _partner(text, waiting, mark)
        if depth is None:
            if not _NO_CLOSER.match(text, at):
                single.append(at)
            continue
        (pairs if text[waiting[depth]] == _CLOSERS[mark] else mixed).append((waiting[depth], at))
        single += waiting[depth + 1 :]
        del waiting[depth:]
    return Brackets(
        tuple(pairs), tuple(sorted((*single, *waiting, *_odd_quote(text)))), tuple(mixed)
    )


def _partner(text: str, waiting: list[int], mark: str) -> int | None:
    """Which of the open brackets ``mark`` closes: the last of its kind, or the last one if only the width differs."""
    for depth in range(len(waiting) - 1, -1, -1):
        opener = text[waiting[depth]]
        if opener == _CLOSERS[mark] or (
            _FAMILY.get(opener, "") == _FAMILY.get(mark) and depth == len(waiting) - 1
        ):
            return depth
    return None


def _odd_quote(text: str) -> Iterator[int]:
    if text.count('"') % 2:
        yield text.rindex('"')


def family(mark: str) -> str:
    """What a bracket may be written as in the other language: all quotes are one family."""
    return _FAMILY.get(mark, "quote" if mark in '「」『』“”‘’"' else mark)


def full_width(mark: str) -> str:
    """The full-width form of a bracket."""
    return _FULL.get(mark, mark)
