"""The record of a finding: where it is."""

from __future__ import annotations

from pipeline.findings import Finding, Severity

OF_A_RUN = Finding(
    code="spacing", severity=Severity.WARNING, where="a.po:9", text="no space", page="a"
)
OF_AN_ENTRY = Finding(
    code="M102",
    name="bold that does not show",
    severity=Severity.ERROR,
    file="translations/a.po",
    line=7,
    text="`**注意：**` is shown with its stars",
    msgid="**Note:** leaves fall.",
    msgstr="**注意：**叶子会落。",
    spans=((0, 7),),
)


def test_place_is_that_of_the_entry_if_there_is_one() -> None:
    assert OF_A_RUN.place == "a.po:9"
    assert OF_AN_ENTRY.place == "translations/a.po:7"
