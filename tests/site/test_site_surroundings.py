"""What stands around the text of a page on the site: its headings, and no module for nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pipeline.site.extension.surroundings import headings_of

LINK = '<a class="reference internal"'
MARKED = '<a class="reference internal nav-link"'
LIST = "nav section-nav flex-column"


def test_headings_are_those_below_the_title() -> None:
    toc = (
        f'<ul>\n<li>{LINK} href="#">Tools</a><ul>\n'
        f'<li>{LINK} href="#saw">The <code>saw</code></a><ul>\n'
        f'<li>{LINK} href="#teeth">Teeth</a><ul>\n'
        f'<li>{LINK} href="#sharp">Sharp ones</a></li>\n</ul>\n</li>\n</ul>\n</li>\n'
        f'<li>{LINK} href="#lamp">The lamp</a></li>\n</ul>\n</li>\n</ul>\n'
    )
    assert headings_of(toc, open_levels=2) == (
        f'<ul class="pst-show_toc_level {LIST}">\n'
        f'<li class="toc-h2 nav-item toc-entry">{MARKED} href="#saw">The <code>saw</code></a>'
        f'<ul class="pst-show_toc_level {LIST}">\n'
        f'<li class="toc-h3 nav-item toc-entry">{MARKED} href="#teeth">Teeth</a>'
        f'<ul class="{LIST}">\n'
        f'<li class="toc-h4 nav-item toc-entry">{MARKED} href="#sharp">Sharp ones</a></li>\n'
        "</ul>\n</li>\n</ul>\n</li>\n"
        f'<li class="toc-h2 nav-item toc-entry">{MARKED} href="#lamp">The lamp</a></li>\n</ul>'
    )


@pytest.mark.parametrize(
    "toc",
    [
        "",
        f'<ul>\n<li>{LINK} href="#">Only a title</a></li>\n</ul>\n',
        # What a hidden list of contents leaves.
        f'<ul>\n<li>{LINK} href="#">Title</a><ul>\n</ul>\n</li>\n</ul>\n',
    ],
)
def test_a_page_with_only_a_title_has_no_headings(toc: str) -> None:
    assert headings_of(toc, open_levels=2) == ""


def test_all_headings_of_a_page_with_several_titles_are_shown() -> None:
    entry = (
        f'<li>{LINK} href="#a">A</a><ul>\n<li>{LINK} href="#b">B</a></li>\n</ul>\n</li>'
    )
    html = headings_of(f"<ul>\n{entry}\n{entry}\n</ul>\n", open_levels=1)
    assert html.count('class="toc-h1 ') == html.count('class="toc-h2 ') == 2
    assert html.startswith(f'<ul class="pst-show_toc_level {LIST}">')


_PROOF = """
import sys
from pipeline.site.extension.lean import leave_out
leave_out(beside_others=True)
leave_out(beside_others=True)
import myst_nb.sphinx_ext, bs4, nbformat
assert "IPython" not in sys.modules
assert "soupsieve.css_parser" not in sys.modules
# Whoever needs them has them.
page = bs4.BeautifulSoup("<p class='a'>one</p><p>two</p>", "html.parser")
assert [found.string for found in page.select("p.a")] == ["one"]
assert page.select_one("p:not(.a)").string == "two"
from IPython.display import display
assert callable(display)
# A notebook that is none is still found out.
try:
    cells = [{"cell_type": "markdown", "id": "a", "metadata": {}}]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    nbformat.validate(nbformat.from_dict(notebook))
except nbformat.ValidationError as error:
    assert "source" in str(error), error
else:
    raise AssertionError
"""


def test_what_is_left_out_is_there_for_who_needs_it() -> None:
    """Extensions of the docs run in the same process."""
    subprocess.run([sys.executable, "-c", _PROOF], check=True)
