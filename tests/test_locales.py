"""naming: names of locales, and the locale that a header or a path names."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

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


def test_what_is_chinese() -> None:
    assert is_chinese("zh_TW")
    assert not is_chinese("ja")
    assert not is_chinese("zha")
