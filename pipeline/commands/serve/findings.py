"""What is wrong with what somebody types, what it will look like, and what mends it.

The checks take long to load, so nothing but these questions does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.commands.check.entries import Way, look
from pipeline.commands.check.files import CatalogFile, ReadFile
from pipeline.commands.serve.page import (
    OpenPage,
    Told,
    glossary_of,
    tell_finding,
    unit_of,
)
from pipeline.core.checks.engine import fix_entry, subjects_of
from pipeline.core.checks.model import Subject
from pipeline.core.checks.table import checks_of
from pipeline.core.document.guard import Refusal
from pipeline.core.document.merge import merge
from pipeline.core.document.message import Markup
from pipeline.core.workbench.blocks import Block, excerpt_of
from pipeline.core.workbench.editing import cleaned
from pipeline.entries import Entry
from pipeline.findings import Finding, Severity
from pipeline.run import Run
from pipeline.stages.publish.marked_page import render_message


def way_of(run: Run, locale: str) -> Way:
    """Return how the catalogues of a locale are looked at. Raises InputError for its glossary."""
    return Way(
        checks=checks_of(locale),
        glossary=glossary_of(run, locale),
        ignore=run.settings.ignore,
        is_whole=False,
    )


def tell_preview(page: OpenPage, block: Block, msgstr: str, way: Way) -> Told:
    """Return what a translation would look like on its page, and what is wrong with it."""
    text = cleaned(msgstr)
    findings = findings_of(page, (finished(block.entry, text),), way) if text else []
    excerpt = excerpt_of(page.document, unit_of(page, block), block.message)
    merged = merge(excerpt.document, {block.message.msgid: text})
    html = render_message(excerpt.document, merged, excerpt.index, folder=page.folder)
    # The guard's own words, where no check has found the reason.
    if merged.rejected and not any(found.is_error for found in findings):
        findings = [*findings, _refused(merged.rejected[0].refusal)]
    told = [tell_finding(found) for found in findings]
    return {"html": html, "findings": told}


def tell_fixed(page: OpenPage, block: Block, msgstr: str, way: Way) -> Told:
    """Return what ``--fix`` makes of a translation: the same text, if there is nothing to mend."""
    text = cleaned(msgstr)
    fixed = text
    for subject in _subjects(page, (finished(block.entry, text),)):
        fixed = fix_entry(subject, way.checks.checks)
    return {"msgstr": fixed}


def findings_of(page: OpenPage, entries: Sequence[Entry], way: Way) -> list[Finding]:
    """Return what the checks have to say of some entries of a page."""
    opened = page.read
    file = CatalogFile(
        path=opened.path, name=opened.name, page=page.page, locale=page.locale
    )
    read = ReadFile(file=file, data=opened.data, catalog=opened.catalog)
    looked = look([(read, _subjects(page, entries))], way)
    return looked.findings[opened.name]


def _subjects(page: OpenPage, entries: Sequence[Entry]) -> list[Subject]:
    """Return entries as the checks look at them. Notes tell what is reST; all else is Markdown."""
    return subjects_of(entries, page.page, Markup.MARKDOWN)


def _refused(refusal: Refusal) -> Finding:
    """Return why the guard does not let a translation into its page, as a check would say it."""
    return Finding(
        code=refusal.code,
        severity=Severity.ERROR,
        text=refusal.text,
        hint=refusal.hint,
    )


def finished(entry: Entry, msgstr: str) -> Entry:
    """Return an entry as it will be when ``msgstr`` is saved."""
    return replace(entry, msgstr=msgstr, fuzzy=False, previous=None)
