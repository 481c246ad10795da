"""Batches: questions of one page, in its order, with what a model needs to know around them.

A batch is the body of one request. Its key is the digest of that body: of the messages, of the
context, of the prompt, the model and the glossary rows. Equal keys have equal answers.
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

_NEAR = 2  # messages before and behind a question that are shown as context
_CONTEXT_LENGTH = 400  # characters of such a message
_WORDS = 1500  # English words of a batch: a model loses the thread of longer ones
_EXAMPLES = 6  # of a batch, at most

# Similar finished translations by msgid: English and Chinese.
Examples = Mapping[str, Sequence[tuple[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a model is asked: what is equal for all batches of a locale."""

    model: str
    locale: str
    size: int = 40  # questions of a batch, at most
    reply_field: str = "max_tokens"  # what the endpoint calls the bound of a reply
    reply_tokens: int = 0  # that bound; 0: by the length of the messages
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The questions of one request by their ids, and its two texts.

    ``attempt`` is 2 for questions that are put again. ``most_tokens`` bounds the reply.
    """

    page: str
    questions: Mapping[str, Question]
    task: str
    text: str
    attempt: int
    most_tokens: int
    asking: Asking

    @property
    def body(self) -> bytes:
        """The request, as JSON."""
        asking = self.asking
        messages = [
            {"role": "system", "content": self.task},
            {"role": "user", "content": self.text},
        ]
        request = {
            # First, so that they cannot take the place of what is ours.
            **asking.parameters,
            "model": asking.model,
            "messages": messages,
            asking.reply_field: self.most_tokens,
        }
        return json.dumps(request, ensure_ascii=False).encode("utf-8", "replace")

    @property
    def keys(self) -> dict[str, str]:
        """The keys of its questions by their ids."""
        return {name: question.key for name, question in self.questions.items()}

    @property
    def key(self) -> str:
        """What its reply is kept under."""
        # A second attempt may come to the very words of a first one: it is another request.
        return digest_of_texts([self.body.decode("utf-8"), str(self.attempt)])


def batches_of(
    asking: Asking,
    page: Sequence[Entry],
    questions: Sequence[Question],
    *,
    attempt: int = 1,
    examples: Examples,
    refused: Mapping[str, tuple[str, str]],
) -> Iterator[Batch]:
    """Yield batches for ``questions``, which are of one page and in its order.

    ``page`` are all live entries of the page. At a second ``attempt`` the questions are put again,
    each with its answer and what was wrong with it, in ``refused`` by their keys.
    """
    # By context and English: a page has each once.
    places = {(entry.context, entry.msgid): at for at, entry in enumerate(page)}
    # What is put again goes into smaller batches: the first one may have been too much.
    for group in _groups(questions, asking.size // attempt):
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
            task=task_text(asking.locale),
            text=batch_text(group[0].page, items, glossary, similar),
            attempt=attempt,
            most_tokens=asking.reply_tokens or _most_tokens(group),
            asking=asking,
        )


def _groups(questions: Sequence[Question], size: int) -> Iterator[list[Question]]:
    """Yield as many questions as go into a batch, by number and words; one at least."""
    group: list[Question] = []
    words = 0
    for question in questions:
        # A message longer than a whole batch is one by itself.
        is_full = len(group) >= max(size, 1) or words + question.words > _WORDS
        if group and is_full:
            yield group
            group, words = [], 0
        group.append(question)
        words += question.words
    if group:
        yield group


def _shown(asked: Iterable[int], count: int) -> list[int]:
    """Return the places of the page that a batch shows: what is asked, and what stands near it."""
    shown: set[int] = set()
    for at in asked:
        shown.update(range(max(0, at - _NEAR), min(count, at + _NEAR + 1)))
    return sorted(shown)


def _context(entry: Entry) -> dict[str, str]:
    """Return a message as the model sees it around those that it is asked for.

    It has its atoms: whoever reads it need not know what a mark stands for.
    """
    item = {"kind": str(read_place(entry).kind), "en": _short(entry.msgid)}
    if entry.is_translated:
        item["to"] = _short(entry.msgstr)
    return item


def _asked(
    name: str, question: Question, refused: Mapping[str, tuple[str, str]]
) -> dict[str, str]:
    """Return a message that is to be translated."""
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
    """Return a bound of the reply that no honest one comes near.

    A Chinese character takes two tokens at most, a mark six, and an id with its quotes sixteen.
    """
    bound = 256
    for question in questions:
        marks = len(question.masked.atoms)
        bound += 16 + 3 * len(question.masked.text) // 2 + 6 * marks
    return bound
