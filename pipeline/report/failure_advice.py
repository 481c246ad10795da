"""Advice about failed pages: who has to solve the problem, and how.

The input is the record of an execution, the output a sentence or two. The texts and the patterns of
exceptions are in ``failure_advice.toml``. The first pattern that matches counts, so precise
patterns come before vague ones.
"""

from __future__ import annotations

import re
from functools import cache

import msgspec
from msgspec import Struct

from pipeline.core.execution.code_cells import cell_name
from pipeline.core.execution.result import (
    MISSING,
    CellFailure,
    Execution,
    without_colours,
)
from pipeline.packages import how_to_run, running_group
from pipeline.tables import read_table

_MODULE = re.compile(r"No module named '?([\w.]+)")
_NEVER = "(?!)"  # a pattern that matches nothing


class _Texts(Struct, frozen=True):
    """The tables of ``failure_advice.toml``."""

    whose: dict[str, str]
    advice: dict[str, str]
    environment: dict[str, dict[str, str]]  # patterns and advice by kind of exception


def whose(execution: Execution) -> str:
    """Return who has to solve the problem of a failed page, in a few words."""
    blame = "document"
    if execution.failure:
        blame = execution.failure.blame
    return _texts().whose.get(blame, blame)


def advice(execution: Execution) -> str:
    """Return what to do about a failed page, in a sentence or two."""
    failure = execution.failure
    texts = _texts().advice
    if failure is None:
        return texts["document"]
    match failure.blame:
        case "expectation":
            return texts["expectation"]
        case "environment":
            return _about_the_environment(failure)
        case _:
            return texts["upstream"].format(cell=cell_name(failure.cell) or "the page")


def _about_the_environment(failure: CellFailure) -> str:
    """Return what to do about an exception that the environment has caused."""
    name = failure.exception.rpartition(".")[2]
    message = without_colours(failure.message)
    texts = _texts().advice
    module = _MODULE.search(message)
    if module:
        # People install the package, not the module in it: "optax.losses" → optax.
        package = module[1].partition(".")[0]
        return texts["module"].format(package=package, group=running_group())
    for kind, rule in _texts().environment.items():
        pattern = MISSING if kind == "accelerator" else rule.get("message", _NEVER)
        if re.search(rule.get("exception", _NEVER), name):
            return rule["advice"]
        if re.search(pattern, message):
            return rule["advice"]
    return texts["environment"].format(command=how_to_run("execute", "--pages PAGE -v"))


@cache
def _texts() -> _Texts:
    return msgspec.convert(read_table(__name__, "failure_advice"), _Texts)
