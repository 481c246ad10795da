"""Questions: entries that need a draft, each with everything that decides its answer.

An answer is stored under the ``key`` of its question, a digest of the request's content. A paid
answer is thus found again, in whatever batch it was requested. In the masked text, marks (⟦1⟧, ⟦2⟧
…) replace the atoms. Code, formulas, links, roles and HTML thus come back unchanged or not at all.
``PROMPT`` is the version of the wording and the layout of requests.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pipeline.core.checks.model import MessageContext, read_place
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import count_words, parts_of
from pipeline.core.glossary.glossary import Glossary
from pipeline.entries import Entry
from pipeline.tables import read_table

_ID_DIGITS = 4  # digits of an id; more if two questions would share it


Name = tuple[str | None, str]  # name of an entry on its page: context and msgid
# Brackets like those of our marks, and reference labels of Markdown links: [words][name].
_BRACKET = re.compile("[⟦⟧]")
_REFERENCE = re.compile(r"(?<=\])\[[^\[\]]+\]|[⟦⟧]")
# Not \d, which would also match full-width digits.
_MARK = re.compile(r"⟦([0-9]{1,4})⟧")
PROMPT = 1

_PROMPTS = read_table(__name__, "prompts")


class DraftReason(StrEnum):
    """Reason why an entry needs a draft."""

    NEW = "new"  # no translation
    CHANGED = "changed"  # the translation is of an older text
    STALE = "stale"  # the draft is outdated: model, prompt or glossary has changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Entry to be drafted.

    ``rows`` are the glossary terms in it, with their renderings. ``term`` is the rendering if the
    whole entry is one term, so that no model is needed. ``old_english`` and ``old_translation`` are
    set if the text has changed.
    """

    page: str
    entry: Entry
    why: DraftReason
    key: str
    masked: Masked
    place: MessageContext
    rows: Mapping[str, str] = field(default_factory=dict)
    old_english: str = ""
    old_translation: str = ""
    term: str = ""

    @property
    def words(self) -> int:
        """Return the number of English words in the entry."""
        return count_words(self.entry.msgid, self.place.markup)

    @property
    def name(self) -> Name:
        """Return the name of the entry on its page."""
        return self.entry.context, self.entry.msgid


def draft_key(page: str, name: Name, msgstr: str) -> str:
    """Return the digest that identifies a draft: its words and its entry."""
    context, msgid = name
    return digest_of_texts([page, context or "", msgid, msgstr])


def ask(
    page: str, entry: Entry, why: DraftReason, *, model: str, glossary: Glossary | None
) -> Question:
    """Return the question to ``model`` about ``entry``."""
    place = read_place(entry)
    masked = mask(entry.msgid, place.markup)
    rows = rows_of(entry.msgid, place, glossary)
    old_english = old_translation = ""
    if why is DraftReason.CHANGED:
        old_english, old_translation = entry.source_text, entry.msgstr
    # The page is in the key, because a short text may mean something else on another page.
    asked = [page, entry.context or "", entry.msgid, str(place.kind)]
    # The neighbours are not: confirming one entry must not invalidate the next one's answer.
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


def rows_of(
    msgid: str, place: MessageContext, glossary: Glossary | None
) -> dict[str, str]:
    """Return the glossary terms in a message, with their renderings as the model gets them.

    ``{"tracer": "跟踪器 (not: 追踪器)"}``
    """
    rows: dict[str, str] = {}
    if glossary is None:
        return rows
    for mention in glossary.mentions(msgid, place.markup):
        # A term that occurs twice makes one row.
        term = mention.term
        wording = " / ".join(rendering.text for rendering in term.renderings)
        if term.avoided:
            wording += f" (not: {', '.join(avoided.text for avoided in term.avoided)})"
        rows[term.english] = wording
    return rows


