"""Who has translated what, and when, by the commits that brought a file's lines.

The header of a catalogue names one person, and a pull may bring the work of several. In go a file
of the project and a translation, out comes its author, if git knows one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import dropwhile, takewhile
from math import inf
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.version_control import authors_of_lines, moments_of_lines
from pipeline.core.memory.record import TOUCH, TRANSLATOR
from pipeline.entries import Catalog, Entry

# When the msgstr of an entry was last committed.
MomentOf = Callable[[Entry], float]


def touches_in_git(root: Path, path: str) -> Callable[[str], str]:
    """Return what gives the note of who has written a msgstr of the catalogue or memory ``path``.

    The note is empty where no commit has the words. Git is asked when somebody is.
    """

    @cache
    def authors() -> dict[str, str]:
        return authors_of_lines(root, path)

    def touch_of(msgstr: str) -> str:
        note = f"{TRANSLATOR}{authors().get(_line_of(msgstr), '')}"
        return note if TOUCH.fullmatch(note) else ""

    return touch_of


def moments_in_git(root: Path, path: str) -> MomentOf:
    """Return what gives the second since 1970 in which an entry's msgstr was last committed.

    Infinity for one of a file that git does not track. Git is asked when somebody is.
    """

    @cache
    def lines() -> list[tuple[str, float]]:
        return moments_of_lines(root, path)

    def moment_of_msgstr(entry: Entry) -> float:
        msgstr = dropwhile(
            lambda line: not line[0].startswith("msgstr"), lines()[entry.line - 1 :]
        )
        block = takewhile(lambda line: line[0].strip() != "", msgstr)
        return max((moment for _, moment in block), default=inf)

    return moment_of_msgstr


def _line_of(msgstr: str) -> str:
    """Return the line that a msgstr is in its file; of several the longest, which is its own."""
    entry = Entry(msgid="-", msgstr=msgstr)
    data = po.format_catalog(Catalog(entries=(entry,))).decode("utf-8")
    _, _, lines = data.partition('msgid "-"\n')
    return max(lines.split("\n"), key=len)
