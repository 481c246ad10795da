"""M102 in Markdown: bold and italics whose marks show, mostly because of Chinese beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import count_stray, is_same_but_marks, quote
from pipeline.core.checks.pairs import (
    MEANT,
    MEANT_WIDELY,
    Marks,
    Pair,
    hint_for,
    mend,
    read_marks,
)
from pipeline.core.checks.parsed import Parsed
from pipeline.core.checks.tree import walk
from pipeline.core.document import prose

_MARK = re.compile("[*_]")
# `* 词 *`: stars with spaces on both sides, around words rather than between factors.
_SPACED = re.compile(
    rf"(?<!\S)(\*{{1,3}})[ ][^*]*(?:[{prose.CJK}]|[^\W\d_]{{2}})[^*]*[ ]\1(?!\*)"
)


def find_unrendered(subject: Subject) -> Iterator[Problem]:
    """Bold or italics that do not show, in a text that stands as the right block.

    ``**注意：**不要``, ``使用__JAX__编程``, ``** 词 **``
    """
    english, chinese, source = subject.english, subject.chinese, subject.msgstr
    if not _MARK.search(source):
        return
    nested = _nested(chinese)
    if not _MARK.search(chinese.literal) and not nested:
        return  # no mark shows
    lost = english.count("strong", "em") - chinese.count("strong", "em")
    meant = _meant(subject, lost)
    if count_stray(subject, chinese, meant) <= 0 and nested <= _nested(english):
        return
    marks = read_marks(source, meant)
    broken = _broken_pairs(subject, marks, lost)
    if broken:
        yield _unrendered(subject, broken, meant, lost)
    elif lost > 0 and marks.single:
        start, end = marks.single[0]
        yield Problem(
            text=f"{quote(source[start:end])} has no partner and shows",
            hint="Write the same marks before and behind the words.",
            spans=tuple(marks.single),
        )


def _meant(subject: Subject, lost: int) -> re.Pattern[str]:
    """Which runs count as marks.

    A star with spaces on both sides is that of a product; unless emphasis is lost, and two such
    stars stand around words.
    """
    if lost > 0 and _SPACED.search(subject.msgstr):
        return MEANT_WIDELY
    return MEANT


def _broken_pairs(subject: Subject, marks: Marks, lost: int) -> list[Pair]:
    """The pairs that do not render and are not shown by the English as they are.

    Where nothing is lost, ``_`` is no mark: there are names with underscores beside Chinese
    characters, such as ``用_x和y_时``.
    """
    source = subject.msgstr
    broken = []
    for pair in marks.pairs:
        if pair.renders or source[pair.start : pair.end] in subject.english.visible:
            continue
        if lost <= 0 and source[pair.start : pair.inner_start] == "_":
            continue
        broken.append(pair)
    return broken


def _unrendered(
    subject: Subject, broken: list[Pair], meant: re.Pattern[str], lost: int
) -> Problem:
    """What is to be said of pairs that do not render: of the first one, with all of them marked."""
    source, first = subject.msgstr, broken[0]
    is_bold = any(pair.size > 1 for pair in broken)
    shape = "bold" if is_bold else "italics"
    return Problem(
        text=f"{quote(source[first.start : first.end])} does not show as {shape}",
        hint=hint_for(source, first),
        spans=tuple((pair.start, pair.end) for pair in broken),
        fix=_fix(subject, meant),
        is_minor=lost <= 0 and not is_bold,
    )


def _nested(parsed: Parsed) -> int:
    """How much bold is in bold, or italics in italics.

    That is a sign of marks that opened what they should have closed: of ``**注意：**不要**做**``
    the second ones open, and ``不要`` is bold twice.
    """
    count = 0
    for path, node in walk(parsed.tree):
        count += node.type in ("strong", "em") and node.type in path
    return count


def _fix(subject: Subject, meant: re.Pattern[str]) -> str | None:
    """The msgstr with every pair mended; None if one cannot be.

    A parser must agree that all of them show now, and that nothing else has changed.
    """
    mended = mend(subject.msgstr, meant)
    if mended is None:
        return None
    after = subject.read(mended)
    if not is_same_but_marks(subject.chinese, after):
        return None
    if after.count("strong", "em") != _count_wanted(mended):
        return None
    if count_stray(subject, after, MEANT) > 0:
        return None
    return mended


def _count_wanted(mended: str) -> int:
    """How many nodes the pairs of a text make if all of them show.

    That is one for each pair, and two for three stars, which are bold and italics.
    """
    count = 0
    for pair in read_marks(mended, MEANT).pairs:
        count += 2 if pair.size == len("***") else 1
    return count


def mend_start(subject: Subject) -> str | None:
    """The msgstr with the marks that it starts with close to their words.

    Apart from them they made a list of it: ``* 词*``. None if that is not what is wrong.
    """
    source = subject.msgstr.strip()
    if not source.startswith("*"):
        return None
    mended = mend(source, MEANT_WIDELY)
    if mended is None:
        return None
    wanted = subject.english.count("strong", "em")
    if subject.read(mended).count("strong", "em") != wanted:
        return None
    return mended
