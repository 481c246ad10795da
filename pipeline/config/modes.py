"""``[tool.pipeline.modes.NAME]``: what is done to a kernel before the first cell of a page.

The modes of the project, and those that come along. Start-up files are read where code is run
(``stages.execute.startup``): who runs nothing does not need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, field

from pipeline.config.kinds import Amount, Variable
from pipeline.config.tables import RefusedError, Table, written
from pipeline.folders import is_safe_path

_INSIDE = "a file inside the project"
_WRITE_PATH = 'Write its path from the folder of this file, like "startup/quiet.py".'

_Startup = Annotated[str, Meta(min_length=1, title=_INSIDE, description=_WRITE_PATH)]
_Note = Annotated[
    str,
    Meta(
        min_length=1,
        description='Say how such pages run, as readers are told: "in interpret mode".',
    ),
]
# No system can start a process with another one.
_Value = Annotated[
    str, written(r"[^\0]*", "a string without NUL", "Remove the NUL and run again.")
]


class ModeTable(Table, frozen=True, kw_only=True):
    """A mode as the project writes it: start-up code, variables, or both."""

    note: _Note  # how such a page runs, for people: "in interpret mode"
    # A file of Python, by its path from the project's root; empty: none.
    startup: _Startup = ""
    variables: Mapping[Variable, _Value] = field(default_factory=dict)
    cell_seconds: Amount | None = None  # that most cells take; None: as everywhere

    def __post_init__(self) -> None:
        if self.startup and not is_safe_path(self.startup):
            what = f"must be {_INSIDE}, not {self.startup!r}"
            raise RefusedError(what, key="startup", hint=_WRITE_PATH)
        if not self.startup and not self.variables:
            raise RefusedError(
                "has neither startup nor variables, and would do nothing",
                hint="Name a file of Python that runs before the first cell, or variables.",
            )


class Mode(ModeTable, frozen=True, kw_only=True):
    """A way to run pages that do not run as they are."""

    name: str
    comes_along: bool = False  # it is the pipeline's own, and so is its start-up file


# What any project may name: these are about no package of whose docs somebody may be.
COMING_ALONG = (
    Mode(
        name="stand-in-data",
        note="with stand-in data",
        startup="stand-in-data.py",
        comes_along=True,
    ),
)
