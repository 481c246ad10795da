"""What another program evaluates: it is found outside of code, and no translation adds any."""

from __future__ import annotations

import time

import pytest
from corpus import msgids, page
from notebooks import code, notebook, prose

from pipeline.core.document.markdown.template_syntax import evaluated_pieces
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document
from pipeline.reading import Dialect, Reading


def codes(document: Document, translation: str) -> list[str]:
    """The codes of the refusals of a translation for all messages of a document."""
    rejected = merge(document, dict.fromkeys(msgids(document), translation)).rejected
    return [one.refusal.code for one in rejected]


EVALUATED = {
    "a tag": ("Words.\n\n{% if a %}\nMore.\n{% endif %}\n", 3, "a tag of Liquid, “{% if a %}”"),
    "in a line": ("Some\n{%- cite a -%} words.\n", 2, "a tag of Liquid, “{%- cite a -%}”"),
    "a variable": ("# A {{ b }}\n", 1, "braces of Liquid, Vue or Jinja, “{{ b }}”"),
    "in a link": ("[a]({{ b }}) words\n", 1, "braces of Liquid"),
    "in a quote": ("> Some\n> {{ a\n> }} words\n", 2, "“{{ a }}”"),
    "in a table": ("| a |\n|--|\n| {{ b }} |\n", 3, "“{{ b }}”"),
    "in a directive": ("```{note}\nSome\n{{ b }} words\n```\n", 3, "“{{ b }}”"),
    "in HTML": ('<div>\n<a href="{{ b }}">c</a>\n</div>\n', 2, "“{{ b }}”"),
    "a shortcode": ('{{< figure src="a.png" >}}\n', 1, "a shortcode of Hugo"),
    "another one": ("{{% note %}}\nWords.\n{{% /note %}}\n", 1, "a shortcode of Hugo"),
    "mdBook": ("{{#include a.md:2:3}}\n", 1, "an inclusion of mdBook"),
    "an expression": ("Key: {process.env.KEY}\n", 1, "an expression of MDX, “{process.env.KEY}”"),
    "a call": ("It is {now()}.\n", 1, "an expression of MDX, “{now()}”"),
    "a comment": ("It is {/* not\nso */}.\n", 1, "an expression of MDX, “{/* not so */}”"),
    "an attribute": ("<Lamp on={a.b} /> on\n", 1, "an expression of MDX, “{a.b}”"),
    "an import": ("Words.\n\nimport A from '@a/b';\n", 3, "an import or export of MDX"),
    "on several lines": ('import {\n  A,\n} from "b"\n', 1, "“import { A, } from \"b\"”"),
    "for its effect": ("import './a.css'\n", 1, "an import or export of MDX"),
    "an export": ("export const a = 1\n", 1, "an import or export of MDX"),
    "behind a backquote": ("It is \\`{{ a }}`.\n", 1, "braces of Liquid, Vue or Jinja"),
    "a default": ("export default ({ a }) => a\n", 1, "an import or export of MDX"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "line", "told"), EVALUATED.values(), ids=EVALUATED)
def test_a_page_that_another_program_evaluates_stays_as_it_is(
    text: str, line: int, told: str
) -> None:
    document = page(text)
    assert msgids(document) == []
    ((found, reason),) = document.units[0].split.left_in_english
    assert found == line
    assert told in reason
    assert reason.endswith("which another program evaluates")
    assert merge(document, {"Words.": "字"}).data == text.encode()


@pytest.mark.parametrize(
    "text",
    [
        "Write `{{ a }}`, `{% b %}` and `{a.b}` so.\n",
        "Words.\n\n```\n{{ a }} {% b %}\nimport a from 'b'\n```\n\n    {{ a }}\n",
        "Words $\\frac{{a}}{b.c}$ here, and $${{a}}$$.\n",
        "Words <code>{{ a }}</code> here.\n\n<script>\na = {{b: c.d}}\n</script>\n",
        "Words <!-- {{ a }} --> here.\n",
        "Words {func}`a.b`, [words]{.a} and ![words](a.png){width=3}.\n",
        "The set {a, b} and {a} of words.\n",
        "import data from a file, then go on.\n",
        "import numpy as np\n",
        "Words\nimport a from 'b' here.\n",
        "export default settings to a file.\n",
    ],
)
def test_code_formulas_and_prose_are_no_such_syntax(text: str) -> None:
    assert page(text).units[0].split.left_in_english == ()


