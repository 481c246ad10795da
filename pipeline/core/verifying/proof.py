"""The proof that a published document is upstream's in all but prose.

Upstream's document and the published one come in. The translations are read out of the latter and
merged into the former anew, as the build does it, with all that its guard and checks refuse. What
comes of that has to be what was published, character for character: a merge changes nothing but
prose, and so what it gives cannot differ from upstream elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from pipeline.core.catalog.wanted import wanted_entries
from pipeline.core.checks.base import Subject
from pipeline.core.checks.blocking import blocking_problem
from pipeline.core.document.compose import Frame, merge
from pipeline.core.document.message import Kind, Message
from pipeline.core.document.read import Document, Format, Unit
from pipeline.core.memory.record import digest
from pipeline.errors import GuardError

# What a merge puts above headings: "(name)=", "<a id="name"></a>", ".. _name:".
_TARGETS = re.compile(
    r"^\((?P<myst>[^()\s]+)\)=\s*$|^<a id=\"(?P<html>[^\"\s]+)\"></a>\s*$"
    r"|^\.\. _(?P<rst>[^\n]+):\s*$",
    re.MULTILINE,
)
_CREDITS = re.compile(r"[\w .'()（）。-]*")  # names and licences, without any mark-up
# What nbformat leaves out of a file, and the state of widgets, which belongs to outputs.
_TRANSIENT = frozenset(
    ("orig_nbformat", "orig_nbformat_minor", "signature", "trusted", "widgets")
)
_OF_A_RUN = frozenset(("kernelspec", "language_info"))
_SHOWN = 70  # characters of a line that differs


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Something that is not upstream's, and no translation that the build would have let in."""

    where: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Silenced:
    """What the project lets pass: codes of checks on a page, and comments by digest of a message.

    A translator's comment in the memory may silence a check for one translation.
    """

    codes: Collection[str] = ()
    comments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


NOTHING_SILENCED = Silenced()


def differences(
    upstream: Document,
    published: Document,
    *,
    attribution: str,
    silenced: Silenced = NOTHING_SILENCED,
) -> tuple[Difference, ...]:
    """What keeps ``published`` from being upstream's in all but prose; empty if it is proved.

    ``attribution`` is how the line under the title begins that a build adds; ``silenced`` says
    what its checks let pass.
    """
    if upstream.raw == published.raw:
        return ()
    lines = _attributions(published, _as_written(attribution, upstream))
    # Each looks at more than the one before, and relies on what that has found to be so.
    return (
        tuple(_of_notebooks(upstream, published))
        or tuple(_of_blocks(upstream, published, lines))
        or tuple(_of_merge(upstream, published, lines, silenced))
    )


def _of_merge(
    upstream: Document, published: Document, lines: Sequence[str], silenced: Silenced
) -> Iterator[Difference]:
    """Where the published translations, merged anew, give another document than was published."""
    translations = _translations(upstream, published, lines)
    problems = list(_of_checks(upstream, translations, silenced))
    frame = Frame(
        attribution="".join(lines[:1]), anchors=_added_anchors(upstream, published)
    )
    try:
        merged = merge(upstream, translations, frame)
    except GuardError as error:
        yield Difference(where=error.where, text=error.what)
        return
    for rejected in merged.rejected:
        text = f"the translation {rejected.refusal.text}"
        problems.append(Difference(where=rejected.place, text=text))
    # A translation that is left out gives another text anyway: its reason says more.
    yield from problems or _of_texts(published, [unit.text for unit in merged.units])


def _of_notebooks(upstream: Document, published: Document) -> Iterator[Difference]:
    """What differs in two notebooks besides the prose in their cells of Markdown."""
    if upstream.notebook is None or published.notebook is None:
        return
    theirs, ours = json.loads(upstream.raw), json.loads(published.raw)
    for key in ("nbformat", "nbformat_minor"):
        if theirs.get(key) != ours.get(key):
            yield Difference(
                where=upstream.path, text=f"has another {key} than upstream"
            )
    their_facts, our_facts = _facts(theirs), _facts(ours)
    # A run adds what Python it was, where upstream says nothing of it.
    added = our_facts.keys() - their_facts.keys() - _OF_A_RUN
    changed = [key for key, value in their_facts.items() if our_facts.get(key) != value]
    for key in sorted({*added, *changed}):
        yield Difference(where=upstream.path, text=f"has other metadata: {key}")
    yield from cells_differences(theirs["cells"], ours["cells"], upstream.path)


