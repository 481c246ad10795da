"""Files of the search index, made from the index records of all pages.

- ``index.js`` is loaded first. It has the list of pages, synonyms, names of other frameworks, and
  for each argument the function that has it. ``index.js`` also has the first entry of each entry
  file.
- An entry file, ``entries/7.js``, has the positions of entries that are neighbours in the alphabet.
- A page file, ``pages/faq.1.js``, has the text of pieces of a page, for excerpts.
- ``hints.js`` is loaded if no page has a word of the query. It has words to suggest in place of the
  reader's words.

All files are scripts that call ``jzSearch``, because a page that is opened from a folder
(``file://``) cannot load data files.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from typing import Any, TypeVar

from pipeline.site.search.pieces import SearchedPage, last_entries_of
from pipeline.tables import read_table

Item = TypeVar("Item")
# A synonym: words that readers may search for, and the words that the search then looks up as well.
Synonyms = tuple[list[str], list[str]]


def readers_words(locale: str, usual_names: Mapping[str, str]) -> list[Synonyms]:
    """Return synonyms: words that readers of a locale search for, and short names of modules.

    ``{"jnp": "jax.numpy"}`` gives ``(["jnp"], ["jax.numpy"])``.
    """
    rows: list[Synonyms] = []
    for short, module in usual_names.items():
        # A short name that is a part of the module's name (``numpy``) needs no synonym to find the
        # module.
        if short not in module.split("."):
            rows.append(([short], [module]))
    asked_and_found = read_table(__name__, "readers").get(locale, [])
    return rows + [(asked, found) for asked, found in asked_and_found]


def names_of_frameworks(package: str) -> dict[str, dict[str, str]]:
    """Return names and modules of other frameworks, with their counterparts in ``package``.

    The keys of the result are those of the table ``frameworks.toml``.
    """
    return {
        kind: {asked: _whole_names(names, package) for asked, names in table.items()}
        for kind, table in read_table(__name__, "frameworks").items()
    }


def _whole_names(names: str, package: str) -> str:
    """Complete names with a leading dot: ``.grad .numpy.sin`` → ``jax.grad jax.numpy.sin``."""
    whole = (
        f"{package}{name}".rstrip(".") if name.startswith(".") else name for name in names.split()
    )
    return " ".join(whole)


# Maximum bytes of an entry file. A query loads one file for each of its entries.
ENTRIES = 12_000
TEXT = 5_000  # maximum bytes of a page file; an excerpt loads one file
# A word is suggested in place of a mistyped one if at least this many pages have it.
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
    """Return the files of the index, by name without suffix.

    - ``pages``: the index records by page name, in reading order.
    - ``synonyms``: from ``readers_words`` and the glossary.
    - ``readings``: the pronunciations of terms, for languages that people type by sound:
      ``{"水壶": "shui hu"}``.
    - ``package``: the package that the docs document; ``usual_names``: short names of its modules.
    - ``elsewhere``: for each page that another site has, the folder of that site, which has the
      page files of this page.
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
        start = 0
        sizes = (_size("".join(piece)) for piece in page.pieces)
        for pieces in _groups(page.pieces, sizes, TEXT):
            if not folder:
                files[f"pages/{name}.{len(starts)}"] = to_json(pieces)
            starts.append(start)
            start += len(pieces)
        if name in guides:
            row = [name, page.title, page.english, int(page.is_translated)]
            row += [len(page.pieces), starts]
            rows.append([*row, folder] if folder else row)
    firsts: list[str] = []
    places = places_by_entry(pages)
    entries = sorted(places, key=_utf16)
    # Entries and their positions have no characters that JSON escapes. Add 6 for four quotes, a
    # colon and a comma.
    sizes = (_size(entry + places[entry]) + 6 for entry in entries)
    for group in _groups(entries, sizes, ENTRIES):
        files[f"entries/{len(firsts)}"] = to_json({entry: places[entry] for entry in group})
        firsts.append(group[0])
    # The digest is part of the addresses of all files, because a browser may have cached files of
    # another build, in which pages and pieces have other numbers.
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
    """Return whether a page documents one object, whose dotted name ends the page's name."""
    match = _OBJECT_PAGE.fullmatch(name)
    return page.is_object and match is not None and match[1] == page.title


