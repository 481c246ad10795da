"""Values of site.json: places of the English docs, substitutions, names of our own pages."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import report_results
from folders import write_tree
from msgspec.structs import replace

from pipeline.config.settings import SitePolicy
from pipeline.folders import WHOLE
from pipeline.reading import Dialect, Reading
from pipeline.site.configuration import english_places, substitutions_of
from pipeline.site.names import own_pages

LOCK = replace(report_results.LOCK, ref="lamps-v1.2", version="1.2")
SHOWN = ["latest/", "stable/", "1.2/", "v1.2/", "lamps-v1.2/"]


@pytest.mark.parametrize(
    ("url", "host", "root", "base", "versions"),
    [
        ("https://a.org/en/latest/", "a.org", "/", "/en/", SHOWN),
        ("https://A.org/stable", "a.org", "/", "/", SHOWN),
        ("http://a.org:80/x/v1.2/", "a.org:80", "/", "/x/", SHOWN),
        # No version in it: it is the only one.
        ("https://a.org/lamps/", "a.org", "/lamps/", "/lamps/", [""]),
        ("https://a.org/1.1/", "a.org", "/1.1/", "/1.1/", [""]),
        ("https://a.org/", "a.org", "/", "/", [""]),
        ("https://a.org", "a.org", "/", "/", [""]),
    ],
)
def test_versions_of_the_shown_docs_are_told_by_the_address(
    url: str, host: str, root: str, base: str, versions: list[str]
) -> None:
    policy = SitePolicy(english_url=url, english_hosts=("B.org",))
    assert english_places(policy, LOCK) == {
        "hosts": [host, "b.org"],
        "root": root,
        "base": base,
        "paths": [f"{base}{version}" for version in versions],
    }


@pytest.mark.parametrize("url", ["", "/english/", "english.html"])
def test_a_site_without_an_address_has_no_hosts(url: str) -> None:
    policy = SitePolicy(english_url=url, english_hosts=("b.org",))
    assert english_places(policy, LOCK)["hosts"] == ()


def test_docs_without_a_version_have_the_newest_and_their_ref() -> None:
    policy = SitePolicy(english_url="https://a.org/latest/")
    places = english_places(policy, replace(LOCK, version="", ref=""))
    assert places["paths"] == ["/latest/", "/stable/"]


BOOK = "parse:\n  myst_substitutions: {tool: a **loom**, secret: !ENV HOME, many: [1]}\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"conf.py": "project = 'Looms'\n"}, None),
        ({"conf.py": "myst_enable_extensions = ['dollarmath']\n"}, None),
        ({"conf.py": "myst_enable_extensions = ['substitution']\n"}, {}),
        (
            {"conf.py": "myst_substitutions = {'a': 'b', 'n': 3, 'no': [1]}\n"},
            {"a": "b", "n": 3},
        ),
        ({"conf.py": "myst_substitutions = make()\n"}, None),
        ({"conf.py": "myst_substitutions = ['a']\n"}, None),
        ({"_config.yml": BOOK}, None),  # a site of Jekyll's
        ({"_toc.yml": "", "_config.yml": BOOK}, {"tool": "a **loom**"}),
        ({"_toc.yml": ""}, {}),
        ({"_toc.yml": "", "_config.yml": "parse: ["}, {}),
        ({}, None),
    ],
)
def test_values_of_a_site(
    files: dict[str, str], expected: dict[str, Any] | None, tmp_path: Path
) -> None:
    write_tree(tmp_path, files)
    assert substitutions_of(site_of(tmp_path)) == expected


def test_other_markdowns_have_none(tmp_path: Path) -> None:
    write_tree(tmp_path, {"_toc.yml": "", "_config.yml": BOOK})
    assert substitutions_of(site_of(tmp_path, Dialect.MKDOCS)) is None


def site_of(docs: Path, dialect: Dialect = Dialect.MYST) -> Any:
    return SimpleNamespace(
        upstream=SimpleNamespace(reading=Reading(dialect=dialect)),
        lock=SimpleNamespace(files=(), docs=WHOLE),
        paths=SimpleNamespace(docs=docs),
    )


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


GLOSSARIES = {"zh_CN": "zh", "zh": "zh", "de": "de", "pt_BR": "pt", "sr_Latn_RS": "sr"}


@pytest.mark.parametrize("locale", GLOSSARIES)
def test_the_glossary_is_named_after_its_language(locale: str) -> None:
    place = f"glossary-{GLOSSARIES[locale]}"
    assert own_pages([], locale=locale)["glossary"] == place
    assert own_pages([place], locale=locale)["glossary"] == f"{place}-site"
