"""Previews of pages that would take long: their source is shown, and a finding names the bound."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from notebooks import notebook_value, prose
from previews import preview_page

from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.myst import markdown_html
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import read_document
from pipeline.errors import InputError
from pipeline.limits import DIRECTIVES, PREVIEW_MARKS
from pipeline.stages.publish.marked_page import render_marked
from pipeline.stages.publish.renderer import render_preview

MANY = 20_000
PAGES = {
    "tea.md": "Tea\n\n" + "[" * MANY,
    "tea.rst": "Tea\n\n" + "=\n" * MANY,
    # Many cells, with few brackets each.
    "tea.ipynb": json.dumps(notebook_value(*[prose("Tea " + "[" * 100)] * 200)),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_with_too_many_marks_is_shown_as_source(
    name: str, tmp_path: Path
) -> None:
    preview = preview_page(tmp_path, name, PAGES[name])
    began = time.process_time()
    rendered = render_preview(preview)
    assert time.process_time() - began < 2
    assert "20,000 brackets and underlines; at most 5,000 are read" in rendered.problem
    assert name in rendered.problem
    assert "<pre>" in preview.target.read_text("utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_the_workbench_refuses_such_a_page(name: str, tmp_path: Path) -> None:
    document = read_document(name, PAGES[name].encode())
    merged = merge(document, {})
    with pytest.raises(InputError, match=r"at most 5,000 are read"):
        render_marked(document, merged, folder=PageFolder(tmp_path), outputs=None)


def test_as_many_marks_as_are_permitted_are_rendered_quickly(tmp_path: Path) -> None:
    render_preview(preview_page(tmp_path, "cup.md", "Cup"))  # loads the modules
    preview = preview_page(tmp_path, "tea.md", "[" * PREVIEW_MARKS.most)
    began = time.process_time()
    assert render_preview(preview).problem == ""
    assert time.process_time() - began < 2


def test_directives_in_too_many_others_are_shown_as_source(tmp_path: Path) -> None:
    depth = 2 * DIRECTIVES
    fences = [":" * (depth + 3 - level) for level in range(depth)]
    opening = "\n".join(f"{fence}{{note}}" for fence in fences)
    closing = "\n".join(reversed(fences))
    text = f"{opening}\n**inner**\n{closing}\n"
    html = markdown_html(text, folder=PageFolder(tmp_path))
    assert html.count('class="admonition note"') == DIRECTIVES
    assert "**inner**" in html
