"""A memo gives back what was kept under a key, and nothing else, whatever its file holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import Struct

from pipeline.adapters.memo import Memo


class Lamp(Struct, frozen=True):
    watts: int


def test_a_value_comes_back_under_each_key_that_it_may_have(tmp_path: Path) -> None:
    memo = Memo(tmp_path / "memo.json", Lamp)
    memo.put("hall", "new", Lamp(40))
    assert memo.save()
    again = Memo(tmp_path / "memo.json", Lamp)
    assert again.get("hall", "old", "new") == Lamp(40)
    assert again.get("hall", "old") is None
    assert again.get("cellar", "new") is None
    assert not again.save()


@pytest.mark.parametrize("written", ['{"watts": "many"}', '{"volts": 9}', "null"])
def test_a_value_of_another_version_is_missing_and_no_other_is(
    tmp_path: Path, written: str
) -> None:
    path = tmp_path / "memo.json"
    path.write_text(f'{{"attic": ["k", {written}], "hall": ["k", {{"watts": 40}}]}}')
    memo = Memo(path, Lamp)
    assert memo.get("attic", "k") is None
    assert memo.get("hall", "k") == Lamp(40)
    assert dict(memo.items()) == {"hall": Lamp(40)}
    memo.put("attic", "k", Lamp(25))
    assert dict(memo.items()) == {"attic": Lamp(25), "hall": Lamp(40)}


@pytest.mark.parametrize("written", ["", "[]", "{", '{"hall": 1}', "\xff", "[" * 9999])
def test_a_damaged_file_is_an_empty_memo(tmp_path: Path, written: str) -> None:
    path = tmp_path / "memo.json"
    path.write_text(written, encoding="latin-1")
    assert dict(Memo(path, Lamp).items()) == {}


def test_a_value_without_json_is_not_written(tmp_path: Path) -> None:
    memo = Memo(tmp_path / "memo.json", list[str])
    memo.put("tea", "key", ["words"])
    memo.put("tea", "new", ["half a pair: \ud800"])
    memo.put("pot", "key", ["words"])
    assert memo.save()
    again = Memo(tmp_path / "memo.json", list[str])
    assert dict(again.items()) == {"pot": ["words"]}
