"""Bold and italics whose marks show: beside Chinese text CommonMark often takes ``*`` and ``_`` for plain characters.

Source of the rules: CommonMark, "Emphasis and strong emphasis". A mark opens only if it is "left-flanking": what follows it is no
white space, and no punctuation unless white space or punctuation stands before; closing is the mirror image. A Chinese sentence
has no white space, so ``**注意：**不要`` does not close; and ``_`` does nothing inside a "word", so ``使用__JAX__`` does not open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it.rules_inline import StateInline

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import are_words_kept, is_han, quote
from pipeline.core.checks.parsed import Parsed, blanked
from pipeline.core.checks.tree import walk
from pipeline.core.document import prose
from pipeline.core.myst import split as markdown
from pipeline.findings import Severity

_RUN = re.compile(r"\*+|_+")
# A run that can have been meant to open or close something: not `2 * 3`, not `a_b`.
MEANT = re.compile(
    r"(?<!\s)\*+|\*+(?!\s)|(?<![A-Za-z0-9_])_+(?!\s)|(?<!\s)(?<!_)_+(?![A-Za-z0-9_])"
)
_MEANT_WIDELY = re.compile(rf"\*+|{MEANT.pattern}")
_SPACED = re.compile(rf"(?<!\S)(\*{{1,3}})[ ][^*]*(?:[{prose.CJK}]|[^\W\d_]{{2}})[^*]*[ ]\1(?!\*)")
_MARKS_END = re.compile(r"(?P<words>.*[^，。：；！？、…—～·])[，。：；！？、…—～·]+")
_MARKS_START = re.compile(r"[，。：；！？、…—～·]+(?P<words>.+)")
_WRAPPED = re.compile(r"([（(【［《〈「『“‘])(.+)([）)】］》〉」』”’])")
_ASIDE_END = re.compile(r"(?P<words>.+?)[（(][^（()）]*[）)]")
_ASIDE_START = re.compile(r"[（(][^（()）]*[）)](?P<words>.+)")
_LINK = re.compile(r"\[([^\[\]]+)\]((?:\([^()\s]*\)|\[[^\[\]]*\]))")
_MOST_PAIRS = 30  # in one message; no honest one has that many, and each takes its time
_PARTNERS = dict(zip("（(【［《〈「『“‘", "）)】］》〉」』”’", strict=True))


class Pair(NamedTuple):
    """Two runs of the same mark that look like they belong together: where the first starts and ends, then the second."""

    start: int
    inner_start: int
    inner_end: int
    end: int
    opens: bool
    closes: bool

    @property
    def renders(self) -> bool:
        """Whether a parser takes both for marks, as far as can be told without one."""
        return self.opens and self.closes


def find_unrendered(subject: Subject) -> Iterator[Problem]:
    """Bold or italics that do not show."""
    english, chinese, source = subject.english, subject.chinese, subject.msgstr
    if ("*" not in source and "_" not in source) or not subject.is_in_place:
        return
    if "*" not in chinese.literal and "_" not in chinese.literal and not _nested(chinese):
        return  # no mark shows
    lost = english.count("strong", "em") - chinese.count("strong", "em")
    meant = _meant(subject, lost)
    if _stray(subject, chinese, meant) <= 0 and _nested(chinese) <= _nested(english):
        return
    found, lone = _pairs(source, meant)
    pairs = [
        pair
        for pair in found
        if not pair.renders and source[pair.start : pair.end] not in english.visible
    ]
    if lost <= 0:  # underscores in names that stand beside Chinese characters
        pairs = [pair for pair in pairs if source[pair.start : pair.inner_start] != "_"]
    if pairs:
        bold = any(pair.inner_start - pair.start > 1 for pair in pairs)
        yield Problem(
            text=f"{quote(source[pairs[0].start : pairs[0].end])} does not show as {'bold' if bold else 'italics'}",
            hint=_hint(source, pairs[0]),
            spans=tuple((pair.start, pair.end) for pair in pairs),
            fix=_fix(subject, meant),
            is_minor=lost <= 0 and not bold,
        )
    elif lost > 0 and lone:
        marks = source[slice(*lone[0])]
        yield Problem(
            text=f"{quote(marks)} has no partner and shows",
            hint="Write the same marks before and behind the words.",
            spans=tuple(lone),
        )


def _meant(subject: Subject, lost: int) -> re.Pattern[str]:
    """Which runs count as marks. Spaces on both sides are those of a product, unless emphasis is lost and they stand around words."""
    return _MEANT_WIDELY if lost > 0 and _SPACED.search(subject.msgstr) else MEANT


def _stray(subject: Subject, parsed: Parsed, meant: re.Pattern[str] = MEANT) -> int:
    """How many more marks show than in the English."""
    english = subject.english
    return len(meant.findall(parsed.literal)) - max(
        len(meant.findall(text)) for text in (english.plain, english.literal)
    )


def _nested(parsed: Parsed) -> int:
    """How much bold is in bold: a sign of marks that closed what they should not have."""
    return sum(
        node.type in path for path, node in walk(parsed.tree) if node.type in ("strong", "em")
    )


def _pairs(source: str, meant: re.Pattern[str]) -> tuple[list[Pair], list[tuple[int, int]]]:
    """Marks paired by what they look like, in order of their ends; and the runs that are left over."""
    hidden = blanked(source)
    state = StateInline(source, markdown.parser(), {}, [])
    pairs: list[Pair] = []
    opened: list[tuple[int, int]] = []
    left_over: list[tuple[int, int]] = []
    for match in _RUN.finditer(hidden):
        if not meant.match(hidden, match.start()):
            continue
        partner = next((at for at in reversed(opened) if source[slice(*at)] == match[0]), None)
        if partner is None or not source[partner[1] : match.start()].strip():
            opened.append(match.span())
            continue
        left_over += opened[opened.index(partner) + 1 :]
        del opened[opened.index(partner) :]
        opens = state.scanDelims(partner[0], match[0][0] == "*").can_open
        closes = state.scanDelims(match.start(), match[0][0] == "*").can_close
        pairs.append(Pair(partner[0], partner[1], match.start(), match.end(), opens, closes))
    return pairs, left_over + opened


def _hint(source: str, pair: Pair) -> str:
    inner = source[pair.inner_start : pair.inner_end]
    if source[pair.start] == "_":
        return "Use * instead of _: beside Chinese characters an underscore is a plain character."
    if inner != inner.strip():
        return "Delete the space between the marks and the words."
    if _MARKS_END.fullmatch(inner) or _MARKS_START.fullmatch(inner):
        return "Put the punctuation outside of the marks."
    if is_han(inner[-1] if pair.opens else inner[0]):
        return "Start and end the marks at a word: put brackets and quotes outside of them."
    return "Put a space between the marks and the Chinese characters beside them."


def _fix(subject: Subject, meant: re.Pattern[str]) -> str | None:
    """The msgstr with every pair mended, if a parser agrees that nothing else has changed."""
    mended = mend(subject.msgstr, meant)
    if mended is None:
        return None
    before, after = subject.chinese, subject.read(mended)
    is_same = (
        after.blocks == before.blocks
        and after.atoms == before.atoms
        and are_words_kept(before.visible, after.visible)
    )
    emphasized = sum(
        2 if pair.inner_start - pair.start == len("***") else 1 for pair in _pairs(mended, MEANT)[0]
    )
    return (
        mended
        if is_same and after.count("strong", "em") == emphasized and _stray(subject, after) <= 0
        else None
    )


def mend(source: str, meant: re.Pattern[str]) -> str | None:
    """``source`` with each pair of the marks that are ``meant`` written so that it renders; None if one cannot be."""
    pairs = _pairs(source, meant)[0]
    if len(pairs) > _MOST_PAIRS:
        return None
    while broken := next((pair for pair in pairs if not pair.renders), None):
        badness = _badness(pairs)  # it falls each time
        found = next(
            (
                fix
                for fix in _rewritten(source, broken)
                if _badness(_pairs(fix, meant)[0]) < badness
            ),
            None,
        )
        if found is None:
            return None
        source, pairs = found, _pairs(found, meant)[0]
    return source


def mend_start(subject: Subject) -> str | None:
    """The msgstr with the marks that it starts with close to their words, where they made a list of it."""
    mended = (
        mend(subject.msgstr.strip(), _MEANT_WIDELY)
        if subject.msgstr.strip().startswith("*")
        else None
    )
    if mended is None or subject.read(mended).count("strong", "em") != subject.english.count(
        "strong", "em"
    ):
        return None
    return mended


def _badness(pairs: list[Pair]) -> int:
    return sum((not pair.opens) + (not pair.closes) for pair in pairs)


def _rewritten(source: str, pair: Pair) -> Iterator[str]:
    """Ways to write a pair, best first."""
    before, after = source[: pair.start], source[pair.end :]
    inner = source[pair.inner_start : pair.inner_end]
    marks = "*" * (pair.inner_start - pair.start)
    core = inner.strip()
    if core != inner:
        before += " " if inner[0].isspace() and _wants_space(before[-1:], core[0]) else ""
        after = (" " if inner[-1].isspace() and _wants_space(core[-1], after[:1]) else "") + after
    yield f"{before}{marks}{core}{marks}{after}"
    if link := _LINK.fullmatch(core):
        yield f"{before}[{marks}{link[1]}{marks}]{link[2]}{after}"
    for start, end in _narrower(blanked(core)):
        yield f"{before}{core[:start]}{marks}{core[start:end]}{marks}{core[end:]}{after}"
    spaced_before = f"{before} " if _wants_space(before[-1:], core[0]) else before
    spaced_after = f" {after}" if _wants_space(core[-1], after[:1]) else after
    yield f"{spaced_before}{marks}{core}{marks}{spaced_after}"


def _narrower(core: str) -> Iterator[tuple[int, int]]:
    """What the marks may stand around instead: the words within brackets, or without marks and asides at their ends."""
    wrapped = _WRAPPED.fullmatch(core)
    if wrapped and _PARTNERS[wrapped[1]] == wrapped[3] and wrapped[1] not in wrapped[2]:
        yield wrapped.span(2)
    for pattern in (_MARKS_END, _MARKS_START, _ASIDE_END, _ASIDE_START):
        if found := pattern.fullmatch(core):
            yield found.span("words")


def _wants_space(left: str, right: str) -> bool:
    """Whether a space may stand between two characters: beside Latin letters, digits and code, but not beside full-width marks."""
    sides = [character for character in (left, right) if character and not character.isspace()]
    if len(sides) < 2 or all(is_han(side) for side in sides):
        return False
    return all(not is_han(side) or side.isalpha() for side in sides)
