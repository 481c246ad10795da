"""Result of adopting one copy: the rows of its report, and the audit of its code.

The code is compared with upstream's and parsed, but never run, because a copy is untrusted.
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
    """Piece of a copy's code: whether it equals upstream's, and any syntax error."""

    place: str
    is_altered: bool = False  # translated comments and white space do not count
    is_strange: bool = False  # upstream has no such code in that version
    broken: str = ""  # the syntax error


def audit_code(
    english: Sequence[Block], copy: Sequence[Block], pairs: Sequence[Pair]
) -> tuple[CodeCell, ...]:
    """Return the audit of each piece of code in a copy."""
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
                # Upstream's own text may be no Python either, for example a jaxpr or a shell
                # session.
                broken=_broken(code) if ours and not _broken(ours) else "",
            )
        )
    return tuple(cells)


def _broken(code: str) -> str:
    """Return the syntax error of Python code; empty without one, or for other languages."""
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
    """Outcome of a passage. Reports show the values."""

    EQUAL = "adopted"  # the English is unchanged at the pin
    CHANGED = "adopted, changed"  # the English has changed since
    KEPT = "kept as a comment"  # another translation exists
    SAME = "the same here"  # the existing translation has the same words
    DOUBTFUL = "doubtful"  # the match is uncertain, so it is not adopted
    GONE = "gone"  # upstream has dropped the English
    ENGLISH = "left in English"
    MISSING = "missing"  # the copy has no translation
    EXTRA = "not upstream's"  # a translator's remark, or residue of a web page


_ADOPTED = (State.EQUAL, State.CHANGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One passage: the English of the version, the copy, and the English at the pin."""

    state: State
    english: str = ""
    copy: str = ""
    pin: str = ""
    page: str = ""  # page of the pin, if another one
    place: str = ""  # position in the copy
    score: float = 0.0
    change: str = ""
    msgstr: str = ""  # text for the catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptedCopy:
    """Matched copy: its page and version, and the outcome of every passage."""

    file: str
    form: str  # notebook, Markdown, …
    encoding: str = ""
    page: str = ""
    version: Version | None = None  # None for a catalogue
    as_good: tuple[Version, ...] = ()
    release: str = ""  # the first release with that version
    behind: int = 0  # releases between that version and the pin
    rows: tuple[Row, ...] = ()
    cells: tuple[CodeCell, ...] = ()
    share: float = 1.0

    @property
    def counts(self) -> Counter[State]:
        """Return the number of passages in each state."""
        states = (row.state for row in self.rows)
        return Counter(states)

    @property
    def adopted(self) -> tuple[Row, ...]:
        """Return the passages that become suggestions in catalogues, in the copy's order.

        Their English is unchanged at the pin, or was changed since. All of them are fuzzy.
        """
        return tuple(row for row in self.rows if row.state in _ADOPTED)

    @property
    def changed_share(self) -> float:
        """Return the share of the copy's English that has changed or is gone at the pin, 0 to 1.

        Passages that only the copy has do not count.
        """
        upstreams = [row for row in self.rows if row.english]
        stale = sum(row.pin != row.english for row in upstreams)
        return stale / max(1, len(upstreams))


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptResult:
    """Result of a run of ``adopt``.

    ``changes`` are the files written, or that would be written, relative to the root.
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
        """Return the worst exit code of the errors, or 0. A rejected copy is an error."""
        errors = (finding for finding in self.findings if finding.is_error)
        return worst(error.exit_code for error in errors)
