"""naming: names of locales, and the locale that a header or a path names."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from pipeline.core.checks.engine import fix_entry, run_checks
from pipeline.core.checks.model import Subject
from pipeline.core.checks.table import MEANING, checks_of
from pipeline.entries import Entry
from pipeline.naming import (
    canonical,
    is_chinese,
    locale_of_header,
    locale_of_path,
)


@pytest.mark.parametrize(
    ("name", "locale"),
    [
        ("zh_CN", "zh_CN"),
        ("zh-cn", "zh_CN"),
        ("zh-hans-CN", "zh_Hans_CN"),
        ("ZH_tw", "zh_TW"),
        ("pt_BR.UTF-8", "pt_BR"),
        ("sr@latin", "sr"),
        (" fr ", "fr"),
        ("es_419", "es_419"),
        ("LANGUAGE", ""),
        ("", ""),
        ("guide", ""),
        ("zh_CN_x", ""),
    ],
)
def test_a_locale_is_written_as_gettext_does(name: str, locale: str) -> None:
    assert canonical(name) == locale
    assert locale_of_header({"Language": name}) == locale


def test_a_header_without_a_language_tells_none() -> None:
    assert locale_of_header({}) == ""


@pytest.mark.parametrize(
    ("path", "locale"),
    [
        ("locale/fr/LC_MESSAGES/guide.po", "fr"),
        ("docs/locale/zh_CN/LC_MESSAGES/a/b.po", "zh_CN"),
        ("docs/pt-BR/guide.po", "pt_BR"),
        ("zh_TW.po", "zh_TW"),
        ("po/ja.po", "ja"),
        ("src/locale/de.po", "de"),
        # These may be names of anything.
        ("src/app/guide.po", ""),
        ("de/guide.po", ""),
        ("ja.po", ""),
        ("po/guide.po", ""),
        ("guides/LC_MESSAGES/guide.po", ""),
        ("guide.po", ""),
    ],
)
def test_a_path_tells_the_locale_where_it_can(path: str, locale: str) -> None:
    assert locale_of_path(PurePosixPath(path).parts) == locale


def told(locale: str, msgid: str, msgstr: str) -> set[str]:
    """The codes of what the checks of a locale tell of one translation."""
    subject = Subject(Entry(msgid=msgid, msgstr=msgstr))
    problems = run_checks({"page": [subject]}, check_set=checks_of(locale))
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
def test_each_language_has_its_own_rules_of_typography(
    locale: str, expected: set[str]
) -> None:
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
    subject = Subject(Entry(msgid='The "lamp" is on.', msgstr='"灯"亮着。'))
    assert fix_entry(subject, checks_of("zh_CN").checks) == "“灯”亮着。"
    assert fix_entry(subject, checks_of("zh_TW").checks) == "「灯」亮着。"
    assert fix_entry(subject, checks_of("ja").checks) == subject.msgstr


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
def test_numbers_and_units_are_read_in_traditional_chinese(
    msgid: str, msgstr: str
) -> None:
    assert told("zh_TW", msgid, msgstr) == set()


def test_what_is_chinese() -> None:
    assert is_chinese("zh_TW")
    assert not is_chinese("ja")
    assert not is_chinese("zha")
