"""Checks, preview and fixes of a translation while the user types it.

Importing the checks is slow, so ``desk`` imports this module only inside the actions that use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.commands.check.entries import CheckRules, check_entries
from pipeline.commands.check.files import CatalogFile, ReadFile
from pipeline.commands.serve.page import (
    Json,
    OpenPage,
    finding_json,
    glossary_of,
    unit_of,
)
from pipeline.core.checks.engine import fix_entry, subjects_of
from pipeline.core.checks.model import Subject
from pipeline.core.checks.table import checks_of
from pipeline.core.document.guard import Refusal
from pipeline.core.document.merge import merge
from pipeline.core.document.message import Markup
from pipeline.core.workbench.editing import cleaned
from pipeline.core.workbench.page_messages import Block, excerpt_of
from pipeline.entries import Entry
from pipeline.findings import Finding, Severity
from pipeline.run import Run
from pipeline.stages.publish.marked_page import render_message


def check_rules_for(run: Run, locale: str) -> CheckRules:
    """Return the checks and the glossary of a locale. Raises InputError for a bad glossary."""
    return CheckRules(
        checks=checks_of(locale),
        glossary=glossary_of(run, locale),
        ignore=run.settings.ignore,
        is_whole=False,
    )


def preview_json(page: OpenPage, block: Block, msgstr: str, rules: CheckRules) -> Json:
    """Return the preview of a translation on its page, and its findings."""
    text = cleaned(msgstr)
    findings = findings_of(page, (finished(block.entry, text),), rules) if text else []
    excerpt = excerpt_of(page.document, unit_of(page, block), block.message)
    merged = merge(excerpt.document, {block.message.msgid: text})
    html = render_message(excerpt.document, merged, excerpt.index, folder=page.folder)
    # The guard may reject the translation although no check reports an error. Add its message.
    if merged.rejected and not any(found.is_error for found in findings):
        findings = [*findings, _refused(merged.rejected[0].refusal)]
    return {"html": html, "findings": list(map(finding_json, findings))}


def fixed_json(page: OpenPage, block: Block, msgstr: str, rules: CheckRules) -> Json:
    """Return the translation with all safe fixes; it may be unchanged."""
    text = cleaned(msgstr)
    fixed = text
    for subject in _subjects(page, (finished(block.entry, text),)):
        fixed = fix_entry(subject, rules.checks.checks)
    return {"msgstr": fixed}


def findings_of(
    page: OpenPage, entries: Sequence[Entry], rules: CheckRules
) -> list[Finding]:
    """Return the findings of the checks for some entries of a page."""
    opened = page.read
    file = CatalogFile(
        path=opened.path, name=opened.name, page=page.page, locale=page.locale
    )
    read = ReadFile(file=file, data=opened.data, catalog=opened.catalog)
    checked = check_entries([(read, _subjects(page, entries))], rules)
    return checked.findings[opened.name]


def _subjects(page: OpenPage, entries: Sequence[Entry]) -> list[Subject]:
    """Return the translated ``entries`` as subjects, which is the form that the checks read.

    An entry of a reST page has a note that names its markup. Without such a note, it is Markdown.
    """
    return subjects_of(entries, page.page, Markup.MARKDOWN)


def _refused(refusal: Refusal) -> Finding:
    """Return the guard's rejection of a translation as a finding."""
    return Finding(
        code=refusal.code,
        severity=Severity.ERROR,
        text=refusal.text,
        hint=refusal.hint,
    )


def finished(entry: Entry, msgstr: str) -> Entry:
    """Return the entry as it will be once ``msgstr`` is saved."""
    return replace(entry, msgstr=msgstr, fuzzy=False, previous=None)
