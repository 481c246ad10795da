"""Pieces of a page for the search, and the index entries of each piece.

The input is the text blocks of a page, in order. A piece is a section, or a part of a long section.
Search results link to pieces and quote them.

An entry is a key of the index: every pair of adjacent Chinese characters (``编译``), every word of
other scripts (``jit``), and every pair of words around a dot (``.jax.jit``). ``search.js`` splits
queries by the same rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from operator import attrgetter
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import replace

# Scripts without spaces between words: kana, Han (all planes), Hangul.
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
# Other word characters: letters and digits of any script, and the underscore.
_LETTER = rf"[^\W{UNSPACED}]"
_RUN = re.compile(rf"[{UNSPACED}]+|{_LETTER}+(?:\.{_LETTER}+)*")
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Characters of an entry. Words beyond ``LONGEST_WORD`` are cut off. Words that begin with a digit
# (numbers, digests) are no entries if they are longer than ``LONGEST_NUMBER``.
LONGEST_WORD = 60
LONGEST_NUMBER = 8


def entries_of(text: str) -> Counter[str]:
    """Count the entries of a text: ``用 jax.jit 编译`` → 用, jax, jit, .jax.jit, 编译, 译."""
    # NFKC unifies forms of a letter: ＪＡＸ is jax.
    runs = _RUN.findall(normalize("NFKC", text).lower())
    return Counter(chain.from_iterable(map(_entries_of_run, runs)))


@lru_cache(maxsize=1 << 16)
def _entries_of_run(run: str) -> tuple[str, ...]:
    """Return the entries of one run of letters. The result is cached, because runs are repeated."""
    if _UNSPACED.match(run):
        # The last character is an entry of its own. For a query of one character, the search reads
        # all entries that begin with it.
        return (*map(str.__add__, run, run[1:]), run[-1])
    return tuple(_entries_of_name(run.split(".")))


def _entries_of_name(words: list[str]) -> Iterable[str]:
    """Yield the entries of a name, given its parts between the dots."""
    for word in filter(is_indexed, words):
        yield word[:LONGEST_WORD]
        if "_" in word:
            # Add the parts of the word: then a query for jvp finds custom_jvp, too.
            yield from filter(is_indexed, word.split("_"))
    for left, right in pairwise(words):
        # 3.14 is a number, not a name.
        if not right[0].isdigit():
            yield pair_of(left, right)


def last_entries_of(name: str) -> Iterator[str]:
    """Yield the entries by which readers look up a name: ``jax.random.key`` → key, ``.random.key``.

    With these two entries, both the query ``key`` and the query ``random.key`` find the place that
    documents the name.
    """
    for run in _RUN.findall(normalize("NFKC", name).lower())[-1:]:
        words = run.split(".")
        yield words[-1][:LONGEST_WORD]
        for left, right in list(pairwise(words))[-1:]:
            yield pair_of(left, right)


def is_indexed(word: str) -> bool:
    """Return whether a word is an entry. Empty words and long numbers are not."""
    if not word:
        return False
    return len(word) <= LONGEST_NUMBER or not word[0].isdigit()


def pair_of(left: str, right: str) -> str:
    """Return the entry for two words around a dot: ``.random.key``.

    In the sorted list of entries, the leading dot keeps pairs apart from words. A query for ``ran``
    reads all entries that begin with ``ran``, and pairs must not be among them.
    """
    return f".{left[:LONGEST_WORD]}.{right[:LONGEST_WORD]}"


MANY = 4  # with this many occurrences in a piece, an entry is marked as frequent there
PIECE = 1_500  # characters; a piece that has more is full: no block is added


class Block(Struct, frozen=True, kw_only=True):
    """A unit of a page's text, such as a paragraph.

    ``english`` is the English of the block. A block with an ``anchor`` is the heading of a section.
    A block with ``names`` documents objects of the API, such as the signature of a function.
    """

    text: str = ""
    english: str = ""
    anchor: str | None = None
    names: tuple[str, ...] = ()  # full names that the block documents: jax.numpy.sum
    owner: str = ""  # the name that ``arguments`` belong to: jit
    arguments: tuple[str, ...] = ()
    # A title of another page in a table of contents, or an output.
    is_aside: bool = False
    is_summary: bool = False  # the first paragraph of an object's docstring


class Piece(Struct, frozen=True, kw_only=True):
    """A part of a page that results link to: ``page.html#anchor``.

    In its texts, line breaks separate the blocks.
    """

    anchor: str
    heading: str
    text: str
    english: str
    headings: str  # in both languages
    asides: str  # part of the text, in both languages; ranked lower
    summaries: str  # part of the text, in both languages; ranked higher
    names: Sequence[str]  # full names that the piece lists
    objects: Sequence[str]  # full names of the objects that the piece documents


class SearchedPage(Struct, frozen=True, kw_only=True):
    """Index record of a page. ``entries`` maps each entry to its positions: ``0n,3,4m``.

    A position is the number of a piece, and a letter for the role of the entry in that piece:

    - ``o``: the name of an object that the piece documents;
    - ``d``: a name that the piece lists; ``b``: such a name that is also in a heading;
    - ``n``: a part of such a name, or of the name of an object;
    - ``s``: in a summary; ``h``: in a heading; ``a``: only in asides;
    - ``m``: frequent in the text; no letter: elsewhere in the text.
    """

    title: str
    english: str  # English title; empty if the title is English
    is_translated: bool
    is_object: bool  # the page is about one object, which is its title
    pieces: Sequence[Sequence[str]]  # anchor, heading, text, English
    entries: dict[str, str]
    # For each argument, the first function that has it: static_argnums → jit.
    owners: dict[str, str]


def searched_page(blocks: Iterable[Block], *, is_translated: bool) -> SearchedPage:
    """Return the index record of a page. The first heading among its blocks is its title."""
    blocks = tuple(blocks)
    title = next((block for block in blocks if block.anchor is not None), Block())
    pieces = cut(blocks)
    return SearchedPage(
        title=_on_one_line(title.text),
        english=_on_one_line(title.english),
        is_translated=is_translated,
        is_object=bool(pieces) and title.text in pieces[0].objects,
        pieces=[(piece.anchor, piece.heading, piece.text, piece.english) for piece in pieces],
        entries=places_of(pieces),
        owners=_owners(blocks),
    )


def _owners(blocks: Iterable[Block]) -> dict[str, str]:
    """Return the first function that has each argument."""
    owners: dict[str, str] = {}
    for block in blocks:
        if block.owner:
            for argument in block.arguments:
                owners.setdefault(argument.lower(), block.owner.lower())
    return owners


def cut(blocks: Iterable[Block]) -> list[Piece]:
    """Return the pieces of a page. A new piece begins at each heading, and when a piece is full.

    A signature below a heading with the same name begins no new piece.
    """
    pieces: list[Piece] = []
    anchor = heading = ""
    waiting: list[Block] = []
    size = 0
    for block in _at_line_ends(blocks):
        is_heading = block.anchor is not None and heading not in block.names
        if is_heading or size > PIECE:
            pieces += _piece(waiting, anchor, heading)
            waiting, size = [], 0
        if is_heading:
            anchor, heading = block.anchor or "", _on_one_line(block.text)
        waiting.append(block)
        size += len(block.text) + len(block.english)
    return [*pieces, *_piece(waiting, anchor, heading)]


def _at_line_ends(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks. Long ones, such as outputs of code, are split at line ends."""
    for block in blocks:
        if len(block.text) <= PIECE or block.anchor is not None:
            yield block
            continue
        part: list[str] = []
        size = 0
        for line in block.text.split("\n"):
            part.append(line)
            size += len(line)
            if size > PIECE:
                yield replace(block, text="\n".join(part), english="")
                part, size = [], 0
        yield replace(block, text="\n".join(part))


