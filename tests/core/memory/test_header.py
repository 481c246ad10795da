"""core/memory/header: who saved a catalogue last, and what of its header is the team's."""

from __future__ import annotations

import pytest
from memories import memory_of

from pipeline.core.memory.header import (
    editing_fields,
    moment_of,
    public_team,
    team_fields,
    touch_note,
)
from pipeline.core.memory.record import digest
from pipeline.entries import GENERATOR, NEUTRAL_DATE, Entry

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
    assert touch_note(TOUCHED | changes) == note


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
    assert touch_note(fields) == newest


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
