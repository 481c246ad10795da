"""Batches: questions of one page in order, with the context that the model needs.

A batch is the body of one request. Its key is a digest of that body, which covers messages,
context, prompt, model and glossary rows. Batches with equal keys share one stored reply.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.core.checks.model import read_place
from pipeline.core.drafting.question import (
    Question,
    batch_text,
    digest_of_texts,
    marked_like,
    task_text,
    with_ids,
)
from pipeline.entries import Entry

_NEAR = 2  # messages before and after a question, as context
_CONTEXT_LENGTH = 400  # characters of such a message, at most
_WORDS = 1500  # English words in a batch: models get less reliable with longer ones
_EXAMPLES = 6  # per batch, at most

# Finished translations of similar texts, by msgid: English and Chinese.
Examples = Mapping[str, Sequence[tuple[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSettings:
    """Settings of requests, equal for all batches of a locale."""

    model: str
    locale: str
    size: int = 40  # questions in a batch, at most
    # name of the endpoint's parameter for the reply limit
    reply_field: str = "max_tokens"
    reply_tokens: int = 0  # that limit in tokens; 0 derives it from the messages
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Questions of one request by id, and the texts of its two messages.

    ``attempt`` is 2 for questions that are asked again. ``most_tokens`` limits the reply.
    """

    page: str
    questions: Mapping[str, Question]
    task: str
    text: str
    attempt: int
    most_tokens: int
    settings: RequestSettings

    @property
    def body(self) -> bytes:
        """Return the request as JSON."""
        settings = self.settings
        messages = [
            {"role": "system", "content": self.task},
            {"role": "user", "content": self.text},
        ]
        request = {
            # First, so that they cannot override our own fields.
            **settings.parameters,
            "model": settings.model,
            "messages": messages,
            settings.reply_field: self.most_tokens,
        }
        return json.dumps(request, ensure_ascii=False).encode("utf-8", "replace")

    @property
    def keys(self) -> dict[str, str]:
        """Return the key of each question by its id."""
        return {name: question.key for name, question in self.questions.items()}

    @property
    def key(self) -> str:
        """Return the key under which the reply is stored."""
        # A second attempt may have the same text as a first one, but is another request.
        return digest_of_texts([self.body.decode("utf-8"), str(self.attempt)])


def batches_of(
    settings: RequestSettings,
    page: Sequence[Entry],
    questions: Sequence[Question],
    *,
    attempt: int = 1,
    examples: Examples,
    refused: Mapping[str, tuple[str, str]],
) -> Iterator[Batch]:
    """Yield the batches for ``questions``, which are on one page and in its order.

    ``page`` has all live entries of the page. In a second ``attempt``, ``refused`` has the rejected
    answer and its fault for each question key.
    """
    # Context and msgid together are unique on a page.
    places = {(entry.context, entry.msgid): at for at, entry in enumerate(page)}
    # A second attempt uses smaller batches, because the first one may have been too long.
    for group in _groups(questions, settings.size // attempt):
        by_id = with_ids(group)
        ids = {places[question.name]: name for name, question in by_id.items()}
        items: list[dict[str, str]] = []
        for at in _shown(ids.keys(), len(page)):
            if at in ids:
                items.append(_asked(ids[at], by_id[ids[at]], refused))
            else:
                items.append(_context(page[at]))
        glossary: dict[str, str] = {}
        similar: list[tuple[str, str]] = []
        for question in group:
            glossary |= question.rows
            similar += examples.get(question.entry.msgid, ())
        similar = list(dict.fromkeys(similar))[:_EXAMPLES]
        yield Batch(
            page=group[0].page,
            questions=by_id,
            task=task_text(settings.locale),
            text=batch_text(group[0].page, items, glossary, similar),
            attempt=attempt,
            most_tokens=settings.reply_tokens or _most_tokens(group),
            settings=settings,
        )


def _groups(questions: Sequence[Question], size: int) -> Iterator[list[Question]]:
    """Yield groups of questions, limited by number and words, with at least one each."""
    group: list[Question] = []
    words = 0
    for question in questions:
        # A message longer than a whole batch gets a batch of its own.
        is_full = len(group) >= max(size, 1) or words + question.words > _WORDS
        if group and is_full:
            yield group
            group, words = [], 0
        group.append(question)
        words += question.words
    if group:
        yield group


def _shown(asked: Iterable[int], count: int) -> list[int]:
    """Return the indexes of entries that a batch shows: those asked for and their neighbours."""
    shown: set[int] = set()
    for at in asked:
        shown.update(range(max(0, at - _NEAR), min(count, at + _NEAR + 1)))
    return sorted(shown)


def _context(entry: Entry) -> dict[str, str]:
    """Return an entry as context for the model, unmasked: its marks would be unexplained."""
    item = {"kind": str(read_place(entry).kind), "en": _short(entry.msgid)}
    if entry.is_translated:
        item["to"] = _short(entry.msgstr)
    return item


def _asked(
    name: str, question: Question, refused: Mapping[str, tuple[str, str]]
) -> dict[str, str]:
    """Return a message to be translated, as the model sees it."""
    item = {"id": name, "kind": str(question.place.kind), "en": question.masked.text}
    if question.entry.context:
        item["section"] = question.entry.context
    if question.old_english:
        item["was"] = marked_like(question.old_english, question.masked)
        item["was_to"] = marked_like(question.old_translation, question.masked)
    answer, reason = refused.get(question.key, ("", ""))
    if reason:
        item |= {"answer": _short(answer), "refused": reason}
    return item


def _short(text: str) -> str:
    if len(text) <= _CONTEXT_LENGTH:
        return text
    return f"{text[:_CONTEXT_LENGTH]}…"


def _most_tokens(questions: Sequence[Question]) -> int:
    """Return a generous limit for the reply, in tokens.

    It assumes at most 1.5 tokens for each character of the masked English, 6 for a mark, and 16 for
    an id with its quotes.
    """
    bound = 256
    for question in questions:
        marks = len(question.masked.atoms)
        bound += 16 + 3 * len(question.masked.text) // 2 + 6 * marks
    return bound
