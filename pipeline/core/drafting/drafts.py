"""Drafts of a page: which of them are compatible, and their entries in the catalogue.

Two drafts may each be harmless and still break the page together. So the page is merged as if all
drafts were confirmed, with the same merge as in a build: confirming a draft can never break a page.
An entry changes only if it is unchanged since its draft was requested, and it becomes fuzzy; all
other entries are returned as they are.
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

Answered = Mapping[Name, tuple[Question, str]]  # questions of a page, with their drafts


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Draft for an entry; ``before`` is the entry at the time of the request."""

    before: Entry
    msgstr: str
    origin: Machine


def refused_together(
    page: str,
    documents: Sequence[Document],
    entries: Sequence[Entry],
    answered: Answered,
) -> dict[Name, Reason]:
    """Return the drafts that are wrong on the page beside the others, each with its reason."""
    refused = dict.fromkeys(_shifted(page, entries, answered), Reason.SHIFTED)
    # Drafts for another message are already rejected, and need not be merged.
    others = {name: one for name, one in answered.items() if name not in refused}
    return refused | dict.fromkeys(_breaking(documents, entries, others), Reason.PAGE)


def _shown(entries: Sequence[Entry], answered: Answered) -> list[Entry]:
    """Return the page's entries as a reader would see them with all drafts confirmed."""
    shown: list[Entry] = []
    for entry in entries:
        draft = answered.get((entry.context, entry.msgid))
        # Fuzzy entries without a draft are not on the page, so they are left out.
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
        # `check` reports a person's shifted translations.
        if (entry.context, entry.msgid) in answered:
            yield entry.context, entry.msgid


def _breaking(
    documents: Sequence[Document], entries: Sequence[Entry], answered: Answered
) -> list[Name]:
    """Return the drafts that a merge of the page's documents rejects."""
    if not answered:
        return []
    translations = translations_of(Catalog(entries=tuple(_shown(entries, answered))))
    rejected: set[str] = set()  # msgids; all contexts of a msgid, to be safe
    # Try both documents of a jupytext pair: a draft may suit one and break the other.
    for document in documents:
        try:
            merged = merge(document, translations)
        except GuardError:
            # A bug of ours; nothing shows which draft triggers it.
            return list(answered)
        rejected.update(one.message.msgid for one in merged.rejected)
    return [name for name in answered if name[1] in rejected]


def apply(catalog: Catalog, drafts: Mapping[Name, Draft]) -> tuple[Catalog, int]:
    """Put ``drafts`` into their entries; return the catalogue and the number of drafts used."""
    entries: list[Entry] = []
    count = 0
    for entry in catalog.entries:
        draft = drafts.get((entry.context, entry.msgid))
        # Skip the draft if somebody has edited the entry since it was requested.
        if draft is None or entry.obsolete or _work_of(entry) != _work_of(draft.before):
            entries.append(entry)
        else:
            entries.append(drafted(entry, draft))
            count += 1
    return replace(catalog, entries=tuple(entries)), count


def drafted(entry: Entry, draft: Draft) -> Entry:
    """Return ``entry`` with a draft: fuzzy, with a note that names the origin."""
    # A state like "fuzzy: numbers: …" described the old translation. The kind of block stays.
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

    Notes, references and the line number are ours, and an update may have changed them.
    """
    words = (entry.msgstr, entry.fuzzy, entry.previous)
    return (*words, entry.comments, entry.flags)
