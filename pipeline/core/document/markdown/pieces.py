"""What acts in a piece of Markdown, by its parser: tags, targets, images, roles, formulas."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from markdown_it.token import Token

from pipeline.core.document import roles
from pipeline.core.document.formulas import canonical_math
from pipeline.core.document.markdown.inline import inline_tokens

HTML, LINK, IMAGE, ROLE, FORMULA, FOOTNOTE = NAMES = (
    "HTML",
    "link target",
    "image",
    "role",
    "formula",
    "footnote",
)
# What Sphinx takes for a title and a target.
_TITLED = re.compile(r".+<(?P<target>[^<]*)>", re.DOTALL)


def pieces_of(text: str) -> dict[str, Counter[str]]:
    """What acts in ``text``, by its name for people: each piece with how often it is there.

    ``"{ref}`a` and [b](c.md)"`` has ``{"role": {"{ref}`a`": 1}, "link target": {"c.md": 1}}``. What
    is not there counts as an empty counter.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for token in inline_tokens(text):
        for name, piece in _pieces(token):
            found[name][piece] += 1
    return found


def _pieces(token: Token) -> Iterator[tuple[str, str]]:
    """The name and the text of each thing that acts in one token."""
    match token.type:
        case "html_inline":
            yield HTML, token.content
        case "link_open":
            yield LINK, str(token.attrGet("href"))
        case "image":
            yield IMAGE, str(token.attrGet("src"))
            yield from _image_pieces(token)
        case "math_inline" | "math_inline_double":
            yield FORMULA, canonical_math(token.content)
        case "myst_role":
            yield _role(str(token.meta["name"]), token.content)
        case "footnote_ref":
            yield FOOTNOTE, str(token.meta["label"])


def _image_pieces(image: Token) -> Iterator[tuple[str, str]]:
    """What acts in an image's text.

    It shows nothing there, but some renderer may take it for what it is elsewhere:
    ``![a <b>](c.png)`` has ``<b>``, as HTML. Of a link it counts only that there is one.
    """
    for child in image.children or ():
        if child.type in ("html_inline", "link_open"):
            yield HTML, child.content
        else:
            yield from _pieces(child)


def _role(name: str, content: str) -> tuple[str, str]:
    """A role by its name and by what of its text has to stay; a formula by itself.

    {kbd}`words`            {kbd}`…`
    {func}`words <~a.b>`    {func}`a.b`
    {math}`a + b`           a+b
    """
    if name.lower() == roles.MATH:
        return FORMULA, canonical_math(content)
    titled = _TITLED.fullmatch(content)
    target = titled["target"] if titled else content
    fixed = roles.fixed_part(name, content, target)
    return ROLE, f"{{{name}}}`{fixed or '…'}`"
