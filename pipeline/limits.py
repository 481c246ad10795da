"""Every limit on the size of files and texts that the pipeline reads.

Files come from strangers, and a hostile file could take all time and memory. Each reader first
checks its limits, which are far above the sizes of real files. A file that exceeds a ``Limit`` is
rejected (``errors.check_limit``). A page that exceeds a limit on its text stays English, and a run
reports this.
"""

from __future__ import annotations

from typing import NamedTuple

MEBIBYTE = 1 << 20


class Limit(NamedTuple):
    """The largest accepted number of things. ``things`` names them in messages, in the plural."""

    most: int
    things: str


def _mebibytes(most: int) -> Limit:
    return Limit(most * MEBIBYTE, "bytes")


# Maximum sizes of files that are read as a whole, by suffix. Upstream's pages have limits of their
# own below.
FILE_BYTES = {
    ".csv": _mebibytes(1),
    ".inv": _mebibytes(8),
    ".lock": _mebibytes(8),
    ".po": _mebibytes(8),
    ".toml": _mebibytes(1),
}
NOTEBOOK_BYTES = _mebibytes(64)  # with outputs; the largest of the JAX docs has 2.4 MB
# Files that only the pipeline writes, such as memos. The largest one for the JAX docs has 38 MB. A
# file that exceeds this limit counts as damaged.
OWN_BYTES = _mebibytes(256)
UPSTREAM_BYTES = _mebibytes(256)  # a file of upstream's docs, such as a picture
UPSTREAM_FILES = Limit(50_000, "files")  # all files of upstream's docs: the lock lists them
COPY_BYTES = _mebibytes(8)  # a page for ``adopt``
FOUND_FILES = Limit(100_000, "files")  # files in a folder that a user names
# Data beside a page, which is copied for each run of the page's code. Sizes add up.
DATA_FILES = Limit(10_000, "files and folders for the code of pages")
DATA_BYTES = Limit(1024 * MEBIBYTE, "bytes of data for the code of pages")

# Catalogues and the memory
CATALOG_ENTRIES = Limit(20_000, "entries")
CATALOG_LINES = Limit(200_000, "lines")
ENTRY_COMMENTS = Limit(1_000, "comments and flags")  # of one entry
CATALOG_TEXT = Limit(100_000, "characters in one text")
# Smallest and largest length of the conflict markers that the merge driver writes ("<<<<<<<").
# .gitattributes can set any length, but a shorter marker would not be recognized as a marker.
LEAST_MARKER, LARGEST_MARKER = 7, 100

# Configuration and glossary

# The memory that the parser takes grows with the square of this number.
TOML_DOTS = Limit(50, "dots in one key")
GLOSSARY_ROWS = Limit(10_000, "rows")
# Characters of a term in the glossary. The pattern for all terms is nested as deep as a term is
# long.
TERM_LENGTH = 100

# Texts of pages. The longest of 11,700 messages of the JAX docs has 1,369 characters. The longest
# page has 2.4 million, nearly all of it images. Limits on the page and on its messages also limit
# the time for a page.
MESSAGE_LENGTH = 5_000  # characters of a msgid, without the payloads of data URIs
PAGE_LENGTH = 4_000_000  # characters of a page, or of all Markdown cells of a notebook
PAGE_LINES = 20_000
# Depth of blocks within blocks. markdown-it has the same limit and ignores deeper blocks.
NESTING = 20
DIRECTIVES = 8  # nested Markdown directives: each level parses the content once more
# To find the translations that break a page, a merge parses the page several times. The number of
# tries is TRIED_LENGTH divided by the page's length in characters, but at least LEAST_TRIES.
LEAST_TRIES = 64
TRIED_LENGTH = 2_000_000
TITLE_LENGTH = 500  # characters of a section's title; the rest of the title is cut off
EMPHASIS_PAIRS = 30  # pairs of "*…*" in one message; real messages have fewer
# A translation may have this many characters, plus TIMES_AS_LONG times the length of its English.
TRANSLATION_LENGTH = 1_000
TIMES_AS_LONG = 10

# Marks of a page in a preview: "[" in Markdown, lines of punctuation in reST. Parsers look for the
# end of each mark, which takes up to 0.2 ms. A page of the JAX docs has 511 at most.
PREVIEW_MARKS = Limit(5_000, "brackets and underlines")

# HTML
HTML_DEPTH = 5_000  # nested elements that the sanitizer reads
COPY_DEPTH = Limit(150, "nested elements")  # of a web page for ``adopt``
COPY_PARTS = Limit(100_000, "tags and attributes")

# Names and paths of files, in bytes. File systems allow names of 255 bytes, but we also write files
# with longer names: "blocks/NAME.json", and temporary files. macOS allows paths of 1,024 bytes,
# including the path of the project.
NAME_LENGTH = 200
PATH_LENGTH = 800
FOLDER_DEPTH = 100  # nested folders: Python's stack allows about a thousand calls

# Included files outside the docs folders
INCLUDED_FILES = 200
# Reads of included files. A file that two pages include is read twice.
INCLUDED_READINGS = 5_000
INCLUDED_BYTES = 4 * PAGE_LENGTH  # enough for the longest allowed page

# Lists of names and tables of contents
YAML_LENGTH = 200_000  # characters of a file; to parse this many takes seconds
OUTLINE_ITEMS = 5_000  # YAML aliases can expand a small file to any number of items
OUTLINE_DEPTH = 12
SPHINX_PATTERNS = 1_000
INVENTORY_UNPACKED = 64 * MEBIBYTE  # the content of Python's inventory takes 1.3 MB
INVENTORY_LINE = 1_000  # bytes; the regular expression would be slow on longer lines
REFERENCE_BYTES = 64 * MEBIBYTE  # all docstrings of a package

# Network
REQUEST_BYTES = 2_000_000  # a request to ``serve``; no message is that long
PUBLISHED_BYTES = _mebibytes(64)  # a file of a published site
MANIFEST_BYTES = _mebibytes(16)  # a site's manifest; the JAX docs have 2.7 MB
REPLY_BYTES = 4 * MEBIBYTE  # a language model's reply; a batch takes some ten thousand bytes

TOO_DEEP = f"it is nested more than {NESTING} blocks deep"
TOO_MANY_DIRECTIVES = f"it is nested in more than {DIRECTIVES} directives"


def why_not_read(length: int, lines: int) -> str:
    """Return the reason why a page of this size is not parsed, or "" if it is parsed."""
    if length > PAGE_LENGTH:
        return f"it has {length:,} characters, but a page may have {PAGE_LENGTH:,} at most"
    if lines > PAGE_LINES:
        return f"it has {lines:,} lines, but a page may have {PAGE_LINES:,} at most"
    return ""


def max_tries(length: int) -> int:
    """Return how often a merge may parse a text with ``length`` characters."""
    return max(LEAST_TRIES, TRIED_LENGTH // max(length, 1))


def too_long_reason(length: int) -> str:
    """Return the reason for skipping a block of prose that exceeds ``MESSAGE_LENGTH``."""
    return f"a block of {length:,} characters; the longest that is read has {MESSAGE_LENGTH:,}"
