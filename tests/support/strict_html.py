"""HTML parser for tests that rejects tags that do not match."""

from __future__ import annotations

from html.parser import HTMLParser

from bs4 import BeautifulSoup

VOID = {"meta", "input", "br", "img", "link", "hr"}


class _StrictParser(HTMLParser):
    """Parser that keeps the names of the open elements."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def strict_html(text: str) -> BeautifulSoup:
    """Return a page or a part of one, in which each element ends where its tag says so."""
    parser = _StrictParser()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return BeautifulSoup(text, "html.parser")


def words_in(page: BeautifulSoup) -> str:
    """Return the words outside of scripts and styles, those of two elements apart."""
    return " ".join(page.get_text(" ").split())
