"""What the browser is told, as JSON: a page's messages, all about one of them, what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from pipeline.adapters.files import read_bytes
from pipeline.commands.check.looking import LookedAt, Way, look
from pipeline.commands.serve.opening import OpenPage
from pipeline.core.checks.run import fix_entry, subjects_of
from pipeline.core.checks.sets import checks_of
from pipeline.core.document.compose import merge
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import atoms_of
from pipeline.core.document.read import Unit
from pipeline.core.glossary.terms import Glossary, read_glossary
from pipeline.core.word_diff import Words, word_diff
from pipeline.core.workbench.blocks import Block
from pipeline.core.workbench.editing import cleaned
from pipeline.core.workbench.excerpt import excerpt_of
from pipeline.entries import Entry
from pipeline.findings import Finding
from pipeline.paths import glossary_path
from pipeline.run import Run
from pipeline.stages.publish.marked import render_message

Told = dict[str, Any]
_ENGLISH = Words.of(())  # spaces part its words: no term need be known


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRules:
    """What a team has agreed on for one locale."""

    way: Way
    glossary: Glossary | None


def rules_of(run: Run, locale: str) -> TeamRules:
    """The checks of a locale, and its terms if there are any. Raises InputError."""
    path = glossary_path(run.settings.root, locale)
    glossary = None
    if path.is_file():
        glossary = _glossary(read_bytes(path), path.name)
    way = Way(
        checks=checks_of(locale),
        glossary=glossary,
        ignore=run.settings.ignore,
        is_whole=False,
    )
    return TeamRules(way=way, glossary=glossary)


@lru_cache(maxsize=2)  # its patterns take longer to make than all checks of a message
def _glossary(data: bytes, name: str) -> Glossary:
    return read_glossary(data.decode("utf-8", "replace"), where=name)


def tell_page(page: OpenPage) -> Told:
    """All messages of a page, in its order."""
    shown = page.marked.shown
    return {
        "page": page.page,
        "file": page.read.file.name,
        "translated": page.translated,
        "blocks": [tell_block(block, block.number in shown) for block in page.blocks],
        "remarks": [tell_finding(remark) for remark in page.read.remarks],
    }


def tell_block(block: Block, is_shown: bool) -> Told:
    """What the list of messages needs. ``is_shown``: its words can be seen on the page."""
    entry = block.entry
    told: Told = {
        "number": block.number,
        "state": str(block.state),
        "kind": str(block.message.kind),
        "section": block.message.section,
        "isShown": is_shown,
        **_tell_entry(entry),
    }
    if block.refusal is not None:
        told["refusal"] = asdict(block.refusal)
    return told


def _tell_entry(entry: Entry) -> Told:
    return {
        "msgid": entry.msgid,
        "context": entry.context,
        "msgstr": entry.msgstr,
        "fuzzy": entry.fuzzy,
        "line": entry.line,
    }


def tell_theirs(entry: Entry | None) -> Told | None:
    """The version of somebody else; None if the entry is gone."""
    return None if entry is None else _tell_entry(entry)


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
    excerpt_of(page.document, _unit_of(page, block), message)
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


def tell_preview(page: OpenPage, block: Block, msgstr: str, rules: TeamRules) -> Told:
    """What a translation would look like on its page, and what is wrong with it."""
    text = cleaned(msgstr)
    entry = replace(block.entry, msgstr=text, fuzzy=False, previous=None)
    findings = findings_of(page, (entry,), rules) if text else []
    excerpt = excerpt_of(page.document, _unit_of(page, block), block.message)
    merged = merge(excerpt.document, {block.message.msgid: text})
    html = render_message(excerpt.document, merged, excerpt.index, folder=page.folder)
    told = [tell_finding(found) for found in findings]
    # The guard's own words, where no check has found the reason.
    if merged.rejected and not any(found.is_error for found in findings):
        refusal = asdict(merged.rejected[0].refusal)
        told.append({"severity": "error", "spans": (), "fixed": None, **refusal})
    return {"html": html, "findings": told}


def tell_fixed(page: OpenPage, block: Block, msgstr: str) -> Told:
    """What ``--fix`` makes of a translation: the same text, if there is nothing to mend."""
    text = cleaned(msgstr)
    entry = replace(block.entry, msgstr=text, fuzzy=False, previous=None)
    fixed = text
    for subject in subjects_of((entry,), page.page, Markup.MARKDOWN):
        fixed = fix_entry(subject, page.read.checks.checks)
    return {"msgstr": fixed}


def findings_of(
    page: OpenPage, entries: Sequence[Entry], rules: TeamRules
) -> list[Finding]:
    """What the checks have to say of some entries of a page."""
    subjects = subjects_of(entries, page.page, Markup.MARKDOWN)
    looked = look([LookedAt(read=page.read, subjects=subjects)], rules.way)
    return looked.findings[page.read.file.name]


def tell_finding(finding: Finding) -> Told:
    """A finding of a check. ``fixed`` is what ``--fix`` would make of the translation."""
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "name": finding.name,
        "text": finding.text,
        "hint": finding.hint,
        "spans": finding.spans,
        "fixed": finding.fixed,
        "msgid": finding.msgid,
        "line": finding.line,
    }


def _unit_of(page: OpenPage, block: Block) -> Unit:
    """The unit that a block stands in."""
    for number, (unit, _) in enumerate(page.document.messages()):
        if number == block.number:
            return unit
    raise LookupError(block.number)
