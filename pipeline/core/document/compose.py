"""Merge translations into a document: the result is upstream's, byte for byte, but for prose.

A document and its translations come in; bytes go out, with what was left out and why, and with
where every message has landed. Every step goes by the grammar of the document's language.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.core.document.grammar import grammar_of
from pipeline.core.document.joining import joined
from pipeline.core.document.landing import Landed, landed, landed_rest
from pipeline.core.document.message import Message
from pipeline.core.document.read import Document, Unit
from pipeline.core.document.refusal import Refusal
from pipeline.core.document.settling import Settled, Wanted, settle

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
    names = grammar.plan_targets(splits, frame.anchors)
    names_of: dict[int, dict[int, str]] = {}
    for (owner, index), name in names.items():
        names_of.setdefault(owner, {})[index] = name
    line = grammar.attribution(splits, frame.attribution) if frame.attribution else None
    settled: dict[int, Settled] = {}
    broken: list[Rejected] = []
    for number, unit in enumerate(document.units):
        insertions = (line.edit,) if line and line.unit == number else ()
        if not chosen[number] and not insertions:
            continue
        wanted = Wanted(
            unit=unit,
            translations=chosen[number],
            names=names_of.get(number, {}),
            insertions=insertions,
        )
        result = settle(grammar, wanted)
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
