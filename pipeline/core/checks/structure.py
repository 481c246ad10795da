"""M1: the translation, parsed where it will stand, has the blocks and the inline tree of the English.

Formatting may stand in another order, so it is counted, not lined up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from pipeline.core.checks import emphasis, markup, rst_blocks, working
from pipeline.core.checks.base import Check, Problem, Subject, by_markup
from pipeline.core.checks.mending import quote, regains, repeated_mark, spans_of
from pipeline.core.checks.parsed import Atom, Parsed
from pipeline.core.checks.tree import Node, walk
from pipeline.core.document.message import Kind
from pipeline.findings import Severity

_BECAME = {
    "bullet_list": "a list",
    "ordered_list": "a numbered list",
    "heading": "a heading",
    "blockquote": "a quote",
    "fence": "a code block",
    "colon_fence": "a directive",
    "html_block": "raw HTML",
    "hr": "a rule",
    "math_block": "a block of mathematics",
    "td": "two cells: a bare | ends a cell",
    "closing marks": "a heading without its last #",
    "myst_target": "a target that nobody sees",
    "myst_line_comment": "a comment that nobody sees",
    "myst_block_break": "a break",
    "footnote_reference": "a footnote",
    "dl": "the definition of what stands before it",
}
_OWN_MARK = {
    Kind.HEADING: re.compile(r"#{1,6}[ \t]+"),
    Kind.LIST_ITEM: re.compile(r"(?:[-+*]|\d{1,9}[.)])[ \t]+"),
    Kind.QUOTE: re.compile(r">[ \t]*"),
}
_ATOM_OF = {"link": Atom.LINK, "reference": Atom.REFERENCE, "image": Atom.IMAGE}
_EMPHASIS = re.compile("[*_~]")
_NUMBER = re.compile(r"\d{1,9}(?=[.)])")
_MARK = re.compile(r"#{1,6}|\d{1,9}[.)]|`{3,}|~{3,}|:{3,}|\$\$|[>+%:\[(*_<-]")
_ESCAPABLE = re.compile(r"[#>+%\[(*_:~-]")
_CELL_END = re.compile(r"(?<!\\)\|")
_BEHIND = re.compile(r"#+$")


def find_other_block(subject: Subject) -> Iterator[Problem]:
    """A start, or a bare ``|``, that makes another block of the text."""
    english, chinese, source = subject.english, subject.chinese, subject.msgstr.strip()
    own = _OWN_MARK.get(subject.kind)
    if own and (repeated := own.match(source)) and not own.match(subject.msgid.strip()):
        yield repeated_mark(subject, repeated[0])
    elif chinese.blocks != english.blocks:
        added = Counter(chinese.blocks) - Counter(english.blocks)
        became = next(
            (_BECAME[name] for name in added if name in _BECAME),
            "something that nobody sees" if not chinese.tree else "another block",
        )
        mark = _marks_in(source, added)
        fixes = (emphasis.mend_start(subject), *_escaped(source))
        yield Problem(
            text=f"the {subject.kind} becomes {became}",
            hint=f"Put a backslash before {quote(mark)}, or reword."
            if mark
            else "Reword its start.",
            spans=spans_of(subject.msgstr, mark),
            fix=next(
                (fix for fix in fixes if fix and fix != source and regains(subject, fix)), None
            ),
        )


def _marks_in(source: str, added: Counter[str]) -> str:
    """The mark that did it, as it stands in the source."""
    if "td" in added:
        return "|"
    found = _BEHIND.search(source) if "closing marks" in added else _MARK.match(source)
    return found[0] if found else ""


def _escaped(source: str) -> Iterator[str]:
    yield _CELL_END.sub(r"\\|", source)
    yield _BEHIND.sub(r"\\\g<0>", source)
    if number := _NUMBER.match(source):
        yield f"{number[0]}\\{source[number.end() :]}"
    if _ESCAPABLE.match(source):
        yield f"\\{source}"


def find_other_emphasis(subject: Subject) -> Iterator[Problem]:
    """Bold, italics or strikethrough that came, went or moved, without marks that would show."""
    if not _EMPHASIS.search(subject.msgstr) and not _EMPHASIS.search(subject.msgid):
        return
    theirs, ours = (_emphasized(parsed) for parsed in (subject.english, subject.chinese))
    if not theirs and not ours:
        return
    if _kinds(theirs) == _kinds(ours):
        yield from _moved(subject)
    elif any(True for _ in working.find_unrendered(subject)):
        return
    elif [node.type for node in theirs].count("strike") != [node.type for node in ours].count(
        "strike"
    ):
        yield from _struck(subject, theirs, ours)
    elif len(ours) < len(theirs):
        if len(theirs) - len(ours) <= subject.chinese.plain.count("《"):
            return  # English writes titles in italics
        yield Problem(
            text=f"has {len(ours)} bold or italic parts for {', '.join(quote(_words(node)) for node in theirs[:3])}",
            hint="Put ** or * around the same words in Chinese.",
        )
    elif len(ours) > len(theirs):
        yield Problem(
            text=f"{quote(_words(ours[0]))} is bold or italic, {'other than' if theirs else 'and nothing is'} in the English",
            hint="Take the marks away, or write \\* for a star that is meant to be seen.",
            spans=() if theirs else spans_of(subject.msgstr, _words(ours[0])),
            is_minor=bool(theirs),
        )
    else:
        yield Problem(
            text="has bold where the English has italics, or the other way round",
            hint="Use the marks of the English.",
            is_minor=True,
        )


def _emphasized(parsed: Parsed) -> list[Node]:
    return [node for _, node in walk(parsed.tree) if node.type in ("strong", "em", "strike")]


def _kinds(nodes: list[Node]) -> Counter[str]:
    return Counter(node.type for node in nodes)


def _struck(subject: Subject, theirs: list[Node], ours: list[Node]) -> Iterator[Problem]:
    added = len(ours) > len(theirs)
    words = next(_words(node) for node in (ours if added else theirs) if node.type == "strike")
    yield Problem(
        text=f"strikes out {quote(words)}"
        if added
        else f"does not strike out what the English does: {quote(words)}",
        hint="Write ~~ around the words that the English strikes out, and nowhere else.",
        spans=spans_of(subject.msgstr, words) if added else (),
    )


def _moved(subject: Subject) -> Iterator[Problem]:
    """Code and formulas that left or entered bold or italics."""
    theirs, ours = (_emphasized_atoms(parsed) for parsed in (subject.english, subject.chinese))
    if theirs == ours:
        return
    for value in sorted(theirs.keys() | ours.keys()):
        if (
            theirs[value] != ours[value]
            and value in subject.english.visible
            and value in subject.chinese.visible
        ):
            yield Problem(
                text=f"{quote(value)} {'is' if ours[value] > theirs[value] else 'is not'} bold or italic, unlike in the English",
                hint="Check where the bold or italic part starts and ends.",
                spans=spans_of(subject.msgstr, value),
                is_minor=True,
            )
            return


def _emphasized_atoms(parsed: Parsed) -> Counter[str]:
    return Counter(
        node.value
        for path, node in walk(parsed.tree)
        if node.type in ("code", "math") and ("strong" in path or "em" in path)
    )


def _words(node: Node) -> str:
    """What is seen of a container."""
    return "".join(
        inner.value
        for _, inner in walk(node.children)
        if inner.type not in _ATOM_OF and not inner.children
    )


def find_other_breaks(subject: Subject) -> Iterator[Problem]:
    """Hard line breaks that are gone; the guard tells of new ones."""
    lost = subject.english.breaks - subject.chinese.breaks
    if lost > 0:
        yield Problem(
            text=f"lacks {lost} of the {subject.english.breaks} line breaks of the English",
            hint="Break the line (\\n) where the English does.",
        )


def find_empty(subject: Subject) -> Iterator[Problem]:
    """Links without words, images without text."""
    if "[" not in subject.msgstr:
        return
    theirs, ours = _empty_targets(subject.english), _empty_targets(subject.chinese)
    for name, target in ours - theirs:
        known = subject.english.of(_ATOM_OF[name])
        if target in known:
            yield Problem(
                text=f"the {'image' if name == 'image' else 'link'} {quote(target)} has no words",
                hint="Write its words between [ and ].",
                spans=spans_of(subject.msgstr, target),
                is_minor=name == "image",
            )


def _empty_targets(parsed: Parsed) -> Counter[tuple[str, str]]:
    nodes = (node for _, node in walk(parsed.tree) if node.type in _ATOM_OF)
    return Counter((node.type, node.value) for node in nodes if not _words(node).strip())


def _in_place(
    find: Callable[[Subject], Iterator[Problem]],
) -> Callable[[Subject], Iterator[Problem]]:
    """``find``, for a text that stands as the right block."""

    def find_in_place(subject: Subject) -> Iterator[Problem]:
        return find(subject) if subject.is_in_place else iter(())

    return find_in_place


_find_block = by_markup(find_other_block, rst_blocks.find_other_block)

CHECKS: tuple[Check, ...] = (
    Check(
        code="M101",
        name="text that becomes another block",
        severity=Severity.ERROR,
        find=_find_block,
    ),
    Check(
        code="M102",
        name="bold or italics that do not show",
        severity=Severity.ERROR,
        find=_in_place(working.find_unrendered),
    ),
    Check(
        code="M103",
        name="bold or italics lost or added",
        severity=Severity.WARNING,
        find=_in_place(find_other_emphasis),
    ),
    Check(
        code="M104",
        name="a link or image that does not work",
        severity=Severity.ERROR,
        find=_in_place(working.find_links),
    ),
    Check(
        code="M105",
        name="backticks that show",
        severity=Severity.ERROR,
        find=_in_place(working.find_code),
    ),
    Check(
        code="M106",
        name="dollar signs and formulas mixed up",
        severity=Severity.ERROR,
        find=_in_place(working.find_math),
    ),
    Check(
        code="M107",
        name="a role that does not work",
        severity=Severity.ERROR,
        find=_in_place(working.find_roles),
    ),
    Check(
        code="M108",
        name="HTML tags that show",
        severity=Severity.ERROR,
        find=_in_place(markup.find_html),
    ),
    Check(
        code="M109",
        name="line breaks lost",
        severity=Severity.WARNING,
        find=_in_place(find_other_breaks),
    ),
    Check(
        code="M110",
        name="escapes that show",
        severity=Severity.ERROR,
        find=_in_place(working.find_escapes),
    ),
    Check(
        code="M111",
        name="a link or image without words",
        severity=Severity.ERROR,
        find=_in_place(find_empty),
    ),
)
