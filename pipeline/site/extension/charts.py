"""Mermaid charts: drawings that are made when the page is read, with the text of the chart below.

A drawing is a file that the page shows as an image, so no script runs for it. The text says what
the drawing says to who does not see it. A chart that cannot be drawn is its text, and a finding.
"""

from __future__ import annotations

import re
from base64 import b64encode
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from pipeline.adapters.charts import draw_chart
from pipeline.errors import InputError
from pipeline.site.extension.absent import has_file, in_repository
from pipeline.site.extension.nodes import fixed
from pipeline.site.extension.stubs import Stub
from pipeline.site.texts import text

_TITLE = re.compile(r"^\s*(?:accTitle\s*:|title\b:?)\s*(\S.*?)\s*$", re.MULTILINE)


class MermaidChart(Stub):
    """``mermaid``: a chart, which stands in the directive or in a file."""

    def run(self) -> list[nodes.Node]:
        """Return the drawings and the text; a link to a file that was not pulled."""
        source = "\n".join(self.content)
        path = "".join(self.arguments[:1])
        if path and not source:
            if not has_file(self.env, path):
                return in_repository(self.env, path)
            source = self._text_of(path)
        try:
            chart = draw_chart(source)
        except InputError as error:
            raise self.error(str(error)) from error
        drawings = {"": chart.light}
        if chart.dark:
            drawings = {"only-light": chart.light, "only-dark": chart.dark}
        locale = self.config.language
        name, label = (escape(text(locale, key)) for key in ("chart", "chart source"))
        return [
            # Where it is wider than the page it scrolls, also by keys.
            fixed(
                html=f'<div class="jz-chart" tabindex="0" role="group" aria-label="{name}">'
            ),
            *(
                self._image(source, drawing, chart.width, shown)
                for shown, drawing in drawings.items()
            ),
            fixed(html="</div>"),
            *self._caption(),
            fixed(html=f'<details class="jz-chart-source"><summary>{label}</summary>'),
            nodes.literal_block(source, source, language="text"),
            fixed(html="</details>"),
        ]

    def _text_of(self, path: str) -> str:
        """Return the text of a file among the docs, with which the page changes."""
        file = Path(self.env.relfn2path(path)[1])
        self.env.note_dependency(str(file))
        return file.read_text(encoding="utf-8", errors="replace")

    def _image(
        self, source: str, drawing: bytes, width: int, shown: str
    ) -> nodes.image:
        """Return a drawing as an image; it becomes a file like those in notebooks.

        ``shown`` is the theme's class for images of light or dark pages; empty for both.
        """
        title = _TITLE.search(source)
        words = text(self.config.language, "chart")
        if title:
            words = f"{title[1]} ({words})"
        return nodes.image(
            uri=f"data:image/svg+xml;base64,{b64encode(drawing).decode()}",
            alt=self.options.get("alt") or words,
            width=f"{width}px",
            # Sphinx would make a link of an image with a width, to a drawing without a ground.
            classes=["no-scaled-link", *shown.split()],
        )

    def _caption(self) -> list[nodes.Node]:
        """Return the words below a chart, if it has any."""
        words = self.options.get("caption")
        if not words:
            return []
        made, messages = self.state.inline_text(words, self.lineno)
        return [nodes.paragraph("", "", *made, classes=["caption-text"]), *messages]


def setup(app: Sphinx) -> None:
    """Draw charts, also where an extension of the docs would leave it to a script."""
    app.add_directive("mermaid", MermaidChart, override=True)
