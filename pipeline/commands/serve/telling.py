"""What the browser is told, as JSON: a page's messages, all about one of them, what is wrong."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline.commands.serve.opening import OpenPage
from pipeline.commands.terms import read_terms
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import atoms_of
from pipeline.core.document.reader import Unit
from pipeline.core.glossary.terms import Glossary
from pipeline.core.word_diff import Words, word_diff
from pipeline.core.workbench.blocks import Block
from pipeline.core.workbench.excerpt import excerpt_of
from pipeline.entries import Entry
from pipeline.findings import Finding
from pipeline.report.chinese import in_chinese
from pipeline.run import Run

Told = dict[str, Any]
_ENGLISH = Words.of(())  # spaces part its words: no term need be known


def glossary_of(run: Run, locale: str) -> Glossary | None:
    """The terms of a locale; None if there are none. Raises InputError."""
    paths = [path for path in run.paths.glossaries(locale) if path.is_file()]
    stamps = tuple((path, path.stat().st_mtime_ns) for path in paths)
    return _glossary(stamps)


@lru_cache(maxsize=2)  # its patterns take longer to make than all checks of a message
def _glossary(stamps: tuple[tuple[Path, int], ...]) -> Glossary | None:
    return read_terms(path for path, _ in stamps)


def tell_page(page: OpenPage) -> Told:
    """All messages of a page, in its order."""
    blocks = []
    # An entry may stand in several places: it is one message to whoever translates it.
    first: dict[tuple[str | None, str], int] = {}
    for block in page.blocks:
        number = first.setdefault(
            (block.entry.context, block.entry.msgid), block.number
        )
        blocks.append({**tell_block(block), "first": number})
    return {
        "page": page.page,
        "file": page.read.name,
        "progress": page.progress,
        "refused": page.refused,
        "blocks": blocks,
        "remarks": [tell_finding(remark) for remark in page.read.remarks],
    }


def tell_block(block: Block) -> Told:
    """What the list of messages needs."""
    told: Told = {
        "number": block.number,
        "state": str(block.state),
        "kind": str(block.message.kind),
        "section": block.message.section,
        **tell_entry(block.entry),
    }
    if block.refusal is not None:
        told["refusal"] = asdict(block.refusal)
    return told


def tell_entry(entry: Entry) -> Told:
    """An entry as an editor sees it, and shows it again to say what it has seen."""
    return {
        "msgid": entry.msgid,
        "context": entry.context,
        "msgstr": entry.msgstr,
        "fuzzy": entry.fuzzy,
        "line": entry.line,
    }


def tell_message(page: OpenPage, block: Block, glossary: Glossary | None) -> Told:
    """What a person needs who translates a message, but what is looked up in other pages."""
    message, entry = block.message, block.entry
    told: Told = {
        "atoms": atoms_of(message.msgid, message.markup),
        "notes": list(entry.notes[1:]),  # the first tells kind and section
        "comments": list(entry.comments),
        "terms": [],
        "diff": [],
    }
    if entry.fuzzy and entry.previous and entry.previous != message.msgid:
        pieces = word_diff(entry.previous, message.msgid, _ENGLISH)
        told["diff"] = [(piece.part, piece.text) for piece in pieces]
    if glossary is not None:
        told["terms"] = _tell_terms(glossary, message.msgid, message.markup)
    # Now, while the person reads: the first keystroke need not wait for it.
    excerpt_of(page.document, unit_of(page, block), message)
    return told


def _tell_terms(glossary: Glossary, english: str, markup: Markup) -> list[Told]:
    mentions = glossary.mentions(english, markup)
    terms = {mention.term.english: mention.term for mention in mentions}
    return [
        {
            "english": term.english,
            "renderings": [rendering.text for rendering in term.renderings],
            "avoided": [rendering.text for rendering in term.avoided],
            "note": term.note,
        }
        for term in terms.values()
    ]


def tell_finding(finding: Finding) -> Told:
    """A finding of a check, in both languages of the interface."""
    chinese = in_chinese(finding)
    words = {"text": chinese.text, "hint": chinese.hint}
    return {**asdict(finding), "chinese": words}


def unit_of(page: OpenPage, block: Block) -> Unit:
    """The unit that a block stands in."""
    for number, (unit, _) in enumerate(page.document.messages()):
        if number == block.number:
            return unit
    raise LookupError(block.number)
