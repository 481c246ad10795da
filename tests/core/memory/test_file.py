"""core/memory/file: memory files, and what they keep of the header of a catalogue."""

from __future__ import annotations

from typing import Any

import pytest
from memories import memory_of
from msgspec.structs import replace

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
from pipeline.entries import GENERATOR, NEUTRAL_DATE, Catalog, Entry
from pipeline.errors import InputError

MEMORY = memory_of(Entry(msgid=digest("Tea."), msgstr="茶。"), comment=("Ours.",))
FILE = memory_file(MEMORY)


def read(file: Catalog, *, locale: str = "zh_CN") -> Memory:
    return read_memory(file, upstream="x", locale=locale, page="page", where="f.po")


REFS = {"b" * 40: "v0", "a" * 40: "main"}
LINE = f"{'a' * 40}=main {'b' * 40}=v0"


def test_reading_is_the_inverse_of_writing() -> None:
    assert FILE.comment == (*COMMENT, "Ours.")
    assert read(FILE) == MEMORY
    # The warning on top may be gone.
    assert read(replace(FILE, comment=("Ours.",))) == MEMORY


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"notes": ("seen: HEAD page",)}, "must name a commit and a page"),
        ({"notes": ("seen: page",)}, "must name a commit and a page"),
        ({"msgid": "Tea."}, r"'Tea\.' is not a digest"),
    ],
)
def test_a_wrong_entry_is_an_error(change: dict[str, Any], what: str) -> None:
    entry = replace(MEMORY.entries[0], **change, line=12)
    with pytest.raises(InputError, match=what) as caught:
        read(replace(FILE, entries=(entry,)))
    assert caught.value.where == "f.po:12"


def test_a_file_of_another_folder_is_refused_with_its_first_line() -> None:
    with pytest.raises(InputError, match="is the memory of x in zh_CN") as caught:
        read(FILE, locale="ja")
    assert caught.value.where == "f.po:1"


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("X-Upstream-Commit", "HEAD", "must be 40 hex digits"),
        ("X-Upstream-Page", "today", "must be 40 hex digits"),
        ("X-Upstream-Refs", f"{LINE} main", "must be COMMIT=REF, not 'main'"),
        ("X-Upstream-Refs", f"{'a' * 40}=", f"must be COMMIT=REF, not '{'a' * 40}='"),
        ("X-Upstream-Refs", "HEAD=main", "must be COMMIT=REF, not 'HEAD=main'"),
        ("X-Upstream", "", "is no memory: its header needs"),
        ("X-Upstream-Commit", "", "is no memory: its header needs"),
    ],
)
def test_a_wrong_header_is_an_error(field: str, value: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read(replace(FILE, header={**FILE.header, field: value}))
    assert caught.value.where == "f.po:1"
    assert "version control" in caught.value.hint


def test_what_commits_are_called_is_one_line_of_the_header() -> None:
    memory = replace(MEMORY, refs=REFS)
    file = memory_file(memory)
    assert file.header["X-Upstream-Refs"] == LINE
    assert read(file) == memory


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


def noted(*notes: str) -> Memory:
    """The memory of a page, with these notes of its entries."""
    entries = (Entry(msgid=digest(note), notes=(note,)) for note in notes)
    return memory_of(*entries, extra={"Language-Team": "Tea"})


def test_the_newest_note_tells_who_touched_the_catalogue() -> None:
    newest = f"translator: Li Lei, {WHEN}, Poedit 3.4"
    fields = editing_fields(
        noted(
            "translator: Han Meimei, 2026-05-01 02:00+0100",
            newest,
            "translator: Nobody, 2026-13-41 99:99+0800",
            "translator: who knows",
        )
    )
    assert fields == TOUCHED | {"X-Generator": "Poedit 3.4", "Language-Team": "Tea"}
    assert translator_note(fields) == newest


def test_without_a_note_only_the_teams_fields_are_known() -> None:
    assert editing_fields(noted("seen: nowhere")) == {"Language-Team": "Tea"}
    # A date without a name is kept.
    fields = editing_fields(noted(f"translator: , {WHEN}"))
    assert fields == {"PO-Revision-Date": WHEN, "Language-Team": "Tea"}


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
