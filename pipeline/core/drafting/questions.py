"""Questions: entries that want a draft, each with all that decides about its answer.

An answer belongs to the ``key`` of a question, which is the digest of what was asked. So an answer
that was paid for is found again, however the entries around it were put together.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pipeline.core.checks.notes import Place, read_place
from pipeline.core.drafting.masking import Masked, mask
from pipeline.core.drafting.prompt import PROMPT
from pipeline.core.glossary.terms import Glossary
from pipeline.entries import Entry

_ID_DIGITS = 4  # of an id, or more where two entries would share it


Name = tuple[str | None, str]  # of an entry on its page: context and msgid


class Why(StrEnum):
    """Why an entry wants a draft."""

    NEW = "new"  # it has no translation
    CHANGED = "changed"  # it has the old translation of a text that has changed
    STALE = "stale"  # it has a draft, made from what is not so any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An entry to be drafted.

    ``rows`` are the terms that it mentions, with how the glossary has them rendered.
    ``term`` is the rendering of one that is a term alone: no model need be asked. ``old_english``
    and ``old_translation`` are there if its text has changed.
    """

    page: str
    entry: Entry
    why: Why
    key: str
    masked: Masked
    place: Place
    rows: Mapping[str, str] = field(default_factory=dict)
    old_english: str = ""
    old_translation: str = ""
    term: str = ""

    @property
    def name(self) -> Name:
        """What names the entry on its page."""
        return self.entry.context, self.entry.msgid


def draft_key(page: str, name: Name, msgstr: str) -> str:
    """What a draft is known by: its words, and the entry that has them."""
    context, msgid = name
    return digest_of_texts([page, context or "", msgid, msgstr])


def ask(
    page: str, entry: Entry, why: Why, *, model: str, glossary: Glossary | None
) -> Question:
    """The question for ``entry``, to be put to ``model``."""
    place = read_place(entry)
    masked = mask(entry.msgid, place.markup)
    rows = rows_of(entry.msgid, place, glossary)
    old_english = old_translation = ""
    if why is Why.CHANGED:
        old_english, old_translation = entry.written_for, entry.msgstr
    # The page is part of it: a short text may mean something else on another one.
    asked = [page, entry.context or "", entry.msgid, str(place.kind)]
    # Its neighbours are not: who confirms one entry does not ask for the next one anew.
    asked += [old_english, old_translation, model, str(PROMPT)]
    asked += [f"{term}\4{rendering}" for term, rendering in rows.items()]
    return Question(
        page=page,
        entry=entry,
        why=why,
        key=digest_of_texts(asked),
        masked=masked,
        place=place,
        rows=rows,
        old_english=old_english,
        old_translation=old_translation,
    )


def rows_of(msgid: str, place: Place, glossary: Glossary | None) -> dict[str, str]:
    """The terms that a message mentions, with their renderings as the model is told them.

    ``{"tracer": "跟踪器 (not: 追踪器)"}``
    """
    rows: dict[str, str] = {}
    if glossary is None:
        return rows
    for mention in glossary.mentions(msgid, place.markup):
        # Twice in a message it is one row.
        term = mention.term
        told = " / ".join(rendering.text for rendering in term.renderings)
        if term.avoided:
            told += f" (not: {', '.join(avoided.text for avoided in term.avoided)})"
        rows[term.english] = told
    return rows


def with_ids(questions: Sequence[Question]) -> dict[str, Question]:
    """The questions of a batch by their ids, which are short, and tell nothing of their order.

    A model that leaves out an entry cannot shift the others by one.
    """
    digits = _ID_DIGITS
    # Two digests of 160 bits differ somewhere: this ends.
    while True:
        by_id = {question.key[:digits]: question for question in questions}
        if len(by_id) == len(questions):
            return by_id
        digits += 1


def digest_of_texts(texts: Sequence[str]) -> str:
    """40 hex digits that stand for a sequence of texts."""
    data = json.dumps(list(texts)).encode("ascii")
    return hashlib.blake2b(data, digest_size=20).hexdigest()
