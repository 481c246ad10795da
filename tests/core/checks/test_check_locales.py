"""Checks by locale: what each language has of its own, and what all share."""

from __future__ import annotations

import pytest
from check_tables import subject

from pipeline.core.checks.engine import fix_entry, run_checks
from pipeline.core.checks.table import MEANING, checks_of
from pipeline.core.checks.typography import checks


def told(locale: str, msgid: str, msgstr: str) -> set[str]:
    """The codes of what the checks of a locale tell of one translation."""
    problems = run_checks({"page": [subject(msgid, msgstr)]}, check_set=checks_of(locale))
    return {problem.code for problem in problems}


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        ("zh_CN", {"M401", "M402", "M408", "M410"}),
        ("zh", {"M401", "M402", "M408", "M410"}),
        ("zh_Hans_CN", {"M401", "M402", "M408", "M410"}),
        # 您 and Traditional characters are its own.
        ("zh_TW", {"M401", "M402"}),
        ("zh_Hant", {"M401", "M402"}),
        ("zh_HK", {"M401", "M402"}),
        ("ja", set()),
        ("fr", set()),
    ],
)
def test_each_language_has_its_own_rules_of_typography(locale: str, expected: set[str]) -> None:
    codes = told(locale, "You use JAX, in memory.", "您使用JAX,在記憶體。")
    assert {code for code in codes if code.startswith("M4")} == expected


@pytest.mark.parametrize("locale", ["zh_CN", "zh_TW", "ja", "fr"])
def test_what_markup_needs_is_the_same_everywhere(locale: str) -> None:
    assert "M201" in told(locale, "Call `f`.", "`g`。")
    assert "M102" in told(locale, "**Call** it.", "** X** it。")
    assert "G104" in told(locale, "Call it.", "[X](https://a.b)")


def test_meanings_are_compared_in_simplified_chinese_only() -> None:
    codes = {check.code for check in MEANING}
    for locale in ("zh_TW", "ja", "fr"):
        assert not codes & {check.code for check in checks_of(locale).checks}
    assert codes <= {check.code for check in checks_of("zh_CN").checks}


def test_quotes_become_those_of_the_locale() -> None:
    lamp = subject('The "lamp" is on.', '"灯"亮着。')
    assert fix_entry(lamp, checks_of("zh_CN").checks) == "“灯”亮着。"
    assert fix_entry(lamp, checks_of("zh_TW").checks) == "「灯」亮着。"
    assert fix_entry(lamp, checks_of("ja").checks) == lamp.msgstr


@pytest.mark.parametrize(
    ("msgid", "msgstr"),
    [
        ("It takes 3 bytes.", "它佔 3 位元組。"),
        ("It runs on 64-bit machines.", "它可以在 64 位元的機器上執行。"),
        ("It takes 10,000 lamps.", "它要 1 萬盞燈。"),
        ("It takes 5 minutes.", "它要 5 分鐘。"),
        ("Why is it on?", "它為什麼亮著？"),
        ("There are 2 lamps.", "有兩盞燈。"),
    ],
)
def test_numbers_and_units_are_read_in_traditional_chinese(msgid: str, msgstr: str) -> None:
    assert told("zh_TW", msgid, msgstr) == set()


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
