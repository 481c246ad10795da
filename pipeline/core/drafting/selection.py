"""Which entries of a locale want a draft, and why.

In go all catalogues of the locale, out come questions in page order. The invariant: an entry that a
person wrote or confirmed is never among them. What a person wrote for an older text is, but only
where its words stand in another entry as well, from which they come back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipeline.core.catalog.origins import copy_of, is_replaceable, machine_of
from pipeline.core.checks.model import read_place
from pipeline.core.document.message import Kind
from pipeline.core.drafting.judge import Judge
from pipeline.core.drafting.question import PROMPT, Question, Why, ask, draft_key
from pipeline.core.glossary.glossary import Glossary
from pipeline.core.glossary.rows import BRACKET
from pipeline.entries import Catalog, Entry

# Blocks that are a term alone where they have the words of one.
_TITLES = (
    Kind.HEADING,
    Kind.TITLE,
    Kind.TERM,
    Kind.TABLE_CELL,
    Kind.CAPTION,
    Kind.PAGE_TITLE,
)
_GAP = "…"  # in a rendering it stands for other words


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What drafts are made with now: the model, and the glossary that it is told.

    ``judge`` is asked about renderings too: strangers may send rows of a glossary.
    """

    name: str
    judge: Judge
    glossary: Glossary | None = None

    def ask(self, page: str, entry: Entry, why: Why) -> Question:
        """Return the question for an entry."""
        question = ask(page, entry, why, model=self.name, glossary=self.glossary)
        rendering = term_for(entry, self.glossary)
        if not rendering:
            return question
        return replace(question, term=self.judge.judge(question, rendering).msgstr)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """A draft that was made from what is not so any more, and what that is."""

    page: str
    msgid: str
    reason: str


@dataclass(slots=True, kw_only=True)
class Selected:
    """What is to be drafted.

    ``stale`` are those of the questions that have a draft already; ``left_alone`` counts entries
    whose old words stand nowhere else.
    """

    questions: list[Question] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    left_alone: int = 0


def select(
    catalogs: Mapping[str, Catalog],
    pages: Sequence[str],
    *,
    model: Model,
    made_with: Mapping[str, Mapping[str, str]],
) -> Selected:
    """Return what ``pages`` want drafted, given all ``catalogs`` of the locale.

    ``made_with`` has the rows that drafts were made with, by ``draft_key``, as far as is known.
    """
    selected = Selected()
    held = _held(catalogs)
    for page in pages:
        for entry in catalogs.get(page, Catalog()).entries:
            why = _why(entry)
            if why is None:
                continue
            # Words that stand only here, stay.
            if why is Why.CHANGED and (entry.written_for, entry.msgstr) not in held:
                selected.left_alone += 1
                continue
            question = model.ask(page, entry, why)
            if why is Why.STALE:
                reason = _stale_reason(question, model, made_with)
                if not reason:
                    continue
                stale = Stale(page=page, msgid=entry.msgid, reason=reason)
                selected.stale.append(stale)
            selected.questions.append(question)
    return selected


def _why(entry: Entry) -> Why | None:
    """Return why an entry might want a draft; None for what is a person's.

    A draft that somebody has changed or remarked on is a person's by now, and what was adopted is
    somebody's work that waits for a person.
    """
    if entry.obsolete:
        return None
    if not entry.msgstr:
        return Why.NEW
    if copy_of(entry):
        return None
    if machine_of(entry) and is_replaceable(entry):
        return Why.STALE
    is_of_older_text = entry.fuzzy and entry.previous not in (None, entry.msgid)
    return Why.CHANGED if is_of_older_text else None


def _stale_reason(
    question: Question, model: Model, made_with: Mapping[str, Mapping[str, str]]
) -> str:
    """Return what a draft was made from that is not so any more; empty if all of it still is."""
    msgstr, machine = question.entry.msgstr, machine_of(question.entry)
    assert machine
    # The words are a row's, so that they show by themselves whether it is still there.
    if machine.is_term and question.term == msgstr:
        return ""
    if machine.is_term or question.term:
        return "the glossary has another rendering"
    if machine.model != model.name:
        return f"the model was {machine.model}"
    if machine.prompt != PROMPT:
        return f"the prompt was number {machine.prompt}"
    rows = made_with.get(draft_key(question.page, question.name, msgstr))
    # Of a draft that was made in another clone nobody knows: nothing speaks against it.
    if rows is None or rows == question.rows:
        return ""
    changed = {row for row, _ in rows.items() ^ question.rows.items()}
    return f"the glossary has changed: {', '.join(sorted(changed))}"


def _held(catalogs: Mapping[str, Catalog]) -> set[tuple[str, str]]:
    """Return the translations that no draft takes the place of, each with the English it is for.

    A live fuzzy one may be replaced itself: two of them would vouch for each other.
    """
    held: set[tuple[str, str]] = set()
    for catalog in catalogs.values():
        lasting = (entry for entry in catalog.entries if not entry.is_waiting)
        held.update((entry.written_for, entry.msgstr) for entry in lasting)
    return held


def term_for(entry: Entry, glossary: Glossary | None) -> str:
    """Return the rendering of a message that is a term; empty if it is none.

    ``## Tracers`` → ``跟踪器``. A rendering that is open (``在……时``) or in brackets is no text of
    its own.
    """
    place = read_place(entry)
    if glossary is None or place.kind not in _TITLES:
        return ""
    mentions = glossary.mentions(entry.msgid, place.markup)
    if [mention.words for mention in mentions] != [entry.msgid]:
        return ""
    texts = (BRACKET.sub("", known.text) for known in mentions[0].term.renderings)
    return next((text for text in texts if text and _GAP not in text), "")
