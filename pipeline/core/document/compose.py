"""Merge translations into a document: the result is upstream's, byte for byte, but for translated prose."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.core.document import splice
from pipeline.core.document.grammar import grammar_of
from pipeline.core.document.message import Message
from pipeline.core.document.notebook import edit_cells
from pipeline.core.document.read import Document, Format, Unit
from pipeline.core.document.splice import Edit, Placed
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
    """A merged document. ``translated`` counts the messages that stand in the target language."""

    data: bytes
    translated: int
    rejected: tuple[Rejected, ...] = field(default=())


def merge(
    document: Document, translations: Mapping[str, str], frame: Frame | None = None
) -> Merged:
    """Put ``translations`` into ``document``; without any, the result is upstream's bytes.

    Keys are msgids, or ``section \\4 msgid`` for a message that is translated in another way in that section.

    What the guard refuses stays in English and is listed. Raises GuardError if the result still differs
    from upstream outside prose.
    """
    frame = frame or Frame()
    rejected: list[Rejected] = []
    wanted = {
        index: _wanted(document, unit, translations, rejected)
        for index, unit in enumerate(document.units)
    }
    line = (
        _attribution_line(document, frame.attribution)
        if frame.attribution and any(wanted.values())
        else None
    )
    splits = [unit.split for unit in document.units]
    names = grammar_of(document).plan_targets(splits, frame.anchors) if any(wanted.values()) else {}
    placed: dict[int, Placed] = {}
    translated = 0
    for index, chosen in wanted.items():
        extra = (line[1],) if line and line[0] == index else ()
        if chosen or extra:
            own = {message: name for (unit, message), name in names.items() if unit == index}
            kept, placed[index] = _settle(
                document, document.units[index], chosen, own, extra, rejected
            )
            translated += len(kept)
    if not translated:
        return Merged(data=document.raw.encode(), translated=0, rejected=tuple(rejected))
    data = _joined(document, {index: result.edits for index, result in placed.items()}).encode()
    return Merged(data=data, translated=translated, rejected=tuple(rejected))


def _wanted(
    document: Document, unit: Unit, translations: Mapping[str, str], rejected: list[Rejected]
) -> dict[int, str]:
    """The translations of one unit's messages that nothing speaks against when looked at alone."""
    refusal_of = grammar_of(document).refusal
    chosen: dict[int, str] = {}
    for index, message in enumerate(unit.split.messages):
        msgstr = translations.get(f"{message.section}\4{message.msgid}") or translations.get(
            message.msgid, ""
        )
        if not msgstr or msgstr.isspace():
            continue
        if refusal := refusal_of(message, msgstr):
            rejected.append(
                Rejected(message=message, place=document.place(unit, message), refusal=refusal)
            )
        else:
            chosen[index] = msgstr
    return chosen


def _settle(
    document: Document,
    unit: Unit,
    chosen: dict[int, str],
    names: Mapping[int, str],
    extra: tuple[Edit, ...],
    rejected: list[Rejected],
) -> tuple[list[int], Placed]:
    """Place as many of ``chosen`` as leave the unit intact."""
    grammar = grammar_of(document)

    def attempt(indices: Sequence[int]) -> Placed:
        named = [index for index in indices if index in names]
        lines = [
            grammar.target(unit.split.text, unit.split.messages[index], names[index])
            for index in named
        ]
        return grammar.place(
            unit.split, {index: chosen[index] for index in indices}, [*lines, *extra]
        )

    def is_good(indices: Sequence[int]) -> bool:
        return grammar.is_intact(unit.split, attempt(indices))

    kept = _largest_good(list(chosen), is_good)
    if not kept and not is_good(kept):
        raise GuardError(
            "the attribution line would change the structure of the page",
            where=document.path,
            hint=_BUG,
        )
    for index in chosen:
        if index not in kept:
            message = unit.split.messages[index]
            rejected.append(
                Rejected(message=message, place=document.place(unit, message), refusal=_STRUCTURE)
            )
    return kept, attempt(kept)


def _largest_good(indices: list[int], is_good: Callable[[Sequence[int]], bool]) -> list[int]:
    """As many of ``indices`` as are good together, found by halving."""
    if not indices or is_good(indices):
        return indices
    if len(indices) == 1:
        return []
    middle = len(indices) // 2
    left = _largest_good(indices[:middle], is_good)
    return left + _largest_good(indices[middle:], lambda more: is_good([*left, *more]))


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
