"""Files of the search index, made from the index records of all pages.

``index.js`` is loaded first. It has the pages, synonyms, names of other frameworks, the names that
arguments belong to, and the first entry of each entry file. An entry file has the positions of
neighbouring entries. A page file has pieces of text for excerpts. ``hints.js`` is loaded for words
that no page has, to suggest other words. All files are scripts that call ``jzSearch``, because a
browser loads no data from a folder (``file://``).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from typing import Any

from pipeline.site.search.pieces import SearchedPage, last_entries_of
from pipeline.tables import read_table

# Words that readers search for, and the words that also serve them.
Synonyms = tuple[list[str], list[str]]


def readers_words(locale: str, usual_names: Mapping[str, str]) -> list[Synonyms]:
    """Return synonyms: words that readers of a locale search for, and short names like ``np``."""
    rows: list[Synonyms] = []
    for short, module in usual_names.items():
        # A part of a module's name finds the name anyway.
        if short not in module.split("."):
            rows.append(([short], [module]))
    asked_and_found = read_table(__name__, "readers").get(locale, [])
    return rows + [(asked, found) for asked, found in asked_and_found]


def names_of_frameworks(package: str) -> dict[str, dict[str, str]]:
    """Return names and modules of other frameworks, with their counterparts in ``package``."""
    return {
        kind: {asked: _whole_names(names, package) for asked, names in table.items()}
        for kind, table in read_table(__name__, "frameworks").items()
    }


def _whole_names(names: str, package: str) -> str:
    """Return names separated by spaces; those with a leading dot get ``package`` in front."""
    whole = (
        f"{package}{name}".rstrip(".") if name.startswith(".") else name
        for name in names.split()
    )
    return " ".join(whole)


# Maximum bytes of an entry file. A query loads one file for each of its entries.
ENTRIES = 12_000
TEXT = 5_000  # maximum bytes of a page file; an excerpt loads one file
# Pages. A word on at least this many pages may be suggested for a mistyped one.
SUGGESTED_FROM = 5
_LATIN_WORD = re.compile(r"[a-z_][a-z0-9_]{2,}")
_OBJECT_PAGE = re.compile(r"(?:[^\s:!@]+/)?([^\s:!@/]+\.[^\s:!@/.]+)")  # api/jax.jit


def files_of(
    pages: Mapping[str, SearchedPage],
    synonyms: Sequence[Any],
    readings: Mapping[str, str],
    *,
    package: str,
    usual_names: Mapping[str, str] | None = None,
    elsewhere: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the files by name, without suffix, for pages in reading order.

    ``elsewhere`` maps pages that another site has to its folder; that site has their page files.

    ``synonyms`` come from ``readers_words`` and the glossary. ``readings`` are pronunciations of
    terms (``{"水壶": "shui hu"}``) in languages that are typed by sound. ``package`` is that of the
    docs, and ``usual_names`` are short names of its modules.
    """
    files: dict[str, str] = {}
    rows: list[list[Any]] = []
    guides = {name: page for name, page in pages.items() if not _is_object(name, page)}
    objects = _by_mentions(
        {name: page for name, page in pages.items() if name not in guides},
        guides,
        usual_names or {},
    )
    pages = {**guides, **objects}
    starts_by_page: dict[str, list[int]] = {}
    for name, page in pages.items():
        starts = starts_by_page[name] = []
        folder = (elsewhere or {}).get(name, "")
        for start, pieces in _page_files(page.pieces):
            if not folder:
                files[f"pages/{name}.{len(starts)}"] = to_json(pieces)
            starts.append(start)
    for name, page in guides.items():
        row = [name, page.title, page.english, int(page.is_translated)]
        row += [len(page.pieces), starts_by_page[name]]
        folder = (elsewhere or {}).get(name, "")
        rows.append([*row, folder] if folder else row)
    firsts: list[str] = []
    places = places_by_entry(pages)
    for first, entries in _entry_files(places):
        files[f"entries/{len(firsts)}"] = entries
        firsts.append(first)
    # A browser may have cached files of another build, with other numbers of pages and pieces.
    digest = sha256("".join(files.values()).encode("utf-8", "replace"))
    contents = {
        "version": digest.hexdigest()[:8],
        "pages": rows,
        "objects": _list_of_objects(objects, starts_by_page, elsewhere or {}),
        "synonyms": synonyms,
        "owners": _owners(pages, places),
        **names_of_frameworks(package),
        "firsts": firsts,
    }
    files["index"] = to_json(contents)
    hints = {"names": " ".join(_usual_words(places)), "terms": list(readings.items())}
    files["hints"] = to_json(hints)
    return {name: _script(name, data) for name, data in files.items()}


