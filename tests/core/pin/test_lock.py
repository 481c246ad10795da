"""core/pin/lock: what was pulled, the pages that it makes up, and names at risk."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from repositories import DOCS

from pipeline.core.pin.lock import (
    Included,
    Lock,
    RefusedFile,
    SourceFile,
    blob_id,
    format_lock,
    hidden_duplicates,
    is_reference,
    listing_id,
    names_at_risk,
    pages_of,
    parse_lock,
)
from pipeline.errors import InputError
from pipeline.folders import WHOLE, Folders

BLOB = "0123456789abcdef0123456789abcdef01234567"


def files(*paths: str) -> tuple[SourceFile, ...]:
    return tuple(SourceFile(path=path, blob=BLOB) for path in paths)


LOCK = Lock(
    url="https://example.org/jax",
    ref="v1",
    commit=BLOB,
    date="2026-01-02T03:04:05+08:00",
    version="0.10.2",
    package="JAX",
    docs=DOCS,
    files=files("a b.md", "notebooks/x.ipynb", "图/é.svg"),
)


def test_a_lock_survives_the_round_trip() -> None:
    assert parse_lock(format_lock(LOCK), where="x.lock") == LOCK
    # Few have it, and those that are committed stay as they are.
    assert b"markdown" not in format_lock(LOCK)
    assert b"substitutions" not in format_lock(LOCK)
    of_a_book = replace(LOCK, substitutions=True)
    assert parse_lock(format_lock(of_a_book), where="x.lock") == of_a_book
    of_mkdocs = replace(LOCK, markdown="mkdocs")
    assert parse_lock(format_lock(of_mkdocs), where="x.lock") == of_mkdocs


def test_a_lock_has_one_file_per_line_and_a_final_newline() -> None:
    text = format_lock(LOCK).decode("utf-8")
    assert text.endswith('"\n}\n')
    assert f'  "notebooks/x.ipynb": "{BLOB}",\n' in text
    assert f'  "图/é.svg": "{BLOB}"\n' in text
    assert [
        line.split('"')[1] for line in text.split("\n") if line.startswith(' "')
    ] == sorted(json.loads(text))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        format_lock(LOCK).replace(b'"url"', b'"uri"'),
        format_lock(LOCK).replace(
            b' "docs": "docs"', b' "docs": "docs",\n "docs": "docs"'
        ),
        b"<<<<<<< ours\n" + format_lock(LOCK),
    ],
)
def test_what_is_no_lock_is_refused_with_its_place(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        parse_lock(data, where="upstream/jax.lock")
    assert caught.value.where == "upstream/jax.lock"
    assert "pull" in caught.value.hint


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("url", 1),
        ("ref", None),
        ("ref", "a\nb"),
        ("url", "\ud800"),
        ("commit", "abc"),
        ("commit", BLOB.upper()),
        ("docs", "../docs"),
        ("docs", ""),
        ("docs", "/docs"),
        ("docs", []),
        ("docs", ["docs", 1]),
        ("docs", {"docs": "docs"}),
        ("docs", ["docs", "docs/api"]),
        ("markdown", "asciidoc"),
        ("markdown", 1),
        ("files", []),
        ("files", {"a.md": 1}),
        ("files", {"a.md": "abc"}),
        ("files", {"../a.md": BLOB}),
        ("files", {"/etc/a.md": BLOB}),
        ("files", {"a\\b.md": BLOB}),
        ("files", {"a//b.md": BLOB}),
    ],
)
def test_wrong_values_are_refused(key: str, value: object) -> None:
    table: dict[str, Any] = json.loads(format_lock(LOCK))
    table[key] = value
    with pytest.raises(InputError):
        parse_lock(json.dumps(table).encode(), where="x.lock")


def test_docs_may_be_the_root() -> None:
    data = format_lock(LOCK).replace(b'"docs": "docs"', b'"docs": "."')
    assert parse_lock(data, where="x.lock").docs == WHOLE


def test_several_folders_are_a_list_and_a_single_one_is_none() -> None:
    assert b'\n "docs": "docs",\n' in format_lock(LOCK)
    several = replace(LOCK, docs=Folders(("docs", "examples")))
    data = format_lock(several)
    assert b'\n "docs": [\n  "docs",\n  "examples"\n ],\n' in data
    assert parse_lock(data, where="x.lock") == several


def test_a_notebook_and_its_twin_are_one_page() -> None:
    pages = pages_of(
        files("b.md", "a/x.md", "a/x.ipynb", "conf.py", "c/y.rst", "x.v2.ipynb", ".md")
    )
    assert [page.name for page in pages] == ["a/x", "b", "c/y", "x.v2"]
    assert [file.path for file in pages[0].files] == ["a/x.ipynb", "a/x.md"]


def test_docstrings_in_a_folder_are_one_page() -> None:
    docstrings = files("_api/tea.Pot/tea.Pot.docstring", "_api/tea.Pot/a.docstring")
    pages = pages_of((*docstrings, *files("a.md", "b/c.docstring")))
    assert [page.name for page in pages] == ["_api/tea.Pot", "a"]
    assert set(pages[0].files) == set(docstrings)
    assert [is_reference(page.name) for page in pages] == [True, False]


def test_what_lies_among_assets_is_no_page() -> None:
    pages = pages_of(
        files("a.md", "_static/b.md", "c/_static/d/e.ipynb", "_statics.md")
    )
    assert [page.name for page in pages] == ["_statics", "a"]


def test_a_blob_id_is_git_s() -> None:
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_a_listing_id_depends_on_names_and_blobs() -> None:
    assert listing_id(files("a")) == hashlib.sha1(f"{BLOB} a\n".encode()).hexdigest()
    assert listing_id(files("a")) != listing_id(files("b"))


def test_what_is_included_and_excluded_is_kept_and_is_no_page() -> None:
    lock = replace(
        LOCK,
        files=files("README.md", "_outside/NEWS.md", "a.md", "news.md"),
        included=(Included(page="_outside/NEWS", within=("news",)),),
        excluded=("README",),
    )
    assert parse_lock(format_lock(lock), where="") == lock
    assert [page.name for page in lock.pages] == ["_outside/NEWS", "a", "news"]
    assert lock.unpublished == {"README", "_outside/NEWS"}


def test_without_conf_py_nothing_is_excluded() -> None:
    assert LOCK.pages == pages_of(LOCK.files)
    assert not LOCK.unpublished


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("included", ["a"]),
        ("included", {"a": "b"}),
        ("included", {"a": ["b\n"]}),
        ("included", {"a\x07": ["b"]}),
        ("excluded", {"a": 1}),
        ("excluded", [1]),
        ("excluded", "a"),
        ("substitutions", "true"),
    ],
)
def test_odd_names_in_a_lock_are_refused(key: str, value: object) -> None:
    table = json.loads(format_lock(LOCK))
    with pytest.raises(InputError, match=key):
        parse_lock(json.dumps({**table, key: value}).encode(), where="x.lock")


NFC, NFD = "\u00e9", "e\u0301"


def files_named(*paths: str) -> list[SourceFile]:
    return [SourceFile(path=path, blob="0" * 40) for path in paths]


@pytest.mark.parametrize(
    ("paths", "pages", "hidden"),
    [
        ((f"{NFD}.md",), {NFC: [f"{NFD}.md"]}, []),
        ((f"{NFD}/a.rst",), {f"{NFC}/a": [f"{NFD}/a.rst"]}, []),
        (
            (f"{NFD}.md", f"{NFC}.ipynb"),
            {NFC: [f"{NFC}.ipynb", f"{NFD}.md"]},
            [],
        ),
        ((f"{NFD}.md", f"{NFC}.md"), {NFC: [f"{NFC}.md"]}, [f"{NFD}.md"]),
        ((f"{NFC}.md", f"{NFD}.md"), {NFC: [f"{NFC}.md"]}, [f"{NFD}.md"]),
        # Neither is in NFC as a whole: one of them makes the page.
        (
            (f"{NFC}/{NFD}.md", f"{NFD}/{NFC}.md"),
            {f"{NFC}/{NFC}": [f"{NFC}/{NFD}.md"]},
            [f"{NFD}/{NFC}.md"],
        ),
        ((f"_static/{NFD}.md", f"_static/{NFC}.md", f"{NFD}.png"), {}, []),
    ],
)
def test_pages_by_their_names(
    paths: tuple[str, ...], pages: dict[str, list[str]], hidden: list[str]
) -> None:
    made = pages_of(files_named(*paths))
    assert {page.name: [file.path for file in page.files] for page in made} == pages
    assert [file.path for file in hidden_duplicates(files_named(*paths))] == hidden


ANY_BLOB = "0" * 40
EMPTY_LOCK = Lock(
    url="u", ref="main", commit=ANY_BLOB, date="", version="", docs=WHOLE, files=()
)  # fmt: skip


def refused(*paths: str) -> Lock:
    files = tuple(RefusedFile(path=path, rule=f"rule of {path}") for path in paths)
    return replace(EMPTY_LOCK, refused=files)


def test_a_page_that_is_refused_is_an_error_and_any_other_file_a_warning() -> None:
    lock = refused("aux.md", "con/x.ipynb", "deep/", "a?.png", "skipped/nul.md")
    found = list(names_at_risk(lock, lambda page: not page.startswith("skipped/")))
    assert [(one.where, one.is_error) for one in found] == [
        ("aux.md", True),
        ("con/x.ipynb", True),
        ("deep/", True),
        ("a?.png", False),
        ("skipped/nul.md", False),
    ]
    assert found[0].text == "was not pulled: rule of aux.md"
    assert found[0].exit_code == InputError.exit_code
    assert all(one.hint and one.code == "refused-name" for one in found)


@pytest.mark.parametrize(
    "names", [("Guide.md", "guide.md"), ("caf\u00e9.png", "cafe\u0301.png"), ("A/x", "a/X")]
)  # fmt: skip
def test_names_that_are_one_file_on_some_systems_are_told(
    names: tuple[str, str],
) -> None:
    files = tuple(SourceFile(path=path, blob=ANY_BLOB) for path in (*names, "other.md"))
    (found,) = names_at_risk(replace(EMPTY_LOCK, files=files), lambda page: True)
    assert (found.where, found.is_error) == (names[1], False)
    assert names[0] in found.text


def test_a_page_that_another_one_hides_is_told() -> None:
    names = ("caf\u00e9.md", "cafe\u0301.md")
    files = tuple(SourceFile(path=path, blob=ANY_BLOB) for path in names)
    (found,) = names_at_risk(replace(EMPTY_LOCK, files=files), lambda page: True)
    assert (found.code, found.where) == ("same-name", "cafe\\u0301.md")
    assert found.page == "caf\u00e9"


def test_the_lock_says_what_was_refused() -> None:
    lock = refused("a/aux.md", "deep/")
    assert parse_lock(format_lock(lock), where="x.lock") == lock
    assert b"refused" not in format_lock(EMPTY_LOCK)


@pytest.mark.parametrize(
    "table", ["[]", '{"a.md": 1}', '{"a\\u001b.md": "rule"}', '{"a.md": "\\udcff"}']
)
def test_a_damaged_list_of_refused_files_is_an_input_error(table: str) -> None:
    text = format_lock(refused("a.md")).decode()
    damaged = text.replace('{\n  "a.md": "rule of a.md"\n }', table)
    assert damaged != text
    with pytest.raises(InputError, match=r"\$.refused"):
        parse_lock(damaged.encode(), where="x.lock")


def test_a_lock_that_names_a_file_which_cannot_be_is_refused() -> None:
    file = SourceFile(path="guide/aux.md", blob=ANY_BLOB)
    with pytest.raises(InputError, match=r"guide/aux\.md.*device on Windows"):
        parse_lock(format_lock(replace(EMPTY_LOCK, files=(file,))), where="x.lock")
