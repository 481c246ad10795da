"""Cleaner of foreign style sheets: limits them to one part of a page.

Upstream's drawings and tables need their colours. Declarations that fetch something, or that could
move an element out of its part of the page, are removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pipeline.adapters.html.sanitizer import STYLES, fetches

if TYPE_CHECKING:
    from tinycss2.ast import AtRule, Node, QualifiedRule

# Combinators. A selector that begins with one of them would select elements beside the part of the
# page: ``+ p`` would become ``.text + p``.
_BESIDE = ("+", "~")
_DARK = "color: #14181e"
_LIGHT = 0.5  # brightness above which a background counts as light: 0 is black, 1 white


def clean_sheet(css: str, *, inside: str) -> str:
    """Return the allowed rules of a sheet, limited to elements inside the selector ``inside``.

    ``td, th {color: red; position: fixed}`` → ``.text td,.text th{color: red}``
    """
    from tinycss2 import parse_stylesheet

    rules = parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return "".join(_rules(rules, inside))


def _rules(rules: Iterable[Node], inside: str) -> Iterator[str]:
    """Yield the allowed rules as text."""
    for rule in rules:
        if rule.type == "qualified-rule":
            text = _rule(rule, inside)
        elif rule.type == "at-rule" and rule.lower_at_keyword == "media":
            text = _media(rule, inside)
        else:
            # ``@import`` and ``@font-face`` would fetch something.
            continue
        # ``<`` could end the style element that the sheet is inserted into.
        if "<" not in text:
            yield text


def _media(rule: AtRule, inside: str) -> str:
    """Return the allowed rules of a media query as text."""
    from tinycss2 import parse_rule_list, serialize

    medium = serialize(rule.prelude)
    if fetches(medium):
        return ""
    rules = parse_rule_list(
        rule.content or [], skip_comments=True, skip_whitespace=True
    )
    return f"@media{medium}{{{''.join(_rules(rules, inside))}}}"


def _rule(rule: QualifiedRule, inside: str) -> str:
    """Return a rule as text; empty if none of its declarations is allowed."""
    selectors = ",".join(
        f"{inside} {selector}" for selector in _selectors(rule.prelude)
    )
    declarations = ";".join(_with_colour(list(_declarations(rule.content))))
    return f"{selectors}{{{declarations}}}" if selectors and declarations else ""


def _with_colour(declarations: list[str]) -> list[str]:
    """Return the declarations; add dark text if they set a light background but no text colour.

    The author assumed black text, but on a dark page text is light.
    """
    names = [declaration.partition(":")[0] for declaration in declarations]
    is_light = any(map(_is_light_ground, declarations))
    return [*declarations, _DARK] if is_light and "color" not in names else declarations


def _is_light_ground(declaration: str) -> bool:
    """Return whether a declaration sets a light background colour."""
    from tinycss2 import parse_component_value_list
    from tinycss2.color3 import RGBA, parse_color

    name, _, value = declaration.partition(":")
    if name not in ("background", "background-color"):
        return False
    colours = map(parse_color, parse_component_value_list(value))
    seen = [colour for colour in colours if isinstance(colour, RGBA)]
    return any(sum(colour[:3]) / 3 * colour.alpha > _LIGHT for colour in seen)


def _selectors(prelude: Sequence[Node]) -> Iterator[str]:
    """Yield the allowed selectors of a rule. ``prelude`` is the list of all its selectors.

    An allowed selector fetches nothing, and selects only elements in the part of the page.
    """
    from tinycss2 import serialize

    # Leave out comments, because a comment before a combinator would hide it from ``startswith``.
    said = (node for node in prelude if node.type != "comment")
    for is_between, nodes in groupby(said, key=_is_comma):
        selector = "" if is_between else serialize(nodes).strip()
        is_beside = selector.startswith(_BESIDE)
        if selector and not (is_beside or "}" in selector or fetches(selector)):
            yield selector


def _is_comma(node: Node) -> bool:
    """Return whether a node is the comma between two selectors of a list."""
    return bool(node == ",")


def _declarations(content: Sequence[Node]) -> Iterator[str]:
    """Yield the allowed declarations."""
    from tinycss2 import parse_declaration_list, serialize

    for declaration in parse_declaration_list(
        content, skip_comments=True, skip_whitespace=True
    ):
        if declaration.type != "declaration" or declaration.lower_name not in STYLES:
            continue
        value = serialize(declaration.value).strip()
        if not fetches(value):
            yield f"{declaration.lower_name}: {value}"
