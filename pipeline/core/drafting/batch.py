"""Batches: questions of one page in order, with the context that the model needs.

A batch becomes one request. Its key is a digest of the body of the request, which contains
messages, context, prompt, model and glossary terms. The reply is stored by this key, so the same
request is never paid twice.

Tokens are estimated from the texts. The rates were measured with three tokenizers (of GPT-4, GPT-4o
and Qwen) on all requests and translations of the docs. The error is a few percent for prompts, and
up to 20 % for replies.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from pipeline.core.checks.model import read_place
from pipeline.core.drafting.judge import Reason
from pipeline.core.drafting.question import (
    Question,
    batch_text,
    digest_of_texts,
    marked_like,
    task_text,
    with_ids,
)
from pipeline.core.drafting.selection import Stale
from pipeline.entries import Entry

_NEAR = 2  # number of messages before and after a question that are shown as context
_CONTEXT_LENGTH = 400  # maximum number of characters of such a message
_WORDS = 1500  # maximum number of English words in a batch; models make mistakes in longer ones
_EXAMPLES = 6  # maximum number of examples in a batch

# By msgid: finished translations of similar texts, as pairs of English and Chinese.
Examples = Mapping[str, Sequence[tuple[str, str]]]


class RequestSettings(Struct, frozen=True, kw_only=True):
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


class Batch(Struct, frozen=True, kw_only=True):
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


def _asked(name: str, question: Question, refused: Mapping[str, tuple[str, str]]) -> dict[str, str]:
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


# Patterns, with the number of tokens for each match. A Latin word counts as a word, and once more
# for each letter. A group of ASCII punctuation counts as a group, and once more for each character.
# The other patterns match a digit, a Chinese character, and any other non-ASCII character.
_RATES = (
    (re.compile(r"[A-Za-z]+"), 0.9),
    (re.compile(r"[A-Za-z]"), 0.04),
    (re.compile(r"\d"), 0.9),
    (re.compile(r"[\u3400-\u9fff]"), 1.15),
    (re.compile(r"[^\x00-\x7f\u3400-\u9fff]"), 2.1),
    (re.compile(r"[!-/:-@\[-`{-~]+"), 0.63),
    (re.compile(r"[!-/:-@\[-`{-~]"), 0.12),
)
_WORD = re.compile(r"[A-Za-z]+")
# Tokens of a reply: for each answer (id and quotes), each mark (⟦1⟧), and each English word.
_ANSWER, _MARK, _TRANSLATED_WORD = 9.0, 5.7, 1.4
# Factor that accounts for questions that are asked again.
_AGAIN = 1.03
# Tokens that endpoints add to each request, for roles and message boundaries.
_FRAME = 12


class Plan(Struct, frozen=True, kw_only=True):
    """Entries of one locale that need a draft, and the estimated costs."""

    locale: str
    entries: int = 0  # number of entries that need a draft
    words: int = 0  # number of their English words
    pages: int = 0  # number of their pages
    # Number of entries by reason.
    by_why: Mapping[str, int] = field(default_factory=dict)
    terms: int = 0  # number of entries that are a glossary term, and so need no request
    known: int = 0  # number of entries with a stored answer, which need no request
    batches: int = 0  # number of requests
    prompt_tokens: int = 0  # estimated
    reply_tokens: int = 0  # estimated
    left_alone: int = 0  # see ``Selected.left_alone``
    stale: Sequence[Stale] = ()


class PageOutcome(Struct, frozen=True, kw_only=True):
    """Outcome of the questions of one page, as numbers of entries."""

    locale: str
    page: str
    asked: int = 0
    drafted: int = 0  # entries with a new draft
    terms: int = 0  # drafted entries that are a glossary term, and so need no request
    # Entries with a rejected answer.
    refused: Mapping[Reason, int] = field(default_factory=dict)
    unanswered: int = 0
    skipped: int = 0  # entries that somebody has edited meanwhile


class Outcome(Struct, frozen=True, kw_only=True):
    """Outcome of a run."""

    pages: tuple[PageOutcome, ...] = ()
    calls: int = 0  # number of requests
    tokens: int = 0  # number of tokens that the endpoint has counted
    # Number of requests without a count. ``tokens`` contains their upper bounds.
    uncounted_calls: int = 0
    seconds: float = 0.0
    stopped: str = ""  # reason why the run ended early, or ""

    def total(self, name: str) -> int:
        """Return the sum of the field ``name`` over all pages."""
        return sum(getattr(page, name) for page in self.pages)

    @property
    def has_no_accepted_answer(self) -> bool:
        """Return whether the model has answered, but no answer was accepted.

        In this case a person must find the reason. For example, the limit of the reply may be too
        low.
        """
        was_asked = self.calls > 0 and bool(self.refused)
        return was_asked and self.total("drafted") == self.total("terms")

    @property
    def refused(self) -> dict[Reason, int]:
        """Return the number of rejected answers by reason, the most frequent first."""
        counts: Counter[Reason] = Counter()
        for page in self.pages:
            counts.update(page.refused)
        return dict(counts.most_common())


def estimate(batches: Iterable[Batch]) -> tuple[int, int]:
    """Return the estimated tokens of all requests, and of all replies, for ``batches``."""
    prompt = reply = 0.0
    for batch in batches:
        prompt += _FRAME + tokens_of(batch.task) + tokens_of(batch.text)
        for question in batch.questions.values():
            words = len(_WORD.findall(question.masked.text))
            reply += _ANSWER + _TRANSLATED_WORD * words
            reply += _MARK * len(question.masked.atoms)
    return round(prompt * _AGAIN), round(reply * _AGAIN)


def tokens_of(text: str) -> float:
    """Return the estimated number of tokens in a text."""
    return sum(rate * len(pattern.findall(text)) for pattern, rate in _RATES)
