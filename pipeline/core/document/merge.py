"""Merge of translations into a document: everything but prose stays upstream's, byte for byte.

A document and its translations come in. Bytes go out, with what was left out and why, and with the
new place of every message. The guard looks at whole texts and not at single translations, because
two of them may be harmless alone and swallow what stands between them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipeline.core.document.grammar import Grammar, grammar_of
from pipeline.core.document.guard import Refusal
from pipeline.core.document.landing import Landed, landed, landed_rest
from pipeline.core.document.limits import most_tries
from pipeline.core.document.markdown import guard
from pipeline.core.document.message import Message, Split
from pipeline.core.document.notebook import Notebook, edit_cells
from pipeline.core.document.reader import Document, Format, Unit
from pipeline.core.document.splice import Edit, Placed, splice
from pipeline.errors import GuardError

_STRUCTURE = Refusal(
    "G105",
    "would change the structure of the page",
    "Look for marks that the English has not: of lists, headings, tables, code, "
    "or a lone ` $ [ | at the start or end.",
)
_GAVE_UP = Refusal(
    "G105",
    "would change the structure of the page, or stands among too many that would",
    "Mend or delete the others of this page first; the merge tries a limited number of times.",
)
_NO_ATTRIBUTION = Refusal(
    "G105",
    "cannot be used: the line that names its source would change the structure of the page",
    "The page is odd: look at its first lines upstream.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a merged page has besides its messages.

    ``attribution`` is the line under its title; ``anchors`` are English anchors of headings that
    links point to.
    """

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

    ``blocks`` are all messages of the document, in its order, translated or not. ``units`` has the
    text that each unit has become, with the same messages where they stand in it.
    """

    data: bytes
    translated: int
    rejected: tuple[Rejected, ...] = field(default=())
    blocks: tuple[Landed, ...] = field(default=())
    units: tuple[MergedUnit, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedUnit:
    """One unit of a merged document: its text, and its messages with their places in that text."""

    text: str
    messages: tuple[Message, ...]
    cell: int | None


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
    chosen = [
        _chosen(document, unit, translations, rejected) for unit in document.units
    ]
    settled: dict[int, Settled] = {}
    if any(chosen):
        settled = _settled(document, chosen, frame or Frame(), rejected)
    translated = sum(len(result.kept) for result in settled.values())
    if not translated:
        # All may have been refused: then there is no translation to attribute either.
        settled = {}
    edits = {number: result.placed.edits for number, result in settled.items()}
    raw = joined(document, edits) if edits else document.raw
    return Merged(
        data=raw.encode(),
        translated=translated,
        rejected=tuple(rejected),
        blocks=tuple(_blocks(document, settled)),
        units=tuple(_units(document, settled)),
    )


def _chosen(
    document: Document,
    unit: Unit,
    translations: Mapping[str, str],
    rejected: list[Rejected],
) -> dict[int, str]:
    """The translations of one unit's messages that nothing speaks against when looked at alone."""
    refusal_of = grammar_of(document).refusal
    chosen: dict[int, str] = {}
    for index, message in enumerate(unit.split.messages):
        # The translation for this section goes before the one for all places.
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
    """What has come into each unit that gets anything, by its number.

    ``chosen`` has the translations of each unit; those that break it go to ``rejected``.
    """
    grammar = grammar_of(document)
    splits = [unit.split for unit in document.units]
    plan = grammar.plan_targets(splits, frame.anchors)
    names_of: dict[int, dict[int, str]] = {}
    for (owner, index), name in plan.items():
        names_of.setdefault(owner, {})[index] = name
    titled = -1  # the number of the unit that gets the attribution
    line: tuple[Edit, ...] = ()
    if frame.attribution:
        titled, edit = grammar.attribution(splits, frame.attribution)
        line = (edit,)
    settled: dict[int, Settled] = {}
    broken: list[Rejected] = []
    for number, unit in enumerate(document.units):
        insertions = line if number == titled else ()
        if not chosen[number] and not insertions:
            continue
        names = names_of.get(number, {})
        result = settle(grammar, unit.split, chosen[number], names, insertions)
        if result is None:
            # Without the line that says whose text it is, no translation may stand here.
            rejected.extend(_all_rejected(document, chosen, _NO_ATTRIBUTION))
            return {}
        settled[number] = result
        refusal = _GAVE_UP if result.gave_up else _STRUCTURE
        for index in chosen[number]:
            if index not in result.kept:
                message = unit.split.messages[index]
                broken.append(_rejected(document, unit, message, refusal))
    rejected.extend(broken)
    return settled


def _all_rejected(
    document: Document, chosen: Sequence[Mapping[int, str]], refusal: Refusal
) -> Iterator[Rejected]:
    """All the translations of ``chosen``, left out for the same reason."""
    for unit, translations in zip(document.units, chosen, strict=True):
        for index in translations:
            yield _rejected(document, unit, unit.split.messages[index], refusal)


def _rejected(
    document: Document, unit: Unit, message: Message, refusal: Refusal
) -> Rejected:
    """The record of one translation that is left out, with its place for people."""
    return Rejected(
        message=message, place=document.place(unit, message), refusal=refusal
    )


