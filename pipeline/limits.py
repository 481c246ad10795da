"""Every bound on the size of what the pipeline reads.

Files come from strangers, and the time and memory of a reader grow with the file, at least for
hostile files. The bounds are far above real files, and each reader checks its own first. Files
beyond a ``Limit`` are refused (``errors.check_limit``). A page beyond a bound on its text stays
English and is reported.
"""

from __future__ import annotations

from typing import NamedTuple

MEBIBYTE = 1 << 20


class Limit(NamedTuple):
    """The largest accepted number of ``things``, a plural for messages."""

    most: int
    things: str


def _mebibytes(most: int) -> Limit:
    return Limit(most * MEBIBYTE, "bytes")


# Files that are read whole, by the end of their names. Upstream's pages and pictures are not among
# them: any file is pulled, and the readers of pages have bounds of their own.
FILE_BYTES = {
    ".csv": _mebibytes(1),
    ".inv": _mebibytes(8),
    ".lock": _mebibytes(8),
    ".po": _mebibytes(8),
    ".toml": _mebibytes(1),
}
NOTEBOOK_BYTES = _mebibytes(64)  # with outputs; the largest of the JAX docs has 2.4 MB
COPY_BYTES = _mebibytes(8)  # a page for ``adopt``
FOUND_FILES = Limit(100_000, "files")  # files in a folder that a user names

# Catalogues and the memory
CATALOG_ENTRIES = Limit(20_000, "entries")
CATALOG_LINES = Limit(200_000, "lines")
ENTRY_COMMENTS = Limit(1_000, "comments and flags")  # of one entry
CATALOG_TEXT = Limit(100_000, "characters in one text")
# Characters of a conflict mark. A branch can ask for any number in .gitattributes, but shells and
# our reader look for seven.
LEAST_MARKER, LARGEST_MARKER = 7, 100

# Configuration and glossary
TOML_DOTS = Limit(50, "dots in one key")  # the parser's memory grows with their square
GLOSSARY_ROWS = Limit(10_000, "rows")
TERM_LENGTH = 100  # the pattern that finds all terms nests as deep as the longest term

# Texts of pages. The longest of 11,700 messages of the JAX docs has 1,369 characters. The longest
# text has 2.4 million, nearly all of it images. As a page has a bounded number of messages of
# bounded length, the time for a page is bounded as well.
MESSAGE_LENGTH = 5_000  # characters of a msgid, without the payloads of data URIs
PAGE_LENGTH = 4_000_000  # characters of a page, or of all Markdown cells of a notebook
PAGE_LINES = 20_000
# Blocks within blocks. In Markdown this is markdown-it's limit: it ignores deeper blocks.
NESTING = 20
DIRECTIVES = 8  # nested Markdown directives: each level parses the content once more
# How much a merge parses to find the translations that break a page. The number of tries is
# TRIED_LENGTH divided by the page's length, but at least LEAST_TRIES.
LEAST_TRIES = 64
TRIED_LENGTH = 2_000_000
TITLE_LENGTH = 500  # characters of a title kept for the messages of its section
EMPHASIS_PAIRS = 30  # in one message: real ones have fewer, and each takes time
# No honest translation has more characters than this, plus ten times those of its English.
TRANSLATION_LENGTH = 1_000
TIMES_AS_LONG = 10

# HTML
HTML_DEPTH = 5_000  # nested elements that the sanitizer reads
COPY_DEPTH = Limit(150, "nested elements")  # of a web page for ``adopt``
COPY_PARTS = Limit(100_000, "tags and attributes")

# Names and paths, in bytes. File systems allow names of 255, but names derived from a file are
# longer: "blocks/NAME.json", and the name of the temporary file that becomes it. macOS allows paths
# of 1,024, and the path of the project precedes this one.
NAME_LENGTH = 200
PATH_LENGTH = 800
FOLDER_DEPTH = 100  # nested folders: Python's stack allows about a thousand calls

# Included files from outside of the docs folders
INCLUDED_FILES = 200
INCLUDED_READINGS = 5_000  # reads of included files, once per page
INCLUDED_BYTES = 4 * PAGE_LENGTH  # enough for the longest allowed page

# Lists of names and tables of contents
YAML_LENGTH = 200_000  # characters of a file; parsing this much already takes seconds
OUTLINE_ITEMS = 5_000  # YAML aliases can expand a small file to any number of items
OUTLINE_DEPTH = 12
SPHINX_PATTERNS = 1_000
INVENTORY_UNPACKED = 64 * MEBIBYTE  # the content of Python's inventory takes 1.3 MB
INVENTORY_LINE = 1_000  # bytes; longer lines would make the pattern slow
REFERENCE_BYTES = 64 * MEBIBYTE  # the docstrings of a package, as the child prints them

# Network
REQUEST_BYTES = 2_000_000  # a request to ``serve``; no message is that long
PUBLISHED_BYTES = 64 * MEBIBYTE  # a file of a published site
REPLY_BYTES = (
    4 * MEBIBYTE
)  # a language model's reply; a batch takes some ten thousand bytes

TOO_DEEP = f"it is nested more than {NESTING} blocks deep"
TOO_MANY_DIRECTIVES = f"it stands in more than {DIRECTIVES} directives"


def why_not_read(length: int, lines: int) -> str:
    """Return why a page of this size is not parsed; empty if it is."""
    if length > PAGE_LENGTH:
        return (
            f"it has {length:,} characters, of which at most {PAGE_LENGTH:,} are read"
        )
    if lines > PAGE_LINES:
        return f"it has {lines:,} lines, of which at most {PAGE_LINES:,} are read"
    return ""


def max_tries(length: int) -> int:
    """Return how often a merge may parse a text of this length, in characters."""
    return max(LEAST_TRIES, TRIED_LENGTH // max(length, 1))


def too_long_reason(length: int) -> str:
    """Return the reason for skipping a block of prose that exceeds ``MESSAGE_LENGTH``."""
    return f"a block of {length:,} characters; the longest that is read has {MESSAGE_LENGTH:,}"
