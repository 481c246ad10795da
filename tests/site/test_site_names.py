"""Our own pages make way for upstream's, on systems that know no case as well."""

from __future__ import annotations

import pytest

from pipeline.site.names import own_pages


@pytest.mark.parametrize(
    ("pages", "places"),
    [
        (["index", "guide/search"], ("search", "glossary-zh", "progress")),
        (["search"], ("search-site", "glossary-zh", "progress")),
        (["Search", "PROGRESS"], ("search-site", "glossary-zh", "progress-site")),
        (["search", "Search-Site"], ("search-site-site", "glossary-zh", "progress")),
        (["glossary-zh"], ("search", "glossary-zh-site", "progress")),
    ],
)
def test_own_pages(pages: list[str], places: tuple[str, ...]) -> None:
    assert tuple(own_pages(pages, locale="zh_CN").values()) == places


@pytest.mark.parametrize(
    ("locale", "place"),
    [
        ("zh_CN", "glossary-zh"),
        ("zh", "glossary-zh"),
        ("de", "glossary-de"),
        ("pt_BR", "glossary-pt"),
        ("sr_Latn_RS", "glossary-sr"),
    ],
)
def test_the_glossary_is_named_after_its_language(locale: str, place: str) -> None:
    assert own_pages([], locale=locale)["glossary"] == place
    assert own_pages([place], locale=locale)["glossary"] == f"{place}-site"