def _by_mentions(
    objects: Mapping[str, SearchedPage],
    guides: Mapping[str, SearchedPage],
    usual_names: Mapping[str, str],
) -> dict[str, SearchedPage]:
    """Return the pages of objects, ordered by the number of guides that mention them.

    So the search shows jax.random.split before jax.numpy.split. The numbers of guides are rounded
    to powers of two, and objects with the same rounded number are sorted by name. So most objects
    are next to others of their module. This makes the list shorter (see ``_list_of_objects``).
    """
    counts = Counter(chain.from_iterable(page.entries for page in guides.values()))

    def rank(name: str) -> tuple[int, str]:
        spellings = {objects[name].title}
        for short, module in usual_names.items():
            if objects[name].title.startswith(f"{module}."):
                spellings.add(short + objects[name].title.removeprefix(module))
        # The last entry of a name is the pair of words at its end: ".random.split".
        pairs = {list(last_entries_of(spelling))[-1] for spelling in spellings}
        return -sum(counts[pair] for pair in pairs).bit_length(), name

    return {name: objects[name] for name in sorted(objects, key=rank)}


def _list_of_objects(
    objects: Mapping[str, SearchedPage],
    starts: Mapping[str, Sequence[int]],
    elsewhere: Mapping[str, str],
) -> str:
    """Return the list of pages of objects in a short form: ``api/jax.lax.scan cond:2 while_loop!``.

    A name without a dot is in the same module as the name before it. The first number after a name
    is the number of its pieces, if there are several. Further numbers are the first piece of each
    page file after the first file. ``!`` marks an English page; ``@`` precedes the folder of
    another site.
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
    """Return the positions of each entry.

    ``3:0n,2;7:1`` means pieces 0 and 2 of page 3, and piece 1 of page 7.
    """
    places: dict[str, str] = {}
    for number, page in enumerate(pages.values()):
        place = f"{number}:"
        for entry, pieces in page.entries.items():
            known = places.get(entry)
            others = "" if known is None else f"{known};"
            places[entry] = f"{others}{place}{pieces}"
    return places


def _owners(pages: Mapping[str, SearchedPage], places: Mapping[str, str]) -> dict[str, str]:
    """Return the function that has each argument, for arguments that are on several pages.

    ``static_argnums`` → ``jit``. If several functions have the argument, the first page decides.
    """
    owners: dict[str, str] = {}
    for page in pages.values():
        for argument, owner in page.owners.items():
            # ";" separates pages. Leave out an argument that only one page has: the search finds
            # that page without the owner.
            if ";" in places.get(argument, ""):
                owners.setdefault(argument, owner)
    return owners


def _usual_words(places: Mapping[str, str]) -> list[str]:
    """Return Latin words that are names, or that many pages have; the most frequent ones first."""
    counts: dict[str, int] = {}
    for entry, where in places.items():
        count = where.count(";") + 1
        is_name = not {"b", "d", "n"}.isdisjoint(where)
        if _LATIN_WORD.fullmatch(entry) and (is_name or count >= SUGGESTED_FROM):
            counts[entry] = count
    return sorted(counts, key=lambda entry: (-counts[entry], entry))


def _groups(items: Sequence[Item], sizes: Iterable[int], limit: int) -> list[list[Item]]:
    """Return the items in groups. A group with several items has at most ``limit`` bytes."""
    groups: list[list[Item]] = []
    size = limit
    for item, length in zip(items, sizes, strict=True):
        size += length
        if size > limit or not groups:
            groups.append([])
            size = length
        groups[-1].append(item)
    return groups


def _size(text: str) -> int:
    """Return the number of bytes of a text."""
    return len(text.encode("utf-8", "replace"))


def _utf16(entry: str) -> bytes:
    """Return a key that sorts strings as JavaScript does, by UTF-16 code units."""
    return entry.encode("utf-16-be", "surrogatepass")


def to_json(value: Any) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _script(name: str, data: str) -> str:
    """Return the script that passes ``data`` (JSON) to the search script."""
    return f"jzSearch({to_json(name)},{data})\n"
