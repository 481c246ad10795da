"""core/memory/record: what a memory says of entries that a page no longer has."""

from __future__ import annotations

from pipeline.core.memory.record import Memory, digest, left_over
from pipeline.entries import Entry

OLD, NEW = digest("Tea is hot."), digest("Tea is very hot.")


def test_no_place_is_told_of_english_that_the_page_still_has() -> None:
    entry = Entry(msgid=NEW, msgstr="茶很烫。", fuzzy=True, previous=OLD)
    old = Memory(
        upstream="x",
        locale="zh_CN",
        page="page",
        commit="c" * 40,
        ref="v1",
        layout="0" * 32,
        entries=(entry,),
    )
    gone = left_over(entry, old=old, live={OLD})
    assert gone.obsolete
    assert gone.notes == (f"seen: {'c' * 40} page",)
