"""Drafts of a page: checks all of them together, and puts them into the catalogue.

Two drafts may each be valid alone and break the page together. So ``refused_together`` merges the
page as a build would do if all drafts were confirmed. ``apply`` makes entries with drafts fuzzy. It
leaves out drafts of entries that somebody has edited since the request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.catalog.origins import STATES, Machine
from pipeline.core.checks.meaning.misplaced import find_shifted
from pipeline.core.checks.model import Subject
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document
from pipeline.core.drafting.judge import Reason, finished
from pipeline.core.drafting.question import Name, Question
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.errors import GuardError

# Questions of a page, each with the msgstr of its draft.
Answered = Mapping[Name, tuple[Question, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Draft for an entry."""

    before: Entry  # the entry when the draft was requested
    msgstr: str
    origin: Machine  # model, prompt and date, for the note


def refused_together(
    page: str,
    documents: Sequence[Document],
    entries: Sequence[Entry],
    answered: Answered,
) -> dict[Name, Reason]:
    """Return the drafts in ``answered`` that must not be used beside the others, with the reasons.

    ``documents`` and ``entries`` are those of the page named ``page``.
    """
    refused = dict.fromkeys(_shifted(page, entries, answered), Reason.SHIFTED)
    # Leave out the rejected drafts from the merge.
    others = {name: one for name, one in answered.items() if name not in refused}
    return refused | dict.fromkeys(_breaking(documents, entries, others), Reason.PAGE)


def _shown(entries: Sequence[Entry], answered: Answered) -> list[Entry]:
    """Return the entries of the page that readers would see if all drafts were confirmed."""
    shown: list[Entry] = []
    for entry in entries:
        draft = answered.get((entry.context, entry.msgid))
        # Readers do not see fuzzy entries without a draft.
        if draft:
            shown.append(finished(*draft))
        elif entry.is_translated:
            shown.append(entry)
    return shown


def _shifted(page: str, entries: Sequence[Entry], answered: Answered) -> Iterator[Name]:
    """Yield the drafts that translate another message of the page."""
    shown = _shown(entries, answered)
    for problem in find_shifted([Subject(entry, page) for entry in shown]):
        entry = shown[problem.index]
        # Ignore translations of people, which ``check`` reports.
        if (entry.context, entry.msgid) in answered:
            yield entry.context, entry.msgid


def _breaking(
    documents: Sequence[Document], entries: Sequence[Entry], answered: Answered
) -> list[Name]:
    """Return the drafts that a merge of the page's documents rejects."""
    if not answered:
        return []
    translations = translations_of(Catalog(entries=tuple(_shown(entries, answered))))
    rejected: set[str] = set()  # msgids; entries of all contexts are rejected
    # Merge both documents of a jupytext pair, because a draft may break only one of them.
    for document in documents:
        try:
            merged = merge(document, translations)
        except GuardError:
            # This is a bug of the pipeline. It is unknown which draft causes it, so reject all.
            return list(answered)
        rejected.update(one.message.msgid for one in merged.rejected)
    return [name for name in answered if name[1] in rejected]


def apply(catalog: Catalog, drafts: Mapping[Name, Draft]) -> tuple[Catalog, int]:
    """Put ``drafts`` into their entries; return the catalogue and the number of drafts used."""
    entries: list[Entry] = []
    count = 0
    for entry in catalog.entries:
        draft = drafts.get((entry.context, entry.msgid))
        # Skip the draft if somebody has edited the entry since the request.
        if draft is None or entry.obsolete or _work_of(entry) != _work_of(draft.before):
            entries.append(entry)
        else:
            entries.append(drafted(entry, draft))
            count += 1
    return replace(catalog, entries=tuple(entries)), count


def drafted(entry: Entry, draft: Draft) -> Entry:
    """Return ``entry`` with a draft: fuzzy, with a note that names the model."""
    # Remove notes about the state of the old translation ("fuzzy: numbers: …"). Other notes stay.
    notes = [note for note in entry.notes if not note.startswith(STATES)]
    return replace(
        entry,
        msgstr=draft.msgstr,
        fuzzy=True,
        previous=entry.msgid,
        notes=(*notes, draft.origin.note(draft.msgstr)),
    )


def _work_of(entry: Entry) -> tuple[object, ...]:
    """Return the parts of an entry that people edit.

    The pipeline writes notes, references and line numbers, so an update may have changed them.
    """
    words = (entry.msgstr, entry.fuzzy, entry.previous)
    return (*words, entry.comments, entry.flags)
