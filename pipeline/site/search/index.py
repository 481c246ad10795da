"""The files of the index, from what it has of all pages. Values in, texts of files out.

``index.js`` is read first: the pages, the terms of the glossary, the names that arguments belong
to, and where the files of entries begin. A file of entries has the places of neighbouring entries;
a file of a page has pieces of its text, for excerpts. ``hints.js`` is read for words that stand
nowhere: what they may have meant. They are scripts that call ``jzSearch``, since a browser reads
nothing else from a folder (``file://``).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import resources
from typing import Any

from pipeline.site.search.pieces import SearchedPage

Synonyms = tuple[list[str], list[str]]  # as ``pipeline.site.terms.synonyms`` makes them


def readers_words(locale: str, usual_names: Mapping[str, str]) -> list[Synonyms]:
    """Return what readers of a locale ask for, and what code calls modules by custom: ``np``."""
    rows: list[Synonyms] = []
    for short, module in usual_names.items():
        # Who asks for a part of a name finds the name.
        if short not in module.split("."):
            rows.append(([short], [module]))
    asked_and_found = _table("readers.toml").get(locale, [])
    return rows + [(asked, found) for asked, found in asked_and_found]


def names_of_frameworks(package: str) -> dict[str, dict[str, str]]:
    """Return what other frameworks call names and modules, with the names of ``package``."""
    return {
        kind: {asked: _whole_names(names, package) for asked, names in table.items()}
        for kind, table in _table("frameworks.toml").items()
    }


def _whole_names(names: str, package: str) -> str:
    """Return names that white space parts, with ``package`` before those that begin with a dot."""
    whole = (
        f"{package}{name}".rstrip(".") if name.startswith(".") else name
        for name in names.split()
    )
    return " ".join(whole)


def _table(name: str) -> dict[str, Any]:
    """Read a table that lies beside this module."""
    return tomllib.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))


ENTRIES = 12_000  # bytes of a file of entries, about: a query needs one for each of its entries
TEXT = 5_000  # of a file of text: an excerpt needs one
USUAL = (
    5  # pages with a word, from which on it may be what a slip of the keys was to be
)
_LATIN_WORD = re.compile(r"[a-z_][a-z0-9_]{2,}")


def files_of(
    pages: Mapping[str, SearchedPage],
    synonyms: Sequence[Any],
    readings: Mapping[str, str],
    *,
    package: str,
) -> dict[str, str]:
    """Return the files by name, without suffix, for pages in reading order.

    ``synonyms`` are those of ``pipeline.site.terms``; ``readings`` say how terms are read
    (``{"水壶": "shui hu"}``), in languages that are typed so. ``package`` is that of the docs.
    """
    files: dict[str, str] = {}
    rows: list[list[Any]] = []
    for name, page in pages.items():
        starts: list[int] = []
        for start, pieces in _packed(page.pieces):
            files[f"pages/{name}.{len(starts)}"] = to_json(pieces)
            starts.append(start)
        row = [name, page.title, page.english, int(page.is_translated)]
        rows.append([*row, len(page.pieces), starts])
    firsts: list[str] = []
    places = places_by_entry(pages)
    for first, entries in _shelves(places):
        files[f"entries/{len(firsts)}"] = entries
        firsts.append(first)
    # Files of two builds must not meet: their numbers of pages and pieces differ.
    digest = sha256("".join(files.values()).encode("utf-8", "replace"))
    contents = {
        "version": digest.hexdigest()[:8],
        "pages": rows,
        "synonyms": synonyms,
        "owners": _owners(pages, places),
        **names_of_frameworks(package),
        "firsts": firsts,
    }
    files["index"] = to_json(contents)
    hints = {"names": " ".join(_usual_words(places)), "terms": list(readings.items())}
    files["hints"] = to_json(hints)
    return {name: _script(name, data) for name, data in files.items()}


def places_by_entry(pages: Mapping[str, SearchedPage]) -> dict[str, str]:
    """Return where each entry stands: ``3:0n,2;7:1`` are pieces of pages 3 and 7."""
    places: dict[str, str] = {}
    for number, page in enumerate(pages.values()):
        place = f"{number}:"
        for entry, pieces in page.entries.items():
            known = places.get(entry)
            others = "" if known is None else f"{known};"
            places[entry] = f"{others}{place}{pieces}"
    return places


def _owners(
    pages: Mapping[str, SearchedPage], places: Mapping[str, str]
) -> dict[str, str]:
    """Return the names that arguments belong to, of those that several pages speak of."""
    owners: dict[str, str] = {}
    for page in pages.values():
        for argument, owner in page.owners.items():
            if ";" in places.get(argument, ""):
                owners.setdefault(argument, owner)
    return owners


def _usual_words(places: Mapping[str, str]) -> list[str]:
    """Return the Latin words that many pages have, or that are names, the most usual ones first."""
    counts: dict[str, int] = {}
    for entry, where in places.items():
        count = where.count(";") + 1
        is_name = not {"b", "d", "n"}.isdisjoint(where)
        if _LATIN_WORD.fullmatch(entry) and (is_name or count >= USUAL):
            counts[entry] = count
    return sorted(counts, key=lambda entry: (-counts[entry], entry))


def _packed(pieces: Sequence[Sequence[str]]) -> Iterator[tuple[int, list[Any]]]:
    """Yield pieces in files of some size, each with the number of its first piece."""
    start = size = 0
    file: list[Any] = []
    for number, piece in enumerate(pieces):
        length = len("".join(piece).encode("utf-8", "replace"))
        if file and size + length > TEXT:
            yield start, file
            start, size, file = number, 0, []
        file.append(piece)
        size += length
    if file:
        yield start, file


def _shelves(places: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the entries in JavaScript's order, in files; each with its first entry."""
    lines: list[str] = []
    first = ""
    size = 0
    for entry in sorted(places, key=_utf16):
        # Letters, digits, dots and the like: nothing that JSON would escape.
        line = f'"{entry}":"{places[entry]}"'
        # With the comma behind it; most entries are two Chinese letters of three bytes each.
        length = len(line.encode("utf-8", "replace")) + 1
        if lines and size + length > ENTRIES:
            yield first, f"{{{','.join(lines)}}}"
            lines, size = [], 0
        if not lines:
            first = entry
        lines.append(line)
        size += length
    if lines:
        yield first, f"{{{','.join(lines)}}}"


def _utf16(entry: str) -> bytes:
    """Return a key that sorts strings as JavaScript does: by units of UTF-16."""
    return entry.encode("utf-16-be", "surrogatepass")


def to_json(value: Any) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _script(name: str, data: str) -> str:
    """Return a file that hands its data to the script that has asked for it."""
    return f"jzSearch({to_json(name)},{data})\n"
