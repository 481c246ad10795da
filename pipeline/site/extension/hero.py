"""What readers see first: the top of the home page, as the configuration words it.

Upstream's own may be raw HTML that its own style sheet lays out, which no site of ours has;
``absent`` leaves such HTML out. Ours says what the docs are of, shows it in a few lines of code,
and leads to the first pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.tops import top_of
from pipeline.site.texts import text

_PLACES = 3  # to start, to install, to learn


class AddHero(SphinxTransform):
    """Put it under the title of the home page.

    Comes before Sphinx resolves what leads to other pages, and after blocks are marked.
    """

    default_priority = 760

    def apply(self, **_: Any) -> None:
        """A site that begins with another page (``--pages``) has no home page.

        Nor has one whose configuration says nothing for it.
        """
        if not self.config.jz_site["hero"]:
            return
        section = self.document.next_node(nodes.section)
        page = self.env.docname
        is_home = page == f"{top_of(self.config.jz_site, page)}index"
        if not is_home or page != self.config.root_doc or section is None:
            return
        title = section.first_child_matching_class(nodes.title)
        # Behind the title, whatever stands before it.
        section.insert(0 if title is None else title + 1, self._hero())

    def _hero(self) -> nodes.container:
        """The words, the code, and buttons as far as there are pages for them."""
        site = self.config.jz_site
        words = nodes.paragraph("", site["hero"])
        hero = nodes.container("", words, classes=["jz-front"])
        if code := site["hero_code"]:
            hero += nodes.literal_block(code, code, language="python")
        if buttons := list(self._buttons()):
            hero += nodes.paragraph("", "", *buttons, classes=["jz-start"])
        return hero

    def _buttons(self) -> Iterator[addnodes.pending_xref]:
        """A link for each of the pages to start with that is there."""
        pages = self.config.jz_site["start"][:_PLACES]
        for number, page in enumerate(pages):
            if page in self.env.found_docs:
                words = text(self.config.language, f"start {number}")
                yield _link_to(page, words, self.env.docname)


def _link_to(page: str, words: str, from_page: str) -> addnodes.pending_xref:
    """A link that Sphinx resolves when the page is written: how far away ``page`` is, it knows."""
    return addnodes.pending_xref(
        "",
        nodes.inline("", words),
        refdomain="std",
        reftype="doc",
        # From the top of the sources.
        reftarget=f"/{page}",
        refdoc=from_page,
        refexplicit=True,
        refwarn=True,
    )
