"""HTML of executed notebooks and pages."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from cases import read_cases
from docutils.parsers.rst import directives
from msgspec.structs import replace
from notebooks import code, notebook, notebook_value, prose
from runs import run_at

from pipeline.adapters.html import notebook as adapter
from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.myst import markdown_html
from pipeline.adapters.html.rst import rst_html
from pipeline.core.document.directives import Body, read_directives
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import SourceFile
from pipeline.core.results import PageResult
from pipeline.errors import PublishError
from pipeline.stages.publish import stage
from pipeline.stages.publish.stage import Published, render

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)


DATA = Path(__file__).parent / "data"
MYST, RST = (read_cases(DATA / name) for name in ("myst.txt", "rst.txt"))


def page(path: str, **fields: Any) -> PageResult:
    source = SourceFile(path=path, blob="0" * 40)
    return PageResult(page=path.rpartition(".")[0], files=(source,), **fields)


def html_of(source: str, folder: Path = Path("nowhere")) -> str:
    return markdown_html(source, folder=PageFolder(folder)).strip()


class Previews:
    """A project, and the HTML of its pages."""

    def __init__(self, root: Path) -> None:
        self.run = run_at(root, package="JAX", version="0.10.2", url="x")
        self.paths = self.run.paths
        self.merged = self.paths.merged("zh_CN")
        self.executed = self.paths.executed("zh_CN")
        for folder in (self.paths.docs, self.merged, self.executed / "guide"):
            folder.mkdir(parents=True)

    def write(self, **texts: str) -> None:
        """Write merged Markdown pages."""
        for name, text in texts.items():
            (self.merged / f"{name}.md").write_text(text, "utf-8")

    def render(self, *rows: PageResult, pages: tuple[str, ...] = ()) -> Published:
        return render(replace(self.run, pages=pages), rows, locale="zh_CN")

    def html(self, name: str) -> str:
        return (self.paths.html("zh_CN") / f"{name}.html").read_text("utf-8")


@pytest.fixture
def previews(tmp_path: Path) -> Previews:
    return Previews(tmp_path)


def names(published: Published) -> list[str]:
    """Return the names of the files that were written."""
    return sorted(path.rpartition("/")[2] for path in published.changes)


@pytest.mark.parametrize(("source", "expected"), MYST.values(), ids=MYST)
def test_myst_is_readable(source: str, expected: str) -> None:
    assert html_of(source) == expected.strip()


@pytest.mark.parametrize("delimiter", ["\\x", '"', " ", "词"])
def test_csv_that_cannot_be_read_is_shown_as_text(delimiter: str) -> None:
    cell = "苹果" * 70_000  # longer than Python's reader accepts
    source = f"```{{csv-table}}\n:delim: {delimiter}\n\n{cell}\n```"
    assert f"<pre><span></span>{cell}\n</pre>" in html_of(source)


def test_a_matrix_within_a_formula_ends_no_paragraph() -> None:
    text = html_of(
        "前 $M =\n\\begin{bmatrix} a & b \\end{bmatrix}$ 后\n\n\\begin{align} x &= y \\end{align}"
    )
    first, _, rest = text.partition("</p>")
    assert first.endswith("后")
    assert (first.count("<math"), rest.count("<math")) == (1, 1)
    assert "begin" not in text


@pytest.mark.parametrize("fence", ["```", ":::"])
def test_admonitions_nest_and_lose_their_options(fence: str) -> None:
    text = html_of(
        f"{fence}{fence[0]}{{warning}} 当心 *x*\n:class: dropdown\n\n正文 **粗**\n\n"
        f"{fence}{{note}}\n内层\n{fence}\n{fence}{fence[0]}"
    )
    assert text.startswith(
        '<div class="admonition warning"><p class="title">⚠ 当心 <em>x</em></p><p>正文 '
        "<strong>粗</strong></p>"
    )
    assert '<div class="admonition note">' in text
    assert "dropdown" not in text


def test_code_is_coloured_and_formulas_are_mathml() -> None:
    assert 'class="k">def</span>' in html_of(
        "```{code-block} python\n:linenos:\n\ndef f(): pass\n```"
    )
    assert 'class="k">def</span>' in html_of("```python\ndef f(): pass\n```")
    assert "<pre>" in html_of("```no-such-language\nx\n```")
    assert "<math" in html_of("式 $x^2$")
    assert 'display="block"' in html_of("```{math}\nx\n```")
    assert 'display="block"' in html_of("\\begin{align}x &= 1\\end{align}")


def test_images_are_embedded(tmp_path: Path) -> None:
    (tmp_path / "a b.png").write_bytes(b"image")
    for source in (
        "![x](a%20b.png)",
        '<img src="a b.png" width="3">',
        "```{figure} a b.png\n:width: 3\n\n说明\n```",
    ):
        assert 'src="data:image/png;base64,aW1hZ2U="' in html_of(source, tmp_path)
    (tmp_path / "secret.txt").write_text("secret")
    assert "data:" not in html_of("![x](secret.txt)", tmp_path)


def outputs(text: str) -> list[dict[str, object]]:
    return [{"output_type": "stream", "name": "stdout", "text": text}]


def test_a_page_stands_alone(previews: Previews) -> None:
    image = {"image/png": PIXEL}
    picture = {"output_type": "display_data", "data": image, "metadata": {}}
    error = {"ename": "ValueError", "evalue": "no", "output_type": "error"}
    failure = {**error, "traceback": ["\x1b[0;31mValueError\x1b[0m: no"]}
    cells = (
        prose("# 标题\n\n![x](attachment:i.png)", attachments={"i.png": image}),
        code("x = 1", outputs=[picture]),
        code("f()", outputs=[*outputs("one\ntwo\n"), failure]),
    )
    executed = json.dumps(notebook_value(*cells))
    (previews.executed / "guide/page.ipynb").write_text(executed, "utf-8")
    execution = Execution(page="guide/page", status=Status.PASSED, cells=2, total=2)
    previews.render(page("guide/page.ipynb", title="标题", execution=execution))
    text = previews.html("guide/page")
    for part in (
        '<html lang="zh-CN">',
        '<h1 id="标题">标题</h1>',
        "one\ntwo",
        "passed on JAX 0.10.2: 2 of 2 code cells",
        'href="../index.html"',
    ):
        assert part in text
    assert text.count(f"data:image/png;base64,{PIXEL}") == 2
    assert "\x1b" not in text
    assert "<script" not in text
    assert not re.search(r'(src|href)="(https?:)?//', text)


def test_the_index_tells_the_state_of_every_page(previews: Previews) -> None:
    previews.write(a="# 甲 & <b>\n")
    (previews.merged / "b.ipynb").write_text(notebook(code("1"), title="# 乙"), "utf-8")
    reason = "accelerator: wants a <GPU>"
    skipped = Execution(page="b", status=Status.SKIPPED, reason=reason)
    previews.render(
        page("a.md", title="甲 & <b>", messages=3, translated=1, fuzzy=1),
        page("b.ipynb", execution=skipped),
        page("c.txt"),
    )
    index = previews.html("index")
    for part in (
        '<html lang="zh-CN">',
        '<a href="a.html">甲 &amp; &lt;b&gt;</a>',
        "33 %",
        "accelerator: wants a &lt;GPU&gt;",
        "3 pages, 1 of 3 messages translated; 0 passed, 0 failed, 1 skipped",
    ):
        assert part in index
    assert "c.html" not in index
    assert previews.html("b")


def test_only_what_changed_is_rendered_again(previews: Previews) -> None:
    previews.write(a="# a\n", b="# b\n")
    rows = (page("a.md"), page("b.md"))
    previews.render(*rows)
    with (previews.paths.html("zh_CN") / "b.html").open("a") as file:
        file.write("<!-- kept -->")
    previews.write(a="# changed\n")
    assert names(previews.render(*rows)) == ["a.html"]
    assert "changed" in previews.html("a")
    assert "<!-- kept -->" in previews.html("b")
    # A run of one page leaves the others in the list.
    previews.write(a="# changed again\n")
    assert names(previews.render(rows[0], pages=("a",))) == ["a.html"]
    assert 'href="b.html"' in previews.html("index")


def test_one_page_that_cannot_be_rendered_stops_no_other(previews: Previews) -> None:
    (previews.merged / "broken.ipynb").write_text("{", "utf-8")
    (previews.merged / "odd.ipynb").write_text('{"cells": [{"cell_type": 3}]}', "utf-8")
    previews.write(fine="# Fine\n")
    rows = (page("broken.ipynb"), page("odd.ipynb"), page("fine.md"))
    published = previews.render(*rows)
    (finding,) = published.findings
    assert (finding.exit_code, finding.page) == (PublishError.exit_code, "broken")
    assert "\n" not in finding.text
    written = ["broken.html", "fine.html", "index.html", "odd.html"]
    assert names(published) == written
    assert "<pre>{</pre>" in previews.html("broken")
    for name in written:
        assert previews.html(name.removesuffix(".html"))


@pytest.mark.parametrize(
    ("ran", "state", "is_shown"),
    [
        ("print(1)", "code was not run, outputs are of an earlier run", True),
        ("print(2)", "code was not run, outputs are of an earlier run", False),
        (None, "code was not run", False),
    ],
    ids=["same code", "other code", "never run"],
)
def test_a_page_that_is_not_run_has_new_prose_and_the_outputs_of_its_own_code(
    previews: Previews, ran: str | None, state: str, is_shown: bool
) -> None:
    merged = notebook(code("print(1)"), title="# 新的译文")
    (previews.merged / "a.ipynb").write_text(merged, "utf-8")
    if ran is not None:
        old = notebook(code(ran, outputs=outputs("printed")), title="# 旧的译文")
        (previews.executed / "a.ipynb").write_text(old, "utf-8")
    previews.render(page("a.ipynb", code_cells=1))
    html = previews.html("a")
    assert "新的译文" in html
    assert "旧的译文" not in html
    assert ("printed" in html) == is_shown
    assert f"{state}<" in html


def test_a_page_named_index_stands_beside_the_list_of_pages(previews: Previews) -> None:
    previews.write(index="# 首页\n")
    row = page("index.md", title="首页")
    assert names(previews.render(row)) == ["_index.html", "index.html"]
    assert '<h1 id="首页">' in previews.html("_index")
    assert '<a href="_index.html">首页</a>' in previews.html("index")
    assert previews.render(row).changes == ()


@pytest.mark.slow
def test_many_pages_are_rendered_by_several_processes(
    previews: Previews, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "ENOUGH_FOR_PROCESSES", 9)
    pages = [f"page{number}" for number in range(9)]
    previews.write(**{name: f"# {name}\n" for name in pages})
    previews.render(*(page(f"{name}.md") for name in pages))
    for name in pages:
        assert f'<h1 id="{name}">' in previews.html(name)


@pytest.mark.parametrize(("source", "expected"), RST.values(), ids=RST)
def test_rst_is_readable(source: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    html = rst_html(source, folder=PageFolder(tmp_path))
    assert [piece for piece in expected.split("\n") if piece not in html] == []
    assert "script" not in html
    assert "system-message" not in html


def test_reading_rst_leaves_the_directives_of_docutils_as_they_were() -> None:
    before = directives.directive
    rst_html(".. grid::\n", folder=PageFolder(Path("nowhere")))
    assert directives.directive is before


# Directives without a body of prose, and those whose words are not in the text of a preview.
OTHERS = frozenset("contents footer header image rubric table toctree".split())
BODIES = {
    Body.PROSE: "河水",
    Body.QUOTE: "河水",
    Body.CARD: "河水",
    Body.GLOSSARY: "苹果\n  河水",
    Body.CSV_TABLE: "河水, 2",
    Body.LIST_TABLE: "* - 河水",
}


@pytest.mark.parametrize("language", ["markdown", "rst"])
def test_words_of_every_directive_are_shown(language: str) -> None:
    lost: list[str] = []
    for name, row in read_directives(language).items():
        if row.body not in BODIES or name in OTHERS:
            continue
        body = BODIES[row.body]
        if language == "rst":
            text = f".. {name}:: x标题\n\n{indent(body, '   ')}\n"
            html = rst_html(text, folder=PageFolder(Path("nowhere")))
        else:
            html = html_of(f"```{{{name}}} x标题\n{body}\n```\n")
        has_lost = row.argument is not None and "标题" not in html
        if has_lost or "河水" not in html:
            lost.append(name)
    assert lost == []


# Notebooks where IPython is missing, which has the lexer that most of them name.


LANGUAGES: tuple[dict[str, str], ...] = (
    {},
    {"name": "ipython3"},
    {"name": "python", "pygments_lexer": "ipython2"},
    {"name": "python", "pygments_lexer": "ipython3"},
)


@pytest.mark.parametrize("language", LANGUAGES, ids=str)
def test_nothing_is_warned_of_where_ipython_is_missing(
    language: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Both as in the environment of ``nox -s serve``: warnings are errors here.
    monkeypatch.setitem(sys.modules, "IPython.lib.lexers", None)
    monkeypatch.setattr(adapter, "_has_ipython", lambda: False)
    page = notebook_value(code("import jax"), language_info=language)
    folder = PageFolder.of(tmp_path, "page")
    html = adapter.notebook_html(page, folder=folder).html
    assert '<span class="kn">import</span>' in html
