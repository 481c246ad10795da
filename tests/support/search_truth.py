"""Expected results of a search: the text of built pages, read without the search index.

The text of a page is its lines in all views, with its table of contents, but without formulas. The
progress page is left out, because it lists the titles of all other pages.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from lxml.html import HtmlElement, document_fromstring
from msgspec import Struct

_HAN = re.compile("[\u4e00-\u9fff]+")
# No letter of a word beside it; Chinese may stand there.
_LETTER = "[^\\W\u3040-\u30ff\u4e00-\u9fff]"
_WORD = "[A-Za-z_][A-Za-z0-9_]*"
_NAME = re.compile(rf"(?<!{_LETTER}){_WORD}(?:\.{_WORD})*(?!{_LETTER})")
_INLINE = frozenset(
    "a abbr b bdi cite code del dfn em font i ins kbd label mark q s samp small span strong "
    "sub sup tt u var".split()
)
# Parts of a line that styles set apart from what stands before them.
_APART = frozenset(("jz-en", "classifier"))
_SILENT = frozenset(("script", "style", "svg", "button", "math"))
# Of the site, not of the page.
_SKIPPED = frozenset(
    "jz-fresh jz-since jz-downloads jz-described headerlink jz-edit math collapsed expanded".split()
)
_OURS = frozenset(("search", "progress", "404"))
_NO_PAGES = frozenset(("_static", "_sources", "_downloads", "_images"))


def _lines(element: HtmlElement, *, is_silent: bool = False) -> Iterator[str]:
    """Yield the pieces of the lines of an article."""
    if not isinstance(element.tag, str):
        return  # a comment
    classes = set(element.get("class", "").split())
    is_unseen = "hidden" in element.attrib or element.tag in _SILENT
    is_silent = is_silent or is_unseen or not classes.isdisjoint(_SKIPPED)
    ends_line = element.tag not in _INLINE
    if ends_line or not classes.isdisjoint(_APART):
        yield "\n"
    if not is_silent:
        yield element.text or ""
    for child in element:
        yield from _lines(child, is_silent=is_silent)
        if not is_silent:
            yield child.tail or ""
    if ends_line:
        yield "\n"


def texts_of(site: Path) -> dict[str, str]:
    """Return the text of every page of a built site, by page name."""
    texts: dict[str, str] = {}
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).with_suffix("").as_posix()
        if name in _OURS or name.partition("/")[0] in _NO_PAGES:
            continue
        page = document_fromstring(path.read_text(encoding="utf-8"))
        article = page.find(".//article")
        # A redirect has no article.
        if article is not None:
            texts[name] = "".join(_lines(article))
    return texts


class Asked(Struct, frozen=True):
    """Search query, and the pages that contain it."""

    query: str
    pages: frozenset[str]


def random_parts(texts: Mapping[str, str], count: int) -> list[Asked]:
    """Return random parts of the texts with 2 to 4 Chinese letters, each with its pages."""
    draw = random.Random(16)
    rows = [row for text in texts.values() for row in _HAN.findall(text)]
    rows = [row for row in rows if len(row) > 1]
    parts: set[str] = set()
    # A small site may not have as many.
    for _ in range(count * 20):
        row = draw.choice(rows)
        size = min(draw.choice((2, 3, 4)), len(row))
        start = draw.randrange(len(row) - size + 1)
        parts.add(row[start : start + size])
        if len(parts) == count:
            break
    return [_asked(part, re.compile(part), texts) for part in sorted(parts)]


def random_names(texts: Mapping[str, str], count: int) -> list[Asked]:
    """Return random identifiers in the texts, and parts of dotted ones, with their pages."""
    names: set[str] = set()
    for text in texts.values():
        for name in _NAME.findall(text):
            words = name.split(".")
            names.update((name, ".".join(words[1:]), ".".join(words[:-1])))
    long = sorted(name for name in names if len(name) > 2)
    chosen = random.Random(16).sample(long, min(count, len(long)))
    asked: list[Asked] = []
    for name in chosen:
        # As a whole, in any case: not the key of keys.
        whole = rf"(?<!{_LETTER}){re.escape(name)}(?!{_LETTER})"
        pattern = re.compile(whole, re.IGNORECASE)
        asked.append(_asked(name, pattern, texts))
    return asked


def _asked(query: str, pattern: re.Pattern[str], texts: Mapping[str, str]) -> Asked:
    """Return the query with the pages whose text matches ``pattern``."""
    pages = (name for name, text in texts.items() if pattern.search(text))
    return Asked(query, frozenset(pages))
