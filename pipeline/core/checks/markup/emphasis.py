r"""M102, M103: bold and italics that do not render, or that were lost, added or moved.

If the marks (``*``, ``_``) of emphasis do not work, readers see the marks. In Markdown, the usual
cause is the Chinese text beside them; `emphasis_pairs` has the rules. In reST, Chinese beside a
mark does no harm, because the pipeline inserts the separator ``\ `` that docutils needs. In reST,
the usual causes are white space or other marks inside the emphasis.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pipeline.core.checks.fixes import count_stray, is_same_but_marks, quote, spans_of
from pipeline.core.checks.inline_tree import Node, walk
from pipeline.core.checks.markup import emphasis_pairs as pairs
from pipeline.core.checks.masked import read_pattern
from pipeline.core.checks.model import Problem, Subject, by_markup
from pipeline.core.checks.parsed import Parsed, blanked
from pipeline.core.document import prose
from pipeline.core.document.message import Markup
from pipeline.findings import Span

_MARKDOWN_MARK = re.compile("[*_]")
# `* 词 *`: stars with spaces on both sides. Words between them show that they are not
# multiplication signs.
_SPACED = re.compile(rf"(?<!\S)(\*{{1,3}})[ ][^*]*(?:[{prose.CJK}]|[^\W\d_]{{2}})[^*]*[ ]\1(?!\*)")


def _find_markdown_emphasis(subject: Subject) -> Iterator[Problem]:
    """Report bold or italics of Markdown with visible marks.

    ``**注意：**不要``, ``使用__JAX__编程``, ``** 词 **``
    """
    english, chinese, source = subject.english, subject.chinese, subject.msgstr
    if not _MARKDOWN_MARK.search(source):
        return
    nested = _count_nested(chinese)
    if not _MARKDOWN_MARK.search(chinese.literal) and not nested:
        return  # no mark is visible
    lost = english.count("strong", "em") - chinese.count("strong", "em")
    meant = _meant_marks(subject, lost)
    if count_stray(subject, chinese, meant) <= 0 and nested <= _count_nested(english):
        return
    marks, single = pairs.read_marks(source, meant)
    broken = _broken_markdown_pairs(subject, marks, lost)
    if broken:
        is_bold = any(pair.size > 1 for pair in broken)
        yield _unrendered_problem(
            source,
            [(pair.start, pair.end) for pair in broken],
            is_bold=is_bold,
            hint=pairs.hint_for(source, broken[0]),
            fix=_mended_markdown(subject, meant),
            # If no emphasis is lost, the author may want the single star to be visible.
            is_downgraded=lost <= 0 and not is_bold,
        )
    elif lost > 0 and single:
        start, end = single[0]
        yield Problem(
            text=f"{quote(source[start:end])} has no partner, so it is visible",
            hint="Write the same marks before and after the words.",
            spans=tuple(single),
        )


def _meant_marks(subject: Subject, lost: int) -> re.Pattern[str]:
    """Return the pattern of the runs of stars and underscores that count as marks.

    ``lost`` is the number of bold and italic parts in the English, minus the number in the
    translation. A star with spaces on both sides usually is a multiplication sign. It counts as a
    mark only if emphasis is lost and two such stars surround words.
    """
    if lost > 0 and _SPACED.search(subject.msgstr):
        return pairs.MEANT_WIDELY
    return pairs.MEANT


def _broken_markdown_pairs(
    subject: Subject, marks: list[pairs.MarkPair], lost: int
) -> list[pairs.MarkPair]:
    """Return the pairs of marks that do not render, except those that are visible in the English.

    If no emphasis is lost, skip pairs of single underscores: they may belong to names beside
    Chinese, as in ``用_x和y_时``.
    """
    source = subject.msgstr
    broken = []
    for pair in marks:
        if pair.renders or source[pair.start : pair.end] in subject.english.visible:
            continue
        if lost <= 0 and source[pair.start : pair.inner_start] == "_":
            continue
        broken.append(pair)
    return broken


def _count_nested(parsed: Parsed) -> int:
    """Return how often bold is nested in bold, or italics in italics.

    Such nesting is a sign of marks that open emphasis where they should close it. In
    ``**注意：**不要**做**`` the second ``**`` opens, so ``不要`` is bold twice.
    """
    count = 0
    for path, node in walk(parsed.tree):
        count += node.type in ("strong", "em") and node.type in path
    return count


def _mended_markdown(subject: Subject, meant: re.Pattern[str]) -> str | None:
    """Return the msgstr with every pair of marks corrected, or None if one cannot be corrected."""
    mended = pairs.mend(subject.msgstr, meant)
    if mended is None:
        return None
    shown = _count_emphasis_if_sound(subject, mended, pairs.MEANT)
    return mended if shown == _count_wanted(mended) else None


def _count_wanted(mended: str) -> int:
    """Return the number of bold and italic nodes that a text has if all its pairs render.

    A pair gives one node. A pair of three stars gives two nodes: bold and italics.
    """
    count = 0
    for pair in pairs.read_marks(mended, pairs.MEANT)[0]:
        count += 2 if pair.size == len("***") else 1
    return count


def mend_start(subject: Subject) -> str | None:
    """Return the msgstr without the space after its initial marks: ``* 词*`` -> ``*词*``.

    With this space, the star makes the text a list item. Return None if the msgstr without the
    space still lacks emphasis of the English.
    """
    source = subject.msgstr.strip()
    if not source.startswith("*"):
        return None
    mended = pairs.mend(source, pairs.MEANT_WIDELY)
    if mended is None:
        return None
    wanted = subject.english.count("strong", "em")
    if subject.read(mended).count("strong", "em") != wanted:
        return None
    return mended


_RST_MARK = re.compile(r"[*＊]|__")
# A run of stars that may be intended to open or close emphasis. The star in `2 * 3` is no such run.
_RST_MEANT = re.compile(r"(?<!\s)\*+|\*+(?!\s)")
# Text that looks like bold or italics, with stars, full-width stars or the underscores of
# Markdown.
_RST_PAIR = re.compile(read_pattern("rst_emphasis"), re.VERBOSE)
_LETTER = re.compile(r"[A-Za-z0-9]")
# The characters that may precede and follow marks. Chinese is among them, because the
# pipeline separates marks from it.
_BEFORE = re.compile(r"[\s'\"(<\[{/:\x80-\U0010ffff-]|\Z")
_BEHIND = re.compile(r"[\s.,;:!?'\")>\]}/\\\x80-\U0010ffff-]|\Z")


def _find_rst_emphasis(subject: Subject) -> Iterator[Problem]:
    """Report bold or italics of reST with visible marks: ``** 词 **``, ``＊＊词＊＊``, ``**词``."""
    source, english, chinese = subject.msgstr, subject.english, subject.chinese
    if not _RST_MARK.search(source):
        return
    lost = english.count("strong", "em") - chinese.count("strong", "em")
    stray = count_stray(subject, chinese, _RST_MEANT)
    if max(stray, lost) <= 0:
        return
    broken = _broken_rst_pairs(source)
    if stray <= 0:  # no star is visible, so the wrong marks are ＊ or __
        broken = [pair for pair in broken if "*" not in pair["mark"]]
    if broken:
        yield _unrendered_problem(
            source,
            [pair.span() for pair in broken],
            is_bold=len(broken[0]["mark"]) > 1,
            hint=_rst_hint(source, broken[0]),
            fix=_mended_rst(subject),
        )
    elif min(stray, lost) > 0:
        rest = _without_emphasis(source)
        yield Problem(
            text="a star without a partner is visible",
            hint="Write the same stars before and after the words.",
            spans=tuple(match.span() for match in _RST_MEANT.finditer(rest)),
        )


def _emphasized(source: str) -> list[Span]:
    """Return the positions of the bold and italics that docutils finds, including the marks."""
    from pipeline.core.document.rst.inline import marks  # slow: imports docutils

    return [(mark.start, mark.end) for mark in marks(source) if mark.kind in ("strong", "emphasis")]


def _without_emphasis(source: str) -> str:
    """Return ``source`` with spaces in the place of atoms, bold and italics.

    The marks that remain are visible on the page: ``用 **词** 和 ``f`` *`` ->
    ``用        和       *``
    """
    hidden = blanked(source, " ", Markup.RST)
    for start, end in _emphasized(source):
        hidden = hidden[:start] + " " * (end - start) + hidden[end:]
    return hidden


def _broken_rst_pairs(source: str) -> list[re.Match[str]]:
    """Return the texts that look like bold or italics, but do not render as such.

    Such texts are ``** 词 **``, ``＊＊词＊＊``, and ``***词***``, where readers see a star.
    """
    emphasized = _emphasized(source)
    return [
        pair
        for pair in _RST_PAIR.finditer(blanked(source, markup=Markup.RST))
        if pair.span() not in emphasized or len(pair["mark"]) > 2
    ]


def _rst_hint(source: str, pair: re.Match[str]) -> str:
    """Return how to correct a pair that does not render, judged by its most probable cause."""
    # ＊＊词＊＊, __词__ or ***词***
    if "*" not in pair["mark"] or len(pair["mark"]) > 2:
        return (
            "Write ** before and after bold words, * before and after words in italics; "
            "reST has no other marks, and no combination of both."
        )
    # **词 *词* 词**
    for start, end in _emphasized(source):
        if start < pair.start() and pair.end() < end:
            return "reST has no italics inside bold: end the bold part before the italics begin."
    # ** 词 **
    if pair["inner"] != pair["inner"].strip():
        return "Delete the space between the stars and the words."
    return "Put a space between the stars and the words beside them."


def _mended_rst(subject: Subject) -> str | None:
    """Return the msgstr with every pair corrected, or None if the result is not better."""
    fix = subject.msgstr
    for pair in reversed(_broken_rst_pairs(fix)):  # from the end: positions stay valid
        fix = _mended_rst_pair(fix, pair)
    if fix == subject.msgstr:
        return None
    shown = _count_emphasis_if_sound(subject, fix, _RST_MEANT)
    return fix if shown >= subject.chinese.count("strong", "em") else None


def _mended_rst_pair(source: str, pair: re.Match[str]) -> str:
    """Return ``source`` with one pair of marks rewritten so that it renders.

    Move the stars next to the words between them. Separate the stars from the text outside:
    ``a** 词 **b`` -> ``a **词** b``
    """
    before, after = source[: pair.start()], source[pair.end() :]
    start, end = pair.span("inner")
    stars = "*" * min(len(pair["mark"]), 2)
    words = f"{stars}{source[start:end].strip()}{stars}"
    return f"{before}{_gap(before[-1:], _BEFORE)}{words}{_gap(after[:1], _BEHIND)}{after}"


def _gap(beside: str, allowed: re.Pattern[str]) -> str:
    """Return the separator that stars need beside the character ``beside``, or an empty string.

    ``beside`` is empty at the edge of the text. Chinese characters need no separator.
    """
    if allowed.match(beside):
        return ""
    if _LETTER.match(beside):
        return " "
    return "\\ "  # an invisible separator, for example beside a bracket


_FORMAT_MARK = re.compile("[*_~]")
_BOLD_OR_ITALIC = frozenset(("strong", "em"))
_FORMATS = ("strong", "em", "strike")
_TARGETS = ("link", "reference", "image")
_MOST_QUOTED = 3  # maximum number of English parts that a message quotes


def find_changed(subject: Subject) -> Iterator[Problem]:
    """Report bold, italics or strikethrough that differ from the English.

    Report only the difference that says most about the mistake.
    """
    if not _FORMAT_MARK.search(subject.msgid + subject.msgstr):
        return
    theirs, ours = subject.english.nodes(*_FORMATS), subject.chinese.nodes(*_FORMATS)
    their_types, our_types = _count_types(theirs), _count_types(ours)
    if their_types == our_types:
        yield from _find_moved_code(subject)
    elif next(find_unrendered(subject), None):
        return
    elif their_types["strike"] != our_types["strike"]:
        yield _struck_problem(subject, theirs, ours)
    elif len(ours) < len(theirs):
        yield from _find_lost_emphasis(subject, theirs, ours)
    elif len(ours) > len(theirs):
        yield _added_problem(subject, theirs, ours)
    else:
        yield Problem(
            text="has bold where the English has italics, or the other way round",
            hint="Use the marks of the English.",
            is_downgraded=True,
        )


def _count_types(nodes: list[Node]) -> Counter[str]:
    """Return the number of nodes of each type: ``strong`` 2, ``em`` 1."""
    return Counter(node.type for node in nodes)


def _struck_problem(subject: Subject, theirs: list[Node], ours: list[Node]) -> Problem:
    """Return the problem with words that are struck out in only one of the two texts."""
    hint = "Write ~~ around the words that the English strikes out, and nowhere else."
    if _count_types(ours)["strike"] > _count_types(theirs)["strike"]:
        words = _first_struck(ours)
        return Problem(
            text=f"strikes out {quote(words)}",
            hint=hint,
            spans=spans_of(subject.msgstr, words),
        )
    words = _first_struck(theirs)
    return Problem(text=f"does not strike out {quote(words)}, unlike the English", hint=hint)


def _first_struck(nodes: list[Node]) -> str:
    """Return the words of the first node that is struck out; there must be one."""
    return next(visible_words(node) for node in nodes if node.type == "strike")


def _find_lost_emphasis(
    subject: Subject, theirs: list[Node], ours: list[Node]
) -> Iterator[Problem]:
    """Report lost bold or italics.

    Titles of works count as correct: English writes them in italics, Chinese in 《》.
    """
    if len(theirs) - len(ours) <= subject.chinese.plain.count("《"):
        return
    words = ", ".join(quote(visible_words(node)) for node in theirs[:_MOST_QUOTED])
    yield Problem(
        text=f"has {len(ours)} bold or italic parts; the English has {words}",
        hint="Put ** or * around the same words in Chinese.",
    )


def _added_problem(subject: Subject, theirs: list[Node], ours: list[Node]) -> Problem:
    """Return the problem with bold or italics that the English lacks."""
    words = visible_words(ours[0])
    hint = "Remove the marks, or write \\* for a visible star."
    if theirs:  # any of the bold or italic parts may be the new one
        text = f"{quote(words)} is bold or italic, unlike in the English"
        return Problem(text=text, hint=hint, is_downgraded=True)
    return Problem(
        text=f"{quote(words)} is bold or italic, but nothing in the English is",
        hint=hint,
        spans=spans_of(subject.msgstr, words),
    )


def _find_moved_code(subject: Subject) -> Iterator[Problem]:
    """Report the first code span or formula that is emphasized in only one of the two texts.

    The translation of "**use** `f`" is "**使用** `f`", not "**使用 `f`**".
    """
    english, chinese = subject.english, subject.chinese
    theirs, ours = _emphasized_atoms(english), _emphasized_atoms(chinese)
    for value in sorted(theirs.keys() | ours.keys()):
        if theirs[value] == ours[value]:
            continue
        # If one of the texts lacks the value, other checks report it.
        if value not in english.visible or value not in chinese.visible:
            continue
        is_or_not = "is" if ours[value] > theirs[value] else "is not"
        yield Problem(
            text=f"{quote(value)} {is_or_not} bold or italic, unlike in the English",
            hint="Check where the bold or italic part starts and ends.",
            spans=spans_of(subject.msgstr, value),
            is_downgraded=True,
        )
        return


def _emphasized_atoms(parsed: Parsed) -> Counter[str]:
    """Return how often each code span and formula occurs inside bold or italics.

    ``**用 `f`** 和 `g``` -> ``f`` 1
    """
    counts: Counter[str] = Counter()
    for path, node in walk(parsed.tree):
        if node.type in ("code", "math") and not _BOLD_OR_ITALIC.isdisjoint(path):
            counts[node.value] += 1
    return counts


def visible_words(node: Node) -> str:
    """Return the visible text of a container: "**用 `f` 和 [词](a.md)**" -> "用 f 和 词"."""
    words = []
    for _, inner in walk(node.children):
        # The value of a link or image is its target, which is not visible.
        if inner.type not in _TARGETS and not inner.children:
            words.append(inner.value)
    return "".join(words)


def _unrendered_problem(
    source: str,
    spans: list[Span],
    *,
    is_bold: bool,
    hint: str,
    fix: str | None,
    is_downgraded: bool = False,
) -> Problem:
    """Return the problem with pairs of marks that do not render; the text quotes the first pair."""
    start, end = spans[0]
    shape = "bold" if is_bold else "italics"
    return Problem(
        text=f"{quote(source[start:end])} does not show as {shape}",
        hint=hint,
        spans=tuple(spans),
        fix=fix,
        is_downgraded=is_downgraded,
    )


def _count_emphasis_if_sound(subject: Subject, fix: str, meant: re.Pattern[str]) -> int:
    """Return the number of bold and italic nodes of a fix, or -1 if the fix is wrong.

    A fix is wrong if marks are still visible, or if more than marks and white space changed.
    """
    after = subject.read(fix)
    if not is_same_but_marks(subject.chinese, after):
        return -1
    return -1 if count_stray(subject, after, meant) > 0 else after.count("strong", "em")


find_unrendered = by_markup(_find_markdown_emphasis, _find_rst_emphasis)
