"""Code cells that are folded away: what is clicked to see them.

MyST-NB labels the button in English, whatever it says itself: here it says the same in words alone.
"""

from __future__ import annotations

from typing import Any

from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput
from sphinx.application import Sphinx

from pipeline.site.texts import text

# What MyST-NB calls what it hides.
_KINDS = frozenset(("source", "output", "outputs", "content"))


def setup(app: Sphinx) -> None:
    """Replace how MyST-NB writes them."""
    app.add_node(
        HideCodeCellNode, override=True, html=(_visit_hidden, depart_HideCellInput)
    )


def _visit_hidden(self: Any, node: HideCodeCellNode) -> None:
    """``<details><summary>…``, with the words for closed and for open."""
    classes = " ".join(node["classes"])
    self.body.append(f'<details class="admonition hide {classes}">\n<summary>\n')
    locale = self.config.language
    for state, prompt in (("collapsed", "prompt_show"), ("expanded", "prompt_hide")):
        words = node[prompt]
        # A cell may say in its own words what is behind.
        if words in _KINDS:
            words = text(locale, f"{prompt} {words}")
        self.body.append(
            f'<p class="{state} admonition-title">{self.encode(words)}</p>\n'
        )
    self.body.append("</summary>\n")
