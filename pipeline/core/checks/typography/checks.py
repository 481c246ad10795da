"""M4: the checks of Chinese typography.

The functions in `edits` find corrections of a masked text. Most checks here report these
corrections as a problem, and offer the corrected text as its fix. Such fixes never change words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial

from msgspec.structs import replace

from pipeline.core.checks.masked import CLOSE, OPEN, WORD, keeps_atoms, masked
from pipeline.core.checks.model import TITLES, Find, Problem, Subject
from pipeline.core.checks.typography import edits
from pipeline.core.document.message import Kind, Markup
from pipeline.core.document.splice import Edit, splice
from pipeline.findings import Span
from pipeline.tables import read_table

_MESSAGES = read_table(__name__, "messages")
_Edits = Callable[[str], Iterable[Edit]]
_ROUNDS = 3  # one edit may make another one of its kind possible
# Kinds of blocks in which " - " may separate a name from its description.
_PARTED = TITLES | {Kind.LIST_ITEM, Kind.DEFINITION}
# The reST separator "\ " beside white space, where it is not needed.
_IDLE_GAP = re.compile(r"(?<!\\)\\ (?=\s)|(?<=\s)\\ ")
_WORD_AT = re.compile(rf"{OPEN}*(?:[A-Za-z0-9._]+|{WORD}+)|.")
_LONGEST_WORD = 80  # maximum length of a word that is marked as a whole
_WORD_BEFORE = re.compile(rf"(?:(?:[A-Za-z0-9._%+#]+|{WORD}+){CLOSE}*|.)\Z")


# From edits to problems.


def _from_edits(find_edits: _Edits, name: str) -> Find:
    """Return a check that reports the edits that ``find_edits`` yields for a masked translation.

    ``name`` is the key of its message in ``messages.toml``. The message consists of a text and the
    marked words: ``lacks a space: “用JAX”``.
    """

    def find(subject: Subject) -> Iterator[Problem]:
        return _edit_problems(subject, find_edits, name)

    return find


def _edit_problems(subject: Subject, find_edits: _Edits, name: str) -> Iterator[Problem]:
    """Yield one problem for all edits that ``find_edits`` yields, if there are any."""
    shown = subject.masked_chinese
    edits = _without_overlaps(find_edits(shown))
    if not edits:
        return
    spans = tuple(_marked_span(shown, edit) for edit in edits)
    words = "”, “".join(dict.fromkeys(subject.msgstr[start:end] for start, end in spans))
    yield Problem(
        text=f"{_MESSAGES[name]['text']}: “{words}”",
        hint=_MESSAGES[name]["hint"],
        spans=spans,
        fix=_mended_text(subject, find_edits),
    )


def _without_overlaps(edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits in order, and shorten the second one of two that overlap.

    3 to 5 and 4 to 7 -> 3 to 5 and 5 to 7
    """
    result: list[Edit] = []
    end = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        result.append(Edit(max(edit.start, end), edit.end, edit.text))
        end = edit.end
    return result


