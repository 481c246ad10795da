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
    """What acts in ``text``, by its name for people: each piece with how often it is there."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for token in inline_tokens(text):
        for name, piece in _pieces(token):
            found[name][piece] += 1
    return found


def _pieces(token: Token) -> Iterator[tuple[str, str]]:
    match token.type:
        case "html_inline":
            yield HTML, token.content
        case "link_open":
            yield LINK, str(token.attrGet("href"))
        case "image":
            yield IMAGE, str(token.attrGet("src"))
            # Its text becomes an attribute; a tag in it would be one again for some renderers.
            for child in token.children or ():
                if child.type in ("html_inline", "link_open"):
                    yield HTML, child.content
        case "myst_role":
            name = token.meta["name"]
            # MyST-NB runs what {eval} holds: there the content counts as well.
            yield ROLE, f"{name} {token.content}" if "eval" in name else name
        case "footnote_ref":
            yield FOOTNOTE, str(token.meta["label"])
