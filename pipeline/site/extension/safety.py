"""The last look at what is written into a page: a part of Sphinx's translator.

``offline`` has cleaned what was read. Here nothing gets into a page that a browser would run, also
if a directive, an extension or docutils itself makes it later, or writes it without care.
"""

from __future__ import annotations

import mimetypes
import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import DownloadFiles

from pipeline.adapters.html.sanitizer import is_safe_address, sanitize
from pipeline.site.assets import is_program
from pipeline.site.extension.nodes import cleaned, write_html
from pipeline.site.extension.writing import mix_in

_NAME = re.compile(r"(?!on)[a-z][a-z0-9:_-]*", re.IGNORECASE)
_ADDRESSES = frozenset(
    "action background cite data formaction href poster src srcset xlink:href".split()
)
_FLASH = "application/x-shockwave-flash"
# What docutils writes as it is into the link that stands in a film.
_NOT_IN_LINK = re.compile(r"[\"<>]")
_OF_META = frozenset(("content", "lang", "name", "property"))


class SafeElements:
    """For a translator: elements and attributes that run nothing."""

    body: list[str]

    def starttag(
        self,
        node: Any,
        tagname: str,
        suffix: str = "\n",
        empty: bool = False,
        **attributes: Any,
    ) -> str:
        """As docutils does, without handlers, and without addresses that are programs."""
        if tagname.lower() == "meta" and not _OF_META.issuperset(attributes):
            # ``http-equiv`` leads readers away.
            return ""
        harmless = {
            name: value
            for name, value in attributes.items()
            if _is_harmless(name, value)
        }
        html: str = super().starttag(  # type: ignore[misc]
            node, tagname, suffix, empty, **harmless
        )
        return html

    def visit_raw(self, node: nodes.raw) -> None:
        """Clean HTML that was made after the page was read."""
        if not isinstance(node, cleaned):
            write_html(node, sanitize(node.astext()).html)
        super().visit_raw(node)  # type: ignore[misc]

    def visit_image(self, node: nodes.image) -> None:
        """As Sphinx does, for pictures and films; other files are called by their words.

        docutils embeds drawings as they are (``:loading: embed``), and writes the words of films
        as if they were HTML.
        """
        node.attributes.pop("loading", None)
        address = node["uri"]
        kind = mimetypes.guess_type(address)[0] or ""
        is_film = kind.startswith("video/")
        words = escape(node.get("alt", address))
        is_live = kind == _FLASH or (is_film and _NOT_IN_LINK.search(address))
        if is_live or not is_safe_address(address):
            self.body.append(words)
            raise nodes.SkipNode
        if is_film:
            node["alt"] = words
        super().visit_image(node)  # type: ignore[misc]


def _is_harmless(name: str, value: Any) -> bool:
    """Return whether a browser runs nothing because of an attribute."""
    if not _NAME.fullmatch(name):
        return False
    return name.lower() not in _ADDRESSES or is_safe_address(str(value))


def _patch_downloads() -> None:
    """Let programs be downloaded as the text that they are: ``demo.html`` as ``demo.html.txt``."""
    plain = DownloadFiles.add_file

    def add_file(self: Any, docname: str, filename: Any) -> Any:
        """As Sphinx does: the name of a file among the downloads."""
        name = plain(self, docname, filename)
        if not is_program(str(name)):
            return name
        text = name.with_name(f"{name.name}.txt")
        pages, _ = self[Path(filename)]
        self[Path(filename)] = (pages, text)
        return text

    # Once: the tests set up more than one site in a process.
    if plain.__name__ != "_add_program":
        add_file.__name__ = "_add_program"
        DownloadFiles.add_file = add_file


def setup(app: Sphinx) -> None:
    """Let the builder's translator have these, in front of all others but the theme's."""
    _patch_downloads()
    app.connect("builder-inited", lambda app: mix_in(app, SafeElements), priority=110)
