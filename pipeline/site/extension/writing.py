"""How blocks become HTML: a part of Sphinx's translator, from nodes to elements.

A node that is a block has its number as ``jz``, and perhaps ``jz_edit`` and ``lang``; a node that
is the English of a block has the number as ``jz_for``; one that explains a name has it as
``jz_name``. Here they become attributes, which scripts and styles go by.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from pipeline.site.extension.contents import put_marks
from pipeline.site.extension.exits import lead_home
from pipeline.site.extension.fragments import in_both_languages, stands_alone
from pipeline.site.extension.languages import mark_contents
from pipeline.site.extension.nodes import is_html

_NAMES = {
    "jz": "data-jz",
    "jz_edit": "data-jz-edit",
    "jz_hidden": "hidden",
    "lang": "lang",
}


class BlockAttributes:
    """For a translator: the attributes of blocks."""

    def starttag(
        self,
        node: Any,
        tagname: str,
        suffix: str = "\n",
        empty: bool = False,
        **attributes: Any,
    ) -> str:
        """As docutils does, with number and language of a block: ``<p data-jz="3" lang="en">``."""
        if isinstance(node, nodes.caption) and tagname == "p":
            # Sphinx makes two elements of a caption, <p><span>: the block is the <span>.
            classes = [name for name in node["classes"] if not name.startswith("jz-")]
            node = nodes.caption(ids=node["ids"], classes=classes)
        if isinstance(node, nodes.Element):
            attributes |= _attributes_of(node)
            if tagname == "a" and "hreflang" in node:
                attributes["hreflang"] = node["hreflang"]
        html: str = super().starttag(  # type: ignore[misc]
            node, tagname, suffix, empty, **attributes
        )
        return html

    def visit_raw(self, node: nodes.raw) -> None:
        """As docutils does, but a block that is a part of an element gets no box around it."""
        html = node.astext()
        is_block = "jz" in node and is_html(node)
        if not is_block or ("jz_english" not in node and stands_alone(html)):
            super().visit_raw(node)  # type: ignore[misc]
            return
        english = node.get("jz_english", html)
        translator: Any = self
        translator.body.append(in_both_languages(html, english, node["jz"]))
        raise nodes.SkipNode

    def visit_compound(self, node: nodes.compound) -> None:
        """Mark a table of contents, whose nodes Sphinx has made only now."""
        # Earlier there are no nodes to mark: Sphinx resolves toctrees last.
        if "jz_marks" in node:
            put_marks(node)
        if "toctree-wrapper" in node["classes"]:
            builder: Any = self.builder  # type: ignore[attr-defined]
            lead_home(builder.app, node, builder.current_docname)
            mark_contents(builder.app, node, builder.current_docname)
        super().visit_compound(node)  # type: ignore[misc]

    def visit_entry(self, node: nodes.entry) -> None:
        """Let the empty corner of a table be no heading: who hears it would hear one of nothing."""
        super().visit_entry(node)  # type: ignore[misc]
        if not node.astext().strip() and not any(node.findall(nodes.image)):
            translator: Any = self
            translator.body[-1] = translator.body[-1].replace("<th", "<td", 1)
            translator.context[-1] = translator.context[-1].replace("</th", "</td", 1)


def _attributes_of(node: nodes.Element) -> dict[str, str]:
    """What the HTML of a node has because it is a block, the English of one, or explains a name.

    ``jz=3, jz_edit="12"`` on a node → ``data-jz="3" data-jz-edit="12"`` on its element.
    """
    if "jz" in node:
        return {name: str(node[key]) for key, name in _NAMES.items() if key in node}
    if "jz_rest" in node:
        return {"lang": "en"}
    if "jz_for" in node:
        return {"data-jz-for": str(node["jz_for"]), "lang": "en"}
    if "jz_name" in node:
        return {"data-jz-name": node["jz_name"]}
    return {}


def setup(app: Sphinx) -> None:
    """Let the builder's translator have these attributes."""
    # Before the theme makes its own translator of the builder's.
    app.connect(
        "builder-inited", lambda app: mix_in(app, BlockAttributes), priority=100
    )


def mix_in(app: Sphinx, part: type) -> None:
    """Put a part before the translator of a builder of HTML, once."""
    base = (
        app.registry.translators.get(app.builder.name)
        or app.builder.default_translator_class
    )
    if app.builder.format == "html" and not issubclass(base, part):
        translator = type("BlockTranslator", (part, base), {})
        app.set_translator(app.builder.name, translator, override=True)
