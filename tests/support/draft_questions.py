"""Questions for tests of drafting, about English texts written for these tests."""

from __future__ import annotations

from pipeline.core.drafting.question import DraftReason, Question, ask
from pipeline.core.glossary.glossary import Glossary, read_glossary
from pipeline.entries import Entry

GLOSSARY = read_glossary(
    "source,target,context,translator_comments\n"
    "tracer,跟踪器,,\n"
    "tracer,追踪器,avoid,\n"
    "kettle,水壶（kettle）,,\n"
    "boil,煮…沸,verb,\n",
    where="terms.csv",
)


def entry_of(english: str, kind: str = "paragraph", **fields: object) -> Entry:
    """Return a catalogue entry without translation."""
    return Entry(msgid=english, notes=(kind,), references=("page",), **fields)  # type: ignore[arg-type]


def question_of(
    english: str,
    kind: str = "paragraph",
    *,
    page: str = "page",
    why: DraftReason = DraftReason.NEW,
    model: str = "m",
    glossary: Glossary | None = None,
    **fields: object,
) -> Question:
    """Return a question about an entry with this English."""
    entry = entry_of(english, kind, **fields)
    return ask(page, entry, why, model=model, glossary=glossary)