def _piece(blocks: Sequence[Block], anchor: str, heading: str) -> list[Piece]:
    """Return the piece made from some blocks; none if they have no text."""
    # The text of a piece does not include its heading.
    body = [block for block in blocks if block.anchor is None]
    headings = [block for block in blocks if block.anchor is not None]
    piece = Piece(
        anchor=anchor,
        heading=heading,
        text=_lines(map(_TEXT, body)),
        english=_lines(map(_ENGLISH, body)),
        headings=_lines(map(_both, headings)),
        asides=_lines(map(_both, filter(_IS_ASIDE, body))),
        summaries=_lines(map(_both, filter(_IS_SUMMARY, body))),
        names=[*chain.from_iterable(map(_NAMES, body))],
        objects=[*chain.from_iterable(map(_NAMES, headings))],
    )
    return [piece] if piece.text or piece.english or piece.headings else []


_TEXT, _ENGLISH, _NAMES = map(attrgetter, ("text", "english", "names"))
_IS_ASIDE, _IS_SUMMARY = attrgetter("is_aside"), attrgetter("is_summary")


def _both(block: Block) -> str:
    """Return the text of a block in both languages."""
    return f"{block.text}\n{block.english}"


def _lines(texts: Iterable[str]) -> str:
    """Join texts by line breaks, without empty lines and repeated spaces."""
    lines = "\n".join(texts).split("\n")
    return "\n".join(filter(None, map(_on_one_line, lines)))


def _on_one_line(text: str) -> str:
    """Return a text on one line, with single spaces."""
    return " ".join(text.split())


def places_of(pieces: Sequence[Piece]) -> dict[str, str]:
    """Return the positions of each entry in the pieces of a page: ``{"jit": "0n,2"}``."""
    places: dict[str, list[str]] = {}
    for number, piece in enumerate(pieces):
        headings = entries_of(piece.headings)
        objects = set(chain.from_iterable(map(last_entries_of, piece.objects)))
        explained = set(chain.from_iterable(map(last_entries_of, piece.names)))
        names = entries_of("\n".join((*piece.names, *piece.objects)))
        asides = entries_of(piece.asides)
        # The words of an object's name describe it, too (dynamic_slice), so they count as summary.
        ends = " ".join(name.rpartition(".")[2] for name in piece.objects)
        summaries = entries_of(f"{piece.summaries}\n{ends}")
        counts = entries_of(f"{piece.text}\n{piece.english}")
        for entry, count in counts.items():
            mark = ""
            if entry in objects:
                mark = "o"
            elif entry in explained:
                mark = "b" if entry in headings else "d"
            elif piece.objects and entry in summaries:
                mark = "s"
            elif entry in headings and not (piece.objects and entry in names):
                mark = "h"
            elif entry in names:
                mark = "n"
            elif count == asides[entry]:
                mark = "a"
            elif count >= MANY:
                mark = "m"
            places.setdefault(entry, []).append(f"{number}{mark}")
        # Add words of a heading that the text of the section lacks.
        for entry in headings:
            if entry not in counts:
                mark = "o" if entry in objects else "h"
                places.setdefault(entry, []).append(f"{number}{mark}")
    return {entry: ",".join(numbers) for entry, numbers in places.items()}
