"""Contents for docs without tables of their own: upstream's outline, then all other pages by name.

Only Sphinx's own docs have toctrees. Where the page that a site begins with has none, the
navigation would be empty, and no reader would find the other pages. Of several docs folders the
toctrees of one may not lead into another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, groupby
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from pipeline.site.texts import text

Row = Sequence[Any]  # of an outline: [title, page or address or "", rows below it]


class contents(nodes.Element):  # noqa: N801 - nodes have such names
    """Where a book shows the pages below this one."""


class TableOfContents(SphinxDirective):
    """``tableofcontents`` of Jupyter Book: the pages below this one."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """A place for them: which they are the transform knows."""
        return [contents()]


class ListAllPages(SphinxTransform):
    """Toctrees on the pages of an outline; on the first page one for each folder besides."""

    default_priority = 4  # when there is a title, and before blocks are looked for

    def apply(self, **_: Any) -> None:
        """A page that is not the first gets what is below it in the outline.

        One that lists others gets the docs folders that nothing leads to.
        """
        root, page = self.config.root_doc, self.env.docname
        outline = self.config.jz_site.get("outline", {})
        is_root = page == root
        if is_root and self.document.next_node(addnodes.toctree):
            for folder, pages in self.config.jz_site["unlisted"].items():
                self._list(_words_of(folder), _rows(pages))
            return
        places = list(self.document.findall(contents))
        for caption, rows in outline.get(page, ()):
            self._list(
                caption, rows, original=caption, place=places[0] if places else None
            )
        for place in places:
            place.parent.remove(place)
        if is_root:
            self._list_others(set(chain.from_iterable(map(_targets, outline.values()))))

    def _list_others(self, listed: Set[str]) -> None:
        """Put a toctree on the page for each folder with pages that upstream has not listed."""
        found = self.env.found_docs
        others = [
            page for page in other_pages(found, self.env.docname) if page not in listed
        ]
        for folder, pages in groupby(others, _folder):
            if folder or not listed:
                self._list(_words_of(folder), _rows(pages))
                continue
            # They would seem to be of the list before them.
            words = text(self.config.language, "more pages")
            self._list(words, _rows(pages), original=text("en", "more pages"))

    def _list(
        self,
        caption: str,
        rows: Sequence[Row],
        *,
        original: str = "",
        place: contents | None = None,
    ) -> None:
        """Put a toctree on the page: at its end and hidden, or seen at a place.

        ``original`` is the caption in English, if it is words and no name.
        """
        tree = addnodes.toctree(
            parent=self.env.docname,
            entries=list(self._entries(rows)),
            maxdepth=-1,
            caption=caption or None,
            # Sphinx reads the page again when there are other pages.
            glob=True,
            hidden=place is None,
            includehidden=False,
            numbered=0,
            titlesonly=place is not None,
            jz_rows=rows,
            jz_english=original,
        )
        tree["includefiles"] = [
            page for title, page in tree["entries"] if title is None
        ]
        wrapper = nodes.compound("", tree, classes=["toctree-wrapper"])
        if place is None:
            self.document += wrapper
        else:
            place.parent.insert(place.parent.index(place), wrapper)

    def _entries(self, rows: Sequence[Row]) -> Iterator[tuple[str | None, str]]:
        """Yield the entries for Sphinx, which knows no groups: pages have their own titles."""
        for title, target, below in rows:
            if target in self.env.found_docs:
                yield None, target
            elif "://" in target:
                yield title, target
            yield from self._entries(below)


def _rows(pages: Iterable[str]) -> list[Row]:
    """Return rows for pages."""
    return [("", page, ()) for page in pages]


def _targets(lists: Sequence[Row]) -> Iterator[str]:
    """Yield what the lists of a page lead to, with all that stands in groups."""
    for _, rows in lists:
        for _, target, below in rows:
            yield target
            yield from _targets([("", below)])


def _words_of(folder: str) -> str:
    """Return the name of a folder as a caption."""
    return folder.replace("_", " ").replace("-", " ")


def other_pages(pages: Iterable[str], root: str) -> list[str]:
    """All pages but the first: those of the outermost folder, then folder by folder."""
    return sorted(
        (page for page in pages if page != root), key=lambda page: (_folder(page), page)
    )


def _folder(page: str) -> str:
    """The outermost folder of a page; empty if it lies in none."""
    return page.partition("/")[0] if "/" in page else ""


def setup(app: Sphinx) -> None:
    """Make the directive of books known."""
    app.add_directive("tableofcontents", TableOfContents, override=True)