def test_where_something_is_known_to_fill_them_in_braces_are_words() -> None:
    text = "Some {{ words }} here.\n\n{{ alone }}\n"
    filled = Reading(has_substitutions=True)
    for reading in (filled, Reading(dialect=Dialect.MKDOCS)):
        document = page(text, reading)
        (msgid,) = msgids(document)
        assert msgid == "Some {{ words }} here."
        merged = merge(document, {msgid: "这里有 {{ words }}。"})
        assert merged.data.decode() == "这里有 {{ words }}。\n\n{{ alone }}\n"
        assert codes(document, "{{ other }}") == ["G104"]
    assert page("{% a %}\n", filled).units[0].split.left_in_english


def test_other_cells_of_a_notebook_go_on_and_code_is_code() -> None:
    text = notebook(prose("Some {{ a }}."), prose("Words."), code("{{1}}"))
    assert msgids(page(text, path="a.ipynb")) == ["Title", "Words."]
    text = "---\njupytext:\n  a: b\n---\n\n{{ a }}\n\n```{code-cell}\nb\n```\n"
    assert page(text).code == ("b\n",)


ADDED = {
    "an expression": "写 {process.env.KEY}",
    "an open brace": "写 {a",
    "a reference": "写 &#123;a.b}",
    "a longer one": "写 {a} 和 {b.c}",
    "attributes": "[词](a.md){x}",
    "behind an escaped backquote": "写 \\`{process.env.KEY}`",
    "out of its code": "写 `` `{b}`",
    "in HTML code": "写 <code>{d.e}</code>",
    "in code, for programs without code": "写 `{{ d }}`",
    "an open comment of Jinja": "写 `{#`",
    "a statement": "import './a.css'",
    "an inclusion of PyMdown": "--8<-- 'a.md'",
    "an inclusion of VitePress": "<<< @/a.js",
}


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("translation", ADDED.values(), ids=ADDED)
def test_no_translation_adds_syntax(translation: str, dialect: Dialect) -> None:
    text = "Write {a}, `{b}`, `{{ c }}`, <code>d</code> and [words](a.md).\n"
    document = page(text, Reading(dialect=dialect))
    assert codes(document, translation) == ["G104"]
    good = "写 {a}，`{{ c }}`、[词](a.md) {a}、`{d.e}`，<code>{a}</code>"
    assert codes(document, good) == []


def test_backquotes_in_html_are_no_code() -> None:
    document = page("<div>Write `words` here</div>\n")
    hostile = dict.fromkeys(msgids(document), "<div>写 `{a.b}`</div>")
    (rejected,) = merge(document, hostile).rejected
    assert "adds syntax of another program “{a.b}”" in rejected.refusal.text
    split = page("<div>Write `{{ a }}` here</div>\n").units[0].split
    assert split.left_in_english


@pytest.mark.parametrize(
    "translation",
    [
        "写 {{ config }}",
        "写 ``{{ config }}``",
        "写 :kbd:`{{ config }}`",
        "写 *{% include a %}*",
        "写 ``{#``",
        "写 {{ b }}{{ config }}",
        "写 `{{ config }} <a.html>`__",
    ],
)
@pytest.mark.parametrize("field", [False, True])
def test_no_translation_of_rst_adds_what_jinja_evaluates(translation: str, field: bool) -> None:
    words = "Write ``{{ a }}`` and {{ b }}, :math:`{{x}^2}`, :kbd:`c`, `d <a.html>`__."
    text = f".. figure:: a.png\n   :alt: {words}\n" if field else f"{words}\n"
    document = page(text, path="a.rst")
    assert codes(document, translation) == ["G104"]
    assert codes(document, "写 {{ b }}、``{{ a }}`` 与 :math:`{{x}^2}` 和 {a}。") == []


@pytest.mark.parametrize("piece", ["{{ ", "{% a ", "{a.b", "import {", "{/* ", "<code>"])
def test_it_is_looked_for_in_linear_time(piece: str) -> None:
    text = f"{piece * 1500}\n\n" * 2
    started = time.process_time()
    page(text)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("words", []),
        (
            "see {a.b}, {func}`c`, `{d}`, ${e}$ and {{ f }}",
            ["{a.b}", "{", "{ f }", "{{ f }}"],
        ),
        # A role that ends in more backquotes is code for MyST alone.
        ("See {ref}`{a.b}` and {ref}``{a.b}`` here", []),
        ("See {ref}`{a.b}``", ["{a.b}"]),
        ("See *this* {ref}`{a.b}``, too", ["{a.b}"]),
        ("See {ref}``{a.b}``` here", ["{a.b}"]),
        ("See {ref}`{a.b}` `code`", []),
    ],
)
def test_braces_are_looked_for_outside_of_code(text: str, pieces: list[str]) -> None:
    assert evaluated_pieces(text, is_html=False) == pieces
