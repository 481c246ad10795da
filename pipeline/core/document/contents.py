"""Finder of the files that a document names: toctree entries and included files.

The functions match lines instead of parsing, so hundreds of pages take milliseconds. As a
consequence, a directive in a code example counts as a directive.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

FIRST = "index"  # Sphinx's default name of the first page

_TOCTREE_DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\. +toctree::\s*")
_TOCTREE_FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,}|:{3,}) *\{toctree\}.*")
_TOCTREE_OPTION = re.compile(r":(?P<name>[\w-]+):")
_TITLED = re.compile(r".*\S\s*<(?P<target>[^<>]+)>")  # "A title <page>"
_SUFFIX = re.compile(r"\.(md|rst|ipynb)$")


class Entry(Struct, frozen=True, kw_only=True):
    """An entry of a toctree: the name of a page, or a pattern of names.

    The target is relative to the page with the toctree, unless it starts with ``/``.
    """

    target: str
    is_pattern: bool = False


def distances(
    texts: Mapping[str, str], *, first: str = FIRST, tops: Sequence[str] = ("",)
) -> dict[str, int]:
    """Return how many toctree entries lead from the first page to each reachable page.

    A page in the first page's toctree has the distance 1. ``texts`` maps page names to the texts of
    the pages, and ``first`` is the name of the first page. The result is in reading order: by
    distance, then in the order of the toctrees. ``tops`` are the name prefixes of the docs folders,
    if there are several.
    """
    if first not in texts:
        return {}
    found = {first: 0}
    # Breadth-first search: the loop appends to the list that it iterates over.
    order = [first]
    for page in order:
        top = next((top for top in tops if page.startswith(top)), "")
        for entry in entries(texts[page]):
            for name in _pages(entry, page, texts, top=top):
                if name not in found:
                    found[name] = found[page] + 1
                    order.append(name)
    return found


def entries(text: str) -> Iterator[Entry]:
    """Yield the entries of all toctrees in the text of a MyST or reST page."""
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if match := _TOCTREE_DIRECTIVE.fullmatch(line):
            body = _indented(lines[number:], deeper_than=len(match["indent"]))
        elif match := _TOCTREE_FENCE.fullmatch(line):
            body = _fenced(lines[number:], match["fence"])
        else:
            continue
        yield from _entries(body)


def _indented(lines: list[str], *, deeper_than: int) -> Iterator[str]:
    """Yield the lines of a directive's body, up to the first line that is not indented."""
    for line in lines:
        words = line.strip()
        if words and len(line) - len(line.lstrip()) <= deeper_than:
            return
        yield words


def _fenced(lines: list[str], fence: str) -> Iterator[str]:
    """Yield the lines of a directive's body, up to the closing fence."""
    for line in lines:
        words = line.lstrip(" \t>").rstrip()
        if words.startswith(fence) and not words.strip(fence[0]):
            return
        yield words


def _entries(body: Iterator[str]) -> Iterator[Entry]:
    """Yield the entries in the body of a toctree directive."""
    # Options precede the entries, so ":glob:" is known before them.
    is_pattern = False
    for line in body:
        if option := _TOCTREE_OPTION.match(line):
            is_pattern |= option["name"] == "glob"
            continue
        target = target_of(line)
        # Skip URLs of other sites, and "self", which is the page with the toctree.
        if target and "://" not in target and target != "self":
            yield Entry(target=target, is_pattern=is_pattern)


def target_of(line: str) -> str:
    """Return the target of a toctree line: ``guide`` for both ``guide`` and ``A title <guide>``."""
    titled = _TITLED.fullmatch(line)
    return titled["target"] if titled else line


def _pages(entry: Entry, page: str, texts: Mapping[str, str], *, top: str) -> list[str]:
    """Return the names of the pages that an entry on ``page`` leads to."""
    if not entry.target.startswith("/"):
        return pages_in(posixpath.dirname(page), entry, texts)
    # "/a/b" is relative to the root of the docs. If there are several docs folders, try the folder
    # of the page first.
    return pages_in(top, entry, texts) or pages_in("", entry, texts)


def pages_in(folder: str, entry: Entry, texts: Mapping[str, str]) -> list[str]:
    """Return the names of the pages that an entry matches if it is relative to ``folder``."""
    target = posixpath.normpath(posixpath.join(folder, entry.target.lstrip("/")))
    if entry.is_pattern and "*" in target:
        return [name for name in sorted(texts) if _matches(name, target)]
    name = target if target in texts else _SUFFIX.sub("", target)
    return [name] if name in texts else []


def _matches(name: str, pattern: str) -> bool:
    """Return whether a pattern matches a page name; as in Sphinx, only ``**`` crosses folders."""
    is_same_depth = name.count("/") == pattern.count("/")
    return fnmatchcase(name, pattern) and (is_same_depth or "**" in pattern)


_INCLUDE_NAMES = "(?P<name>include|literalinclude)"
_INCLUDE_FENCE = re.compile(
    rf"[ \t>]*(?:`{{3,}}|~{{3,}}|:{{3,}}) *\{{{_INCLUDE_NAMES}\}}[ \t]+(?P<target>\S.*)"
)
_INCLUDE_DIRECTIVE = re.compile(rf"[ \t>]*\.\. +{_INCLUDE_NAMES}::[ \t]+(?P<target>\S.*)")
_INCLUDE_OPTION = re.compile(r"[ \t>]*:(?P<key>[\w-]+):")
# Options that render the included file as code instead of prose.
_AS_CODE = frozenset(("code", "literal"))


class Inclusion(Struct, frozen=True):
    """A file that a document includes."""

    target: str  # the path as written
    is_prose: bool  # whether the file is rendered as text of the page, not as code
    has_parser: bool = False  # whether the directive names a parser


def inclusions(text: str, *, is_rst: bool) -> Iterator[Inclusion]:
    """Yield the included files in order. A Markdown page may also use reST directives."""
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        match = _INCLUDE_DIRECTIVE.fullmatch(line.rstrip())
        if match is None and not is_rst:
            match = _INCLUDE_FENCE.fullmatch(line.rstrip())
        # Skip files that ship with docutils, such as <isonum.txt>.
        if match is None or match["target"].startswith("<"):
            continue
        options = _option_names(lines, number)
        yield Inclusion(
            target=match["target"],
            is_prose=match["name"] == "include" and _AS_CODE.isdisjoint(options),
            has_parser="parser" in options,
        )


def _option_names(lines: Sequence[str], start: int) -> set[str]:
    """Return the names of a directive's options, which begin at the 0-based line ``start``."""
    options: set[str] = set()
    while start < len(lines) and (option := _INCLUDE_OPTION.match(lines[start])):
        options.add(option["key"])
        start += 1
    return options
