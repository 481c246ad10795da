"""The drafts of a page together: two may be harmless alone, and harm the page as a pair.

In go the documents of a page, its entries and its drafts; out come the drafts that may stay. The
page is merged as if all of them were confirmed, by the merge that builds pages, so that a person
who confirms one cannot break anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.checks.base import Subject
from pipeline.core.checks.shifted import find_shifted
from pipeline.core.document.compose import merge
from pipeline.core.document.read import Document
from pipeline.core.drafting.judging import Reason, Refusal, finished
from pipeline.core.drafting.questions import Name, Question
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.errors import GuardError


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """The drafts of a page that go together, and why the others do not."""

    drafts: Mapping[Name, str]
    refused: Mapping[Name, Refusal]


def accept(
    page: str,
    documents: Sequence[Document],
    entries: Sequence[Entry],
    drafts: Mapping[Name, tuple[Question, str]],
) -> Together:
    """Those of ``drafts``, by name, that can stand on the page beside its translations."""
    refused: dict[Name, Refusal] = {}
    kept = dict(drafts)
    # What belongs elsewhere goes first: it need not be tried on the page.
    for name, text in _shifted(page, entries, kept).items():
        refused[name] = Refusal(reason=Reason.SHIFTED, text=text)
        del kept[name]
    for name, text in _breaking(documents, entries, kept).items():
        refused[name] = Refusal(reason=Reason.PAGE, text=text)
        del kept[name]
    return Together(
        drafts={name: msgstr for name, (_, msgstr) in kept.items()}, refused=refused
    )


def _shown(
    entries: Sequence[Entry], drafts: Mapping[Name, tuple[Question, str]]
) -> list[Entry]:
    """The live entries of a page, as they are if all drafts are confirmed."""
    shown: list[Entry] = []
    for entry in entries:
        draft = drafts.get((entry.context, entry.msgid))
        # What waits for a person is not on the page, and has no say in what else may be.
        if draft:
            shown.append(finished(*draft))
        elif entry.is_translated:
            shown.append(entry)
    return shown


def _shifted(
    page: str,
    entries: Sequence[Entry],
    drafts: Mapping[Name, tuple[Question, str]],
) -> dict[Name, str]:
    """Drafts that belong to another message of the page."""
    shown = _shown(entries, drafts)
    shifted: dict[Name, str] = {}
    for problem in find_shifted([Subject(entry, page) for entry in shown]):
        entry = shown[problem.index]
        name = (entry.context, entry.msgid)
        # What a person has shifted is for ``check`` to tell.
        if name in drafts:
            shifted[name] = problem.text
    return shifted


def _breaking(
    documents: Sequence[Document],
    entries: Sequence[Entry],
    drafts: Mapping[Name, tuple[Question, str]],
) -> dict[Name, str]:
    """Drafts with which a document of the page would not be what it is."""
    if not drafts:
        return {}
    translations = translations_of(Catalog(entries=tuple(_shown(entries, drafts))))
    texts: dict[str, str] = {}  # by msgid: all contexts of it, for safety
    # Of a jupytext pair both: what one of them takes may break the other.
    for document in documents:
        try:
            merged = merge(document, translations)
        except GuardError as error:
            # A bug of ours: nothing tells which draft brings it out.
            return dict.fromkeys(drafts, error.what)
        for rejected in merged.rejected:
            texts[rejected.message.msgid] = rejected.refusal.text
    return {name: texts[name[1]] for name in drafts if name[1] in texts}
