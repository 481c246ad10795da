"""``[tool.pipeline.modes.NAME]``: what is done to a kernel before the first cell of a page.

In go tables, out come records by their names: the modes of the project, and those that come along.
Start-up files are read where code is run (``stages.execute.startup``): who runs nothing does not
need them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pipeline.config.suggesting import did_you_mean
from pipeline.config.tables import Table
from pipeline.folders import is_safe_path

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """A way to run pages that do not run as they are: start-up code, variables, or both."""

    name: str
    note: str  # how such a page runs, for people: "in interpret mode"
    # A file of Python, by its path from the project's root; empty: none.
    startup: str = ""
    comes_along: bool = False  # it is the pipeline's own, and so is its start-up file
    variables: Mapping[str, str] = field(default_factory=dict)
    cell_seconds: float | None = None  # that most cells take; None: as everywhere


# What any project may name: these are about no package of whose docs somebody may be.
COMING_ALONG = (
    Mode(
        name="stand-in-data",
        note="with stand-in data",
        startup="stand-in-data.py",
        comes_along=True,
    ),
)


def read_modes(table: Table, *, upstreams: Collection[str]) -> Mapping[str, Mode]:
    """``[tool.pipeline.modes]``, and what comes along. Raises ConfigError.

    ``upstreams`` are the names of all: a start-up file may not lie where one is pulled to.
    """
    modes = {mode.name: mode for mode in COMING_ALONG}
    for name in table.values:
        # A rule must mean the same in every project.
        if name in modes:
            raise table.error(
                f"[{table.name}.{name}] has the name of a mode that every project has",
                hint="Give it another name.",
            )
    for name in table.values:
        modes[name] = _mode(name, table.table(name), upstreams)
    return modes


def modes_called(table: Table, key: str, modes: Mapping[str, Mode]) -> tuple[Mode, ...]:
    """The ``modes`` that a rule names, in its order. Raises ConfigError."""
    names = table.strings(key)
    for name in names:
        if name not in modes:
            raise table.error(
                f"{table.name}.{key}: no mode is called {name!r}",
                hint=f"{did_you_mean(name, modes)}Known: {', '.join(modes)}. "
                "A mode of your own is a table [tool.pipeline.modes.NAME].",
            )
    return tuple(modes[name] for name in names)


def _mode(name: str, table: Table, upstreams: Collection[str]) -> Mode:
    """``[tool.pipeline.modes.NAME]`` as a record."""
    if not _NAME.fullmatch(name):
        raise table.error(
            f"{name!r} cannot name a mode", hint="Use letters, digits, - and _."
        )
    table.allow("startup", "note", "cell-seconds", "variables")
    mode = Mode(
        name=name,
        note=table.string("note"),
        startup=_startup(table, upstreams),
        variables=_variables(table.table("variables")),
        cell_seconds=table.number("cell-seconds"),
    )
    if not mode.note:
        raise table.error(
            f"{table.name}.note is missing",
            hint='Say how such pages run, as readers are told: "in interpret mode".',
        )
    if not mode.startup and not mode.variables:
        raise table.error(
            f"[{table.name}] has neither startup nor variables, and would do nothing",
            hint="Name a file of Python that runs before the first cell, or variables.",
        )
    return mode


def _startup(table: Table, upstreams: Collection[str]) -> str:
    """The path of the start-up file; empty if there is none."""
    path = table.string("startup")
    if "startup" not in table.values:
        return ""
    if not is_safe_path(path):
        raise table.error(
            f"{table.name}.startup is not a file inside the project: {path!r}",
            hint='Write its path from the folder of this file, like "startup/quiet.py".',
        )
    for name in upstreams:
        # Names are alike on some systems whatever their case.
        if path.casefold().startswith(f"upstream/{name}/".casefold()):
            raise table.error(
                f"{table.name}.startup lies where the docs of {name!r} are pulled to: {path!r}",
                hint="Move the file: whatever lies there is upstream's.",
            )
    return path


def _variables(table: Table) -> Mapping[str, str]:
    """Environment variables of the kernel."""
    variables = {name: table.string(name) for name in table.values}
    for name, value in variables.items():
        # No system can start a process with others.
        if not _VARIABLE.fullmatch(name) or "\0" in value:
            raise table.error(
                f"{table.name} has what is no environment variable: {name!r}",
                hint="Use letters, digits and _ for its name, and no NUL in its value.",
            )
    return variables
