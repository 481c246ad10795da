"""core/memory/file: memory files, and what they keep of the header of a catalogue."""

from __future__ import annotations

from dataclasses import replace

import pytest
from memories import memory_of

from pipeline.core.memory.file import (
    COMMENT,
    editing_fields,
    memory_file,
    moment_of,
    public_team,
    read_memory,
    team_fields,
    translator_note,
)
from pipeline.core.memory.record import Memory, digest
from pipeline.entries import GENERATOR, NEUTRAL_DATE, Entry
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


WHEN = "2026-05-01 09:30+0800"
TOUCHED = {"Last-Translator": "Li Lei", "PO-Revision-Date": WHEN}


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({}, f"translator: Li Lei, {WHEN}"),
        ({"X-Generator": "Poedit 3.4"}, f"translator: Li Lei, {WHEN}, Poedit 3.4"),
        ({"X-Generator": GENERATOR}, f"translator: Li Lei, {WHEN}"),
        ({"PO-Revision-Date": NEUTRAL_DATE}, ""),
        ({"PO-Revision-Date": "yesterday"}, ""),
        ({"PO-Revision-Date": ""}, ""),
    ],
    ids=["a person", "an editor", "our own name", "nobody", "no date", "empty"],
)
def test_who_saved_a_catalogue_is_a_note(changes: dict[str, str], note: str) -> None:
    assert translator_note(TOUCHED | changes) == note


def test_the_teams_fields_are_those_that_nobody_makes() -> None:
    made = {
        **TOUCHED,
        "Language": "zh_CN",
        "X-Upstream-Refs": "",
        "Plural-Forms": "nplurals=1;",
        "Report-Msgid-Bugs-To": "",
    }
    team = {"Language-Team": "Tea <tea@example.org>", "X-Poedit-Bookmarks": "-1"}
    assert team_fields(made | team, "zh_CN") == team
    assert team_fields(made | {"Language-Team": "zh_CN"}, "zh_CN") == {}


def entry(number: int, note: str) -> Entry:
    return Entry(msgid=digest(str(number)), notes=(note,))


def test_the_newest_note_tells_who_touched_the_catalogue() -> None:
    newest = f"translator: Li Lei, {WHEN}, Poedit 3.4"
    memory = memory_of(
        entry(1, "translator: Han Meimei, 2026-05-01 02:00+0100"),
        entry(2, newest),
        entry(3, "translator: Nobody, 2026-13-41 99:99+0800"),
        entry(4, "translator: who knows"),
        extra={"Language-Team": "Tea"},
    )
    fields = editing_fields(memory)
    assert fields == TOUCHED | {"X-Generator": "Poedit 3.4", "Language-Team": "Tea"}
    assert translator_note(fields) == newest


def test_without_a_note_only_the_teams_fields_are_known() -> None:
    memory = memory_of(entry(1, "seen: nowhere"), extra={"Language-Team": "Tea"})
    assert editing_fields(memory) == {"Language-Team": "Tea"}


def test_a_date_without_a_name_is_kept() -> None:
    memory = memory_of(entry(1, f"translator: , {WHEN}"))
    assert editing_fields(memory) == {"PO-Revision-Date": WHEN}


def test_a_date_that_is_none_is_older_than_all_dates() -> None:
    assert moment_of("1970-01-01 01:00+0000") == 3600
    assert moment_of("2026-13-41 99:99+0800") == float("-inf")


def test_the_team_goes_along_without_the_address_of_its_server() -> None:
    teams = {
        "Chinese (Simplified) <https://weblate.example.org/zh_Hans/>": "Chinese (Simplified)",
        "http://localhost:8080/projects/": "",
        "简体中文 <zh@example.org>": "简体中文 <zh@example.org>",
        "Chinese": "Chinese",
    }
    assert {team: public_team(team) for team in teams} == teams
    for team in ("zh_CN <https://weblate.example.org/>", "<http://weblate>"):
        assert team_fields({"Language-Team": team}, "zh_CN") == {}
    assert team_fields({"X-Poedit": "1"}, "zh_CN") == {"X-Poedit": "1"}