def _blocks(document: Document, settled: Mapping[int, Settled]) -> Iterator[Landed]:
    """Every message of the document with what stands in its place."""
    for number, unit in enumerate(document.units):
        result = settled.get(number)
        for index, message in enumerate(unit.split.messages):
            if result is None:  # the unit is upstream's
                yield landed(message, message, cell=unit.cell)
            else:
                yield landed(
                    message,
                    result.messages[index],
                    cell=unit.cell,
                    is_translated=index in result.kept,
                    is_kept=index in result.placed.kept_terms,
                )
        # They stand behind all that has grown or shrunk.
        text = unit.split.text if result is None else result.placed.text
        lines = text.count("\n") - unit.split.text.count("\n")
        for message in unit.split.rest:
            yield landed_rest(message, lines)


def _units(document: Document, settled: Mapping[int, Settled]) -> Iterator[MergedUnit]:
    """Every unit of the document with what it has become; upstream's if nothing came into it."""
    for number, unit in enumerate(document.units):
        result = settled.get(number)
        if result is None:
            split = unit.split
            yield MergedUnit(text=split.text, messages=split.messages, cell=unit.cell)
        else:
            yield MergedUnit(
                text=result.placed.text, messages=result.messages, cell=unit.cell
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What has come into it. ``messages`` are those of the merged text, as it was read back."""

    kept: frozenset[int]  # messages whose translation stands there
    placed: Placed
    messages: tuple[Message, ...]
    gave_up: bool = False  # whether translations were left out that nobody has tried


def settle(
    grammar: Grammar,
    split: Split,
    translations: Mapping[int, str],
    names: Mapping[int, str],
    insertions: Sequence[Edit],
) -> Settled | None:
    """Place as many translations as leave the unit intact.

    Messages go by their index in ``split``. ``names`` are the names of headings that links go on
    pointing to once they are translated. None if the unit is broken without any translation: the
    insertions alone are to blame.
    """
    settled: Settled | None = None
    tries_left = most_tries(len(split.text))

    def is_good(indices: Sequence[int]) -> bool:
        """Whether the unit is intact with these translations; if so, it is the result so far."""
        nonlocal settled, tries_left
        # Without any translation the unit is tried in any case: it has to be written.
        if indices and tries_left == 0:
            return False
        tries_left -= 1
        targets = [
            grammar.target(split.text, split.messages[index], names[index])
            for index in indices
            if index in names
        ]
        kept = {index: translations[index] for index in indices}
        placed = grammar.place(split, kept, [*targets, *insertions])
        messages = grammar.read_back(split, placed)
        if messages is None:
            return False
        # The last good try is the result: halving only ever adds to what was good.
        settled = Settled(kept=frozenset(indices), placed=placed, messages=messages)
        return True

    if not _largest_good(list(translations), is_good):
        is_good([])
    if settled and tries_left <= 0:
        return replace(settled, gave_up=True)
    return settled


def _largest_good(
    indices: list[int], is_good: Callable[[Sequence[int]], bool]
) -> list[int]:
    """As many of ``indices`` as are good together, found by halving.

    If 3 of [1, 2, 3, 4] is bad, the tries are [1, 2, 3, 4], [1, 2], [1, 2, 3, 4], [1, 2, 3] and
    [1, 2, 4]. Each bad one costs about the logarithm of their number.
    """
    if not indices or is_good(indices):
        return indices
    if len(indices) == 1:
        return []
    middle = len(indices) // 2
    first = _largest_good(indices[:middle], is_good)
    # The second half has to be good together with what the first half has kept.
    return first + _largest_good(
        indices[middle:], lambda second: is_good([*first, *second])
    )


BUG = (
    "The page was not written. This is a bug of the pipeline: "
    "please report it with the page's name and commit."
)


def joined(document: Document, edits: Mapping[int, tuple[Edit, ...]]) -> str:
    """The merged document. ``edits`` are those of each unit, by its number.

    Raises GuardError if it would differ from upstream outside prose.
    """
    if document.notebook is not None:
        return _notebook(document, document.notebook, edits)
    merged = splice(document.raw, edits.get(0, ()))
    is_run = document.format is Format.MYST_NOTEBOOK
    dialect = document.reading.dialect
    if is_run and guard.executable(merged, dialect) != guard.executable(
        document.raw, dialect
    ):
        raise GuardError(
            "jupytext would read other cells than upstream's",
            where=document.path,
            hint=BUG,
        )
    return merged


def _notebook(
    document: Document, notebook: Notebook, edits: Mapping[int, tuple[Edit, ...]]
) -> str:
    """The merged notebook as JSON text.

    It is read back as JSON: each cell with edits has to say what they make of it, and all else
    has to be equal to upstream's. Raises GuardError.
    """
    cells: dict[int, tuple[Edit, ...]] = {}
    for number, changes in edits.items():
        cell = document.units[number].cell
        assert cell is not None  # every unit of a notebook is a cell
        cells[cell] = changes
    raw = edit_cells(notebook, cells)
    # NaN is kept as text: as a number it would differ from itself.
    upstream = json.loads(document.raw, parse_constant=str)
    merged = json.loads(raw, parse_constant=str)
    for cell, changes in cells.items():
        expected = splice(notebook.cells[cell].source, changes)
        if "".join(merged["cells"][cell]["source"]) != expected:
            raise GuardError(
                "a cell does not read back as it was written",
                where=f"{document.path}, cell {cell + 1}",
                hint=BUG,
            )
        # All else has to be equal, so the sources are made so.
        merged["cells"][cell]["source"] = upstream["cells"][cell]["source"]
    if merged != upstream:
        raise GuardError(
            "the notebook differs from upstream outside prose",
            where=document.path,
            hint=BUG,
        )
    return raw
