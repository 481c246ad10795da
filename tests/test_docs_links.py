"""Links of the docs lead somewhere: files that are there, and anchors as GitHub makes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml.html import HtmlElement, fragment_fromstring
from markdown_it import MarkdownIt
from msgspec import Struct, field
from myst_parser.slugs import github_slugify, unique_slug
from places import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]


class Document(Struct):
    """What of a page can be linked to, and its links, with their words.

    ``sections`` has the words of each heading of level 2, and the anchors that lead to it: its own,
    and those right above it. ``contents`` has the links that begin the items of a list above them.
    """

    anchors: set[str] = field(default_factory=set)
    sections: list[tuple[str, list[str]]] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    contents: list[tuple[str, str]] = field(default_factory=list)


def anchors_in(element: HtmlElement) -> list[str]:
    return [*element.xpath("descendant-or-self::*/@id | descendant-or-self::a/@name")]


def links_in(element: HtmlElement) -> Iterator[tuple[str, str]]:
    """Yield the words and the target of each link."""
    for link in element.xpath(".//a[@href]"):
        yield link.text_content(), link.get("href")


def read(text: str) -> Document:
    """Return a page with its anchors and links."""
    html = MarkdownIt().enable("table").render(text)
    page = fragment_fromstring(html, create_parent=True)
    found = Document(anchors=set(anchors_in(page)), links=[*links_in(page)])
    slugs: set[str] = set()
    above: list[str] = []
    for block in page.iterchildren("*"):
        words = block.text_content().strip()
        if block.tag in ("h1", "h2", "h3", "h4"):
            slug = unique_slug(github_slugify(words), slugs)
            slugs.add(slug)
            if block.tag == "h2":
                found.sections.append((words, [slug, *above]))
        elif block.tag == "ul" and not found.sections:
            for item in block:
                words_of_item = item.text_content().strip()
                first = next(links_in(item), (" ", ""))
                found.contents += [first] if words_of_item.startswith(first[0]) else []
        # A paragraph that is nothing but anchors stands above what comes next.
        above = [] if words else [*above, *anchors_in(block)]
    found.anchors |= slugs
    return found


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


WITH_CONTENTS = [
    page
    for page, document in DOCUMENTS.items()
    if document.contents and all(target.startswith("#") for _, target in document.contents)
]


@pytest.mark.parametrize("page", WITH_CONTENTS, ids=lambda page: page.name)
def test_contents_name_every_section_in_its_order(page: Path) -> None:
    """A list of links to the page itself, above its first section, is its contents."""
    document = DOCUMENTS[page]
    sections = [words for words, _ in document.sections]
    assert [words for words, _ in document.contents] == sections
    for (words, link), (_, anchors) in zip(document.contents, document.sections, strict=True):
        assert link.removeprefix("#") in anchors, words


def test_some_pages_have_contents_and_links() -> None:
    """Otherwise the tests above would pass with none of them."""
    assert len(WITH_CONTENTS) >= 2
    assert sum(len(document.links) for document in DOCUMENTS.values()) > 100
