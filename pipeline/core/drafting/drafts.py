"""The drafts of a page: which can stand together, and how they stand in its catalogue.

Two drafts may be harmless alone, and harm the page as a pair. So the page is merged as if all of
them were confirmed, by the merge that builds pages: a person who confirms one cannot break
anything. An entry changes only if it is still the one that a draft was asked for, and then it is
fuzzy; every other entry is the very one given.
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
    """A draft for an entry, which was ``before`` when it was asked for."""

    before: Entry
    msgstr: str
    origin: Machine


def refused_together(
    page: str,
    documents: Sequence[Document],
    entries: Sequence[Entry],
    answered: Answered,
) -> dict[Name, Reason]:
    """Return those of the drafts that cannot stand on the page beside its translations, and why."""
    refused = dict.fromkeys(_shifted(page, entries, answered), Reason.SHIFTED)
    # What belongs elsewhere goes first: it need not be tried on the page.
    others = {name: one for name, one in answered.items() if name not in refused}
    return refused | dict.fromkeys(_breaking(documents, entries, others), Reason.PAGE)


def _shown(entries: Sequence[Entry], answered: Answered) -> list[Entry]:
    """Return the live entries of a page, as they are if all drafts are confirmed."""
    shown: list[Entry] = []
    for entry in entries:
        draft = answered.get((entry.context, entry.msgid))
        # What waits for a person is not on the page, and has no say in what else may be.
        if draft:
            shown.append(finished(*draft))
        elif entry.is_translated:
            shown.append(entry)
    return shown


def _shifted(page: str, entries: Sequence[Entry], answered: Answered) -> Iterator[Name]:
    """Yield drafts that belong to another message of the page."""
    shown = _shown(entries, answered)
    for problem in find_shifted([Subject(entry, page) for entry in shown]):
        entry = shown[problem.index]
        # What a person has shifted is for ``check`` to tell.
        if (entry.context, entry.msgid) in answered:
            yield entry.context, entry.msgid


def _breaking(
    documents: Sequence[Document], entries: Sequence[Entry], answered: Answered
) -> list[Name]:
    """Return drafts with which a document of the page would not be what it is."""
    if not answered:
        return []
    translations = translations_of(Catalog(entries=tuple(_shown(entries, answered))))
    rejected: set[str] = set()  # msgids: all contexts of one, for safety
    # Of a jupytext pair both: what one of them takes may break the other.
    for document in documents:
        try:
            merged = merge(document, translations)
        except GuardError:
            # A bug of ours: nothing tells which draft brings it out.
            return list(answered)
        rejected.update(one.message.msgid for one in merged.rejected)
    return [name for name in answered if name[1] in rejected]


def apply(catalog: Catalog, drafts: Mapping[Name, Draft]) -> tuple[Catalog, int]:
    """Put ``drafts`` into the entries that wait for them; return the catalogue and their number."""
    entries: list[Entry] = []
    count = 0
    for entry in catalog.entries:
        draft = drafts.get((entry.context, entry.msgid))
        # Nobody has put anything into the entry since the draft was asked for.
        if draft is None or entry.obsolete or _work_of(entry) != _work_of(draft.before):
            entries.append(entry)
        else:
            entries.append(drafted(entry, draft))
            count += 1
    return replace(catalog, entries=tuple(entries)), count


def drafted(entry: Entry, draft: Draft) -> Entry:
    """``entry`` with a draft: fuzzy, with a note of where the words come from."""
    # "fuzzy: numbers: …" was about the words that go; the kind of block stays.
    notes = [note for note in entry.notes if not note.startswith(STATES)]
    return replace(
        entry,
        msgstr=draft.msgstr,
        fuzzy=True,
        previous=entry.msgid,
        notes=(*notes, draft.origin.note(draft.msgstr)),
    )


def _work_of(entry: Entry) -> tuple[object, ...]:
    """Return what people put into an entry.

    Notes, references and the line are ours: an update may have moved them.
    """
    words = (entry.msgstr, entry.fuzzy, entry.previous)
    return (*words, entry.comments, entry.flags)
