"""Traditional characters, whatever the length of what OpenCC makes of a text."""

from __future__ import annotations

import pytest
from check_tables import subject

from pipeline.core.checks.typography import checks


@pytest.mark.parametrize(
    ("phrase", "simplified"), [("滑鼠", "鼠标器"), ("記憶體", "内存"), ("動", "")]
)
def test_characters_keep_their_places_if_a_phrase_changes_its_length(
    phrase: str, simplified: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    convert = checks._to_simplified()

    def convert_phrases(text: str) -> str:
        return convert(text.replace(phrase, simplified) if len(text) > 1 else text)

    monkeypatch.setattr(checks, "_to_simplified", lambda: convert_phrases)
    msgstr = "動用滑鼠和記憶體，不見頁。"
    (problem,) = checks.find_traditional(subject("Use memory.", msgstr))
    marked = [msgstr[start:end] for start, end in problem.spans]
    assert marked == ["動", "記", "憶", "體", "見", "頁"]
    assert problem.text == (
        "has Traditional characters: 動 → 动, 記 → 记, 憶 → 忆, 體 → 体, 見 → 见, 頁 → 页"
    )
