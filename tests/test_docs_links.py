"""Links of the docs lead somewhere: files that are there, and anchors as GitHub makes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from myst_parser.slugs import github_slugify, unique_slug
from places import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]


@dataclass(slots=True)
class Heading:
    """A heading, and the anchors that lead to it: its own, and those right above it."""

    level: int
    text: str
    anchors: list[str]


@dataclass(slots=True)
class Document:
    """What of a page can be linked to, and its links, with their words."""

    headings: list[Heading] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    links: list[tuple[str, str]] = field(default_factory=list)


class Anchors(HTMLParser):
    """The ids in a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.feed(html)

    def handle_starttag(
        self, tag: str, attributes: list[tuple[str, str | None]]
    ) -> None:
        names = {"id", "name"} if tag == "a" else {"id"}
        self.ids += [value for name, value in attributes if name in names and value]


def words_of(token: Token) -> str:
    """What a reader sees of an inline token."""
    return "".join(child.content for child in token.children or ())


def links_of(token: Token) -> Iterator[tuple[str, str]]:
    """The words and the target of each link of an inline token."""
    words, target = "", None
    for child in token.children or ():
        if child.type == "link_open":
            words, target = "", str(child.attrGet("href"))
        elif child.type == "link_close" and target is not None:
            yield words, target
            target = None
        else:
            words += child.content


def read(text: str) -> Document:
    """A page with its anchors and links. Code has neither."""
    document = Document()
    slugs: set[str] = set()
    above: list[str] = []
    tokens = MarkdownIt().enable("table").parse(text)
    for at, token in enumerate(tokens):
        html = [token] if token.type == "html_block" else token.children or ()
        found = [
            anchor
            for piece in html
            if piece.type in ("html_block", "html_inline")
            for anchor in Anchors(piece.content).ids
        ]
        document.anchors.update(found)
        if token.type == "heading_open":
            inline = tokens[at + 1]
            slug = unique_slug(github_slugify(words_of(inline)), slugs)
            slugs.add(slug)
            document.anchors.add(slug)
            level = int(token.tag[1:])
            heading = Heading(level, words_of(inline), [slug, *above])
            document.headings.append(heading)
        if token.type == "inline":
            document.links += links_of(token)
        # A paragraph that is nothing but anchors stands above what comes next.
        is_anchor = bool(found) and (token.type != "inline" or not words_beside(token))
        if token.type not in ("paragraph_open", "paragraph_close"):
            above = [*above, *found] if is_anchor else []
    return document


def words_beside(token: Token) -> str:
    """What stands in a paragraph besides HTML."""
    pieces = (child for child in token.children or () if child.type != "html_inline")
    return "".join(piece.content for piece in pieces).strip()


DOCUMENTS = {page: read(page.read_text("utf-8")) for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for words, link in DOCUMENTS[page].links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue  # not ours
        path = page.parent / unquote(parts.path) if parts.path else page
        if not path.exists():
            broken.append(f"{words}: {link}: no such file")
            continue
        target = DOCUMENTS.get(path.resolve())
        anchor = unquote(parts.fragment)
        if anchor and (target is None or anchor not in target.anchors):
            broken.append(f"{words}: {link}: no such anchor")
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_contents_name_every_section_in_its_order(page: Path) -> None:
    """A list of links to the page itself, above its first section, is its contents."""
    document = DOCUMENTS[page]
    contents = contents_of(page.read_text("utf-8"))
    if not contents:
        return
    sections = [heading for heading in document.headings if heading.level == 2]
    assert [words for words, _ in contents] == [heading.text for heading in sections]
    for (words, anchor), heading in zip(contents, sections, strict=True):
        assert anchor.removeprefix("#") in heading.anchors, words


def contents_of(text: str) -> list[tuple[str, str]]:
    """The first link of each item of the contents; empty if a page has none."""
    head = text.partition("\n## ")[0]
    items = [line for line in head.split("\n") if line.startswith("- [")]
    links = [link for item in items for link in read(item).links[:1]]
    return links if all(target.startswith("#") for _, target in links) else []


def test_some_pages_have_contents_and_links() -> None:
    """Otherwise the tests above would pass with none of them."""
    texts = [page.read_text("utf-8") for page in PAGES]
    assert sum(bool(contents_of(text)) for text in texts) >= 2
    assert sum(len(document.links) for document in DOCUMENTS.values()) > 100
