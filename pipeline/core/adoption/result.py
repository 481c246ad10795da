"""Result of adopting one copy: the rows of its report, and what is wrong with its code.

Code is compared with upstream's and parsed, and never run: a copy is a stranger's.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from textwrap import dedent

from pipeline.core.adoption.alignment import Pair, code_likeness
from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.history import Version
from pipeline.errors import worst
from pipeline.findings import Finding

_NO_PYTHON = re.compile(r"^\s*(?:%|!|>>>|\.\.\.|In ?\[)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeCell:
    """A piece of a copy's code: whether it is upstream's, and what fails in it today."""

    place: str
    is_altered: bool = False  # a translated comment or white space does not count
    is_strange: bool = False  # upstream has no such code at that version
    broken: str = ""  # why Python cannot read it


def audit_code(
    english: Sequence[Block], copy: Sequence[Block], pairs: Sequence[Pair]
) -> tuple[CodeCell, ...]:
    """Return what is wrong with each piece of code of a copy."""
    cells: list[CodeCell] = []
    for pair in pairs:
        theirs = [copy[number] for number in pair.copy]
        if not theirs or theirs[0].kind is not BlockKind.CODE:
            continue
        code = "\n".join(block.text for block in theirs)
        ours = "\n".join(english[number].text for number in pair.english)
        cells.append(
            CodeCell(
                place=theirs[0].place,
                is_strange=not pair.english,
                is_altered=bool(ours) and code_likeness(ours, code) < 1.0,
                # What upstream shows may be no Python either: a jaxpr, a shell.
                broken=_broken(code) if ours and not _broken(ours) else "",
            )
        )
    return tuple(cells)


def _broken(code: str) -> str:
    """Return why Python cannot read a piece of code; empty if it can, or for other code."""
    if _NO_PYTHON.search(code):
        return ""
    try:
        ast.parse(dedent(code))
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno} of the code)"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error)
    return ""


class State(StrEnum):
    """What becomes of a passage. The values are what reports show."""

    EQUAL = "adopted"  # its English is at the pin as it was
    CHANGED = "adopted, changed"  # its English is another one at the pin
    KEPT = "kept as a comment"  # a translation is there already
    SAME = "the same here"  # … and it has the same words
    DOUBTFUL = "doubtful"  # it may be of this English, and is not taken
    GONE = "gone"  # upstream has dropped its English
    ENGLISH = "left in English"
    MISSING = "missing"  # the copy has nothing for it
    EXTRA = "not upstream's"  # a remark of the translator's, or what a web page added


_ADOPTED = (State.EQUAL, State.CHANGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One passage: the English at the version, the copy, the English at the pin."""

    state: State
    english: str = ""
    copy: str = ""
    pin: str = ""
    page: str = ""  # where the pin has it, if that is another page
    place: str = ""  # in the copy
    score: float = 0.0
    change: str = ""
    msgstr: str = ""  # what goes into the catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptedCopy:
    """A copy that was understood: what it is of, and what becomes of every passage."""

    file: str
    form: str  # notebook, Markdown, …
    encoding: str = ""
    page: str = ""
    version: Version | None = None  # None for a catalogue
    as_good: tuple[Version, ...] = ()
    release: str = ""  # the first release with that version
    behind: int = 0  # releases since then
    rows: tuple[Row, ...] = ()
    cells: tuple[CodeCell, ...] = ()
    share: float = 1.0

    @property
    def counts(self) -> Counter[State]:
        """How many passages are in which state; none counts as 0.

        The report and the audit are made of it.
        """
        states = (row.state for row in self.rows)
        return Counter(states)

    @property
    def adopted(self) -> tuple[Row, ...]:
        """The passages that go into catalogues as suggestions, in the copy's order.

        Those whose English is at the pin as it was, and those whose English has changed since. Each
        waits for a person.
        """
        return tuple(row for row in self.rows if row.state in _ADOPTED)

    @property
    def changed_share(self) -> float:
        """Which share of the English that the copy is of is another one at the pin, 0 to 1.

        English that is gone counts as changed; what the copy has besides does not count.
        """
        upstreams = [row for row in self.rows if row.english]
        stale = sum(row.pin != row.english for row in upstreams)
        return stale / max(1, len(upstreams))


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptResult:
    """What a run of ``adopt`` came to.

    ``changes`` are the files written, or to be written, relative to the root.
    """

    name: str
    locale: str
    ref: str
    copies: tuple[AdoptedCopy, ...]
    findings: tuple[Finding, ...] = ()
    changes: tuple[str, ...] = ()
    dry_run: bool = False
    check_only: bool = False

    @property
    def exit_code(self) -> int:
        """The worst of what was found: a copy that was refused is an error.

        0 if there is none. What is only a warning stops nobody.
        """
        errors = (finding for finding in self.findings if finding.is_error)
        return worst(error.exit_code for error in errors)
