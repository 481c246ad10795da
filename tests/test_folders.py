"""Which folders docs may lie in, and what pages are called by them."""

from __future__ import annotations

import pytest
from cases import read_tables

from pipeline.folders import WHOLE, Folders, fault_in, is_safe_path

CASES = read_tables(__file__)


@pytest.mark.parametrize(
    ("path", "safe"),
    [
        ("a.md", True),
        ("a/b c/图.md", True),
        ("..a/..b", True),
        ("", False),
        ("/a", False),
        ("a/", False),
        ("a//b", False),
        ("./a", False),
        ("a/../b", False),
        ("..", False),
        ("a\\b", False),
        ("a\nb", False),
        ("a\0b", False),
        ("a/\udcff.md", False),
        (".git/config", False),
        ("a/.GIT/hooks", False),
    ],
)
def test_paths_that_leave_their_folder_are_not_safe(path: str, safe: bool) -> None:
    assert is_safe_path(path) is safe


@pytest.mark.parametrize(
    ("names", "root", "prefixes"),
    CASES["paths_count_from_what_holds_all_folders"],
)
def test_paths_count_from_what_holds_all_folders(
    names: list[str], root: str, prefixes: list[str]
) -> None:
    folders = Folders(tuple(names))
    assert (folders.root, [*folders.prefixes]) == (root, prefixes)
    assert folders.placed == tuple(zip(names, prefixes, strict=True))
    assert folders.has_several == (len(names) > 1)


@pytest.mark.parametrize(
    ("names", "place", "path"),
    [
        ((".",), "docs/a.md", "docs/a.md"),
        (("docs",), "docs/a.md", "a.md"),
        (("docs",), "docs-more/a.md", None),
        (("docs",), "a.md", None),
        (("docs", "examples"), "examples/a.md", "examples/a.md"),
        (("docs", "examples"), "src/a.md", None),
        (("docs/api", "docs/guide"), "docs/guide/a.md", "guide/a.md"),
        (("docs/api", "docs/guide"), "docs/a.md", None),
    ],
)
def test_a_file_has_its_path_from_there(
    names: tuple[str, ...], place: str, path: str | None
) -> None:
    assert Folders(names).path_of(place) == path


@pytest.mark.parametrize(
    ("names", "page", "now"),
    CASES["a_page_may_have_had_another_name"],
)
def test_a_page_may_have_had_another_name(
    names: list[str], page: str, now: list[str]
) -> None:
    assert [*Folders(tuple(names)).names_of(page)] == now


@pytest.mark.parametrize(
    ("names", "what", "hint"),
    CASES["what_cannot_be_folders_is_told"],
)
def test_what_cannot_be_folders_is_told(names: list[str], what: str, hint: str) -> None:
    fault = fault_in(names)
    assert fault is not None
    assert what in fault.what
    assert hint in fault.hint


@pytest.mark.parametrize("names", [["."], ["docs"], ["docs", "docs-more", "a/docs"]])
def test_others_are_folders(names: list[str]) -> None:
    assert fault_in(names) is None
    assert str(Folders(tuple(names))) == ", ".join(names)
    assert Folders((".",)) == WHOLE


@pytest.mark.parametrize(
    ("names", "path", "place"),
    [
        (["docs"], "a/b.md", "docs/a/b.md"),
        (["."], "a/b.md", "a/b.md"),
        (["docs", "more"], "docs/a.md", "docs/a.md"),
        (["x/docs", "x/more"], "docs/a.md", "x/docs/a.md"),
        (["docs"], "_outside/NEWS.md", "NEWS.md"),
    ],
)
def test_a_path_has_a_place_in_the_repository(
    names: list[str], path: str, place: str
) -> None:
    assert Folders(tuple(names)).place_of(path) == place


def test_a_path_is_shown_from_the_docs_folder() -> None:
    folders = Folders(("a/docs",))
    assert folders.shown("guide.md") == "guide.md"
    assert folders.shown("_outside/NEWS.md") == "../../NEWS.md"


@pytest.mark.parametrize(
    ("target", "place"),
    CASES["what_a_document_names_has_a_place_or_none"],
)
def test_what_a_document_names_has_a_place_or_none(target: str, place: str) -> None:
    assert Folders(("docs",)).resolve_target(target, "a.md") == place


def test_a_slash_is_the_top_of_the_folder_that_a_document_lies_in() -> None:
    folders = Folders(("x/docs", "x/more"))
    assert folders.resolve_target("/b.md", "more/deep/a.md") == "x/more/b.md"
    assert folders.resolve_target("/b.md", "elsewhere.md") == "x/b.md"
