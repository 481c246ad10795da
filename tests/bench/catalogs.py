"""Pseudo-translate catalogues, count what is translated, or change one translation.

``python -m bench.catalogs fill|count FOLDER`` does so with every catalogue in a folder;
``python -m bench.catalogs change FILE WORD`` lets one translation of a catalogue end with WORD.

A filler keeps code, math, link targets, roles, URLs and HTML as they are and turns every English
word into Chinese characters.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polib

from pipeline.adapters import po
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
            + sum(
                ord(letter) * (place + shift) for place, letter in enumerate(word[0], 7)
            )
            % 5000
        )
        for shift in (0, 3)
    )


def fill(folder: Path) -> None:
    """Translate every entry of every catalogue below ``folder``.

    Skip a catalogue that the pipeline refuses: Sphinx offers whole pictures for translation.
    """
    for path in sorted(folder.rglob("*.po")):
        try:
            catalog = po.read_catalog(path.read_bytes(), where=path.name).catalog
        except InputError:
            continue
        entries = tuple(
            replace(entry, msgstr=filler(entry.msgid), fuzzy=False, previous=None)
            for entry in catalog.entries
        )
        path.write_bytes(po.format_catalog(replace(catalog, entries=entries)))


def change(path: Path, word: str) -> None:
    """Translate the first sentences without markup in a catalogue anew.

    They end with ``word``. There must be some.
    """
    catalog = po.read_catalog(path.read_bytes(), where=path.name).catalog
    found = next(
        entry
        for entry in catalog.entries
        if _SENTENCE.fullmatch(entry.msgid) and not entry.obsolete
    )
    changed = replace(
        found, msgstr=f"{filler(found.msgid)}{word}", fuzzy=False, previous=None
    )
    entries = tuple(changed if entry is found else entry for entry in catalog.entries)
    path.write_bytes(po.format_catalog(replace(catalog, entries=entries)))


def count(folder: Path) -> dict[str, int]:
    """How many live entries below ``folder`` are translated, fuzzy or empty.

    polib reads them, which has no limits: Sphinx offers whole pictures for translation.
    """
    counts: Counter[str] = Counter()
    for path in folder.rglob("*.po"):
        catalog = polib.pofile(str(path))
        counts["translated"] += len(catalog.translated_entries())
        counts["fuzzy"] += len(catalog.fuzzy_entries())
        counts["empty"] += len(catalog.untranslated_entries())
    return dict(+counts)


if __name__ == "__main__":
    _, verb, name, *words = sys.argv
    if verb == "fill":
        fill(Path(name))
    elif verb == "change":
        change(Path(name), *words)
    else:
        print(json.dumps(count(Path(name))))
