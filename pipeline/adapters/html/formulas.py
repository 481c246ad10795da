"""Formulas as MathML, for the site and previews: browsers set them without a script.

The converter writes words of a formula into its markup as they are: ``\\text{<b>}`` becomes an
element. So its tree is taken, and written out as text is to be written.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

from pipeline.adapters.html.sanitizer import sanitize

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# What the converter knows by another name, or written in another way.
_SYNONYMS = (
    (re.compile(r"\{aligned\}"), "{split}"),
    (
        re.compile(r"\\begin\{eqnarray(\*?)\}(.*?)\\end\{eqnarray\1\}", re.DOTALL),
        r"\\begin{array}{rcl}\2\\end{array}",
    ),
    (re.compile(r"(\\begin\{array\})\s+(?=\{)"), r"\1"),
    (re.compile(r"(?<!\\)\\\n"), r"\\ "),
)
# Characters that the converter writes by number: in its tree they are text.
_BY_NUMBER = re.compile(r"&#x[0-9a-f]+;", re.IGNORECASE)


@lru_cache(maxsize=1 << 12)
def formula_mathml(latex: str, *, is_block: bool) -> str:
    """Return a formula as MathML, or nothing if not all of it is understood.

    Both languages of a page have the same formulas, so they are remembered.
    """
    # About twenty milliseconds, and only where there are formulas.
    from xml.etree.ElementTree import tostring

    from latex2mathml.converter import convert_to_element

    for written, known in _SYNONYMS:
        latex = written.sub(known, latex)
    try:
        tree = convert_to_element(latex, display="block" if is_block else "inline")
        for element in tree.iter():
            element.text = _BY_NUMBER.sub(_character, element.text or "")
        html = tostring(tree, encoding="unicode", short_empty_elements=False)
    # What it raises has no common base.
    except Exception:  # noqa: BLE001
        return ""
    if any(map(_is_not_understood, tree.iter())):
        return ""
    formula = sanitize(html)
    return "" if formula.lost else formula.html


def _character(number: re.Match[str]) -> str:
    """Return the character that ``&#x2264;`` stands for."""
    return unescape(number[0])


def _is_not_understood(element: Element) -> bool:
    """Return whether an element shows what the converter does not know.

    Those are commands (``<mi>\\foo</mi>``), the ``&`` of an environment, and line ends.
    """
    words = (element.text or "", *element.attrib.values())
    if any("\\" in word for word in words):
        return True
    is_stray = element.tag == "mi" and element.text == "&"
    return is_stray or element.get("linebreak") == "newline"
