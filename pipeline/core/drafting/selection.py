"""Selection of the entries of a locale that need a draft.

``select`` takes all catalogues of the locale and returns questions in page order. An entry that a
person has written or confirmed is never selected. A person's translation of an older text is only
replaced if another entry has the same translation, so that no words are lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.core.catalog.origins import copy_of, is_replaceable, machine_of
from pipeline.core.checks.model import TITLES, read_place
from pipeline.core.document.message import Kind
from pipeline.core.drafting.judge import Judge
from pipeline.core.drafting.question import (
    PROMPT,
    DraftReason,
    Question,
    ask,
    draft_key,
)
from pipeline.core.glossary.glossary import Glossary
from pipeline.core.glossary.rows import BRACKET
from pipeline.entries import Catalog, Entry

# Kinds of messages that may consist of one term.
_TERMS = TITLES - {Kind.IMAGE, Kind.FRONT_MATTER}
_GAP = "…"  # in the glossary's rendering of a term, it stands for any words


class Model(Struct, frozen=True, kw_only=True):
    """The current model and glossary, with which drafts are made."""

    name: str  # of the model
    judge: Judge  # also judges renderings, because anybody may propose glossary rows
    glossary: Glossary | None = None

    def ask(self, page: str, entry: Entry, why: DraftReason) -> Question:
        """Return the question about an entry, with its rendering if it is a glossary term."""
        question = ask(page, entry, why, model=self.name, glossary=self.glossary)
        rendering = term_for(entry, self.glossary)
        if not rendering:
            return question
        return replace(question, term=self.judge.judge(question, rendering).msgstr)


class Stale(Struct, frozen=True, kw_only=True):
    """Outdated draft, and why it is outdated."""

    page: str
    msgid: str
    reason: str


class Selected(Struct, kw_only=True):
    """Questions about the selected entries."""

    questions: list[Question] = field(default_factory=list)
    # Outdated drafts that will be replaced.
    stale: list[Stale] = field(default_factory=list)
    # Number of entries that are not selected, because they have a person's translation of an older
    # text, and no other entry has this translation.
    left_alone: int = 0


def select(
    catalogs: Mapping[str, Catalog],
    pages: Sequence[str],
    *,
    model: Model,
    made_with: Mapping[str, Mapping[str, str]],
) -> Selected:
    """Return the questions of ``pages``, given all ``catalogs`` of the locale.

    ``made_with`` has, by ``draft_key``, the glossary rows that drafts were made with, as far as
    they are known.
    """
    selected = Selected()
    protected = _protected_translations(catalogs)
    for page in pages:
        for entry in catalogs.get(page, Catalog()).entries:
            why = _why(entry)
            if why is None:
                continue
            # A draft would delete words of a person that no other entry has.
            if why is DraftReason.CHANGED and (entry.source_text, entry.msgstr) not in protected:
                selected.left_alone += 1
                continue
            question = model.ask(page, entry, why)
            if why is DraftReason.STALE:
                reason = _stale_reason(question, model, made_with)
                if not reason:
                    continue
                stale = Stale(page=page, msgid=entry.msgid, reason=reason)
                selected.stale.append(stale)
            selected.questions.append(question)
    return selected


def _why(entry: Entry) -> DraftReason | None:
    """Return why an entry may need a draft; None if a person has worked on it.

    Adopted texts count as a person's work, and so do drafts that somebody has edited or commented
    on.
    """
    if entry.obsolete:
        return None
    if not entry.msgstr:
        return DraftReason.NEW
    if copy_of(entry):
        return None
    if machine_of(entry) and is_replaceable(entry):
        return DraftReason.STALE
    is_of_older_text = entry.fuzzy and entry.previous not in (None, entry.msgid)
    return DraftReason.CHANGED if is_of_older_text else None


def _stale_reason(
    question: Question, model: Model, made_with: Mapping[str, Mapping[str, str]]
) -> str:
    """Return why a draft is outdated, or "" if it is not."""
    msgstr, machine = question.entry.msgstr, machine_of(question.entry)
    assert machine
    # The draft of a term is the rendering itself, so compare the two.
    if machine.is_term and question.term == msgstr:
        return ""
    if machine.is_term or question.term:
        return "the glossary has another rendering"
    if machine.model != model.name:
        return f"the model was {machine.model}"
    if machine.prompt != PROMPT:
        return f"the prompt was number {machine.prompt}"
    rows = made_with.get(draft_key(question.page, question.name, msgstr))
    # The rows are unknown if another clone has made the draft. Such a draft counts as current.
    if rows is None or rows == question.rows:
        return ""
    changed = {row for row, _ in rows.items() ^ question.rows.items()}
    return f"the glossary has changed: {', '.join(sorted(changed))}"


def _protected_translations(catalogs: Mapping[str, Catalog]) -> set[tuple[str, str]]:
    """Return the translations (English and msgstr) that no draft will replace.

    Live fuzzy entries are left out. If two of them have the same translation, each would allow a
    draft to replace the other, and the translation would be lost.
    """
    protected: set[tuple[str, str]] = set()
    for catalog in catalogs.values():
        lasting = (entry for entry in catalog.entries if not entry.needs_review)
        protected.update((entry.source_text, entry.msgstr) for entry in lasting)
    return protected


def term_for(entry: Entry, glossary: Glossary | None) -> str:
    """Return the glossary's rendering if the whole message is one term, or "".

    ``Tracers`` → ``跟踪器``. Brackets in a rendering are left out, and renderings with a gap
    (``在…时``) are skipped.
    """
    place = read_place(entry)
    if glossary is None or place.kind not in _TERMS:
        return ""
    mentions = glossary.mentions(entry.msgid, place.markup)
    if [mention.words for mention in mentions] != [entry.msgid]:
        return ""
    texts = (BRACKET.sub("", known.text) for known in mentions[0].term.renderings)
    return next((text for text in texts if text and _GAP not in text), "")
