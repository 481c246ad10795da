"""M4: how Chinese is typeset: spaces, widths, marks.

Nothing here changes what is said, so that nearly all of it can be mended. ``spacing`` and ``marks``
say where a masked text wants an edit; here edits become problems with a fix.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial

from pipeline.core.checks import marks, spacing
from pipeline.core.checks.base import Check, Find, PageCheck, Problem, Subject
from pipeline.core.checks.masked import CLOSE, OPEN, WORD, keeps_atoms, masked
from pipeline.core.document.message import Kind, Markup
from pipeline.core.document.splice import Edit, splice
from pipeline.findings import Severity, Span

_Edits = Callable[[str], Iterable[Edit]]
_ROUNDS = 3  # an edit may make room for another one of its kind
_TITLES = frozenset(
    (
        Kind.HEADING,
        Kind.TABLE_CELL,
        Kind.TITLE,
        Kind.TERM,
        Kind.CAPTION,
        Kind.IMAGE,
        Kind.PAGE_TITLE,
        Kind.FRONT_MATTER,
    )
)
# Blocks in which " - " may part a name from what is said of it.
_PARTED = _TITLES | {Kind.LIST_ITEM, Kind.DEFINITION}
# A gap of reStructuredText beside white space, which parts a mark from a word as well.
_IDLE_GAP = re.compile(r"(?<!\\)\\ (?=\s)|(?<=\s)\\ ")
_WORD_AT = re.compile(rf"{OPEN}*(?:[A-Za-z0-9._]+|{WORD}+)|.")
_LONGEST_WORD = 80  # that is marked as a whole
_WORD_BEFORE = re.compile(rf"(?:(?:[A-Za-z0-9._%+#]+|{WORD}+){CLOSE}*|.)\Z")


# From edits to problems.


def _from_edits(find_edits: _Edits, *, text: str, hint: str) -> Find:
    """A function that makes a problem of what ``find_edits`` finds in a masked translation.

    The ``text`` is followed by the words that are marked: ``lacks a space: “用JAX”``.
    """

    def find(subject: Subject) -> Iterator[Problem]:
        return _problems(subject, find_edits, text=text, hint=hint)

    return find


def _problems(
    subject: Subject, find_edits: _Edits, *, text: str, hint: str
) -> Iterator[Problem]:
    """One problem for all edits of a kind."""
    shown = subject.masked_chinese
    edits = _without_overlaps(find_edits(shown))
    if not edits:
        return
    spans = tuple(_span(shown, edit) for edit in edits)
    words = "”, “".join(
        dict.fromkeys(subject.msgstr[start:end] for start, end in spans)
    )
    yield Problem(
        text=f"{text}: “{words}”",
        hint=hint,
        spans=spans,
        fix=_mended(subject, find_edits),
    )


def _without_overlaps(edits: Iterable[Edit]) -> list[Edit]:
    """The edits in order. What two would take, the first one has.

    3 to 5 and 4 to 7 -> 3 to 5 and 5 to 7
    """
    result: list[Edit] = []
    end = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        result.append(Edit(max(edit.start, end), edit.end, edit.text))
        end = edit.end
    return result


def _mended(subject: Subject, find_edits: _Edits) -> str | None:
    """The msgstr with nothing left to edit.

    None if that cannot be had, or not without touching an atom.
    """
    fix, markup = subject.msgstr, subject.markup
    for _ in range(_ROUNDS):
        edits = _without_overlaps(find_edits(masked(fix, markup)))
        if not edits:
            break
        fix = splice(fix, edits)
        if markup is Markup.RST:
            fix = _IDLE_GAP.sub("", fix)
    if not keeps_atoms(subject.msgstr, fix, markup):
        return None
    if list(find_edits(masked(fix, markup))):
        return None
    return fix


def _span(shown: str, edit: Edit) -> Span:
    """What is marked: the marks alone, or where white space comes or goes the words beside it.

    ``词 , 词`` -> ``,``; ``请用JAX时`` -> ``用JAX``
    """
    text = shown[edit.start : edit.end]
    if inner := text.strip():
        start = edit.start + text.index(inner)
        return start, start + len(inner)
    start, end = 0, len(shown)
    # Before a word there may be all of the text, which is no part of it.
    near = max(edit.start - _LONGEST_WORD, 0)
    if before := _WORD_BEFORE.search(shown, near, edit.start):
        start = before.start()
    if after := _WORD_AT.match(shown, edit.end):
        end = after.end()
    return start, end


# Spaces, marks and widths.

_find_missing_space = _from_edits(
    spacing.missing_spaces,
    text="lacks a space",
    hint="Put one space between Chinese and Latin letters, digits, code or formulas.",
)
_find_half_width = _from_edits(
    marks.half_width,
    text="has half-width punctuation",
    hint="Use ，。：；！？ in a Chinese sentence.",
)
_find_loose_mark = _from_edits(
    spacing.loose_marks,
    text="has a space beside a full-width mark",
    hint="Delete the space: the mark brings its own.",
)
_find_ellipsis = _from_edits(
    marks.ellipses,
    text="has dots that are no Chinese ellipsis",
    hint="Write …… (two characters).",
)
_find_bracket = _from_edits(
    marks.brackets,
    text="has half-width brackets around Chinese",
    hint="Write （ and ）, without spaces.",
)
_find_straight_quote = _from_edits(
    marks.quotes,
    text="has straight quotes around Chinese",
    hint="Write “ and ”, or 「 and 」 if the page has those.",
)
_find_straight_quote_of_traditional = _from_edits(
    partial(marks.quotes, pair="「」"),
    text="has straight quotes around Chinese",
    hint="Write 「 and 」.",
)
_find_wide_letter = _from_edits(
    spacing.wide_letters,
    text="has full-width letters or digits",
    hint="Type them in half width.",
)
_find_wide_space = _from_edits(
    spacing.wide_spaces,
    text="has a full-width space (U+3000)",
    hint="Delete it, or type a plain space.",
)
_find_doubled_mark = _from_edits(
    marks.doubled,
    text="has two marks where one belongs",
    hint="Keep one of them.",
)
_find_gap = _from_edits(
    spacing.spaces_between_han,
    text="has a space in the middle of Chinese",
    hint="Delete it.",
)


def _find_dash(subject: Subject) -> Iterator[Problem]:
    """Dashes that are no Chinese ones. Which are all right depends on the block."""
    return _problems(
        subject,
        partial(marks.dashes, may_part=subject.kind in _PARTED),
        text="has a dash that is no Chinese one",
        hint="Write —— (two characters) without spaces.",
    )


def _find_quote(subject: Subject) -> Iterator[Problem]:
    """Straight quotes, with a fix unless the page has other quotes than those of the fix."""
    for problem in _find_straight_quote(subject):
        if "「" in subject.msgstr:
            yield replace(problem, fix=None)
        else:
            yield problem


def _find_space_in_chinese(subject: Subject) -> Iterator[Problem]:
    """Spaces inside Chinese, but not in a title, where they may part two phrases."""
    if subject.kind not in _TITLES:
        yield from _find_gap(subject)


def _find_listed_comma(subject: Subject) -> Iterator[Problem]:
    """Half-width commas in a list of code. A person must say which mark they stand for."""
    if spans := tuple(marks.listed(subject.masked_chinese)):
        yield Problem(
            text="has half-width commas between pieces of code",
            hint="In a Chinese list write “、”, between clauses “，”.",
            spans=spans,
        )


# Characters.


def _find_nin(subject: Subject) -> Iterator[Problem]:
    if "您" in subject.msgstr:
        yield Problem(
            text="addresses the reader as 您",
            hint="Write 你, as everywhere else.",
            spans=_places("您", subject.msgstr),
        )


def _places(character: str, text: str) -> tuple[Span, ...]:
    """Where a character stands in a text: all places, as spans."""
    return tuple(match.span() for match in re.finditer(character, text))


def _find_mixed_quotes(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Entries that have the kind of quotes which fewer entries of the page have.

    If both kinds are as many, those with 「 are told.
    """
    curly, corner = _with_mark("“", subjects), _with_mark("「", subjects)
    if not curly or not corner:
        return
    fewer, mark, usual = corner, "「", "“"
    if len(curly) < len(corner):
        fewer, mark, usual = curly, "“", "「"
    for index in fewer:
        yield Problem(
            text=f"has quotes {mark} on a page that has {usual}",
            hint="Use the same quotes on the whole page.",
            spans=_places(mark, subjects[index].masked_chinese),
            index=index,
        )


