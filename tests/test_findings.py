"""The record of a finding: where it is, and the table of findings."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from string import Formatter

from places import ROOT

from pipeline.findings import Finding, Severity

# Parameters of the functions that take a row of the table, besides the values of the row.
OWN = {"where", "page", "lines", "line"}
# These functions.
NAMING = {"from_table", "report_row", "report", "finding"}
TABLE = tomllib.loads((ROOT / "pipeline" / "findings.toml").read_text("utf-8"))

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


def values_given() -> dict[str, list[set[str]]]:
    """Return, for each row, the values that each call gives."""
    given: dict[str, list[set[str]]] = defaultdict(list)
    for path in (ROOT / "pipeline").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = ast.unparse(node.func).rpartition(".")[2]
            row = getattr(node.args[0], "value", None)
            if name in NAMING and row in TABLE:
                keywords = {str(keyword.arg) for keyword in node.keywords}
                keywords |= {"translations"} if name == "report" else set()
                given[str(row)].append(keywords - OWN)
    return given


def test_each_row_is_used_with_the_values_that_it_names() -> None:
    named = {
        name: {
            field
            for key in ("text", "hint")
            for _, field, _, _ in Formatter().parse(row.get(key, ""))
            if field
        }
        for name, row in TABLE.items()
    }
    given = values_given()
    assert given.keys() == TABLE.keys()
    for name, calls in given.items():
        assert all(values == named[name] for values in calls), name


def test_from_table_inserts_the_values() -> None:
    finding = Finding.from_table("output-fault", where="a, cell 1", page="a", fault="x")
    assert finding == Finding(
        code="notebook-fault",
        severity=Severity.WARNING,
        where="a, cell 1",
        page="a",
        text="x",
        hint="The other outputs are shown.",
    )
