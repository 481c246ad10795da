"""core/memory/file: a memory as a file that people may have changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.core.memory.file import COMMENT, memory_file, read_memory
from pipeline.core.memory.record import Memory, digest
from pipeline.entries import Entry
from pipeline.errors import InputError

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
REFS = {"b" * 40: "v0", "a" * 40: "main"}
LINE = f"{'a' * 40}=main {'b' * 40}=v0"


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


@pytest.mark.parametrize("note", ["seen: HEAD page", "seen: page"])
def test_a_note_that_names_no_commit_is_refused_with_its_line(note: str) -> None:
    entry = replace(MEMORY.entries[0], notes=(note,), line=12)
    file = replace(memory_file(MEMORY), entries=(entry,))
    with pytest.raises(InputError, match="must name a commit and a page") as caught:
        read_memory(file, upstream="x", locale="zh_CN", page="page", where="f.po")
    assert caught.value.where == "f.po:12"


def test_a_file_of_another_folder_is_refused_with_its_first_line() -> None:
    file = memory_file(MEMORY)
    with pytest.raises(InputError, match="is the memory of x in zh_CN") as caught:
        read_memory(file, upstream="x", locale="ja", page="page", where="f.po")
    assert caught.value.where == "f.po:1"


def test_a_message_in_english_is_refused_with_its_line() -> None:
    entry = replace(MEMORY.entries[0], msgid="Tea.", line=12)
    file = replace(memory_file(MEMORY), entries=(entry,))
    with pytest.raises(InputError, match=r"'Tea\.' is not a digest") as caught:
        read_memory(file, upstream="x", locale="zh_CN", page="page", where="f.po")
    assert caught.value.where == "f.po:12"


@pytest.mark.parametrize("change", [{"commit": "HEAD"}, {"layout": "today"}])
def test_a_header_without_digests_is_refused_with_its_line(
    change: dict[str, str],
) -> None:
    file = memory_file(replace(MEMORY, **change))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="must be 40 hex digits") as caught:
        read_memory(file, upstream="x", locale="zh_CN", page="page", where="f.po")
    assert caught.value.where == "f.po:1"


def test_what_commits_are_called_is_one_line_of_the_header() -> None:
    memory = replace(MEMORY, refs=REFS)
    file = memory_file(memory)
    assert file.header["X-Upstream-Refs"] == LINE
    assert (
        read_memory(file, upstream="x", locale="zh_CN", page="page", where="f")
        == memory
    )


@pytest.mark.parametrize("pair", ["main", f"{'a' * 40}=", "HEAD=main"])
def test_a_commit_without_a_name_is_refused_with_its_line(pair: str) -> None:
    file = memory_file(MEMORY)
    file = replace(file, header={**file.header, "X-Upstream-Refs": f"{LINE} {pair}"})
    with pytest.raises(InputError) as caught:
        read_memory(file, upstream="x", locale="zh_CN", page="page", where="f.po")
    assert caught.value.what == f"X-Upstream-Refs must be COMMIT=REF, not {pair!r}"
    assert caught.value.where == "f.po:1"


@pytest.mark.parametrize("field", ["X-Upstream", "X-Upstream-Commit"])
def test_a_catalogue_is_no_memory(field: str) -> None:
    file = memory_file(MEMORY)
    file = replace(file, header={**file.header, field: ""})
    with pytest.raises(InputError, match="is no memory: its header needs") as caught:
        read_memory(file, upstream="x", locale="zh_CN", page="page", where="f.po")
    assert caught.value.where == "f.po:1"
    assert "restore the file from version control" in caught.value.hint
