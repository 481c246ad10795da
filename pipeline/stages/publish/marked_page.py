"""Renderer of workbench pages: the preview's HTML with an element around every message.

The text of a merged document gets a mark before and after each message (``core.workbench.marks``).
The preview's renderers convert it to HTML, in which pairs of marks become elements. Nothing is
written to disk.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any
from uuid import uuid4

from pipeline.adapters.html import notebook as html
from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.myst import markdown_html
from pipeline.adapters.html.sanitizer import sanitize
from pipeline.core.document.merge import Merged
from pipeline.core.document.reader import Document, Format
from pipeline.core.execution.outputs import with_ids
from pipeline.core.workbench.marks import ATTRIBUTE, MarkedHtml, marked_text, read_marks
from pipeline.stages.publish.renderer import check_marks, is_prose, notebook_of, text_html

_BETWEEN = uuid4().hex  # a random separator that no page contains


def render_marked(
    document: Document, merged: Merged, *, folder: PageFolder, outputs: Path | None
) -> MarkedHtml:
    """Return a merged document as HTML with an element around each message.

    ``outputs`` is the executed notebook, if there is one. Images are read from ``folder``. Raises
    InputError, and any exception of nbconvert.
    """
    texts = _marked_texts(merged)
    check_marks(texts, where=document.path)
    if document.format in (Format.MYST, Format.RST):
        return _with_elements(text_html(texts[0], document.path, folder))
    data = _marked_data(merged, texts, is_json=document.notebook is not None)
    path = document.path
    notebook = notebook_of(Path(path), data, outputs, page=path)
    return _with_elements(_body(notebook, folder))


def render_message(
    document: Document, merged: Merged, index: int, *, folder: PageFolder
) -> str | None:
    """Return the HTML of message ``index`` on a text page; None if the HTML lacks its marks."""
    unit = merged.units[0]
    text = marked_text(unit.text, unit.messages)
    html = text_html(text, document.path, folder)
    return _with_elements(html).inner.get(index)


def _with_elements(html: str) -> MarkedHtml:
    """Return sanitized HTML with an element instead of each pair of marks."""
    marked = read_marks(sanitize(html).html)
    inner = {number: _clean(text) for number, text in marked.inner.items()}
    return MarkedHtml(html=_clean(marked.html), inner=inner)


def _clean(html: str) -> str:
    """Return sanitized HTML that keeps the messages' elements."""
    return sanitize(html, ours=ATTRIBUTE).html


def _marked_texts(merged: Merged) -> list[str]:
    """Return the marked text of each unit: of each Markdown cell, or of the whole text page.

    The numbers of the messages continue from unit to unit.
    """
    counts = (len(unit.messages) for unit in merged.units)
    firsts = accumulate(counts, initial=0)
    return [
        marked_text(unit.text, unit.messages, first=first)
        for unit, first in zip(merged.units, firsts, strict=False)
    ]


def _marked_data(merged: Merged, texts: list[str], *, is_json: bool) -> bytes:
    """Return the bytes of the merged document, with ``texts`` as the new texts of its units."""
    if not is_json:
        return texts[0].encode("utf-8", "replace")
    notebook = json.loads(merged.data)
    for unit, text in zip(merged.units, texts, strict=True):
        if unit.cell is not None:
            notebook["cells"][unit.cell]["source"] = text
    return json.dumps(notebook).encode("utf-8")


def _body(notebook: Mapping[str, Any], folder: PageFolder) -> str:
    """Return the HTML of a notebook's cells."""
    # Translations change prose only. So code is rendered separately, and its HTML is cached.
    code = {
        **notebook,
        "cells": [cell for cell in notebook["cells"] if not is_prose(cell)],
    }
    rendered = iter(_code_html(json.dumps(code), folder))
    parts: list[str] = []
    for cell in notebook["cells"]:
        if not is_prose(cell):
            parts.append(next(rendered))
            continue
        attachments = cell.get("attachments", {})
        prose = markdown_html(cell["source"], folder=folder, attachments=attachments)
        parts.append(sanitize(prose).html)
    return "\n".join(parts)


@lru_cache(maxsize=8)
def _code_html(notebook: str, folder: PageFolder) -> tuple[str, ...]:
    """Return the HTML of each cell of ``notebook``, a JSON text (which ``lru_cache`` can hash)."""
    code = json.loads(notebook)
    if not code["cells"]:
        return ()
    # nbconvert copies raw HTML cells unchanged. Insert a raw cell with a separator after each cell.
    between = {
        "cell_type": "raw",
        "metadata": {"raw_mimetype": "text/html"},
        "source": _BETWEEN,
    }
    cells: list[dict[str, Any]] = []
    for cell in code["cells"]:
        cells += [cell, between]
    bare = with_ids(cells, {"nbformat": 4, "nbformat_minor": 4})
    whole = {**code, "nbformat_minor": 4, "cells": bare}
    rendered = html.notebook_html(whole, folder=folder).html
    return tuple(rendered.split(_BETWEEN)[:-1])
