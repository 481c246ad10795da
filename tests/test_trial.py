"""The trial of a release: what it refuses before it builds, and the text of the release."""

from __future__ import annotations

import re

import pytest
import trial
from places import ROOT, TESTS

from pipeline import __version__

CHANGELOG = (TESTS / "data" / "changelog.md").read_text("utf-8")


def test_notes_are_the_section_of_the_version_without_breaks_in_lines() -> None:
    assert trial.release_notes(CHANGELOG, "1.2.0") == (
        "The second release.\n\n### Added\n\n- A long item: *this* and that.\n- Another.\n"
    )


@pytest.mark.parametrize(("version", "problem"), [("2.0.0", "no section"), ("1.1.0", "no date")])
def test_a_section_that_is_missing_or_has_no_date_is_an_error(version: str, problem: str) -> None:
    with pytest.raises(trial.TrialError, match=problem):
        trial.release_notes(CHANGELOG, version)


def test_the_change_log_has_the_version_of_the_package() -> None:
    notes = trial.release_notes((ROOT / "CHANGELOG.md").read_text("utf-8"), __version__)
    assert "### Added" in notes
    assert not re.search(r"(?m)^\[", notes)


def test_a_tag_of_another_version_is_refused_before_anything_is_built(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(trial, "build")
    assert trial.main(["--tag", "v0.0.1", "3.11"]) == 1
    assert f"the version is {__version__}" in capsys.readouterr().out


def test_a_python_that_is_named_and_not_here_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(trial, "build")
    monkeypatch.setattr(trial, "find_python", lambda _: "")
    assert trial.main(["3.12", "--tag", f"v{__version__}", "3.13"]) == 1
    assert capsys.readouterr().out == "not found: Python 3.12, 3.13\n"
