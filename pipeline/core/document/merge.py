"""Merge of translations into a document: only prose changes, all other bytes are upstream's.

:func:`merge` takes a document and its translations. It returns the merged bytes, the rejected
translations with reasons, and the position of every message.

The guard examines each translation alone, and then the merged text as a whole. The second step is
necessary because two translations may be harmless alone, but together change the text between them.
For example, each of them may have one half of a pair of ``$`` marks.

A :class:`Grammar` has the functions for one markup language. The modules of reST are imported only
for reST documents, because docutils loads slowly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.core.document.guard import Refusal
from pipeline.core.document.landing import Landing, landing_of
from pipeline.core.document.markdown import anchors, guard, placement
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.notebook_json import Notebook, edit_cells
from pipeline.core.document.reader import Document, Format, Unit
from pipeline.core.document.splice import Edit, Placed, apply_edits, splice
from pipeline.errors import GuardError
from pipeline.limits import max_tries

_STRUCTURE = Refusal(
    "G105",
    "would change the structure of the page",
    "Look for marks that the English does not have: for lists, headings, tables or code, "
    "or a lone ` $ [ | at the start or end.",
)
_GAVE_UP = Refusal(
    "G105",
    "was not tested: too many translations of this page change its structure",
    "First correct or delete the other translations that change the structure of this page: "
    "a merge has a limited number of tries.",
)
_NO_ATTRIBUTION = Refusal(
    "G105",
    "cannot be used: the attribution below the title would change the structure of the page",
    "Examine the first lines of the page upstream: they are unusual.",
)


class PageExtras(Struct, frozen=True, kw_only=True):
    """Content that a merge adds to a page beside the translations.

    ``attribution`` is the line under the title. ``anchors`` are the URL fragments in links to this
    page. The merge keeps these links valid when it translates a heading.
    """

    attribution: str = ""
    anchors: frozenset[str] = frozenset()


class Rejected(Struct, frozen=True, kw_only=True):
    """A translation that was left out. Its message stays in English."""

    message: Message
    place: str
    refusal: Refusal


class Merged(Struct, frozen=True, kw_only=True):
    """A merged document."""

    data: bytes
    translated: int  # number of messages in the target language
    rejected: tuple[Rejected, ...] = field(default=())
    # A record of every message in document order, translated or not.
    blocks: tuple[Landing, ...] = field(default=())
    units: tuple[MergedUnit, ...] = field(default=())


class MergedUnit(Struct, frozen=True, kw_only=True):
    """A unit of a merged document: its text, and its messages with their positions in that text."""

    text: str
    messages: tuple[Message, ...]
    cell: int | None


def merge(
    document: Document,
    translations: Mapping[str, str],
    extras: PageExtras | None = None,
) -> Merged:
    """Put ``translations`` into ``document``. Without translations, return upstream's bytes.

    The keys of ``translations`` are msgids, or ``section \\4 msgid`` for a translation that applies
    only in this section. Messages whose translation the guard refuses stay in English and are
    listed in ``rejected``. Raises GuardError if the result still differs from upstream outside
    prose.
    """
    rejected: list[Rejected] = []
    chosen = [
        _acceptable_translations(document, unit, translations, rejected) for unit in document.units
    ]
    placed_units: dict[int, PlacedUnit] = {}
    if any(chosen):
        placed_units = _place_units(document, chosen, extras or PageExtras(), rejected)
    translated = sum(len(result.kept) for result in placed_units.values())
    if not translated:
        # If the guard has refused all translations, leave out the attribution as well: it would
        # call the page a translation.
        placed_units = {}
    edits = {number: result.placed.edits for number, result in placed_units.items()}
    raw = merged_text(document, edits) if edits else document.raw
    blocks: list[Landing] = []
    units: list[MergedUnit] = []
    for number, unit in enumerate(document.units):
        split = unit.split
        result = placed_units.get(number) or PlacedUnit(
            kept=frozenset(), placed=apply_edits(split, {}), messages=split.messages
        )
        blocks += _blocks(unit, result)
        units.append(MergedUnit(text=result.placed.text, messages=result.messages, cell=unit.cell))
    return Merged(
        data=raw.encode(),
        translated=translated,
        rejected=tuple(rejected),
        blocks=tuple(blocks),
        units=tuple(units),
    )


def _acceptable_translations(
    document: Document,
    unit: Unit,
    translations: Mapping[str, str],
    rejected: list[Rejected],
) -> dict[int, str]:
    """Return the msgstrs of one unit by message index.

    Append each translation that the guard refuses on its own to ``rejected``.
    """
    refusal_of = grammar_of(document).refusal
    chosen: dict[int, str] = {}
    for index, message in enumerate(unit.split.messages):
        # A translation for this section takes precedence over the general one.
        msgstr = translations.get(f"{message.section}\4{message.msgid}")
        if not msgstr:
            msgstr = translations.get(message.msgid)
        if not msgstr or msgstr.isspace():
            continue
        if refusal := refusal_of(message.msgid, message.kind, msgstr):
            rejected.append(_rejected(document, unit, message, refusal))
        else:
            chosen[index] = msgstr
    return chosen


def _place_units(
    document: Document,
    chosen: Sequence[Mapping[int, str]],
    extras: PageExtras,
    rejected: list[Rejected],
) -> dict[int, PlacedUnit]:
    """Place the translations of all units; return the result of each changed unit by its number.

    ``chosen`` has the msgstrs of each unit. Append those that break their unit to ``rejected``. If
    the attribution breaks its unit, reject all translations and return an empty result.
    """
    grammar = grammar_of(document)
    splits = [unit.split for unit in document.units]
    plan = grammar.plan_targets(splits, extras.anchors)
    # Link targets depend on the headings of all units, so plan them before placing any unit.
    names_of: dict[int, dict[int, str]] = {}
    for (owner, index), name in plan.items():
        names_of.setdefault(owner, {})[index] = name
    titled = -1  # the number of the unit that gets the attribution
    line: tuple[Edit, ...] = ()
    if extras.attribution:
        titled, edit = grammar.attribution(splits, extras.attribution)
        line = (edit,)
    placed_units: dict[int, PlacedUnit] = {}
    broken: list[Rejected] = []
    for number, unit in enumerate(document.units):
        insertions = line if number == titled else ()
        if not chosen[number] and not insertions:
            continue
        names = names_of.get(number, {})
        result = place_translations(grammar, unit.split, chosen[number], names, insertions)
        if result is None:
            # A translation must not be published without its attribution.
            for each, translations in zip(document.units, chosen, strict=True):
                for index in translations:
                    message = each.split.messages[index]
                    rejected.append(_rejected(document, each, message, _NO_ATTRIBUTION))
            return {}
        placed_units[number] = result
        refusal = _GAVE_UP if result.gave_up else _STRUCTURE
        for index in chosen[number]:
            if index not in result.kept:
                message = unit.split.messages[index]
                broken.append(_rejected(document, unit, message, refusal))
    rejected.extend(broken)
    return placed_units


def _rejected(document: Document, unit: Unit, message: Message, refusal: Refusal) -> Rejected:
    """Return the record of a translation that is left out."""
    return Rejected(message=message, place=document.place(unit, message), refusal=refusal)


def _blocks(unit: Unit, result: PlacedUnit) -> Iterator[Landing]:
    """Yield the position of every message of a unit in the merged text.

    Blocks of the last sections are included, even if the configuration leaves them in English.
    """
    for index, message in enumerate(unit.split.messages):
        yield landing_of(
            message,
            result.messages[index],
            cell=unit.cell,
            is_translated=index in result.kept,
            is_kept=index in result.placed.doubled_terms,
        )
    # These blocks follow all edits, so they move by the number of added lines.
    lines = result.placed.text.count("\n") - unit.split.text.count("\n")
    for message in unit.split.rest:
        line, last = message.line + lines, message.last_line + lines
        moved = replace(message, line=line, last_line=last)
        yield landing_of(message, moved, cell=None, is_rest=True)


class PlacedUnit(Struct, frozen=True, kw_only=True):
    """Result of placing translations into a unit."""

    kept: frozenset[int]  # indices of the translated messages
    placed: Placed
    messages: tuple[Message, ...]  # the messages of the merged text
    gave_up: bool = False  # whether some translations were left out untested


def place_translations(
    grammar: Grammar,
    split: Split,
    translations: Mapping[int, str],
    names: Mapping[int, str],
    insertions: Sequence[Edit],
) -> PlacedUnit | None:
    """Place as many translations as possible without breaking the unit.

    The keys of ``translations`` and ``names`` are indices of messages in ``split``. ``names`` are
    the link targets that translated headings must keep. Return None if the insertions alone break
    the unit.
    """
    placed_unit: PlacedUnit | None = None
    tries_left = max_tries(len(split.text))
    gave_up = False

    def is_good(indices: Sequence[int]) -> bool:
        """Return whether the unit is intact with these translations; if so, save the result."""
        nonlocal placed_unit, tries_left, gave_up
        # Always allow the try without any translation: its result is the last resort.
        if indices and tries_left <= 0:
            gave_up = True
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
        # Each good try includes the translations of the good try before it, so keep the last one.
        placed_unit = PlacedUnit(kept=frozenset(indices), placed=placed, messages=messages)
        return True

    if not _largest_good(list(translations), is_good):
        is_good([])
    return replace(placed_unit, gave_up=gave_up) if placed_unit else None


def _largest_good(indices: list[int], is_good: Callable[[Sequence[int]], bool]) -> list[int]:
    """Return as many of ``indices`` as are good together, found by bisection.

    If 3 is the bad index in [1, 2, 3, 4], the tries are [1, 2, 3, 4], [1, 2], [1, 2, 3, 4],
    [1, 2, 3] and [1, 2, 4]. Each bad index costs about log2(n) tries.
    """
    if not indices or is_good(indices):
        return indices
    if len(indices) == 1:
        return []
    middle = len(indices) // 2
    first = _largest_good(indices[:middle], is_good)
    # Test the second half together with the good part of the first half.
    return first + _largest_good(indices[middle:], lambda second: is_good([*first, *second]))


BUG = (
    "The page was not written. This is a bug of the pipeline: "
    "please report it with the page's name and commit."
)


def merged_text(document: Document, edits: Mapping[int, tuple[Edit, ...]]) -> str:
    """Return the merged document as text. ``edits`` maps the number of each unit to its edits.

    Raises GuardError if the result differs from upstream outside prose.
    """
    if document.notebook is not None:
        return _notebook(document, document.notebook, edits)
    return splice(document.raw, edits.get(0, ()))


def _notebook(document: Document, notebook: Notebook, edits: Mapping[int, tuple[Edit, ...]]) -> str:
    """Return the merged notebook as JSON text.

    To prove the result, parse it again. Each edited cell must have the edited source, and all other
    values must equal upstream's. Otherwise raises GuardError.
    """
    cells: dict[int, tuple[Edit, ...]] = {}
    for number, changes in edits.items():
        cell = document.units[number].cell
        assert cell is not None  # every unit of a notebook is a cell
        cells[cell] = changes
    raw = edit_cells(notebook, cells)
    # Parse NaN as text, because the number NaN does not equal itself.
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
        # The new source is correct. Replace it by upstream's, so that a single comparison at the
        # end covers all other values.
        merged["cells"][cell]["source"] = upstream["cells"][cell]["source"]
    if merged != upstream:
        raise GuardError(
            "the notebook differs from upstream outside prose",
            where=document.path,
            hint=BUG,
        )
    return raw


# Names that headings must keep as link targets, by (unit number, message index).
Names = dict[tuple[int, int], str]


class Grammar(Struct, frozen=True, kw_only=True):
    """Functions that put translations into a text, and prove that only prose has changed."""

    # Takes (msgid, kind, msgstr). Returns why the guard refuses this translation, or None.
    refusal: Callable[[str, Kind, str], Refusal | None]
    # Takes (split, msgstr by message index, insertions). Returns the text with the translations.
    place: Callable[[Split, Mapping[int, str], Sequence[Edit]], Placed]
    # Takes (split, merged text). Returns the messages of the merged text, or None if more than
    # prose has changed.
    read_back: Callable[[Split, Placed], tuple[Message, ...] | None]
    # Takes (splits of all units, fragments that links point to). Returns the names that headings
    # must keep as link targets.
    plan_targets: Callable[[Sequence[Split], frozenset[str]], Names]
    # Takes (text, heading, name). Returns the insertion of a link target above the heading.
    target: Callable[[str, Message, str], Edit]
    # Takes (splits of all units, attribution). Returns the number of the unit to edit, and the
    # insertion of the attribution.
    attribution: Callable[[Sequence[Split], str], tuple[int, Edit]]


def grammar_of(document: Document) -> Grammar:
    """Return the grammar of the document's language."""
    if document.format in (Format.RST, Format.DOCSTRING):
        # These modules import docutils, which loads slowly.
        from pipeline.core.document.rst import anchors as rst_anchors
        from pipeline.core.document.rst import guard as rst_guard
        from pipeline.core.document.rst import placement as rst_placement

        is_docstring = document.format is Format.DOCSTRING
        return Grammar(
            refusal=rst_guard.refusal,
            place=rst_placement.place,
            read_back=partial(rst_guard.read_back, is_docstring=is_docstring),
            plan_targets=rst_anchors.plan_targets,
            target=rst_anchors.target_edit,
            attribution=rst_placement.attribution_edit,
        )
    is_page = document.notebook is None
    # The code of a MyST notebook is executed.
    is_run = document.format is Format.MYST_NOTEBOOK
    return Grammar(
        refusal=guard.refusal,
        place=placement.place,
        read_back=partial(guard.read_back, page=is_page, is_run=is_run, reading=document.reading),
        plan_targets=anchors.plan_targets,
        target=partial(anchors.target_edit, notebook=not is_page),
        attribution=placement.attribution_edit,
    )