def with_ids(questions: Sequence[Question]) -> dict[str, Question]:
    """Return the questions of a batch by short ids that do not reveal their order.

    A model that skips an entry then cannot shift the following ones by one.
    """
    digits = _ID_DIGITS
    # Digests of 160 bits differ somewhere, so the loop ends.
    while True:
        by_id = {question.key[:digits]: question for question in questions}
        if len(by_id) == len(questions):
            return by_id
        digits += 1


def digest_of_texts(texts: Sequence[str]) -> str:
    """Return 40 hex digits that identify a sequence of texts."""
    data = json.dumps(list(texts)).encode("ascii")
    return hashlib.blake2b(data, digest_size=20).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """Message with marks, and the atoms they replace, numbered from ⟦1⟧."""

    text: str
    atoms: tuple[str, ...]


class LostMarksError(ValueError):
    """Missing or surplus marks in a text. The message lists them for the model."""


def mask(text: str, markup: Markup = Markup.MARKDOWN) -> Masked:
    """Return ``text`` with a mark for each atom and each reference label or bracket."""
    atoms: list[str] = []

    def mark(atom: str) -> str:
        atoms.append(atom)
        return f"⟦{len(atoms)}⟧"

    hidden = _BRACKET if markup is Markup.RST else _REFERENCE
    parts = list(parts_of(text, markup))
    for at, part in enumerate(parts):
        # Atoms are at odd indexes.
        if at % 2:
            parts[at] = mark(part)
        else:
            parts[at] = hidden.sub(lambda match: mark(match[0]), part)
    return Masked(text="".join(parts), atoms=tuple(atoms))


def marked_like(text: str, masked: Masked) -> str:
    """Return ``text``, an older version, with the marks of ``masked`` for equal atoms.

    Otherwise a model would copy ``f(x)`` from the old translation in place of ⟦1⟧.
    """
    numbered = list(enumerate(masked.atoms, start=1))
    # The longest atom first, because one may contain another.
    numbered.sort(key=lambda pair: -len(pair[1]))
    for number, atom in numbered:
        text = text.replace(atom, f"⟦{number}⟧", 1)
    return text


def unmask(text: str, masked: Masked) -> str:
    """Return a translation of ``masked.text`` with atoms in place of the marks.

    Raises LostMarksError unless it has each mark exactly once, and no other.
    """
    # Equal atoms have marks of their own, so each number must occur once.
    found = Counter(int(number) for number in _MARK.findall(text))
    wanted = Counter(range(1, len(masked.atoms) + 1))
    lost, added = wanted - found, found - wanted
    complaints = []
    if lost:
        complaints.append(f"lacks {_names(lost)}")
    if added:
        complaints.append(f"has {_names(added)} too often")
    # "⟦x⟧", or half a mark. Brackets of the message itself are masked, so this is no text.
    if not complaints and _BRACKET.search(_MARK.sub("", text)):
        complaints.append("has a broken mark")
    if complaints:
        raise LostMarksError(" and ".join(complaints))
    return _MARK.sub(lambda mark: masked.atoms[int(mark[1]) - 1], text)


def _names(numbers: Counter[int]) -> str:
    """Return marks as text for the model: ``⟦1⟧, ⟦3⟧``."""
    return ", ".join(f"⟦{number}⟧" for number in sorted(numbers))


def task_text(locale: str) -> str:
    """Return the text of the system message."""
    language = _PROMPTS["languages"].get(locale, f"the language {locale}")
    task: str = _PROMPTS["task"].format(language=language)
    return f"{task}{_PROMPTS['styles'].get(locale, '')}"


def batch_text(
    page: str,
    items: Sequence[Mapping[str, str]],
    glossary: Mapping[str, str],
    examples: Sequence[tuple[str, str]],
) -> str:
    """Return the text of the user message as JSON, without empty parts."""
    batch: dict[str, Any] = {"page": page}
    if glossary:
        batch["glossary"] = dict(glossary)
    if examples:
        batch["examples"] = [{"en": english, "to": to} for english, to in examples]
    batch["text"] = list(items)
    return json.dumps(batch, ensure_ascii=False, separators=(",", ":"))
