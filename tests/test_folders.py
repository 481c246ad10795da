"""Which folders docs may lie in, and which names every system can hold."""

from __future__ import annotations

import pytest
from cases import read_tables

from pipeline.folders import (
    WHOLE,
    Folders,
    fault_in,
    fault_of_extent,
    fault_of_path,
    is_safe_path,
    shortened,
)

CASES = read_tables(__file__)


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
def test_a_page_may_have_had_another_name(names: list[str], page: str, now: list[str]) -> None:
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
def test_a_path_has_a_place_in_the_repository(names: list[str], path: str, place: str) -> None:
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


# --- names of files and folders

# Each is tried as a file, as a folder, and in the middle of a path.
REFUSED = {
    "contains a control character": [
        *("a\nb", "a\0b", "\x1b[31m", "tab\t", "del\x7f", "c1\x85", "line\u2028", "\udcff"),
    ],
    "is the folder of git": [".git", ".GIT", "git~1", "GIT~1"],
    "which Windows reserves": [
        *("C:evil", "a:b", "a<b", "a>b", 'a"b', "a|b", "a?b", "a*b", "a\\b", "\\\\host", "c:"),
    ],
    "which Windows drops": ["a.", "a ", "a. .", "a.md ", "a.md.", "...", " ."],
    "device on Windows": [
        *("CON", "con", "Aux.md", "nul.txt", "nul.tar.gz", "prn", "COM1.ipynb", "com9", "LPT0"),
        *("lpt¹", "COM².md", "nul .md", "aux  .x", "CONIN$", "conout$", "CLOCK$", "NUL.a b"),
    ],
    "longer than 200 bytes": ["a" * 201, "图" * 67],
    "absolute, or leads out": ["", ".", ".."],
}  # fmt: skip
FINE = [
    *("a", "图.md", "a b", " a", "..a", ".hidden", "a.b.c", "a'b", "a&b;c", "$a", "(a)", "#"),
    *("console", "auxiliary.md", "COM", "COM10", "com1x", "nulls.md", "null", "a.con", "my-aux"),
    *("lpt", "prn-x", "git", "git~2", ".gitignore", "-rf", "~", "a" * 200, "é", "e\u0301", "😀"),
]  # fmt: skip


@pytest.mark.parametrize("rule", REFUSED)
def test_a_name_that_some_system_cannot_hold_names_the_rule(rule: str) -> None:
    for name in REFUSED[rule]:
        for path in (name, f"guide/{name}", f"{name}/a.md", f"a/{name}/b"):
            assert rule in fault_of_path(path), path
            assert not is_safe_path(path)


def test_other_names_are_fine_as_files_and_as_folders() -> None:
    for name in FINE:
        for path in (name, f"guide/{name}", f"{name}/a.md"):
            assert fault_of_path(path) == "", path
            assert is_safe_path(path)


def test_the_rule_names_the_part_that_breaks_it_and_drives_no_terminal() -> None:
    assert fault_of_path("guide/aux.md") == ("the name 'aux.md' is the name of a device on Windows")
    assert "'\\x1b[31m'" in fault_of_path("a/\x1b[31m/b.md")


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("d/" * 100 + "a.md", ""),
        ("d/" * 101 + "a.md", "it lies more than 100 folders deep"),
        ("d/" * 1500 + "a.md", "it lies more than 100 folders deep"),
        ("d" * 99 + "/" + "e" * 200 + "/" + "f" * 200 + "/" + "g" * 200 + "/" + "h" * 97, ""),
        ("/".join(["n" * 200] * 4), "the path is longer than 800 bytes"),
        ("/".join(["图" * 60] * 5), "the path is longer than 800 bytes"),
        ("\udcff/" * 90 + "n" * 600, "the path is longer than 800 bytes"),
    ],
)  # fmt: skip
def test_a_path_may_be_so_deep_and_so_long(path: str, rule: str) -> None:
    assert fault_of_extent(path) == rule
    assert rule in fault_of_path(path)


def test_what_is_long_is_shown_with_its_beginning_and_end() -> None:
    assert shortened("guide/a.md") == "guide/a.md"
    assert shortened("abcdefgh", length=4) == "ab…gh"
