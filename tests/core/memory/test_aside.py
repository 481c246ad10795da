"""core/memory/aside: what gave way, as entries that people can read."""

from __future__ import annotations

from pipeline.core.memory.aside import add_kept, kept_entries
from pipeline.core.memory.record import digest
from pipeline.entries import Catalog, Entry

TEXT = (
    "Read [what the bakers next door say](https://example.org/a-page-about-all-shoes)."
)
CODE = digest(TEXT)


def test_an_entry_has_its_english_and_says_why_it_is_kept_and_whose_it_is() -> None:
    who = "translator: Li Lei <li@example.org>, 2026-01-02 03:04+0800"
    entry = Entry(
        msgid=CODE,
        msgstr="请读[面包师怎么说⟦1⟧。",
        comments=("A remark.",),
        notes=(f"seen: {'a' * 40} page", who),
        obsolete=True,
    )
    (kept,) = kept_entries([entry], {CODE: TEXT}, reason="replaced")
    assert kept == Entry(
        msgid=TEXT,
        msgstr="请读[面包师怎么说](https://example.org/a-page-about-all-shoes)。",
        context="replaced",
        comments=("A remark.", who),
    )


def test_without_the_english_the_entry_is_as_the_memory_has_it() -> None:
    entry = Entry(msgid=CODE, msgstr="请读 ⟦1⟧", context="Arrays", fuzzy=True)
    (kept,) = kept_entries([entry], {}, reason="replaced")
    assert (kept.msgid, kept.msgstr) == (CODE, "请读 ⟦1⟧")
    assert (kept.context, kept.fuzzy) == ("Arrays: replaced", True)


def test_reasons_are_counted_and_a_translation_is_kept_once() -> None:
    entries = [
        Entry(msgid="Tea", msgstr=text, context="replaced") for text in "甲乙丙甲"
    ]
    catalog = add_kept(Catalog(), entries[:1])
    catalog = add_kept(catalog, entries)
    assert [(entry.context, entry.msgstr) for entry in catalog.entries] == [
        ("replaced", "甲"),
        ("replaced (2)", "乙"),
        ("replaced (3)", "丙"),
    ]
