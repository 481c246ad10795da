"""How Chinese is typeset: spaces, widths, marks. Nothing here changes what is said, so nearly all of it can be mended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial

from pipeline.core.checks import marks, spacing
from pipeline.core.checks.base import Check, PageCheck, Problem, Span, Subject
from pipeline.core.checks.masked import CLOSE, OPEN, WORD, keeps_atoms, masked
from pipeline.core.document.message import Kind, Markup
from pipeline.core.document.splice import Edit, splice
from pipeline.findings import Severity

_Edits = Callable[[str], Iterable[Edit]]
_ROUNDS = 3  # an edit may make room for another one of its kind
_TITLES = frozenset(
    (Kind.HEADING, Kind.TABLE_CELL, Kind.TITLE, Kind.TERM, Kind.CAPTION, Kind.IMAGE)
)
_PARTED = _TITLES | {Kind.LIST_ITEM, Kind.DEFINITION}
_IDLE_GAP = re.compile(
    r"(?<!\\)\\ (?=\s)|(?<=\s)\\ "
)  # white space parts a mark from a word as well
_WORD_AT = re.compile(rf"{OPEN}*(?:[A-Za-z0-9._]+|{WORD}+)|.")
_WORD_BEFORE = re.compile(rf"(?:(?:[A-Za-z0-9._%+#]+|{WORD}+){CLOSE}*|.)\Z")


def _problem(subject: Subject, find_edits: _Edits, text: str, hint: str) -> Iterator[Problem]:
    """One problem for all edits of a kind."""
    shown = subject.masked_chinese
    edits = _apart(find_edits(shown))
    if edits:
        spans = tuple(_span(shown, edit) for edit in edits)
        words = "”, “".join(dict.fromkeys(subject.msgstr[start:end] for start, end in spans))
        yield Problem(
            text=f"{text}: “{words}”", hint=hint, spans=spans, fix=_mended(subject, find_edits)
        )


def _apart(edits: Iterable[Edit]) -> list[Edit]:
    """Sorted, without overlaps: what two would take, the first one has."""
    result: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        start = max(edit.start, result[-1].end) if result else edit.start
        result.append(Edit(start, edit.end, edit.text))
    return result


def _mended(subject: Subject, find_edits: _Edits) -> str | None:
    """The msgstr with nothing left to edit; None if that cannot be had, or not without touching an atom."""
    fix, markup = subject.msgstr, subject.markup
    for _ in range(_ROUNDS):
        edits = _apart(find_edits(masked(fix, markup)))
        if not edits:
            break
        fix = splice(fix, edits)
        if markup is Markup.RST:
            fix = _IDLE_GAP.sub("", fix)
    return (
        fix
        if keeps_atoms(subject.msgstr, fix, markup) and not _apart(find_edits(masked(fix, markup)))
        else None
    )


def _span(shown: str, edit: Edit) -> Span:
    """What is marked: the marks alone, or where white space comes or goes the words on both sides of it."""
    text = shown[edit.start : edit.end]
    if inner := text.strip():
        start = edit.start + text.index(inner)
        return start, start + len(inner)
    before, after = _WORD_BEFORE.search(shown, 0, edit.start), _WORD_AT.match(shown, edit.end)
    return before.start() if before else 0, after.end() if after else len(shown)


def _find_missing_space(subject: Subject) -> Iterator[Problem]:
    hint = "Put one space between Chinese and Latin letters, digits, code or formulas."
    return _problem(subject, spacing.missing_spaces, "lacks a space", hint)


def _find_half_width(subject: Subject) -> Iterator[Problem]:
    return _problem(
        subject,
        marks.half_width,
        "has half-width punctuation",
        "Use ，。：；！？ in a Chinese sentence.",
    )


def _find_loose_mark(subject: Subject) -> Iterator[Problem]:
    return _problem(
        subject,
        spacing.loose_marks,
        "has a space beside a full-width mark",
        "Delete the space: the mark brings its own.",
    )


def _find_ellipsis(subject: Subject) -> Iterator[Problem]:
    return _problem(
        subject,
        marks.ellipses,
        "has dots that are no Chinese ellipsis",
        "Write …… (two characters).",
    )


def _find_dash(subject: Subject) -> Iterator[Problem]:
    find = partial(marks.dashes, may_part=subject.kind in _PARTED)
    return _problem(
        subject,
        find,
        "has a dash that is no Chinese one",
        "Write —— (two characters) without spaces.",
    )


def _find_bracket(subject: Subject) -> Iterator[Problem]:
    return _problem(
        subject,
        marks.brackets,
        "has half-width brackets around Chinese",
        "Write （ and ）, without spaces.",
    )


def _find_quote(subject: Subject) -> Iterator[Problem]:
    hint = "Write “ and ”, or 「 and 」 if the page has those."
    for problem in _problem(subject, marks.quotes, "has straight quotes around Chinese", hint):
        yield replace(problem, fix=None) if "「" in subject.msgstr else problem


def _find_nin(subject: Subject) -> Iterator[Problem]:
    if "您" in subject.msgstr:
        spans = tuple(match.span() for match in re.finditer("您", subject.msgstr))
        yield Problem(
            text="addresses the reader as 您", hint="Write 你, as everywhere else.", spans=spans
        )


def _find_mixed_quotes(subjects: Sequence[Subject]) -> Iterator[Problem]:
    curly, corner = (
        {at for at, subject in enumerate(subjects) if mark in subject.masked_chinese}
        for mark in "“「"
    )
    if not curly or not corner:
        return
    fewer, mark, other = (curly, "“", "「") if len(curly) < len(corner) else (corner, "「", "“")
    for at in sorted(fewer):
        spans = tuple(match.span() for match in re.finditer(mark, subjects[at].masked_chinese))
        yield Problem(
            text=f"has quotes {mark} on a page that has {other}",
            hint="Use the same quotes on the whole page.",
            spans=spans,
            index=at,
        )


@cache
def _to_simplified() -> Callable[[str], str]:
    import opencc

    convert: Callable[[str], str] = opencc.OpenCC("t2s").convert
    return convert


@cache
def _is_traditional(character: str) -> bool:
    return _to_simplified()(character) != character


def _find_traditional(subject: Subject) -> Iterator[Problem]:
    shown = subject.masked_chinese
    if not any(map(_is_traditional, shown)):
        return
    convert = _to_simplified()
    simplified = convert(shown)
    changed = (
        at
        for at, (ours, theirs) in enumerate(zip(shown, simplified, strict=False))
        if ours != theirs
    )
    places = [
        at for at in changed if _is_traditional(shown[at])
    ]  # 显示覆盖 is taken for 显 + 示覆 + 盖
    if not places:
        return
    pairs = dict.fromkeys(f"{shown[at]} → {simplified[at]}" for at in places)
    yield Problem(
        text=f"has Traditional characters: {', '.join(pairs)}",
        hint="Write Simplified Chinese.",
        spans=tuple((at, at + 1) for at in places),
    )


def _find_wide_letter(subject: Subject) -> Iterator[Problem]:
    return _problem(
        subject,
        spacing.wide_letters,
        "has full-width letters or digits",
        "Type them in half width.",
    )


def _find_wide_space(subject: Subject) -> Iterator[Problem]:
    return _problem(
        subject,
        spacing.wide_spaces,
        "has a full-width space (U+3000)",
        "Delete it, or type a plain space.",
    )


def _find_doubled_mark(subject: Subject) -> Iterator[Problem]:
    return _problem(subject, marks.doubled, "has two marks where one belongs", "Keep one of them.")


def _find_listed_comma(subject: Subject) -> Iterator[Problem]:
    if spans := tuple(marks.listed(subject.masked_chinese)):
        yield Problem(
            text="has half-width commas between pieces of code",
            hint="In a Chinese list write “、”, between clauses “，”.",
            spans=spans,
        )


def _find_space_in_chinese(subject: Subject) -> Iterator[Problem]:
    if subject.kind not in _TITLES:
        yield from _problem(
            subject,
            spacing.spaces_between_han,
            "has a space in the middle of Chinese",
            "Delete it.",
        )


CHECKS: tuple[Check, ...] = (
    Check(
        code="M401",
        name="no space beside Latin letters, digits or code",
        severity=Severity.WARNING,
        find=_find_missing_space,
    ),
    Check(
        code="M402", name="half-width punctuation", severity=Severity.WARNING, find=_find_half_width
    ),
    Check(
        code="M403",
        name="space beside full-width punctuation",
        severity=Severity.WARNING,
        find=_find_loose_mark,
    ),
    Check(code="M404", name="ellipsis", severity=Severity.WARNING, find=_find_ellipsis),
    Check(code="M405", name="dash", severity=Severity.WARNING, find=_find_dash),
    Check(
        code="M406",
        name="half-width brackets around Chinese",
        severity=Severity.WARNING,
        find=_find_bracket,
    ),
    Check(
        code="M407",
        name="straight quotes around Chinese",
        severity=Severity.WARNING,
        find=_find_quote,
    ),
    Check(code="M408", name="您 for 你", severity=Severity.WARNING, find=_find_nin),
    Check(
        code="M410",
        name="Traditional characters",
        severity=Severity.WARNING,
        find=_find_traditional,
    ),
    Check(
        code="M411",
        name="full-width letters or digits",
        severity=Severity.WARNING,
        find=_find_wide_letter,
    ),
    Check(code="M412", name="full-width space", severity=Severity.WARNING, find=_find_wide_space),
    Check(
        code="M413", name="doubled punctuation", severity=Severity.WARNING, find=_find_doubled_mark
    ),
    Check(
        code="M414",
        name="half-width comma in a list of code",
        severity=Severity.NOTE,
        find=_find_listed_comma,
    ),
    Check(
        code="M415",
        name="space inside Chinese",
        severity=Severity.NOTE,
        find=_find_space_in_chinese,
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
