"""Directives of autodoc and autosummary on upstream's pages, and settings of these extensions.

Pages are read as text; nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

# Names of settings start with these: settings that autodoc and napoleon use.
_SETTINGS = ("autodoc_", "autoclass_", "napoleon_", "add_module_names", "python_")
_DIRECTIVE = re.compile(r"([ \t]*)\.\. ([\w-]+)::")
_MODULE = ("module", "currentmodule")
# reST in a MyST page: a fence with the directive eval-rst.
_EVALUATED = re.compile(
    r"^(?P<fence>`{3,}|:{3,})[ ]*\{eval-rst\}[^\n]*\n(?P<rst>.*?)^(?P=fence)",
    re.DOTALL | re.MULTILINE,
)


def settings_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of autodoc and napoleon among ``values``, settings of a ``conf.py``."""
    return {name: value for name, value in values.items() if name.startswith(_SETTINGS)}


def listing(path: str, text: str, *, others: Collection[str] = ()) -> str:
    """Return the reST of the page's directives that list objects; "" if there are none.

    Directives of autodoc and autosummary list objects, and so do the directives ``others`` of the
    docs. ``module`` and ``currentmodule`` are included. All other lines become empty, so that each
    directive stays in its line.
    """
    rst = text
    if path.endswith(".md"):
        rst = _evaluated(text)
    lines: list[str] = []
    indent: int | None = None  # indent of the directive that contains the line
    has_list = False
    for line in rst.split("\n"):
        words = line.lstrip(" \t")
        if words and (indent is None or len(line) - len(words) <= indent):
            indent = None
            match = _DIRECTIVE.match(line)
            is_list = match and (match[2].startswith("auto") or match[2] in others)
            if match and (is_list or match[2] in _MODULE):
                indent = len(match[1])
                has_list |= bool(is_list)
        lines.append("" if indent is None else line[indent:].rstrip())
    return "\n".join(lines).rstrip("\n") + "\n" if has_list else ""


def _evaluated(text: str) -> str:
    """Return the reST in a MyST page; all other lines become empty."""
    rst, end = "", 0
    for match in _EVALUATED.finditer(text):
        rst += "\n" * text.count("\n", end, match.start("rst")) + match["rst"]
        end = match.end("rst")
    return rst
