"""Merge translations into a document: the result is upstream's, byte for byte, but for translated prose."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.core.document import splice
from pipeline.core.document.grammar import grammar_of
from pipeline.core.document.landing import Landed, landed
from pipeline.core.document.message import Message
from pipeline.core.document.notebook import edit_cells
from pipeline.core.document.read import Document, Format, Unit
from pipeline.core.document.settling import Settled, Wanted, settle
from pipeline.core.document.splice import Edit
from pipeline.core.myst import guard
from pipeline.core.myst.guard import Refusal
from pipeline.errors import GuardError

_STRUCTURE = Refusal(
    "G105",
    "would change the structure of the page",
    "Look for marks that the English has not: of lists, headings, tables, code, or a lone ` $ [ | at the start or end.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a merged page has besides its messages: the attribution line, and English anchors that links point to."""

    attribution: str = ""
    anchors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A translation that was left out; its message is shown in English."""

    message: Message
    place: str
    refusal: Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A merged document. ``translated`` counts the messages that stand in the target language.

    ``blocks`` are all messages of the document, in its order, translated or not.
    """

    data: bytes
    translated: int
    rejected: tuple[Rejected, ...] = field(default=())
    blocks: tuple[Landed, ...] = field(default=())


def merge(
    document: Document, translations: Mapping[str, str], frame: Frame | None = None
) -> Merged:
    """Put ``translations`` into ``document``; without any, the result is upstream's bytes.

    Keys are msgids, or ``section \\4 msgid`` for a message that is translated in another way in
    that section.

    What the guard refuses stays in English and is listed. Raises GuardError if the result still
    differs from upstream outside prose.
    """
    rejected: list[Rejected] = []
    chosen = [_chosen(document, unit, translations, rejected) for unit in document.units]
    settled: dict[int, Settled] = {}
    if any(chosen):
        settled = _settled(document, chosen, frame or Frame(), rejected)
    translated = sum(len(result.kept) for result in settled.values())
    if not translated:
        # Also when all translations were refused: then there is nothing to attribute either.
        return Merged(
            data=document.raw.encode(),
            translated=0,
            rejected=tuple(rejected),
            blocks=tuple(_blocks(document, {})),
        )
    edits = {index: result.placed.edits for index, result in settled.items()}
    return Merged(
        data=_joined(document, edits).encode(),
        translated=translated,
        rejected=tuple(rejected),
        blocks=tuple(_blocks(document, settled)),
    )


def _chosen(
    document: Document, unit: Unit, translations: Mapping[str, str], rejected: list[Rejected]
) -> dict[int, str]:
    """The translations of one unit's messages that nothing speaks against when looked at alone."""
    refusal_of = grammar_of(document).refusal
    chosen: dict[int, str] = {}
    for index, message in enumerate(unit.split.messages):
        msgstr = translations.get(f"{message.section}\4{message.msgid}")
        if not msgstr:
            msgstr = translations.get(message.msgid)
        if not msgstr or msgstr.isspace():
            continue
        if refusal := refusal_of(message, msgstr):
            rejected.append(_rejected(document, unit, message, refusal))
        else:
            chosen[index] = msgstr
    return chosen


def _settled(
    document: Document,
    chosen: Sequence[Mapping[int, str]],
    frame: Frame,
    rejected: list[Rejected],
) -> dict[int, Settled]:
    """What has come into each unit that gets anything, by its number."""
    grammar = grammar_of(document)
    names = grammar.plan_targets([unit.split for unit in document.units], frame.anchors)
    line = _attribution_line(document, frame.attribution) if frame.attribution else None
    settled: dict[int, Settled] = {}
    for number, unit in enumerate(document.units):
        insertions = (line[1],) if line and line[0] == number else ()
        if not chosen[number] and not insertions:
            continue
        wanted = Wanted(
            unit=unit,
            translations=chosen[number],
            names={index: name for (owner, index), name in names.items() if owner == number},
            insertions=insertions,
        )
        result = settle(grammar, wanted)
        if result is None:
            raise GuardError(
                "the attribution line would change the structure of the page",
                where=document.path,
                hint=_BUG,
            )
        settled[number] = result
        for index in chosen[number]:
            if index not in result.kept:
                message = unit.split.messages[index]
                rejected.append(_rejected(document, unit, message, _STRUCTURE))
    return settled


def _rejected(document: Document, unit: Unit, message: Message, refusal: Refusal) -> Rejected:
    return Rejected(message=message, place=document.place(unit, message), refusal=refusal)


def _blocks(document: Document, settled: Mapping[int, Settled]) -> Iterator[Landed]:
    """Every message of the document with what stands in its place."""
    for number, unit in enumerate(document.units):
        result = settled.get(number)
        for index, message in enumerate(unit.split.messages):
            yield landed(
                message,
                result.messages[index] if result else message,
                cell=unit.cell,
                is_translated=result is not None and index in result.kept,
                is_kept=result is not None and index in result.placed.kept_terms,
            )


def _attribution_line(document: Document, attribution: str) -> tuple[int, Edit]:
    """The unit that holds the title, and the insertion of a quote with the attribution under it."""
    if document.format is Format.RST:
        from pipeline.core.rst import targets

        return 0, targets.attribution(document.units[0].split, attribution)
    titles = (
        (index, unit.split.title_end)
        for index, unit in enumerate(document.units)
        if unit.split.title_end is not None
    )
    index, at = next(titles, None) or _first_block_end(document)
    text = document.units[index].split.text
    end = splice.line_end_of(text)
    rest = text[at:]
    needs_gap = bool(rest.strip()) and not rest.startswith(end * 2)
    return index, Edit(at, at, f"{end}{end}> {attribution}{end if needs_gap else ''}")


def _first_block_end(document: Document) -> tuple[int, int]:
    """Unit and offset behind the first block of prose at top level; the end of the page if there is none."""
    for index, unit in enumerate(document.units):
        for message in unit.split.messages:
            if message.is_top_level:
                return index, message.block_end
    last = len(document.units) - 1
    return last, len(document.units[last].split.text.rstrip())


def _joined(document: Document, edits: Mapping[int, tuple[Edit, ...]]) -> str:
    """The whole document with its edits, compared with upstream once more."""
    if document.notebook is None:
        merged = splice.splice(document.raw, edits.get(0, ()))
        if document.format is Format.MYST_NOTEBOOK and guard.executable(merged) != guard.executable(
            document.raw
        ):
            raise GuardError(
                "jupytext would read other cells than upstream's", where=document.path, hint=_BUG
            )
        return merged
    cells = {
        cell: changes
        for index, changes in edits.items()
        if (cell := document.units[index].cell) is not None
    }
    raw = edit_cells(document.notebook, cells)
    # NaN is kept as text: as a number it would differ from itself.
    theirs, ours = (json.loads(text, parse_constant=str) for text in (document.raw, raw))
    for number, changes in cells.items():
        expected = splice.splice(document.notebook.cells[number].source, changes)
        if "".join(ours["cells"][number]["source"]) != expected:
            raise GuardError(
                "a cell does not read back as it was written",
                where=f"{document.path}, cell {number}",
                hint=_BUG,
            )
        ours["cells"][number]["source"] = theirs["cells"][number]["source"]
    if ours != theirs:
        raise GuardError(
            "the notebook differs from upstream outside prose", where=document.path, hint=_BUG
        )
    return raw


_BUG = "The page was not written. This is a bug of the pipeline: please report it with the page's name and commit."
