"""What a document includes: the files that its ``include`` directives name.

Texts go in, targets come out as they are written. Lines are matched, and nothing is parsed: an
example of a directive counts as one, and then brings a file that nobody shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_NAMES = "(?P<name>include|literalinclude)"
_FENCE = re.compile(
    rf"[ \t>]*(?:`{{3,}}|~{{3,}}|:{{3,}}) *\{{{_NAMES}\}}[ \t]+(?P<target>\S.*)"
)
_RST = re.compile(rf"[ \t>]*\.\. +{_NAMES}::[ \t]+(?P<target>\S.*)")
_OPTION = re.compile(r"[ \t>]*:(?P<key>[\w-]+):")
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
        match = _RST.fullmatch(line.rstrip())
        if match is None and not is_rst:
            match = _FENCE.fullmatch(line.rstrip())
        # <isonum.txt> is one of docutils' own.
        if match is None or match["target"].startswith("<"):
            continue
        options = _options(lines, number)
        yield Inclusion(
            target=match["target"],
            is_prose=match["name"] == "include" and _AS_CODE.isdisjoint(options),
            has_parser="parser" in options,
        )


def _options(lines: Sequence[str], start: int) -> set[str]:
    """Return the names of a directive's options, which stand on the lines from ``start`` on."""
    options: set[str] = set()
    while start < len(lines) and (option := _OPTION.match(lines[start])):
        options.add(option["key"])
        start += 1
    return options
