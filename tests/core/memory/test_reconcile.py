"""core/memory/reconcile: whose version of an entry stays, and what is said of the other one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.core.memory.reconcile import OTHER, Merged, reconcile
from pipeline.core.memory.record import Memory, digest
from pipeline.entries import Entry

TEXT = Entry(msgid=digest("Tea is made of leaves and hot water."))
NOBODY: frozenset[tuple[str, str]] = frozenset()


def memory(entry: Entry) -> Memory:
    return Memory(
        upstream="x",
        locale="zh_CN",
        page="page",
        commit="c" * 40,
        ref="v1",
        layout="0" * 32,
        entries=(entry,),
    )


def merge(our: Entry, their: Entry, before: Entry | None = None) -> Merged:
    base = memory(before) if before else None
    return reconcile(memory(our), memory(their), base=base, held=NOBODY)


@pytest.mark.parametrize(
    ("ours", "theirs", "stays"),
    [
        ("甲", "", "甲"),
        ("", "乙", "乙"),
        ("?甲", "?乙", "?甲"),
        ("?甲", "乙", "乙"),
        ("甲", "?乙", "甲"),
    ],
    ids=[
        "only ours",
        "only theirs",
        "both wait",
        "theirs is finished",
        "ours is finished",
    ],
)
def test_without_a_base_finished_beats_unfinished(
    ours: str, theirs: str, stays: str
) -> None:
    merged = merge(written(ours), written(theirs))
    assert merged.conflicts == ()
    assert said(merged.memory.entries[0]) == stays


def test_the_other_translation_is_told_once() -> None:
    """A person may have merged the same two before, and left the comment."""
    comment = f"{OTHER} 乙"
    our = replace(written("甲"), comments=(comment,))
    merged = merge(our, written("乙"), before=written("丙"))
    assert [(said(our), said(their)) for our, their in merged.conflicts] == [
        ("甲", "乙")
    ]
    assert merged.memory.entries[0].comments == (comment,)


def test_what_went_along_to_a_changed_message_elsewhere_is_not_kept_twice() -> None:
    our = written("甲")
    changed = digest("Tea is made of leaves and very hot water.")
    their = Entry(msgid=changed, msgstr="甲", fuzzy=True, previous=our.msgid)
    assert merge(our, their, before=our).memory.entries == (their,)
    # Without a common start it may be somebody's work that is nowhere else: it stays, obsolete.
    assert merge(our, their).memory.entries == (their, replace(our, obsolete=True))


def written(text: str) -> Entry:
    """The entry with a translation; ``?`` in front of it says that it waits."""
    return replace(TEXT, msgstr=text.removeprefix("?"), fuzzy=text.startswith("?"))


def said(entry: Entry) -> str:
    return "?" * entry.fuzzy + entry.msgstr
