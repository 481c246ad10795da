"""Anchors of headings: those that the English page has, so that links to the English docs work by swapping the prefix.

docutils makes the id of a section from its title, which is Chinese here; it has no letters for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from myst_parser.slugs import github_slugify, unique_slug
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.nodes import english

_ANCHOR = re.compile(r'<a id="([^"]+)">\s*(?:</a>)?')


class EnglishAnchors(SphinxTransform):
    """Name sections by their English titles. Comes when explicit targets have found their sections (MyST's: 262)."""

    default_priority = 263

    def apply(self, **_: Any) -> None:
        """Change the ids of all sections of a page that has a translated heading."""
        titles = {node["jz"]: _text(node) for node in self.document.findall(english)}
        sections = [
            (node, title)
            for node in self.document.findall(nodes.section)
            if (title := _title_of(node)) is not None
        ]
        if not any(title.get("jz") in titles for _, title in sections):
            return
        self._drop_written(
            {nodes.make_id(nodes.fully_normalize_name(text)) for text in titles.values()}
        )
        own = {id(node): list(_implicit(self.document, node)) for node, _ in sections}
        for names in own.values():
            for name in names:
                self.document.ids.pop(name, None)
        slugs: dict[str, tuple[int | None, str, str]] = {}
        counter = iter(range(1, 1 << 20))
        for node, title in sections:
            text = titles.get(title.get("jz"), title.astext())
            self._rename(node, text, own[id(node)], counter)
            if node.get("slug"):
                node["slug"] = unique_slug(github_slugify(text), slugs)
                slugs[node["slug"]] = (node.line, node["ids"][0], title.astext())
        known = getattr(self.document, "myst_slugs", None)
        if known is not None:
            known.clear()
            known.update(slugs)

    def _drop_written(self, names: set[str]) -> None:
        """Merged notebooks have an anchor in HTML above a heading that is linked to. It would stand there twice."""
        for raw in list(self.document.findall(nodes.raw)):
            match = _ANCHOR.fullmatch(raw.astext().strip())
            if match and match[1] in names:
                above = raw.parent
                above.remove(raw)
                if isinstance(above, nodes.paragraph) and not above.astext().strip().removesuffix(
                    "</a>"
                ):
                    above.parent.remove(above)

    def _rename(
        self, node: nodes.section, text: str, old: list[str], counter: Iterator[int]
    ) -> None:
        name = nodes.fully_normalize_name(text)
        new = nodes.make_id(name)
        explicit = [one for one in node["ids"] if one not in old]
        if new not in explicit:
            while not new or new in self.document.ids:
                new = f"id{next(counter)}"
            explicit.append(new)
            self.document.ids[new] = node
        node["ids"] = explicit
        for known, target in list(self.document.nameids.items()):
            if target in old:
                self.document.nameids[known] = explicit[-1]
        if name not in self.document.nameids:
            self.document.nameids[name] = explicit[-1]
            self.document.nametypes[name] = False


def _title_of(section: nodes.section) -> nodes.title | None:
    return next((child for child in section.children if isinstance(child, nodes.title)), None)


def _text(node: english) -> str:
    return "".join(child.astext() for child in node.children)


def _implicit(document: nodes.document, section: nodes.section) -> Iterator[str]:
    """The ids of a section that come from its title."""
    explicit = {
        document.nameids.get(name)
        for name, is_explicit in document.nametypes.items()
        if is_explicit
    }
    return (name for name in section["ids"] if name not in explicit)
