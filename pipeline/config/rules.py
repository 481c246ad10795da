"""Rules about pages: what is not run, or not as it is, and what checks are not to tell.

Each is a table of an array (``[[tool.pipeline.upstreams.jax.skip]]``) and becomes a record. None
goes without a reason: whoever comes after must be able to tell whether it still holds.
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.config.modes import Mode, modes_called
from pipeline.config.records import (
    Acknowledgement,
    IgnoreRule,
    RunRule,
    SkipRule,
)
from pipeline.config.tables import Table

# Whole numbers of a rule, by their fields. Where one is not given, the record has the value that
# stands for that.
_NUMBERS = {
    "until": "until",
    "devices": "devices",
    "timeout": "timeout",
    "page-timeout": "page_timeout",
}


def read_skip_rule(table: Table) -> SkipRule:
    """Pages that are not executed. Raises ConfigError."""
    table.allow("pages", "reason", "note")
    rule = SkipRule(
        pages=table.strings("pages"),
        reason=table.string("reason"),
        note=table.string("note"),
    )
    if not rule.pages or not rule.reason:
        raise table.error(
            f"{table.name} needs pages and a reason",
            hint="A page is never skipped without a reason.",
        )
    return rule


def read_run_rule(table: Table, modes: Mapping[str, Mode]) -> RunRule:
    """How pages are run that do not run as they are; ``modes`` are all there are.

    Raises ConfigError.
    """
    table.allow("pages", "reason", "note", "needs", "modes", "compare", *_NUMBERS)
    pages, reason = table.strings("pages"), table.string("reason")
    if not pages or not reason:
        raise table.error(
            f"{table.name} needs pages and a reason",
            hint="Say why they are not run as they are.",
        )
    compare = table.boolean("compare")
    # Their default is 0, which nobody may write: "the first cell is number 0" would be a mistake.
    given = {}
    for key, field in _NUMBERS.items():
        if key in table.values:
            given[field] = table.integer(key, default=1, least=1)
    return RunRule(
        pages=pages,
        reason=reason,
        note=table.string("note"),
        needs=table.strings("needs"),
        modes=modes_called(table, "modes", modes),
        compare=compare,
        **given,
    )


def read_part_rule(table: Table) -> list[tuple[str, int]]:
    """Patterns of pages, with how many sections of theirs are translated. Raises ConfigError."""
    table.allow("pages", "sections", "reason")
    pages, reason = table.strings("pages"), table.string("reason")
    if not pages or not reason or "sections" not in table.values:
        raise table.error(
            f"{table.name} needs pages, sections and a reason",
            hint="Say why the others stay English.",
        )
    sections = table.integer("sections", default=1, least=1)
    return [(page, sections) for page in pages]


def read_acknowledgement(table: Table) -> Acknowledgement:
    """Cells that are tagged as raising, and are known not to. Raises ConfigError."""
    table.allow("page", "cells", "reason")
    page, reason = table.string("page"), table.string("reason")
    cells = _read_cells(table)
    if not page or not reason or not cells:
        raise table.error(
            f"{table.name} needs a page, cells and a reason",
            hint="Say which cells are known not to raise.",
        )
    return Acknowledgement(page=page, cells=cells, reason=reason)


def _read_cells(table: Table) -> tuple[int, ...]:
    """The numbers of code cells, from 1. Raises ConfigError.

    They are as reports count them: people copy the numbers from there.
    """
    cells = table.values.get("cells", [])
    if not isinstance(cells, list) or not all(map(_is_cell_number, cells)):
        raise table.wrong("cells", "a list of numbers from 1", cells)
    return tuple(cells)


def _is_cell_number(value: object) -> bool:
    """Whether a value of TOML can be the number of a cell: 1 can, 0, 1.0 and true cannot."""
    # "isinstance" would take true for 1.
    return type(value) is int and value >= 1


def read_ignore_rule(table: Table) -> IgnoreRule:
    """Checks that are not told on some pages. Raises ConfigError.

    Whether there are such checks is for the command ``check`` to say, which knows them.
    """
    table.allow("codes", "pages", "reason")
    rule = IgnoreRule(
        codes=table.strings("codes"),
        pages=table.strings("pages", default=("**",)),
        reason=table.string("reason"),
    )
    if not rule.codes or not rule.reason:
        raise table.error(
            f"{table.name} needs codes and a reason",
            hint="A check is never silenced without a reason.",
        )
    return rule
