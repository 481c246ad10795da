"""What the site leaves out of other libraries is theirs still, and nobody misses it."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from functools import partial
from html import unescape
from importlib import import_module
from io import StringIO
from itertools import chain
from typing import Any

import pytest
from docutils import nodes
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from sphinx.highlighting import PygmentsBridge

from pipeline.site.extension.speed import (
    CLIENTS,
    PLAIN,
    LeanFormatter,
    _find_nodes_faster,
)

_PROOF = """
import sys
from pipeline.site.extension.speed import skip_unused_imports
skip_unused_imports(beside_others=True)
skip_unused_imports(beside_others=True)
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


@pytest.mark.parametrize("module", CLIENTS)
def test_myst_nb_has_the_clients_that_are_left_out(module: str) -> None:
    assert inspect.isclass(getattr(import_module(module), CLIENTS[module]))


def test_myst_nb_asks_ipython_for_what_it_is_given() -> None:
    asked = {
        "myst_nb.ext.glue": {"display"},
        "myst_nb.core.lexers": {"IPythonTracebackLexer"},
    }
    for module, names in asked.items():
        source = inspect.getsource(import_module(module))
        asked_for = re.findall(r"from IPython.* import (\w+)", source)
        assert set(asked_for) == names, module


def test_nbformat_proves_cells_by_a_function_that_can_be_replaced() -> None:
    cells: Any = import_module("nbformat.v4.nbbase")
    assert list(inspect.signature(cells.validate).parameters)[:2] == ["node", "ref"]
    assert "validate(cell" in inspect.getsource(cells.new_code_cell)


def test_sphinx_colours_code_with_the_formatter_of_its_bridge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(PygmentsBridge, "html_formatter", LeanFormatter)
    html = PygmentsBridge("html").highlight_block("lamp = 1", "python")
    assert 'class="n"' not in html
    assert 'class="mi"' in html


def test_plain_words_of_code_have_no_marks_and_none_is_lost() -> None:
    code = "import os\nlamp = os.path.join('a', 1)  # a lamp\n"
    html = {}
    for formatter in (HtmlFormatter[str](), LeanFormatter()):
        out = StringIO()
        formatter.format(get_lexer_by_name("python").get_tokens(code), out)
        html[type(formatter)] = out.getvalue()
    words = [unescape(re.sub("<[^>]*>", "", text)) for text in html.values()]
    assert words == [f"{code}\n"] * 2
    marks = [set(re.findall('class="(\\w+)"', text)) for text in html.values()]
    assert marks[0] - marks[1] == {"n", "nn", "p", "w"} & marks[0]
    assert "p" in marks[0]


@pytest.mark.parametrize("style", ["a11y-high-contrast-light", "a11y-high-contrast-dark"])
def test_words_without_marks_have_the_colour_of_all_text(style: str) -> None:
    formatter = HtmlFormatter[str](style=style)
    colours = {formatter.style.style_for_token(kind)["color"] for kind in PLAIN}
    assert len(colours) == 1


def _is_of(kind: type, node: nodes.Node) -> bool:
    return isinstance(node, kind)


def _with_all_below(node: nodes.Node) -> list[nodes.Node]:
    return [node, *chain.from_iterable(map(_with_all_below, node.children))]


def test_nodes_are_found_as_docutils_finds_them() -> None:
    _find_nodes_faster()
    words = nodes.paragraph("", "a ", nodes.emphasis("", "b", nodes.strong("", "c")))
    page = nodes.section("", nodes.title("", "T"), words, nodes.paragraph("", "d"))
    for kind in (None, nodes.Node, nodes.Text, nodes.Element, nodes.paragraph):
        condition = partial(_is_of, kind or nodes.Node)
        wanted = list(filter(condition, _with_all_below(page)))
        assert list(page.findall(kind)) == wanted
        assert list(page.findall(condition)) == wanted
    assert list(words.findall(nodes.paragraph, include_self=False)) == []
    assert list(words.findall(nodes.paragraph, descend=False)) == [words]
    assert len(list(page.children[0].findall(nodes.Element, siblings=True))) == 5
    # A node may be replaced as soon as it is found.
    for found in page.findall(nodes.strong):
        found.replace_self(nodes.Text("c"))
    assert page.astext() == "T\n\na bc\n\nd"
