"""Files whose names leave no room for what is made of them are left out, and named."""

from __future__ import annotations

import io

import pytest

from pipeline.adapters.upstream import TreeEntry
from pipeline.folders import NAME_BYTES
from pipeline.log import Log
from pipeline.stages.pull.listing import accept, too_long


@pytest.mark.parametrize(
    ("path", "is_taken"),
    [
        ("x" * NAME_BYTES, True),
        ("x" * (NAME_BYTES + 1), False),
        ("x" * 253 + ".md", False),
        ("guide/" + "x" * 250 + "/a.md", False),
        # Three bytes each.
        ("茶" * 66 + ".md", False),
        ("茶" * 65 + ".md", True),
        ("folder/" * 142 + "a.md", True),
        ("folder/" * 143 + "a.md", False),
        ("\ud800" * 100, False),
    ],
)
def test_files_with_long_names(path: str, is_taken: bool) -> None:
    entries = [TreeEntry(mode="100644", blob="0" * 40, path=path)]
    assert bool(accept(entries, Log(stream=io.StringIO()))) is is_taken
    findings = too_long(entries)
    assert bool(findings) is not is_taken
    for finding in findings:
        assert finding.where[:40] == path[:40]
        assert len(finding.where) <= 100
        assert str(NAME_BYTES) in finding.text


def test_of_hidden_files_nothing_is_said() -> None:
    path = ".cache/" + "x" * 250
    assert too_long([TreeEntry(mode="100644", blob="", path=path)]) == ()
