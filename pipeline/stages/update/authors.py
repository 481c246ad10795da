"""Who has translated what, by the commits that brought a file's lines.

The header of a catalogue names one person, and a pull may bring the work of several. In go a file
of the project and a translation, out comes its author, if git knows one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.version_control import authors_of_lines
from pipeline.core.memory.notes import TOUCH, TRANSLATOR
from pipeline.entries import Catalog, Entry


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


def _line_of(msgstr: str) -> str:
    """Return the line that a msgstr is in its file; of several the longest, which is its own."""
    entry = Entry(msgid="-", msgstr=msgstr)
    data = po.format_catalog(Catalog(entries=(entry,))).decode("utf-8")
    _, _, lines = data.partition('msgid "-"\n')
    return max(lines.split("\n"), key=len)
