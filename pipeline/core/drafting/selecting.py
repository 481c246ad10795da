"""Which entries of a locale want a draft, and why.

In go all catalogues of the locale, out come questions in page order. The invariant: an entry that a
person wrote or confirmed is never among them. What a person wrote for an older text is, but only
where its words stand in another entry as well, from which they come back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.core.catalog.origins import Machine, copy_of, is_replaceable, machine_of
from pipeline.core.checks.notes import read_place
from pipeline.core.drafting.judging import Judge
from pipeline.core.drafting.prompt import PROMPT
from pipeline.core.drafting.questions import Question, Why, ask, draft_key, rows_of
from pipeline.core.drafting.terms import term_for
from pipeline.core.glossary.terms import Glossary
from pipeline.entries import Catalog, Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What drafts are made with now: the model, and the glossary that it is told.

    ``judge`` is asked about renderings too: strangers may send rows of a glossary.
    """

    name: str
    judge: Judge
    glossary: Glossary | None = None

    def ask(self, page: str, entry: Entry, why: Why) -> Question:
        """The question for an entry."""
        return ask(page, entry, why, model=self.name, glossary=self.glossary)

    def term(self, question: Question) -> str:
        """The rendering of a message that is a term; empty if the model must be asked."""
        rendering = term_for(question.entry, self.glossary)
        if not rendering:
            return ""
        return self.judge.judge(question, rendering).msgstr


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """A draft that was made from what is not so any more, and what that is."""

    page: str
    msgid: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """What is to be drafted.

    ``stale`` are those of the questions that have a draft already; ``left_alone`` counts entries
    whose old words stand nowhere else.
    """

    questions: tuple[Question, ...] = ()
    stale: tuple[Stale, ...] = ()
    left_alone: int = 0


@dataclass(kw_only=True)
class _Selecting:
    """One pass over the catalogues of a locale."""

    model: Model
    # The rows that drafts were made with, by ``draft_key``, as far as that is known here.
    made_with: Mapping[str, Mapping[str, str]]
    held: Collection[tuple[str, str]]
    questions: list[Question] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    left_alone: int = 0

    def look_at(self, page: str, entry: Entry) -> None:
        """Add what there is to ask about an entry.

        A draft that somebody has changed or remarked on is a person's by now, and what was adopted
        is somebody's work that waits for a person.
        """
        machine = machine_of(entry)
        if entry.obsolete:
            return
        if not entry.msgstr:
            self._ask(page, entry, Why.NEW)
        elif copy_of(entry):
            return
        elif machine and is_replaceable(entry):
            self._ask_if_stale(page, entry, machine)
        elif entry.fuzzy and entry.previous not in (None, entry.msgid):
            self._ask_if_held(page, entry)

    def _ask_if_stale(self, page: str, entry: Entry, machine: Machine) -> None:
        """Ask anew for a draft that was made from what is not so any more."""
        reason = self._stale_reason(page, entry, machine)
        if reason:
            self.stale.append(Stale(page=page, msgid=entry.msgid, reason=reason))
            self._ask(page, entry, Why.STALE)

    def _ask_if_held(self, page: str, entry: Entry) -> None:
        """Ask for an entry that offers the translation of an older text.

        Words that stand only here, stay.
        """
        if (entry.written_for, entry.msgstr) in self.held:
            self._ask(page, entry, Why.CHANGED)
        else:
            self.left_alone += 1

    def _ask(self, page: str, entry: Entry, why: Why) -> None:
        """Add the question for an entry.

        Its key is made of all that decides about the answer.
        """
        self.questions.append(self.model.ask(page, entry, why))

    def _stale_reason(self, page: str, entry: Entry, machine: Machine) -> str:
        """What a draft was made from that is not so any more; empty if all of it still is."""
        term = self.model.term(self.model.ask(page, entry, Why.STALE))
        # The words are a row's, so that they show by themselves whether it is still there.
        if machine.is_term and term == entry.msgstr:
            return ""
        if machine.is_term or term:
            return "the glossary has another rendering"
        if machine.model != self.model.name:
            return f"the model was {machine.model}"
        if machine.prompt != PROMPT:
            return f"the prompt was number {machine.prompt}"
        return self._changed_rows(page, entry)

    def _changed_rows(self, page: str, entry: Entry) -> str:
        """The rows that a draft was made with and that are others now; empty if none is.

        Of a draft that was made in another clone, or long ago, nobody knows: nothing speaks against
        it.
        """
        name = (entry.context, entry.msgid)
        before = self.made_with.get(draft_key(page, name, entry.msgstr))
        if before is None:
            return ""
        now = rows_of(entry.msgid, read_place(entry), self.model.glossary)
        changed = {term for term, _ in before.items() ^ now.items()}
        if not changed:
            return ""
        return f"the glossary has changed: {', '.join(sorted(changed))}"


def select(
    catalogs: Mapping[str, Catalog],
    pages: Sequence[str],
    *,
    model: Model,
    made_with: Mapping[str, Mapping[str, str]],
) -> Selected:
    """What ``pages`` want drafted, given all ``catalogs`` of the locale."""
    selecting = _Selecting(model=model, made_with=made_with, held=_held(catalogs))
    for page in pages:
        for entry in catalogs.get(page, Catalog()).entries:
            selecting.look_at(page, entry)
    return Selected(
        questions=tuple(selecting.questions),
        stale=tuple(selecting.stale),
        left_alone=selecting.left_alone,
    )


def _held(catalogs: Mapping[str, Catalog]) -> set[tuple[str, str]]:
    """The translations that no draft takes the place of, each with the English it is for.

    A live fuzzy one may be replaced itself: two of them would vouch for each other.
    """
    held: set[tuple[str, str]] = set()
    for catalog in catalogs.values():
        lasting = (entry for entry in catalog.entries if not entry.is_waiting)
        held.update((entry.written_for, entry.msgstr) for entry in lasting)
    return held
