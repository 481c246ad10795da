"""Formulas as MathML, for the site and previews. Browsers render MathML without a script.

The library latex2mathml returns markup in which texts of a formula are not escaped:
``\\text{<b>}`` becomes an element. So this module serializes the library's element tree itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

from pipeline.adapters.html.sanitizer import sanitize

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# LaTeX that latex2mathml supports only under another name or in another form.
_SYNONYMS = (
    (re.compile(r"\{aligned\}"), "{split}"),
    (
        re.compile(r"\\begin\{eqnarray(\*?)\}(.*?)\\end\{eqnarray\1\}", re.DOTALL),
        r"\\begin{array}{rcl}\2\\end{array}",
    ),
    (re.compile(r"(\\begin\{array\})\s+(?=\{)"), r"\1"),
    (re.compile(r"(?<!\\)\\\n"), r"\\ "),
)
# Character references in the texts of the tree. They are replaced by characters, because
# serializing would escape their ``&``.
_BY_NUMBER = re.compile(r"&#x[0-9a-f]+;", re.IGNORECASE)


@lru_cache(maxsize=1 << 12)
def formula_mathml(latex: str, *, is_block: bool) -> str:
    """Return a LaTeX formula as MathML, or "" if any part of it is not supported.

    Results are cached, because the pages of all languages have the same formulas.
    """
    # The import takes about 20 ms, and only pages with formulas need it.
    from xml.etree.ElementTree import tostring

    from latex2mathml.converter import convert_to_element

    for written, known in _SYNONYMS:
        latex = written.sub(known, latex)
    try:
        tree = convert_to_element(latex, display="block" if is_block else "inline")
        for element in tree.iter():
            element.text = _BY_NUMBER.sub(_character, element.text or "")
        html = tostring(tree, encoding="unicode", short_empty_elements=False)
    # The exceptions of latex2mathml have no common base class.
    except Exception:  # noqa: BLE001
        return ""
    if any(map(_is_not_understood, tree.iter())):
        return ""
    formula = sanitize(html)
    return "" if formula.lost else formula.html


def _character(number: re.Match[str]) -> str:
    """Return the character of a reference such as ``&#x2264;``."""
    return unescape(number[0])


def _is_not_understood(element: Element) -> bool:
    """Return whether an element contains LaTeX that was not converted.

    For example: a command (``<mi>\\foo</mi>``), the ``&`` of an environment, or a line break.
    """
    words = (element.text or "", *element.attrib.values())
    if any("\\" in word for word in words):
        return True
    is_stray = element.tag == "mi" and element.text == "&"
    return is_stray or element.get("linebreak") == "newline"