def _facts(value: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a notebook or cell, without what is no part of its file."""
    metadata = value.get("metadata", {})
    return {key: metadata[key] for key in metadata if key not in _TRANSIENT}


def cells_differences(
    theirs: Sequence[Mapping[str, Any]],
    ours: Sequence[Mapping[str, Any]],
    path: str,
    *,
    with_prose: bool = False,
) -> Iterator[Difference]:
    """What differs in the cells of two notebooks; prose too, if it is asked for.

    Outputs and numbers of runs belong to a run, ids to the format of the file.
    """
    for number, (their, our) in enumerate(zip_longest(theirs, ours), start=1):
        where = f"{path}, cell {number}"
        if their is None or our is None:
            text = "is one too many" if their is None else "is missing, with all behind"
            yield Difference(where=where, text=text)
            return
        yield from _of_cells(their, our, where, with_prose=with_prose)


def _of_cells(
    their: Mapping[str, Any], our: Mapping[str, Any], where: str, *, with_prose: bool
) -> Iterator[Difference]:
    """What differs in two cells."""
    kind = their.get("cell_type")
    if kind != our.get("cell_type"):
        yield Difference(where=where, text=f"is no cell of {kind} any more")
        return
    if _facts(their) != _facts(our):
        yield Difference(where=where, text="has other metadata")
    if their.get("attachments", {}) != our.get("attachments", {}):
        yield Difference(where=where, text="has other attachments")
    if with_prose or kind != "markdown":
        yield from line_differences(source_of(their), source_of(our), where)


def outputs_in(cells: Sequence[Mapping[str, Any]], path: str) -> Iterator[Difference]:
    """The cells of a notebook that have outputs, where none may have any."""
    for number, cell in enumerate(cells, start=1):
        if cell.get("outputs") or cell.get("execution_count"):
            yield Difference(
                where=f"{path}, cell {number}",
                text="has outputs, in a notebook that is published without any",
            )


def source_of(cell: Mapping[str, Any]) -> str:
    """The source of a cell, which JSON may hold in lines."""
    return "".join(cell.get("source", ""))


def line_differences(expected: str, found: str, where: str) -> Iterator[Difference]:
    """The first line in which two texts differ, with both of its versions."""
    if expected == found:
        return
    pairs = enumerate(zip_longest(expected.split("\n"), found.split("\n")), start=1)
    # There is one: the texts are not the same.
    number, (their, our) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
    begin = _common(their or "", our or "")
    yield Difference(
        where=f"{where}, line {number}",
        text=f"has {_cut(our, begin)} where {_cut(their, begin)} must stand",
    )


def _common(first: str, second: str) -> int:
    """How many characters two lines begin with in common."""
    pairs = zip(first, second, strict=False)
    same = (number for number, (a, b) in enumerate(pairs) if a != b)
    return next(same, min(len(first), len(second)))


def _cut(line: str | None, at: int) -> str:
    """The part of a line around a place, in quotation marks; None is a line that is not there."""
    if line is None:
        return "no line"
    start = max(0, at - _SHOWN // 2)
    begin = "…" if start else ""
    end = "…" if len(line) > start + _SHOWN else ""
    return f"“{begin}{line[start : start + _SHOWN]}{end}”"


def _as_written(line: str, document: Document) -> str:
    """A line of attribution as it stands in a document of this format."""
    if document.format is not Format.RST:
        return line
    from pipeline.core.rst.inline import spaced  # docutils is slow to load

    return spaced(line)


def _attributions(published: Document, beginning: str) -> list[str]:
    """The lines that say where the page is from; one that says more is none."""
    lines: list[str] = []
    for unit, message in published.messages():
        line = unit.split.text[message.start : message.end]
        # Behind it stand the authors of what was adopted, if there are any.
        behind = line.removeprefix(beginning)
        if behind != line and _CREDITS.fullmatch(behind):
            lines.append(line)
    return lines


def _pairs(
    upstream: Document, published: Document, lines: Collection[str]
) -> Iterator[tuple[Unit, list[Message]]]:
    """Every unit of upstream's with those published messages that upstream has, too."""
    for unit, other in zip(upstream.units, published.units, strict=True):
        text = other.split.text
        ours = [
            message
            for message in other.split.messages
            if text[message.start : message.end] not in lines
        ]
        yield unit, _without_second_terms(unit.split.messages, ours)


def _without_second_terms(
    theirs: Sequence[Message], ours: Sequence[Message]
) -> list[Message]:
    """The messages without the English terms that stand below their translations in a glossary."""
    found: list[Message] = []
    waiting = iter(theirs)
    term: Message | None = None  # upstream's, whose translation came just before
    for message in ours:
        # 叶节点, then leaf below it: the second belongs to the first.
        if term is not None and message.msgid == term.msgid:
            term = None
            continue
        their = next(waiting, None)
        is_translated = their is not None and message.msgid != their.msgid
        is_term = message.kind is Kind.TERM and is_translated
        term = their if is_term else None
        found.append(message)
    return found


def _of_blocks(
    upstream: Document, published: Document, lines: Collection[str]
) -> Iterator[Difference]:
    """Where the blocks of prose are others than upstream's: so many, and of such kinds."""
    # A notebook that is too long to be read is one unit, whatever it holds.
    if len(upstream.units) != len(published.units):
        yield _shape(upstream, upstream.units[0], "it is too long to be read")
        return
    for unit, messages in _pairs(upstream, published, lines):
        theirs = unit.split.messages
        for their, our in zip(theirs, messages, strict=False):
            if their.kind != our.kind:
                yield _shape(upstream, unit, f"a {our.kind} for a {their.kind}", their)
                return
        if len(theirs) != len(messages):
            yield _shape(
                upstream, unit, f"{len(messages)} blocks of prose for {len(theirs)}"
            )
            return


def _shape(
    upstream: Document, unit: Unit, what: str, message: Message | None = None
) -> Difference:
    where = upstream.line_place(unit, message.line if message else 1)
    return Difference(where=where, text=f"has another structure than upstream: {what}")


def _translations(
    upstream: Document, published: Document, lines: Collection[str]
) -> dict[str, str]:
    """What was published for each message, by section and msgid; none for what stayed English."""
    found: dict[str, str] = {}
    for unit, messages in _pairs(upstream, published, lines):
        for their, our in zip(unit.split.messages, messages, strict=True):
            # A translation that is the English itself has its lines joined.
            if their.msgid != our.msgid or _lines(their) != _lines(our):
                # Twice the same English in a section has one translation: the first is as good.
                found.setdefault(f"{their.section}\4{their.msgid}", our.msgid)
    return found


def _lines(message: Message) -> int:
    """How many lines a message takes."""
    return message.last_line - message.line


def _of_checks(
    upstream: Document, translations: Mapping[str, str], silenced: Silenced
) -> Iterator[Difference]:
    """Translations that the checks keep from a page: links that lead elsewhere, other code."""
    # Their notes tell the checks what block a message is.
    entries = {entry.msgid: entry for entry in wanted_entries("x", [upstream])}
    for unit, message in upstream.messages():
        msgstr = translations.get(f"{message.section}\4{message.msgid}")
        if msgstr is None:
            continue
        comments = silenced.comments.get(digest(message.msgid), ())
        entry = replace(entries[message.msgid], msgstr=msgstr, comments=comments)
        problem = blocking_problem(Subject(entry, upstream.path), silenced.codes)
        if problem is not None:
            yield Difference(
                where=upstream.place(unit, message),
                text=f"the translation {problem.text}",
            )


def _added_anchors(upstream: Document, published: Document) -> frozenset[str]:
    """The anchors of headings that a merge has kept: by the targets that upstream has not."""
    # One that upstream has itself may be called as a heading elsewhere: that one has got none.
    names = _targets(published) - _targets(upstream)
    if upstream.format is not Format.RST:
        return names
    from docutils.nodes import make_id  # docutils is slow to load

    # A target there is named as its title is; links know it by the id that HTML has of it.
    return names | frozenset(map(make_id, names))


def _targets(document: Document) -> frozenset[str]:
    """The names of all targets in lines of their own."""
    names: set[str] = set()
    for unit in document.units:
        for match in _TARGETS.finditer(unit.split.text):
            names.add(match["myst"] or match["html"] or match["rst"])
    return frozenset(names)


def _of_texts(published: Document, texts: Sequence[str]) -> Iterator[Difference]:
    """Where a merge of the published translations gives another text than was published."""
    for unit, text in zip(published.units, texts, strict=True):
        where = published.path
        if unit.cell is not None:
            where = f"{where}, cell {unit.cell + 1}"
        yield from line_differences(text, unit.split.text, where)
