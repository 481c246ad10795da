"""Result of adopting one copy: the rows of its report, and the audit of its code.

A copy is untrusted, so its code is compared with upstream's and parsed, but never run.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from textwrap import dedent

from msgspec import Struct

from pipeline.core.adoption.alignment import Pair, code_likeness
from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.candidates import Version
from pipeline.errors import worst
from pipeline.findings import Finding

# A line of a shell or notebook command, or a prompt, which Python cannot parse.
_NO_PYTHON = re.compile(r"^\s*(?:%|!|>>>|\.\.\.|In ?\[)", re.MULTILINE)


class CodeCell(Struct, frozen=True, kw_only=True):
    """Audit of a piece of a copy's code."""

    place: str  # "cell 3"
    # Whether the code differs from upstream's in more than comments and white space.
    is_altered: bool = False
    # Whether the version of upstream that the copy translates has no such code.
    is_strange: bool = False
    broken: str = ""  # syntax error


def audit_code(
    english: Sequence[Block], copy: Sequence[Block], pairs: Sequence[Pair]
) -> tuple[CodeCell, ...]:
    """Return the audit of each piece of code in a copy, aligned with the English by ``pairs``."""
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
                # Report no syntax error if upstream's code has one, too: such code is not Python
                # but, for example, a jaxpr or a shell session.
                broken=_broken(code) if ours and not _broken(ours) else "",
            )
        )
    return tuple(cells)


def _broken(code: str) -> str:
    """Return the syntax error of Python code; "" without an error, or for other languages."""
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
    """Outcome of a passage of the copy. Reports show the values."""

    EQUAL = "adopted"  # the English is unchanged at the pin
    CHANGED = "adopted, changed"  # the English is different at the pin
    KEPT = "kept as a comment"  # another translation exists
    SAME = "the same here"  # the existing translation has the same words
    DOUBTFUL = "doubtful"  # the match is uncertain, so it is not adopted
    GONE = "gone"  # the pin does not have the English
    ENGLISH = "left in English"
    MISSING = "missing"  # the copy has no translation
    EXTRA = "not upstream's"  # a remark of the translator, or a leftover of a web page


_ADOPTED = (State.EQUAL, State.CHANGED)


class Row(Struct, frozen=True, kw_only=True):
    """Outcome of one passage."""

    state: State
    english: str = ""  # English of the version that the copy translates
    copy: str = ""  # text of the copy
    pin: str = ""  # English at the pin
    page: str = ""  # page of the pin, if the text has moved to another one
    place: str = ""  # position in the copy
    score: float = 0.0  # confidence of the alignment, 0 to 1
    change: str = ""  # see ``Offer.change``
    msgstr: str = ""  # text for the catalogue


class AdoptedCopy(Struct, frozen=True, kw_only=True):
    """Result of adopting one copy."""

    file: str
    form: str  # "notebook", "Markdown" …
    encoding: str = ""
    page: str = ""  # page that the copy translates
    # Version that the copy translates; None if the copy is a catalogue.
    version: Version | None = None
    as_good: tuple[Version, ...] = ()  # versions that fit equally well
    release: str = ""  # first release with that version
    behind: int = 0  # number of releases from that version to the pin
    rows: tuple[Row, ...] = ()  # one for each passage
    cells: tuple[CodeCell, ...] = ()
    share: float = 1.0  # see ``Choice.share``

    @property
    def counts(self) -> Counter[State]:
        """Return the number of passages in each state."""
        states = (row.state for row in self.rows)
        return Counter(states)

    @property
    def adopted(self) -> tuple[Row, ...]:
        """Return the passages that become fuzzy translations in catalogues, in order."""
        return tuple(row for row in self.rows if row.state in _ADOPTED)

    @property
    def changed_share(self) -> float:
        """Return the share of passages whose English has changed or is gone at the pin, 0 to 1.

        Passages that only the copy has are not counted.
        """
        upstreams = [row for row in self.rows if row.english]
        stale = sum(row.pin != row.english for row in upstreams)
        return stale / max(1, len(upstreams))


class AdoptResult(Struct, frozen=True, kw_only=True):
    """Result of a run of ``adopt``."""

    name: str  # of the upstream
    locale: str
    ref: str
    copies: tuple[AdoptedCopy, ...]
    findings: tuple[Finding, ...] = ()
    # Files that were written, or that a dry run would write, relative to the project's root.
    changes: tuple[str, ...] = ()
    dry_run: bool = False
    check_only: bool = False

    @property
    def exit_code(self) -> int:
        """Return the worst exit code of the errors, or 0. A rejected copy is an error."""
        errors = (finding for finding in self.findings if finding.is_error)
        return worst(error.exit_code for error in errors)
