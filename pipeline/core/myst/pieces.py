"""What acts in a piece of Markdown, by its parser: tags, targets, images, roles, footnotes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from markdown_it.token import Token

from pipeline.core.myst.inline import inline_tokens

HTML, LINK, IMAGE, ROLE, FOOTNOTE = NAMES = (
    "HTML",
    "link target",
    "image",
    "role",
    "footnote",
)


def pieces_of(text: str) -> dict[str, Counter[str]]:
    """What acts in ``text``, by its name for people: each piece with how often it is there.

    ``"{ref}`a` and [b](c.md)"`` has ``{"role": {"ref": 1}, "link target": {"c.md": 1}}``. What is
    not there counts as an empty counter.
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
        case "myst_role":
            yield ROLE, _role(token)
        case "footnote_ref":
            yield FOOTNOTE, str(token.meta["label"])


def _image_pieces(image: Token) -> Iterator[tuple[str, str]]:
    """Tags and links in an image's text.

    They show nothing there, but some renderer may take them for what they are elsewhere:
    ``![a <b>](c.png)`` has ``<b>``, as HTML. Of a link it counts only that there is one.
    """
    for child in image.children or ():
        if child.type in ("html_inline", "link_open"):
            yield HTML, child.content


def _role(token: Token) -> str:
    """A role by its name; MyST-NB runs what ``{eval}`` holds, so there its content counts too."""
    name: str = token.meta["name"]
    if "eval" in name:
        return f"{name} {token.content}"
    return name