def _with_mark(mark: str, subjects: Sequence[Subject]) -> list[int]:
    """Which entries have a mark outside of code and the like, by their number."""
    return [
        index
        for index, subject in enumerate(subjects)
        if mark in subject.masked_chinese
    ]


@cache
def _to_simplified() -> Callable[[str], str]:
    """OpenCC, which takes time to load: ``記憶體`` -> ``记忆体``. A text stays as long, mostly."""
    import opencc

    convert: Callable[[str], str] = opencc.OpenCC("t2s").convert
    return convert


@cache
def _is_traditional(character: str) -> bool:
    """Whether a character has a simplified form, wherever it stands."""
    return _to_simplified()(character) != character


def _find_traditional(subject: Subject) -> Iterator[Problem]:
    """Traditional characters.

    The whole text is converted, for which character is meant depends on its neighbours. But then
    显示覆盖 is taken for 显 + 示覆 + 盖: a character that is simplified by itself stays.
    """
    shown = subject.masked_chinese
    if not any(map(_is_traditional, shown)):
        return
    simplified = _to_simplified()(shown)
    places: list[int] = []
    pairs: list[str] = []
    for at, (ours, theirs) in enumerate(zip(shown, simplified, strict=False)):
        if ours != theirs and _is_traditional(ours):
            places.append(at)
            pairs.append(f"{ours} → {theirs}")
    if places:
        yield Problem(
            text=f"has Traditional characters: {', '.join(dict.fromkeys(pairs))}",
            hint="Write Simplified Chinese.",
            spans=tuple((at, at + 1) for at in places),
        )


