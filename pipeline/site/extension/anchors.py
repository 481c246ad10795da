"""Anchors of headings: those that the English page has.

So links to the English docs work by swapping the prefix. docutils makes the id of a section from
its title, which is Chinese here; it has no letters for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from docutils import nodes
from myst_parser.slugs import github_slugify, unique_slug
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.nodes import english, waiting_english, words_of

_ANCHOR = re.compile(r'<a id="([^"]+)">\s*(?:</a>)?')


@dataclass(frozen=True, slots=True)
class _Titled:
    """A section of the page, its title, and the ids that docutils has made of the title."""

    section: nodes.section
    title: nodes.title
    implicit: list[str]


class EnglishAnchors(SphinxTransform):
    """Name sections by their English titles."""

    # When explicit targets have found their sections (MyST's: 262).
    default_priority = 263

    def apply(self, **_: Any) -> None:
        """Change the ids of all sections of a page that has a translated heading."""
        copies = waiting_english(self.document)
        sections = list(self._sections())
        # Of a page in English docutils makes the right ids.
        if not any(titled.title.get("jz") in copies for titled in sections):
            return
        self._drop_written(copies.values())
        # All at once, so that no section keeps an id from another one that has not had its turn.
        for titled in sections:
            for name in titled.implicit:
                self.document.ids.pop(name, None)
        slugs: dict[str, tuple[int | None, str, str]] = {}
        numbers = count(1)
        for titled in sections:
            section, title = titled.section, titled.title
            copy = copies.get(title.get("jz"))
            text = title.astext() if copy is None else words_of(copy)
            self._rename(titled, text, numbers)
            if section.get("slug"):
                section["slug"] = unique_slug(github_slugify(text), slugs)
                slugs[section["slug"]] = (
                    section.line,
                    section["ids"][0],
                    title.astext(),
                )
        # What MyST looks links to headings up in.
        known = getattr(self.document, "myst_slugs", None)
        if known is not None:
            # In place: MyST holds on to this very dictionary.
            known.clear()
            known.update(slugs)

    def _sections(self) -> Iterator[_Titled]:
        """Those that have a title, in the order of the page."""
        explicit = self._explicit_ids()
        for title in self.document.findall(nodes.title):
            section = title.parent
            # Tables and boxes (``.. topic::``) have titles too.
            if isinstance(section, nodes.section):
                implicit = [name for name in section["ids"] if name not in explicit]
                yield _Titled(section, title, implicit)

    def _explicit_ids(self) -> set[str | None]:
        """The ids that somebody has written: ``(name)=`` above a heading, ``.. _name:``."""
        explicit: set[str | None] = set()
        for name, is_explicit in self.document.nametypes.items():
            if is_explicit:
                explicit.add(self.document.nameids.get(name))
        return explicit

    def _drop_written(self, copies: Iterable[english]) -> None:
        """Remove anchors that merge has written: they would stand there twice.

        A merged notebook has ``<a id="…"></a>`` above a heading that is linked to.
        """
        written: dict[nodes.raw, str] = {}
        for raw in self.document.findall(nodes.raw):
            anchor = _ANCHOR.fullmatch(raw.astext().strip())
            if anchor:
                written[raw] = anchor[1]
        if not written:
            return
        titles = [nodes.fully_normalize_name(words_of(copy)) for copy in copies]
        names = set(map(nodes.make_id, titles))
        for raw, name in written.items():
            # Upstream may have written others.
            if name in names:
                _remove_anchor(raw)

    def _rename(self, titled: _Titled, text: str, numbers: Iterator[int]) -> None:
        """Give a section the id of its English title, and tell all who know it by another.

        ``快速入门`` with the English ``Quick start``: ``id3`` → ``quick-start``.
        """
        section = titled.section
        name = nodes.fully_normalize_name(text)
        wanted = nodes.make_id(name)
        ids = [known for known in section["ids"] if known not in titled.implicit]
        if wanted not in ids:
            ids.append(self._free_id(wanted, numbers))
            self.document.ids[ids[-1]] = section
        # The last one counts: explicit names, which links use as well, stay before it.
        section["ids"] = ids
        # Links of the page that look for the Chinese title find the section still.
        for known, target in list(self.document.nameids.items()):
            if target in titled.implicit:
                self.document.nameids[known] = ids[-1]
        if name not in self.document.nameids:
            self.document.nameids[name] = ids[-1]
            self.document.nametypes[name] = False

    def _free_id(self, wanted: str, numbers: Iterator[int]) -> str:
        """The id that is wanted, or the next one with a number that the page does not have.

        So does docutils where two headings are the same, or one has no letters: id1, id2 …
        """
        free = wanted
        while not free or free in self.document.ids:
            free = f"id{next(numbers)}"
        return free


def _remove_anchor(raw: nodes.raw) -> None:
    """Remove ``<a id="…">``, and the paragraph that held nothing else."""
    above = raw.parent
    above.remove(raw)
    # The end tag may be a piece of HTML of its own, in the same paragraph.
    rest = above.astext().strip().removesuffix("</a>")
    if isinstance(above, nodes.paragraph) and not rest:
        above.parent.remove(above)
