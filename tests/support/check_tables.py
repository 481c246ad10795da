"""The tables of bad and good translations that every check is tested with."""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Sequence
from functools import cache
from typing import Any

from places import ROOT, TESTS

from pipeline.core.checks import terms
from pipeline.core.checks.base import Check, PageCheck, Problem, Subject
from pipeline.core.glossary.terms import read_glossary
from pipeline.entries import Entry

GLOSSARY = ROOT / "translations" / "glossary" / "zh_CN.csv"
FOLDER = TESTS / "core" / "checks" / "cases"

# What the checks are called in Chinese, and their explanations, by code; also "texts".
CHINESE: dict[str, dict[str, str]] = tomllib.loads(
    (ROOT / "pipeline/core/checks/chinese.toml").read_text(encoding="utf-8")
)


def _with_words(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The cases of each code, with its title and its explanation."""
    return {code: CHINESE[code] | record for code, record in table.items()}


# By module of checks, then by code. A file is called like the module that has its checks.
TABLES: dict[str, dict[str, dict[str, Any]]] = {
    path.stem: _with_words(tomllib.loads(path.read_text(encoding="utf-8")))
    for path in sorted(FOLDER.glob("*.toml"))
}


@cache
def checks_of(module: str) -> dict[str, Check | PageCheck]:
    """The checks of a module, by code."""
    if module == "terms":
        rules = read_glossary(GLOSSARY.read_text(encoding="utf-8"), where=GLOSSARY.name)
        by_entry: tuple[Check | PageCheck, ...] = terms.checks_of(rules)
        return {check.code: check for check in (*by_entry, terms.INCONSISTENT)}
    found = importlib.import_module(f"pipeline.core.checks.{module}")
    return {
        check.code: check
        for kind in ("CHECKS", "PAGE_CHECKS", "ACROSS_CHECKS")
        for check in getattr(found, kind, ())
    }


def subject(
    msgid: str,
    msgstr: str,
    kind: str = "paragraph",
    markup: str = "Markdown",
    **fields: Any,
) -> Subject:
    """A translation to look at."""
    place = kind if markup == "Markdown" else f"{kind} ({markup})"
    return Subject(
        Entry(msgid=msgid, msgstr=msgstr, notes=(f"{place} · Title",), **fields),
        page="guide",
    )


def subjects(case: dict[str, Any]) -> list[Subject]:
    """What a case of a table is about."""
    fields = {
        name: case[name]
        for name in ("kind", "markup", "previous", "fuzzy")
        if name in case
    }
    if "entries" in case:
        return [subject(msgid, msgstr, **fields) for msgid, msgstr in case["entries"]]
    return [subject(case["msgid"], case["msgstr"] * case.get("times", 1), **fields)]


def problems(check: Check | PageCheck, found: Sequence[Subject]) -> list[Problem]:
    """What a check finds."""
    if isinstance(check, Check):
        return list(check.look(found[0]))
    return [check.stamp(problem, index=problem.index) for problem in check.find(found)]