def _warning(find: Find, *, code: str, name: str) -> Check:
    return Check(code=code, name=name, severity=Severity.WARNING, find=find)


def _note(find: Find, *, code: str, name: str) -> Check:
    return Check(code=code, name=name, severity=Severity.NOTE, find=find)


CHECKS: tuple[Check, ...] = (
    _warning(
        _find_missing_space,
        code="M401",
        name="no space beside Latin letters, digits or code",
    ),
    _warning(_find_half_width, code="M402", name="half-width punctuation"),
    _warning(_find_loose_mark, code="M403", name="space beside full-width punctuation"),
    _warning(_find_ellipsis, code="M404", name="ellipsis"),
    _warning(_find_dash, code="M405", name="dash"),
    _warning(_find_bracket, code="M406", name="half-width brackets around Chinese"),
    _warning(_find_quote, code="M407", name="straight quotes around Chinese"),
    _warning(_find_nin, code="M408", name="您 for 你"),
    _warning(_find_traditional, code="M410", name="Traditional characters"),
    _warning(_find_wide_letter, code="M411", name="full-width letters or digits"),
    _warning(_find_wide_space, code="M412", name="full-width space"),
    _warning(_find_doubled_mark, code="M413", name="doubled punctuation"),
    _note(_find_listed_comma, code="M414", name="half-width comma in a list of code"),
    _note(_find_space_in_chinese, code="M415", name="space inside Chinese"),
)
# Its readers are addressed as 您 where ours are as 你, and its quotation marks are 「」.
_OF_SIMPLIFIED_ONLY = frozenset(("M407", "M408", "M410"))
TRADITIONAL_CHECKS: tuple[Check, ...] = (
    *(check for check in CHECKS if check.code not in _OF_SIMPLIFIED_ONLY),
    _warning(
        _find_straight_quote_of_traditional,
        code="M407",
        name="straight quotes around Chinese",
    ),
)
PAGE_CHECKS: tuple[PageCheck, ...] = (
    PageCheck(
        code="M409",
        name="two kinds of quotes on a page",
        severity=Severity.WARNING,
        find=_find_mixed_quotes,
    ),
)
