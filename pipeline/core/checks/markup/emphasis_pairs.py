"""Pairs of emphasis marks in Markdown as an author means them, and ways to make them render.

The rules are in the CommonMark specification, section "Emphasis and strong emphasis". A run of
marks can open emphasis only if no white space follows it. If punctuation follows, white space or
punctuation must also precede the run. The rule for closing is the mirror image.

English has white space between words, so these rules rarely matter. Chinese has none: in
``**注意：**不要``, the second ``**`` follows punctuation and precedes a word, so it cannot close.
``_`` has no effect inside a word. CommonMark counts ``使用__JAX__编程`` as one word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.rules_inline import StateInline
from msgspec import Struct

from pipeline.core.checks.fixes import is_han
from pipeline.core.checks.masked import read_pattern
from pipeline.core.checks.parsed import blanked
from pipeline.core.document.markdown import parser as markdown
from pipeline.findings import Span
from pipeline.limits import EMPHASIS_PAIRS

_RUN = re.compile(r"\*+|_+")
# A run that may be intended to open or close emphasis. The marks in `2 * 3` and `a_b` are no such
# runs.
MEANT = re.compile(read_pattern("emphasis"), re.VERBOSE)
# The same pattern, but it matches every star, also in `2 * 3`.
MEANT_WIDELY = re.compile(rf"\*+|{MEANT.pattern}", re.VERBOSE)
_END_MARKS = "，。：；！？、…—～·"
_MARKS_END = re.compile(rf"(?P<words>.*[^{_END_MARKS}])[{_END_MARKS}]+")
_MARKS_START = re.compile(rf"[{_END_MARKS}]+(?P<words>.+)")
_PARTNERS = dict(zip("（(【［《〈「『“‘", "）)】］》〉」』”’", strict=True))
_WRAPPED = re.compile(r"([（(【［《〈「『“‘])(.+)([）)】］》〉」』”’])")
_ASIDE_END = re.compile(r"(?P<words>.+?)[（(][^（()）]*[）)]")
_ASIDE_START = re.compile(r"[（(][^（()）]*[）)](?P<words>.+)")
_LINK = re.compile(r"\[([^\[\]]+)\]((?:\([^()\s]*\)|\[[^\[\]]*\]))")


class MarkPair(Struct, frozen=True, kw_only=True):
    """Two equal runs of marks that an author probably means as a pair.

    The fields are positions in the text. The first run extends from ``start`` to ``inner_start``,
    the second one from ``inner_end`` to ``end``.
    """

    start: int
    inner_start: int
    inner_end: int
    end: int
    opens: bool  # whether CommonMark lets the first run open emphasis
    closes: bool  # whether CommonMark lets the second run close emphasis

    @property
    def renders(self) -> bool:
        """Return whether CommonMark lets the first run open and the second one close."""
        return self.opens and self.closes

    @property
    def size(self) -> int:
        """Return the length of each run: 1 for italics, 2 for bold, 3 for both."""
        return self.inner_start - self.start


def read_marks(source: str, meant: re.Pattern[str]) -> tuple[list[MarkPair], list[Span]]:
    """Return the pairs of equal runs of ``source`` that match ``meant``, and runs without partner.

    A run forms a pair with the last open run of the same characters, whether CommonMark accepts the
    pair or not. Runs that were opened in between have no partner, such as the ``*`` in
    ``**a *b**``.
    """
    hidden = blanked(source)
    state = StateInline(source, markdown.parser(), {}, [])
    pairs: list[MarkPair] = []
    opened: list[Span] = []
    single: list[Span] = []
    for match in _RUN.finditer(hidden):
        if not meant.match(hidden, match.start()):
            continue
        depth = _last_alike(source, opened, match[0])
        if depth is None or not source[opened[depth][1] : match.start()].strip():
            opened.append(match.span())
            continue
        start, inner_start = opened[depth]
        single += opened[depth + 1 :]
        del opened[depth:]
        is_star = match[0][0] == "*"
        pair = MarkPair(
            start=start,
            inner_start=inner_start,
            inner_end=match.start(),
            end=match.end(),
            opens=state.scanDelims(start, is_star).can_open,
            closes=state.scanDelims(match.start(), is_star).can_close,
        )
        pairs.append(pair)
    return pairs, single + opened


def _last_alike(source: str, opened: list[Span], run: str) -> int | None:
    """Return the index of the last open run that equals ``run``, or None.

    ``**`` closes neither ``*`` nor ``__``.
    """
    for depth in range(len(opened) - 1, -1, -1):
        start, end = opened[depth]
        if source[start:end] == run:
            return depth
    return None


def mend(source: str, meant: re.Pattern[str]) -> str | None:
    """Return ``source`` with each pair of marks rewritten so that it renders.

    Change only marks and white space. Return None if a pair cannot be rewritten.
    """
    pairs = read_marks(source, meant)[0]
    if len(pairs) > EMPHASIS_PAIRS:
        return None
    while broken := next((pair for pair in pairs if not pair.renders), None):
        # The badness decreases each time, so the loop terminates.
        better = _first_better(source, broken, meant, badness=_badness(pairs))
        if better is None:
            return None
        source = better
        pairs = read_marks(source, meant)[0]
    return source


def _first_better(
    source: str, broken: MarkPair, meant: re.Pattern[str], *, badness: int
) -> str | None:
    """Return the first version of ``source`` whose badness is less than ``badness``, or None.

    Each version rewrites the pair ``broken``. Rewriting a pair may break another one, so the
    badness of the whole text decides.
    """
    for fix in _rewritten_pair(source, broken):
        if _badness(read_marks(fix, meant)[0]) < badness:
            return fix
    return None


def _badness(pairs: list[MarkPair]) -> int:
    """Return the number of runs that do not work, at most two per pair."""
    count = 0
    for pair in pairs:
        count += (not pair.opens) + (not pair.closes)
    return count


def _rewritten_pair(source: str, pair: MarkPair) -> Iterator[str]:
    """Yield versions of ``source`` in which a pair is rewritten, in order of preference.

    A version may still not render, so the caller has to test it.
    """
    before, after = source[: pair.start], source[pair.end :]
    inner = source[pair.inner_start : pair.inner_end]
    # Replace underscores by stars: next to Chinese, underscores are plain characters.
    marks = "*" * pair.size
    core = inner.strip()
    # Move white space from inside the marks to the outside, if typography allows a space outside.
    if inner[0].isspace() and _wants_space(before[-1:], core[0]):
        before += " "
    if inner[-1].isspace() and _wants_space(core[-1], after[:1]):
        after = f" {after}"
    yield f"{before}{marks}{core}{marks}{after}"
    # `**[甲](a)**` → `[**甲**](a)`
    if link := _LINK.fullmatch(core):
        yield f"{before}[{marks}{link[1]}{marks}]{link[2]}{after}"
    # `**甲：**乙` → `**甲**：乙`
    for start, end in _narrower_spans(blanked(core)):
        yield f"{before}{core[:start]}{marks}{core[start:end]}{marks}{core[end:]}{after}"
    # "甲**`f`**" → "甲 **`f`**"
    if _wants_space(before[-1:], core[0]):
        before += " "
    if _wants_space(core[-1], after[:1]):
        after = f" {after}"
    yield f"{before}{marks}{core}{marks}{after}"


def _narrower_spans(core: str) -> Iterator[Span]:
    """Yield the positions of shorter parts of ``core`` that the marks could surround instead.

    These are the words inside brackets that surround all of ``core``, and ``core`` without the
    punctuation or the bracketed text at one end:

    （词）, 词：, 词（甲）    ->  词
    """
    if _is_wrapped(core):
        yield 1, len(core) - 1
    for pattern in (_MARKS_END, _MARKS_START, _ASIDE_END, _ASIDE_START):
        if match := pattern.fullmatch(core):
            yield match.span("words")


def _is_wrapped(core: str) -> bool:
    """Return whether one pair of brackets surrounds the whole text.

    True for ``（词）``, but not for ``（甲）和（乙）`` or ``（词」``.
    """
    wrapped = _WRAPPED.fullmatch(core)
    if not wrapped:
        return False
    opening, words, closing = wrapped.groups()
    return _PARTNERS[opening] == closing and opening not in words


def _wants_space(left: str, right: str) -> bool:
    """Return whether Chinese typography puts a space between two characters.

    A space separates Chinese from Latin letters, digits and code. There is no space between two
    Chinese characters, beside full-width punctuation, or beside other white space. At the edge of
    the text, one of the arguments is empty, and there is no space either.
    """
    for side in (left, right):
        if not side.strip():
            return False
        if is_han(side) and not side.isalpha():
            return False
    return not (is_han(left) and is_han(right))


def hint_for(source: str, pair: MarkPair) -> str:
    """Return how to correct a pair that does not render, judged by its most probable cause."""
    inner = source[pair.inner_start : pair.inner_end]
    # 使用__词__时
    if source[pair.start] == "_":
        return "Use * instead of _: beside Chinese characters an underscore is a plain character."
    # ** 词 **
    if inner != inner.strip():
        return "Delete the space between the marks and the words."
    # **词：**词
    if _MARKS_END.fullmatch(inner) or _MARKS_START.fullmatch(inner):
        return "Put the punctuation outside of the marks."
    # 词**（词）**词, or 词**`f`**词
    edge = inner[-1] if pair.opens else inner[0]
    if is_han(edge):
        return "Start and end the marks at a word: put brackets and quotes outside of them."
    return "Put a space between the marks and the Chinese characters beside them."
