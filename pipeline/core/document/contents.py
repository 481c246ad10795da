"""Files that a document names: pages in its tables of contents, and files that it includes.

Lines are matched and nothing is parsed, which takes milliseconds for hundreds of pages. An example
of a directive counts as a directive.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

FIRST = "index"  # the first page, as Sphinx names it unless it is told otherwise

_TOCTREE_DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\. +toctree::\s*")
_TOCTREE_FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,}|:{3,}) *\{toctree\}.*")
_TOCTREE_OPTION = re.compile(r":(?P<name>[\w-]+):")
_TITLED = re.compile(r".*\S\s*<(?P<target>[^<>]+)>")  # "A title <page>"
_SUFFIX = re.compile(r"\.(md|rst|ipynb)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a table of contents: a page relative to its own, or a pattern of pages."""

    target: str
    is_pattern: bool = False


def distances(
    texts: Mapping[str, str], *, first: str = FIRST, tops: Sequence[str] = ("",)
) -> dict[str, int]:
    """How many entries lead from the first page to each; no entry for pages that none leads to.

    ``texts`` are the pages by name. They come out in the order in which readers meet them: all that
    is near before what is far, and otherwise as the tables have it. ``tops`` are what names begin
    with in each of several docs folders.
    """
    if first not in texts:
        return {}
    found = {first: 0}
    # Grows while it is gone through: first all pages at one distance, then those one further.
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
    """The entries of all tables of contents in the text of a page, MyST or reST."""
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
    """The lines of a directive's body, up to the first that is not indented any more."""
    for line in lines:
        words = line.strip()
        if words and len(line) - len(line.lstrip()) <= deeper_than:
            return
        yield words


def _fenced(lines: list[str], fence: str) -> Iterator[str]:
    """The lines of a directive's body, up to a fence that closes it."""
    for line in lines:
        words = line.lstrip(" \t>").rstrip()
        if words.startswith(fence) and not words.strip(fence[0]):
            return
        yield words


def _entries(body: Iterator[str]) -> Iterator[Entry]:
    is_pattern = False
    for line in body:
        if option := _TOCTREE_OPTION.match(line):
            is_pattern |= option["name"] == "glob"
            continue
        target = target_of(line)
        # Other sites are no pages of ours, and "self" is the page that the table stands on.
        if target and "://" not in target and target != "self":
            yield Entry(target=target, is_pattern=is_pattern)


def target_of(line: str) -> str:
    """The page that a line of a table leads to: ``guide`` of ``A title <guide>``, too."""
    titled = _TITLED.fullmatch(line)
    return titled["target"] if titled else line


def _pages(entry: Entry, page: str, texts: Mapping[str, str], *, top: str) -> list[str]:
    """The pages that an entry of ``page`` leads to."""
    if not entry.target.startswith("/"):
        return pages_in(posixpath.dirname(page), entry, texts)
    # "/a/b" begins at the folder of all docs; of several, at that of the page if it is there.
    return pages_in(top, entry, texts) or pages_in("", entry, texts)


def pages_in(folder: str, entry: Entry, texts: Mapping[str, str]) -> list[str]:
    """The pages that an entry means in a folder."""
    target = posixpath.normpath(posixpath.join(folder, entry.target.lstrip("/")))
    if entry.is_pattern and "*" in target:
        return [name for name in sorted(texts) if _matches(name, target)]
    name = target if target in texts else _SUFFIX.sub("", target)
    return [name] if name in texts else []


def _matches(name: str, pattern: str) -> bool:
    """Whether a pattern means the page; Sphinx lets only ``**`` cross folders."""
    is_same_depth = name.count("/") == pattern.count("/")
    return fnmatchcase(name, pattern) and (is_same_depth or "**" in pattern)


_INCLUDE_NAMES = "(?P<name>include|literalinclude)"
_INCLUDE_FENCE = re.compile(
    rf"[ \t>]*(?:`{{3,}}|~{{3,}}|:{{3,}}) *\{{{_INCLUDE_NAMES}\}}[ \t]+(?P<target>\S.*)"
)
_INCLUDE_DIRECTIVE = re.compile(
    rf"[ \t>]*\.\. +{_INCLUDE_NAMES}::[ \t]+(?P<target>\S.*)"
)
_INCLUDE_OPTION = re.compile(r"[ \t>]*:(?P<key>[\w-]+):")
# Options that show a file as it is, and no prose.
_AS_CODE = frozenset(("code", "literal"))


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A file that a document includes: what it is called there, and whether it is ``prose``.

    It is if it is read as the page is, or as its parser option says.
    """

    target: str
    is_prose: bool
    has_parser: bool = False


def inclusions(text: str, *, is_rst: bool) -> Iterator[Inclusion]:
    """Yield what a document includes, in its order; Markdown may have reST in it."""
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        match = _INCLUDE_DIRECTIVE.fullmatch(line.rstrip())
        if match is None and not is_rst:
            match = _INCLUDE_FENCE.fullmatch(line.rstrip())
        # <isonum.txt> is one of docutils' own.
        if match is None or match["target"].startswith("<"):
            continue
        options = _option_names(lines, number)
        yield Inclusion(
            target=match["target"],
            is_prose=match["name"] == "include" and _AS_CODE.isdisjoint(options),
            has_parser="parser" in options,
        )


def _option_names(lines: Sequence[str], start: int) -> set[str]:
    """Return the names of a directive's options, which stand on the lines from ``start`` on."""
    options: set[str] = set()
    while start < len(lines) and (option := _INCLUDE_OPTION.match(lines[start])):
        options.add(option["key"])
        start += 1
    return options
