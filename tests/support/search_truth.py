"""Expected results of a search: the text of built pages, read without the search index.

The text of a page is its lines in all views, with its table of contents, but without formulas. The
progress page is left out, because it lists the titles of all other pages.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

_HAN = re.compile("[\u4e00-\u9fff]+")
# No letter of a word beside it; Chinese may stand there.
_LETTER = "[^\\W\u3040-\u30ff\u4e00-\u9fff]"
_NAME = re.compile(
    rf"(?<!{_LETTER})[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*(?!{_LETTER})"
)
_INLINE = frozenset(
    "a abbr b bdi cite code del dfn em font i ins kbd label mark q s samp small span strong "
    "sub sup tt u var".split()
)
# Parts of a line that styles set apart from what stands before them.
_APART = frozenset(("jz-en", "classifier"))
_VOID = frozenset("area br col embed hr img input link meta source track wbr".split())
_SILENT = frozenset(("script", "style", "svg", "button", "math"))
# Of the site, not of the page.
_SKIPPED = frozenset(
    "jz-fresh jz-since jz-downloads jz-described headerlink jz-edit math collapsed "
    "expanded".split()
)
_OURS = frozenset(("search", "progress", "404"))
_NO_PAGES = frozenset(("_static", "_sources", "_downloads", "_images"))


class _Lines(HTMLParser):
    """Parser that collects the lines of an article."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = set((dict(attrs).get("class") or "").split())
        if tag not in _INLINE or not classes.isdisjoint(_APART):
            self.text.append("\n")
        if tag not in _VOID:
            is_unseen = "hidden" in dict(attrs) or tag in _SILENT
            is_silent = is_unseen or not classes.isdisjoint(_SKIPPED)
            self._open.append((tag, is_silent))

    def handle_endtag(self, tag: str) -> None:
        if tag not in (name for name, _ in self._open):
            return
        while self._open:
            name, _ = self._open.pop()
            if name not in _INLINE:
                self.text.append("\n")
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if not any(is_silent for _, is_silent in self._open):
            self.text.append(data)


def texts_of(site: Path) -> dict[str, str]:
    """Return the text of every page of a built site, by page name."""
    texts: dict[str, str] = {}
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).with_suffix("").as_posix()
        html = path.read_text(encoding="utf-8")
        start, end = html.find("<article"), html.rfind("</article>")
        # A redirect has no article.
        if start < 0 or name in _OURS or name.partition("/")[0] in _NO_PAGES:
            continue
        reader = _Lines()
        reader.feed(html[start:end])
        texts[name] = "".join(reader.text)
    return texts


@dataclass(frozen=True, slots=True)
class Asked:
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