def _is_object(name: str, page: SearchedPage) -> bool:
    """Return whether a page is about one object, whose dotted name ends the page's name."""
    match = _OBJECT_PAGE.fullmatch(name)
    return page.is_object and match is not None and match[1] == page.title


def _by_mentions(
    objects: Mapping[str, SearchedPage],
    guides: Mapping[str, SearchedPage],
    usual_names: Mapping[str, str],
) -> dict[str, SearchedPage]:
    """Return the pages of objects, those first that more guides mention.

    ``split`` is jax.random.split rather than jax.numpy.split. Numbers of pages count by their
    powers of two, so that most objects stand beside those of their module.
    """
    counts = Counter(chain.from_iterable(page.entries for page in guides.values()))

    def rank(name: str) -> tuple[int, str]:
        spellings = {objects[name].title}
        for short, module in usual_names.items():
            if objects[name].title.startswith(f"{module}."):
                spellings.add(short + objects[name].title.removeprefix(module))
        # The last entry of a name is the pair at its end.
        pairs = {list(last_entries_of(spelling))[-1] for spelling in spellings}
        return -sum(counts[pair] for pair in pairs).bit_length(), name

    return {name: objects[name] for name in sorted(objects, key=rank)}


def _list_of_objects(
    objects: Mapping[str, SearchedPage],
    starts: Mapping[str, Sequence[int]],
    elsewhere: Mapping[str, str],
) -> str:
    """Return the pages of objects in short: ``api/jax.lax.scan cond:2 while_loop!``.

    A name without a dot is in the module before it. The numbers of pieces follow, and the first
    piece of each file after the first. ``!`` stands for a page in English, ``@`` precedes the
    folder of another site.
    """
    words: list[str] = []
    module = ""
    for name, page in objects.items():
        before, _, last = name.rpartition(".")
        word = last if before == module else name
        module = before
        numbers = [len(page.pieces), *starts[name][1:]]
        if numbers != [1]:
            word += "".join(f":{number}" for number in numbers)
        if not page.is_translated:
            word += "!"
        words.append(f"{word}@{elsewhere[name]}" if name in elsewhere else word)
    return " ".join(words)


def places_by_entry(pages: Mapping[str, SearchedPage]) -> dict[str, str]:
    """Return the positions of each entry: ``3:0n,2;7:1`` are pieces of pages 3 and 7."""
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
    """Return the name that each argument belongs to, for arguments on several pages."""
    owners: dict[str, str] = {}
    for page in pages.values():
        for argument, owner in page.owners.items():
            # ";" separates pages. An argument on a single page is found without its owner.
            if ";" in places.get(argument, ""):
                owners.setdefault(argument, owner)
    return owners


def _usual_words(places: Mapping[str, str]) -> list[str]:
    """Return Latin words that are names or on many pages, the most frequent first."""
    counts: dict[str, int] = {}
    for entry, where in places.items():
        count = where.count(";") + 1
        is_name = not {"b", "d", "n"}.isdisjoint(where)
        if _LATIN_WORD.fullmatch(entry) and (is_name or count >= SUGGESTED_FROM):
            counts[entry] = count
    return sorted(counts, key=lambda entry: (-counts[entry], entry))


def _page_files(pieces: Sequence[Sequence[str]]) -> Iterator[tuple[int, list[Any]]]:
    """Yield the pieces in groups of limited size, each with the number of its first piece."""
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


def _entry_files(places: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the first entry and the content of each entry file.

    Entries are in JavaScript's order, so that ``search.js`` finds a file by its first entry. The
    files have a limited size.
    """
    lines: list[str] = []
    first = ""
    size = 0
    for entry in sorted(places, key=_utf16):
        # Entries are letters, digits, dots and underscores, so JSON needs no escaping.
        line = f'"{entry}":"{places[entry]}"'
        # 1 for the comma. Count bytes: most entries are two Chinese characters of three bytes.
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
    """Return a key that sorts strings as JavaScript does, by UTF-16 code units."""
    return entry.encode("utf-16-be", "surrogatepass")


def to_json(value: Any) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _script(name: str, data: str) -> str:
    """Return a script that passes its data to the search script."""
    return f"jzSearch({to_json(name)},{data})\n"
