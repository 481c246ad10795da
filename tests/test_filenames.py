"""Which names of files and folders every system can hold."""

from __future__ import annotations

import pytest

from pipeline.folders import fault_of_extent, fault_of_path, shortened

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


def test_other_names_are_fine_as_files_and_as_folders() -> None:
    for name in FINE:
        for path in (name, f"guide/{name}", f"{name}/a.md"):
            assert fault_of_path(path) == "", path


def test_the_rule_names_the_part_that_breaks_it_and_drives_no_terminal() -> None:
    assert fault_of_path("guide/aux.md") == (
        "the name 'aux.md' is the name of a device on Windows"
    )
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
