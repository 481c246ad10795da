"""Directives of autodoc and autosummary on upstream's pages, and the settings for them.

The input is pages and ``conf.py`` as text; nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

# Settings of extensions that are run, or that napoleon needs on the site.
_SETTINGS = ("autodoc_", "autoclass_", "napoleon_", "add_module_names", "python_")
_DIRECTIVE = re.compile(r"([ \t]*)\.\. (?:(?:current)?module|auto\w+)::")
_LISTING = re.compile(r"^[ \t]*\.\. auto\w+::", re.MULTILINE)
_EVALUATED = re.compile(
    r"^(?P<fence>`{3,}|:{3,})[ ]*\{eval-rst\}[^\n]*\n(?P<rst>.*?)^(?P=fence)",
    re.DOTALL | re.MULTILINE,
)


def settings_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of autodoc and napoleon among the literal values of a ``conf.py``."""
    return {name: value for name, value in values.items() if name.startswith(_SETTINGS)}


def listing(path: str, text: str) -> str:
    """Return the page as reST with nothing but its modules and lists of names; "" without any."""
    rst = text
    if path.endswith(".md"):
        rst = "\n".join(match["rst"] for match in _EVALUATED.finditer(text))
    if not _LISTING.search(rst):
        return ""
    return "".join(f"{line}\n" for line in _directives(rst.split("\n")))


def _directives(lines: list[str]) -> Iterator[str]:
    """Yield the lines of the directives, without their indentation."""
    indent: int | None = None  # that of the directive around the line
    for line in lines:
        words = line.lstrip(" \t")
        column = len(line) - len(words)
        match = _DIRECTIVE.match(line)
        if words and (indent is None or column <= indent):
            indent = None
            if match:
                indent = column
                yield ""
        if indent is not None:
            yield line[indent:].rstrip()
