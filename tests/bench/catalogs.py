"""Pseudo-translate catalogues, count what is translated, or change one translation.

``python -m bench.catalogs fill|count FOLDER`` does so with every catalogue in a folder;
``python -m bench.catalogs change FILE WORD`` lets one translation of a catalogue end with WORD.

A filler keeps code, math, link targets, roles, URLs and HTML as they are and turns every English
word into Chinese characters.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polib
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.entries import Entry
from pipeline.errors import InputError

_KEPT = re.compile(
    r"""
      # code spans and roles, as Markdown or reStructuredText
      (?:\{[\w+:-]+\}|:[\w+:-]+:)?(`+)(?!`).+?(?<!`)\1(?!`)_*
    | \$\$.+?\$\$ | \$[^$\n]+\$                                 # math
    | <[^<>\s][^<>]*>                                           # HTML and autolinks
    | \]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\) | \]\[[^\]]*\]      # link targets
    | https?://\S+ | \{\{.*?\}\} | \[\^[^\]\s]+\] | &\#?\w+; | data:\#\d+
    """,
    re.VERBOSE | re.DOTALL,
)
_SENTENCE = re.compile(r"[A-Z][^`$<\[\]*_()]{39,}\.")
_WORD = re.compile(r"[A-Za-z]{2,}")


def filler(msgid: str) -> str:
    """A Chinese stand-in for ``msgid``. Never empty, and never equal to it if it has a word."""
    parts, at = [], 0
    for kept in _KEPT.finditer(msgid):
        parts += [_WORD.sub(_characters, msgid[at : kept.start()]), kept[0]]
        at = kept.end()
    return "".join((*parts, _WORD.sub(_characters, msgid[at:])))


def _characters(word: re.Match[str]) -> str:
    """Two Chinese characters that depend on the word, so that different words stay different."""
    return "".join(
        chr(
            0x4E00
            + sum(ord(letter) * (place + shift) for place, letter in enumerate(word[0], 7)) % 5000
        )
        for shift in (0, 3)
    )


def fill(folder: Path) -> None:
    """Translate every entry of every catalogue below ``folder``.

    Skip a catalogue that the pipeline refuses: Sphinx offers whole pictures for translation.
    """
    for path in sorted(folder.rglob("*.po")):
        with suppress(InputError):
            edit(path, translated)


def translated(entry: Entry, word: str = "") -> Entry:
    text = filler(entry.msgid) + word
    return replace(entry, msgstr=text, fuzzy=False, previous=None)


def edit(path: Path, change: Callable[[Entry], Entry]) -> None:
    """Change the entries of a catalogue."""
    catalog = po.read_catalog(path.read_bytes(), where=path.name).catalog
    entries = tuple(map(change, catalog.entries))
    path.write_bytes(po.format_catalog(replace(catalog, entries=entries)))


def change(path: Path, word: str) -> None:
    """Translate the first sentence without markup in a catalogue anew, with ``word`` at its end.

    There must be one.
    """
    catalog = po.read_catalog(path.read_bytes(), where=path.name).catalog
    found = next(
        entry
        for entry in catalog.entries
        if _SENTENCE.fullmatch(entry.msgid) and not entry.obsolete
    )
    edit(path, lambda entry: translated(entry, word) if entry == found else entry)


def shares(folder: Path) -> str:
    """How many live entries below ``folder`` are translated and fuzzy, in percent.

    polib reads them, which has no limits: Sphinx offers whole pictures for translation.
    """
    translated = fuzzy = total = 0
    for path in folder.rglob("*.po"):
        catalog = polib.pofile(str(path))
        translated += len(catalog.translated_entries())
        fuzzy += len(catalog.fuzzy_entries())
        total += len([entry for entry in catalog if not entry.obsolete])
    percent = 100 / max(1, total)
    return f"{percent * translated:.1f} % translated, {percent * fuzzy:.1f} % fuzzy"


if __name__ == "__main__":
    _, verb, name, *words = sys.argv
    match verb:
        case "fill":
            fill(Path(name))
        case "change":
            change(Path(name), *words)
        case "count":
            print(shares(Path(name)), end="")
