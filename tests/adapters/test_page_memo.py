"""A memo is asked to know a page whose texts have no JSON: it does without."""

from __future__ import annotations

from pathlib import Path

from pipeline.adapters.memo import Memo


def test_a_value_without_json_is_not_written(tmp_path: Path) -> None:
    memo = Memo(tmp_path / "memo.json", list[str])
    memo.put("tea", "key", ["words"])
    memo.put("tea", "new", ["half a pair: \ud800"])
    memo.put("pot", "key", ["words"])
    assert memo.save()
    again = Memo(tmp_path / "memo.json", list[str])
    assert dict(again.items()) == {"pot": ["words"]}
