"""core/memory/file: a memory as a file that people may have changed."""

from __future__ import annotations

from dataclasses import replace

from pipeline.core.memory.file import COMMENT, memory_file, read_memory
from pipeline.core.memory.record import Memory, digest
from pipeline.entries import Entry

MEMORY = Memory(
    upstream="x",
    locale="zh_CN",
    page="page",
    commit="c" * 40,
    ref="v1",
    layout="0" * 32,
    comment=("Ours.",),
    entries=(Entry(msgid=digest("Tea."), msgstr="茶。"),),
)


def test_reading_is_the_inverse_of_writing() -> None:
    file = memory_file(MEMORY)
    assert file.comment == (*COMMENT, "Ours.")
    assert (
        read_memory(file, upstream="x", locale="zh_CN", page="page", where="f")
        == MEMORY
    )


def test_the_warning_on_top_may_be_gone() -> None:
    file = replace(memory_file(MEMORY), comment=("Ours.",))
    assert (
        read_memory(file, upstream="x", locale="zh_CN", page="page", where="f")
        == MEMORY
    )
