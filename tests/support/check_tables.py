"""Tables of bad and good translations, with which every check is tested."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from typing import Any

from places import ROOT, TESTS

from pipeline.core.checks.model import Check, PageCheck, Problem, Subject
from pipeline.core.checks.table import SIMPLIFIED, glossary_checks
from pipeline.core.glossary.glossary import read_glossary
from pipeline.entries import Entry

GLOSSARY = ROOT / "translations" / "glossary" / "zh_CN.csv"
FOLDER = TESTS / "core" / "checks" / "cases"

# What the checks are called in Chinese, and their explanations, by code; also "texts".
CHINESE: dict[str, dict[str, str]] = tomllib.loads(
    (ROOT / "pipeline/core/checks/chinese.toml").read_text(encoding="utf-8")
)


# Cases of each code, with its title and its explanation.
TABLES: dict[str, dict[str, Any]] = {
    code: CHINESE[code] | record
    for path in sorted(FOLDER.glob("*.toml"))
    for code, record in tomllib.loads(path.read_text(encoding="utf-8")).items()
}


@cache
def checks_by_code() -> dict[str, Check | PageCheck]:
    """Return every check of translations, with the project's own glossary."""
    terms = read_glossary(GLOSSARY.read_text(encoding="utf-8"), where=GLOSSARY.name)
    checks: tuple[Check | PageCheck, ...] = (
        *SIMPLIFIED.checks,
        *SIMPLIFIED.page_checks,
        *glossary_checks(terms),
        *SIMPLIFIED.across,
    )
    return {check.code: check for check in checks}


def subject(
    msgid: str,
    msgstr: str,
    kind: str = "paragraph",
    markup: str = "Markdown",
    **fields: Any,
) -> Subject:
    """Return a translation to check."""
    place = kind if markup == "Markdown" else f"{kind} ({markup})"
    return Subject(
        Entry(msgid=msgid, msgstr=msgstr, notes=(f"{place} · Title",), **fields),
        page="guide",
    )


def subjects(case: dict[str, Any]) -> list[Subject]:
    """Return the translations of one case of a table."""
    fields = {name: case[name] for name in ("kind", "markup", "previous", "fuzzy") if name in case}
    if "entries" in case:
        return [subject(msgid, msgstr, **fields) for msgid, msgstr in case["entries"]]
    return [subject(case["msgid"], case["msgstr"] * case.get("times", 1), **fields)]


def problems(check: Check | PageCheck, found: Sequence[Subject]) -> list[Problem]:
    """Return the problems that a check finds."""
    if isinstance(check, Check):
        return list(check.look(found[0]))
    return [check.stamp(problem, index=problem.index) for problem in check.find(found)]
