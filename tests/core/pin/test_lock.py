"""core/pin/lock: what was pulled, the pages that it makes up, and names at risk."""

from __future__ import annotations

import hashlib
import json

import pytest
import report_results
from msgspec.structs import replace

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
NFC, NFD = "\u00e9", "e\u0301"


def files(*paths: str) -> tuple[SourceFile, ...]:
    return tuple(SourceFile(path=path, blob=BLOB) for path in paths)


LOCK = replace(report_results.LOCK, files=files("a b.md", "notebooks/x.ipynb", "图/é.svg"))


def reread(lock: Lock) -> Lock:
    return parse_lock(format_lock(lock), where="x.lock")


def refused(*paths: str) -> Lock:
    files = tuple(RefusedFile(path=path, rule=f"rule of {path}") for path in paths)
    return replace(LOCK, refused=files)


@pytest.mark.parametrize(
    "lock",
    [
        LOCK,
        replace(LOCK, substitutions=True),
        replace(LOCK, markdown="mkdocs"),
        replace(LOCK, docs=Folders(("docs", "examples"))),
        refused("a/aux.md", "deep/"),
    ],
)
def test_a_lock_survives_the_round_trip(lock: Lock) -> None:
    assert reread(lock) == lock


def test_what_few_locks_have_is_left_out() -> None:
    """Those that are committed stay as they are."""
    for key in (b"markdown", b"substitutions", b"refused"):
        assert key not in format_lock(LOCK)


def test_a_lock_has_one_file_per_line_and_a_final_newline() -> None:
    text = format_lock(LOCK).decode("utf-8")
    assert text.endswith('"\n}\n')
    assert f'  "notebooks/x.ipynb": "{BLOB}",\n' in text
    assert f'  "图/é.svg": "{BLOB}"\n' in text
    keys = [line.split('"')[1] for line in text.split("\n") if line.startswith(' "')]
    assert keys == sorted(json.loads(text))


TEXT = format_lock(LOCK)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        TEXT.replace(b'"url"', b'"uri"'),
        TEXT.replace(b' "docs": "docs"', b' "docs": "docs",\n "docs": "docs"'),
        b"<<<<<<< ours\n" + TEXT,
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
        ("included", ["a"]),
        ("included", {"a": "b"}),
        ("included", {"a": ["b\n"]}),
        ("included", {"a\x07": ["b"]}),
        ("excluded", {"a": 1}),
        ("excluded", [1]),
        ("excluded", "a"),
        ("substitutions", "true"),
        ("refused", []),
        ("refused", {"a.md": 1}),
        ("refused", {"a.md\x1b": "rule"}),
        ("refused", {"a.md": "\udcff"}),
    ],
)
def test_wrong_values_are_refused(key: str, value: object) -> None:
    table = json.loads(TEXT)
    with pytest.raises(InputError, match=key):
        parse_lock(json.dumps({**table, key: value}).encode(), where="x.lock")


@pytest.mark.parametrize(
    ("path", "blob"),
    [
        ("a.md", "abc"),
        ("../a.md", BLOB),
        ("/etc/a.md", BLOB),
        ("a\\b.md", BLOB),
        ("a//b.md", BLOB),
    ],
)
def test_wrong_paths_and_blobs_are_refused(path: str, blob: str) -> None:
    file = SourceFile(path=path, blob=blob)
    with pytest.raises(InputError):
        reread(replace(LOCK, files=(file,)))


def test_docs_may_be_the_root() -> None:
    data = TEXT.replace(b'"docs": "docs"', b'"docs": "."')
    assert parse_lock(data, where="x.lock").docs == WHOLE


def test_several_folders_are_a_list_and_a_single_one_is_none() -> None:
    assert b'\n "docs": "docs",\n' in TEXT
    data = format_lock(replace(LOCK, docs=Folders(("docs", "examples"))))
    assert b'\n "docs": [\n  "docs",\n  "examples"\n ],\n' in data


@pytest.mark.parametrize(
    ("paths", "pages"),
    [
        # A notebook and its twin are one page.
        (["x.md", "x.ipynb"], {"x": ["x.ipynb", "x.md"]}),
        (["c/y.rst", "x.v2.ipynb"], {"c/y": ["c/y.rst"], "x.v2": ["x.v2.ipynb"]}),
        (["b.md", "conf.py", ".md"], {"b": ["b.md"]}),
        # What lies among assets is none.
        (["_statics.md"], {"_statics": ["_statics.md"]}),
        (["_static/b.md", "c/_static/d/e.ipynb"], {}),
        ([f"_static/{NFD}.md", f"_static/{NFC}.md", f"{NFD}.png"], {}),
        ([f"{NFD}.md"], {NFC: [f"{NFD}.md"]}),
        ([f"{NFD}/a.rst"], {f"{NFC}/a": [f"{NFD}/a.rst"]}),
        ([f"{NFD}.md", f"{NFC}.ipynb"], {NFC: [f"{NFC}.ipynb", f"{NFD}.md"]}),
    ],
)
def test_pages_by_their_names(paths: list[str], pages: dict[str, list[str]]) -> None:
    made = pages_of(files(*paths))
    assert {page.name: [file.path for file in page.files] for page in made} == pages
    assert list(hidden_duplicates(files(*paths))) == []


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        (f"{NFD}.md", f"{NFC}.md", 1),
        (f"{NFC}.md", f"{NFD}.md", 0),
        # Neither is in NFC as a whole: one of them makes the page.
        (f"{NFC}/{NFD}.md", f"{NFD}/{NFC}.md", 0),
    ],
)
def test_one_of_two_files_makes_the_page(first: str, second: str, shown: int) -> None:
    both = files(first, second)
    (page,) = pages_of(both)
    assert page.files == (both[shown],)
    assert list(hidden_duplicates(both)) == [both[1 - shown]]


def test_docstrings_in_a_folder_are_one_page() -> None:
    docstrings = files("_api/tea.Pot/tea.Pot.docstring", "_api/tea.Pot/a.docstring")
    pages = pages_of((*docstrings, *files("a.md", "b/c.docstring")))
    assert [page.name for page in pages] == ["_api/tea.Pot", "a"]
    assert set(pages[0].files) == set(docstrings)
    assert [is_reference(page.name) for page in pages] == [True, False]


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
    assert reread(lock) == lock
    assert [page.name for page in lock.pages] == ["_outside/NEWS", "a", "news"]
    assert lock.unpublished == {"README", "_outside/NEWS"}


def test_without_conf_py_nothing_is_excluded() -> None:
    assert LOCK.pages == pages_of(LOCK.files)
    assert not LOCK.unpublished


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
    ("first", "second"),
    [("Guide.md", "guide.md"), (f"{NFC}.png", f"{NFD}.png"), ("A/x", "a/X")],
)
def test_names_that_are_one_file_on_some_systems(first: str, second: str) -> None:
    lock = replace(LOCK, files=files(first, second, "other.md"))
    (found,) = names_at_risk(lock, lambda page: True)
    assert (found.where, found.is_error) == (second, False)
    assert first in found.text


def test_a_page_that_another_one_hides_is_told() -> None:
    lock = replace(LOCK, files=files(f"caf{NFC}.md", f"caf{NFD}.md"))
    (found,) = names_at_risk(lock, lambda page: True)
    assert (found.code, found.where) == ("same-name", "cafe\\u0301.md")
    assert found.page == f"caf{NFC}"


def test_a_lock_that_names_a_file_which_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match=r"guide/aux\.md.*device on Windows"):
        reread(replace(LOCK, files=files("guide/aux.md")))
