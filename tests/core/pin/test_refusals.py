"""The findings about names of upstream's files that some system cannot hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.core.pin.lock import (
    Lock,
    RefusedFile,
    SourceFile,
    format_lock,
    parse_lock,
)
from pipeline.core.pin.refusals import name_findings
from pipeline.errors import InputError
from pipeline.folders import WHOLE

BLOB = "0" * 40
LOCK = Lock(
    url="u", ref="main", commit=BLOB, date="", version="", docs=WHOLE, files=()
)  # fmt: skip


def refused(*paths: str) -> Lock:
    files = tuple(RefusedFile(path=path, rule=f"rule of {path}") for path in paths)
    return replace(LOCK, refused=files)


def test_a_page_that_is_refused_is_an_error_and_any_other_file_a_warning() -> None:
    lock = refused("aux.md", "con/x.ipynb", "deep/", "a?.png", "skipped/nul.md")
    found = list(name_findings(lock, lambda page: not page.startswith("skipped/")))
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
    files = tuple(SourceFile(path=path, blob=BLOB) for path in (*names, "other.md"))
    (found,) = name_findings(replace(LOCK, files=files), lambda page: True)
    assert (found.where, found.is_error) == (names[1], False)
    assert names[0] in found.text


def test_a_page_that_another_one_hides_is_told() -> None:
    names = ("caf\u00e9.md", "cafe\u0301.md")
    files = tuple(SourceFile(path=path, blob=BLOB) for path in names)
    (found,) = name_findings(replace(LOCK, files=files), lambda page: True)
    assert (found.code, found.where) == ("same-name", "cafe\\u0301.md")
    assert found.page == "caf\u00e9"


def test_the_lock_says_what_was_refused() -> None:
    lock = refused("a/aux.md", "deep/")
    assert parse_lock(format_lock(lock), where="x.lock") == lock
    assert b"refused" not in format_lock(LOCK)


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
    file = SourceFile(path="guide/aux.md", blob=BLOB)
    with pytest.raises(InputError, match=r"guide/aux\.md.*device on Windows"):
        parse_lock(format_lock(replace(LOCK, files=(file,))), where="x.lock")
