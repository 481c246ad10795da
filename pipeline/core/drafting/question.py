"""Questions: entries that need a draft, each with everything that affects its answer.

The ``key`` of a question is a digest of all these things. Answers are stored by key, so an answer
is found again even if another batch asks the question.

The model sees a masked text, in which marks (⟦1⟧, ⟦2⟧ …) replace code, formulas, links, roles and
HTML. These atoms are put back into the answer, so the model cannot change them. ``PROMPT`` is the
version number of the prompt and the layout of requests.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from pipeline.core.checks.model import MessageContext, read_place
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import count_words, parts_of
from pipeline.core.glossary.glossary import Glossary
from pipeline.entries import Entry
from pipeline.tables import read_table

_ID_DIGITS = 4  # minimum number of digits of an id


Name = tuple[str | None, str]  # name of an entry on its page: context and msgid
# Parts of an English text that are masked like atoms: the brackets ⟦ and ⟧, and in Markdown the
# labels of reference links ("[name]" in "[words][name]").
_BRACKET = re.compile("[⟦⟧]")
_REFERENCE = re.compile(r"(?<=\])\[[^\[\]]+\]|[⟦⟧]")
# A mark. ``\d`` would also match full-width digits.
_MARK = re.compile(r"⟦([0-9]{1,4})⟧")
PROMPT = 1

_PROMPTS = read_table(__name__, "prompts")


class DraftReason(StrEnum):
    """Reason why an entry needs a draft."""

    NEW = "new"  # it has no translation
    CHANGED = "changed"  # its translation is of an older text
    STALE = "stale"  # its draft is outdated: model, prompt or glossary has changed


class Question(Struct, frozen=True, kw_only=True):
    """Question to the model about one entry."""

    page: str
    entry: Entry
    why: DraftReason
    key: str
    masked: Masked  # msgid
    place: MessageContext
    rows: Mapping[str, str] = field(default_factory=dict)  # see ``rows_of``
    # If the text has changed: the older text and its translation.
    old_english: str = ""
    old_translation: str = ""
    # The rendering, if the whole text is a glossary term. Such a question needs no model.
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
    """Return the digest that identifies a draft by its page, entry and msgstr."""
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
    # The key contains the page, because a short text may mean something else on another page.
    asked = [page, entry.context or "", entry.msgid, str(place.kind)]
    # The key does not contain the neighbours: if a person confirms one entry, the stored answers
    # for the next entries must stay valid.
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


def rows_of(msgid: str, place: MessageContext, glossary: Glossary | None) -> dict[str, str]:
    """Return the glossary terms in a message, with their renderings in the form for the model.

    ``{"tracer": "跟踪器 (not: 追踪器)"}``
    """
    rows: dict[str, str] = {}
    if glossary is None:
        return rows
    for mention in glossary.mentions(msgid, place.markup):
        # A term that occurs twice gives one row.
        term = mention.term
        wording = " / ".join(rendering.text for rendering in term.renderings)
        if term.avoided:
            wording += f" (not: {', '.join(avoided.text for avoided in term.avoided)})"
        rows[term.english] = wording
    return rows


def with_ids(questions: Sequence[Question]) -> dict[str, Question]:
    """Return the questions of a batch by short ids that are not consecutive numbers.

    With the ids 1, 2, 3, a model that skips an entry might give each following answer the id of the
    entry before.
    """
    digits = _ID_DIGITS
    # Use more digits until all ids are different. The whole keys are different, so the loop ends.
    while True:
        by_id = {question.key[:digits]: question for question in questions}
        if len(by_id) == len(questions):
            return by_id
        digits += 1


def digest_of_texts(texts: Sequence[str]) -> str:
    """Return 40 hex digits that identify a sequence of texts."""
    data = json.dumps(list(texts)).encode("ascii")
    return hashlib.blake2b(data, digest_size=20).hexdigest()


class Masked(Struct, frozen=True, kw_only=True):
    """Message with marks instead of its atoms."""

    text: str
    atoms: tuple[str, ...]  # replaced by ⟦1⟧, ⟦2⟧ …


class LostMarksError(ValueError):
    """A translation lacks marks or has too many. The message lists them for the model."""


def mask(text: str, markup: Markup = Markup.MARKDOWN) -> Masked:
    """Return ``text`` with a mark instead of each atom, each reference label, and each ⟦ or ⟧."""
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
    """Return ``text``, an older version of the message, with the marks of ``masked``.

    Without marks, a model would copy ``f(x)`` from the old translation instead of writing ⟦1⟧.
    """
    numbered = list(enumerate(masked.atoms, start=1))
    # Replace long atoms first, because an atom may contain another one.
    numbered.sort(key=lambda pair: -len(pair[1]))
    for number, atom in numbered:
        text = text.replace(atom, f"⟦{number}⟧", 1)
    return text


def unmask(text: str, masked: Masked) -> str:
    """Return a translation of ``masked.text`` with the atoms instead of the marks.

    Raises LostMarksError unless the translation has each mark exactly once, and no other mark.
    """
    # Equal atoms have different marks, so each number must occur once.
    found = Counter(map(int, _MARK.findall(text)))
    wanted = Counter(range(1, len(masked.atoms) + 1))
    lost, added = wanted - found, found - wanted
    complaints = []
    if lost:
        complaints.append(f"lacks {_names(lost)}")
    if added:
        complaints.append(f"has {_names(added)} too often")
    # Find "⟦x⟧", or half a mark. Such brackets cannot be text of the message, because its own
    # brackets are masked.
    if not complaints and _BRACKET.search(_MARK.sub("", text)):
        complaints.append("has a broken mark")
    if complaints:
        raise LostMarksError(" and ".join(complaints))
    return _MARK.sub(lambda mark: masked.atoms[int(mark[1]) - 1], text)


def _names(numbers: Counter[int]) -> str:
    """Return marks as text for the model: ``⟦1⟧, ⟦3⟧``."""
    return ", ".join(f"⟦{number}⟧" for number in sorted(numbers))


def task_text(locale: str) -> str:
    """Return the text of the system message, the task of the model."""
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
