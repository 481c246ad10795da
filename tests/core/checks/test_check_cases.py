"""Every check against its tables of bad and good translations: ``checks/*.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from check_tables import TABLES, checks_by_code, problems, subjects

from pipeline.adapters import po
from pipeline.commands.check.checker import check
from pipeline.commands.check.files import CatalogFile
from pipeline.config.settings import Settings
from pipeline.core.checks.hygiene import RULES
from pipeline.core.checks.model import Check, PageCheck
from pipeline.core.checks.table import code_names
from pipeline.entries import Catalog
from pipeline.findings import Finding
from pipeline.log import QUIET, Log
from pipeline.report.result import CheckResult

Table = list[dict[str, Any]]

LEAST = 8
FILE_CODES = frozenset(rule.code for rule in RULES)
FIELDS = po.standard_header(project="docs", page="guide", locale="zh_CN", date="")
HEADER = f"{po.format_catalog(Catalog(header=FIELDS)).decode()}\n"
MEMORY_HEADER = (
    HEADER.rstrip("\n") + f'\n"X-Upstream: lamps\\n"\n"X-Upstream-Page: {32 * "0"}\\n"\n\n'
)


def cases(verdict: str, *, files: bool = False) -> list[Any]:
    """The cases of each check: one test a check, in which each case is a subtest."""
    return [
        pytest.param(code, record[verdict], id=f"{code}-{verdict}")
        for code, record in sorted(TABLES.items())
        if (code in FILE_CODES) is files
    ]


def test_every_check_has_its_tables_and_every_table_a_check() -> None:
    assert TABLES.keys() == code_names().keys()
    for code, record in TABLES.items():
        assert len(record["bad"]) >= LEAST, code
        assert len(record["good"]) >= LEAST, code
        assert record["title"], code
        assert record["explain"], code


@pytest.mark.parametrize(("code", "table"), cases("bad"))
def test_a_bad_translation_is_told_and_mended(
    code: str, table: Table, subtests: pytest.Subtests
) -> None:
    check = checks_by_code()[code]
    for number, case in enumerate(table):
        with subtests.test(f"bad {number}"):
            assert_told_and_mended(check, case)


def assert_told_and_mended(check: Check | PageCheck, case: dict[str, Any]) -> None:
    found = subjects(case)
    told = problems(check, found)
    assert told
    if "at" in case:
        assert [problem.index for problem in told] == case["at"]
    problem = told[0]
    msgstr = found[problem.index].msgstr
    marked = [msgstr[start:end] for start, end in problem.spans]
    if "mark" in case:
        assert marked == case["mark"]
    assert all(marked)
    assert problem.fix == case.get("fixed")
    assert problem.severity == case.get("severity", check.severity)
    assert problem.text
    assert not problem.text.endswith(".")
    assert problem.hint.endswith((".", "!", "?"))
    if problem.fix is not None:
        assert problems(check, subjects({**case, "msgstr": problem.fix})) == []


@pytest.mark.parametrize(("code", "table"), cases("good"))
def test_a_good_translation_is_left_alone(
    code: str, table: Table, subtests: pytest.Subtests
) -> None:
    check = checks_by_code()[code]
    for number, case in enumerate(table):
        with subtests.test(f"good {number}"):
            assert problems(check, subjects(case)) == []


@pytest.mark.parametrize(("code", "table"), cases("good"))
def test_the_first_good_translation_has_no_mistake_of_another_kind(code: str, table: Table) -> None:
    # The guide for translators shows it.
    shown = subjects(table[0])
    found = [problems(check, shown) for check in checks_by_code().values()]
    assert [one for one in found if one] == []


def mistakes_in(folder: Path, code: str, case: dict[str, Any]) -> tuple[CatalogFile, list[Finding]]:
    """What ``check`` tells of a file, under this code."""
    text = case["po"].removeprefix("\n")
    if not text.startswith('msgid ""\nmsgstr "C'):
        usual = MEMORY_HEADER if case.get("memory") else HEADER
        text = case.get("header", usual) + text
    if "replace" in case:
        old, new = case["replace"]
        assert old in text
        text = text.replace(old + ("\n" if old.endswith('"') and not new else ""), new)
    path = folder / "guide.po"
    path.write_bytes(text.encode("utf-8"))
    file = CatalogFile(path=path, name="guide.po", page="guide", locale="zh_CN")
    return file, [mistake for mistake in look([file]).findings if mistake.code == code]


def look(files: list[CatalogFile], *, fix: bool = False) -> CheckResult:
    return check(files, Settings.bare(Path("nowhere")), log=Log(QUIET), fix=fix)


@pytest.mark.parametrize(("code", "table"), cases("bad", files=True))
def test_a_bad_file_is_told_and_mended(
    code: str, table: Table, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, case in enumerate(table):
        with subtests.test(f"bad {number}"):
            assert_file_told_and_mended(tmp_path, code, case)


def assert_file_told_and_mended(folder: Path, code: str, case: dict[str, Any]) -> None:
    file, told = mistakes_in(folder, code, case)
    assert told
    assert told[0].line >= 1
    before = file.path.read_bytes()
    after = look([file], fix=True)
    mended = code not in [mistake.code for mistake in after.findings]
    assert mended is (code not in ("M601", "M606", "M607"))
    if mended:
        assert file.path.read_bytes() != before
        assert after.written == ("guide.po",)
        assert "+++ b/guide.po" in after.diffs
        assert look([file], fix=True).written == ()


@pytest.mark.parametrize(("code", "table"), cases("good", files=True))
def test_a_good_file_is_left_alone(
    code: str, table: Table, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, case in enumerate(table):
        with subtests.test(f"good {number}"):
            assert mistakes_in(tmp_path, code, case)[1] == []
