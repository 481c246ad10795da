"""Batches: questions of one page in order, with the context that the model needs.

A batch becomes one request. Its key is a digest of the body of the request, which contains
messages, context, prompt, model and glossary terms. The reply is stored by this key, so the same
request is never paid twice.
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

_NEAR = 2  # number of messages before and after a question that are shown as context
_CONTEXT_LENGTH = 400  # maximum number of characters of such a message
_WORDS = 1500  # maximum number of English words in a batch; models make mistakes in longer ones
_EXAMPLES = 6  # maximum number of examples in a batch

# By msgid: finished translations of similar texts, as pairs of English and Chinese.
Examples = Mapping[str, Sequence[tuple[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSettings:
    """Settings of requests, equal for all batches of a locale."""

    model: str
    locale: str
    size: int = 40  # maximum number of questions in a batch
    # Name of the parameter in which the endpoint expects the limit of the reply.
    reply_field: str = "max_tokens"
    # Limit of the reply in tokens; 0 computes it from the messages.
    reply_tokens: int = 0
    # Other parameters of requests.
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One request: its questions, and its text as two messages to the model (task and user)."""

    page: str
    questions: Mapping[str, Question]  # by id
    task: str  # system message
    text: str  # user message
    attempt: int  # 2 if the questions are asked again, otherwise 1
    most_tokens: int  # limit of the reply, in tokens
    settings: RequestSettings

    @property
    def body(self) -> bytes:
        """Return the body of the request, as JSON."""
        settings = self.settings
        messages = [
            {"role": "system", "content": self.task},
            {"role": "user", "content": self.text},
        ]
        request = {
            # Put the parameters first, so that they cannot replace our own fields.
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
        # A second attempt may have the same body as a first one, but needs another reply.
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
    """Yield the batches for ``questions``, which are on one page and in the order of the page.

    ``page`` has all live entries of the page. In a second ``attempt``, ``refused`` has, by key of
    the question, the rejected answer and its fault.
    """
    # Pairs of context and msgid are unique on a page.
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
    """Yield groups of at most ``size`` questions and ``_WORDS`` words; no group is empty."""
    group: list[Question] = []
    words = 0
    for question in questions:
        # A message with more words than the limit gets a batch for itself.
        is_full = len(group) >= max(size, 1) or words + question.words > _WORDS
        if group and is_full:
            yield group
            group, words = [], 0
        group.append(question)
        words += question.words
    if group:
        yield group


def _shown(asked: Iterable[int], count: int) -> list[int]:
    """Return the indexes of the entries in a batch: the ``asked`` ones and their neighbours."""
    shown: set[int] = set()
    for at in asked:
        shown.update(range(max(0, at - _NEAR), min(count, at + _NEAR + 1)))
    return sorted(shown)


def _context(entry: Entry) -> dict[str, str]:
    """Return an entry as context for the model. Its atoms are not masked."""
    item = {"kind": str(read_place(entry).kind), "en": _short(entry.msgid)}
    if entry.is_translated:
        item["to"] = _short(entry.msgstr)
    return item


def _asked(
    name: str, question: Question, refused: Mapping[str, tuple[str, str]]
) -> dict[str, str]:
    """Return the question with the id ``name`` as the model sees it."""
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

    The limit allows 1.5 tokens for each character of the masked English, 6 for a mark (⟦1⟧), and 16
    for an id with its quotes.
    """
    bound = 256
    for question in questions:
        marks = len(question.masked.atoms)
        bound += 16 + 3 * len(question.masked.text) // 2 + 6 * marks
    return bound