def _mended_text(subject: Subject, find_edits: _Edits) -> str | None:
    """Return the msgstr after the edits, repeated until none are left.

    Return None if edits remain after all rounds, or if an atom would change.
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
    # After an incomplete fix, the next run would report and change the text again.
    if list(find_edits(masked(fix, markup))):
        return None
    return fix


def _marked_span(shown: str, edit: Edit) -> Span:
    """Return the span to mark for an edit: its characters, or the words beside its white space.

    ``词 , 词`` -> ``,``; ``请用JAX时`` -> ``用JAX``
    """
    text = shown[edit.start : edit.end]
    if inner := text.strip():
        start = edit.start + text.index(inner)
        return start, start + len(inner)
    start, end = 0, len(shown)
    # Search only near the edit: from the start of the text, a search takes long.
    near = max(edit.start - _LONGEST_WORD, 0)
    if before := _WORD_BEFORE.search(shown, near, edit.start):
        start = before.start()
    if after := _WORD_AT.match(shown, edit.end):
        end = after.end()
    return start, end


# Spaces, marks and widths.
find_missing_space = _from_edits(edits.missing_spaces, "missing_spaces")
find_half_width = _from_edits(edits.half_width, "half_width")
find_loose_mark = _from_edits(edits.loose_marks, "loose_marks")
find_ellipsis = _from_edits(edits.ellipses, "ellipses")
find_bracket = _from_edits(edits.brackets, "brackets")
_find_straight_quote = _from_edits(edits.quotes, "quotes")
find_traditional_quote = _from_edits(partial(edits.quotes, pair="「」"), "traditional_quotes")
find_wide_letter = _from_edits(edits.wide_letters, "wide_letters")
find_wide_space = _from_edits(edits.wide_spaces, "wide_spaces")
find_doubled_mark = _from_edits(edits.doubled, "doubled")
_find_gap = _from_edits(edits.spaces_between_han, "spaces_between_han")


def find_dash(subject: Subject) -> Iterator[Problem]:
    """Report wrong dashes. The kind of block decides whether `` - `` is correct."""
    return _edit_problems(
        subject,
        partial(edits.dashes, may_part=subject.kind in _PARTED),
        "dashes",
    )


def find_quote(subject: Subject) -> Iterator[Problem]:
    """Report straight quotes around Chinese.

    Offer no fix if the text has 「 as well: the fix writes “”, which would mix two kinds of quotes.
    """
    for problem in _find_straight_quote(subject):
        if "「" in subject.msgstr:
            yield replace(problem, fix=None)
        else:
            yield problem


def find_space_in_chinese(subject: Subject) -> Iterator[Problem]:
    """Report spaces inside Chinese, except in titles, where they may separate two phrases."""
    if subject.kind not in TITLES:
        yield from _find_gap(subject)


def find_listed_comma(subject: Subject) -> Iterator[Problem]:
    """Report half-width commas in a list of code. A person must choose the Chinese mark."""
    if spans := tuple(edits.listed(subject.masked_chinese)):
        yield Problem(
            text="has half-width commas between pieces of code",
            hint="In a Chinese list write “、”, between clauses “，”.",
            spans=spans,
        )


# Characters.


def find_nin(subject: Subject) -> Iterator[Problem]:
    # 您 is correct Chinese, but these docs address readers as 你.
    if "您" in subject.msgstr:
        yield Problem(
            text="addresses the reader as 您",
            hint="Write 你, as everywhere else.",
            spans=_spans_of_character("您", subject.msgstr),
        )


def _spans_of_character(character: str, text: str) -> tuple[Span, ...]:
    """Return the spans of all occurrences of a character in a text."""
    return tuple(match.span() for match in re.finditer(character, text))


def find_mixed_quotes(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Report the entries of a page that use the less common kind of quotes, “ or 「.

    If both kinds are equally common, report the entries with 「.
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
            spans=_spans_of_character(mark, subjects[index].masked_chinese),
            index=index,
        )


def _with_mark(mark: str, subjects: Sequence[Subject]) -> list[int]:
    """Return the indices of the entries that contain a mark outside of atoms."""
    return [index for index, subject in enumerate(subjects) if mark in subject.masked_chinese]


@cache
def _to_simplified() -> Callable[[str], str]:
    """Return OpenCC's converter to Simplified Chinese: ``記憶體`` -> ``记忆体``.

    OpenCC is slow to load, so the converter is cached.
    """
    import opencc

    convert: Callable[[str], str] = opencc.OpenCC("t2s").convert
    return convert


@cache
def _is_traditional(character: str) -> bool:
    """Return whether OpenCC converts a character on its own to another character."""
    return _to_simplified()(character) != character


def _simplified_characters(text: str) -> Iterator[tuple[str, str]]:
    """Yield each character of a text with its simplified form.

    OpenCC converts the whole text, because some characters depend on their neighbours. If the
    result has another length, the characters cannot be matched, so convert each one on its own. The
    current tables of OpenCC never change the length.
    """
    simplified: Sequence[str] = _to_simplified()(text)
    if len(simplified) != len(text):
        simplified = list(map(_to_simplified(), text))
    return zip(text, simplified, strict=True)


def find_traditional(subject: Subject) -> Iterator[Problem]:
    """Report Traditional characters.

    OpenCC splits texts into phrases, sometimes wrongly: 显示覆盖 becomes 显 + 示覆 + 盖. Therefore
    ignore a character that OpenCC would not convert on its own.
    """
    shown = subject.masked_chinese
    if not any(map(_is_traditional, shown)):
        return
    places: list[int] = []
    pairs: list[str] = []
    for at, (ours, theirs) in enumerate(_simplified_characters(shown)):
        if ours != theirs and _is_traditional(ours):
            places.append(at)
            pairs.append(f"{ours} → {theirs}")
    if places:
        yield Problem(
            text=f"has Traditional characters: {', '.join(dict.fromkeys(pairs))}",
            hint="Write Simplified Chinese.",
            spans=tuple((at, at + 1) for at in places),
        )
