"""Docs as other projects write them, by configuration alone: no word is lost, nothing misstated.

The trees are written for these tests in the manner of mkdocs with mkdocstrings, of
Sphinx with extensions for exercises and proofs, and of a gallery of notebooks without an index.
What a renderer that is not ours shows of each page is compared with what the catalogues hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from bs4 import BeautifulSoup
from folders import read_tree, write_tree
from markdown_it import MarkdownIt
from msgspec import Struct, field
from notebooks import code, notebook, prose
from repositories import commit_release, init_repository

from pipeline.cli import main
from pipeline.reading import dialect_of

DATA = Path(__file__).parent / "data"


def read_texts(name: str) -> dict[str, str]:
    return {path: data.decode() for path, data in read_tree(DATA / name).items()}


MKDOCS = read_texts("kettles")
GALLERY = {
    "clocks/wheel.ipynb": notebook(
        prose("Wheels turn slowly.\n"), code("print(4 * 5)"), title="# A wheel"
    ),
    "clocks/spring.ipynb": notebook(
        prose("- springs store work\n- they need winding\n"),
        code("print(6 * 7)"),
        title="# A spring",
    ),
    "_static/note.md": "# Not a page to begin with\n",
}


class Tree(Struct, frozen=True, kw_only=True):
    """Docs, what the configuration says of them, and the words that no message has."""

    files: dict[str, str]
    configuration: str = ""
    # Shown by a renderer that knows nothing of the dialect: marks, options, names of objects.
    no_prose: frozenset[str] = field(default_factory=frozenset)


TREES = {
    "kettles": Tree(
        files=MKDOCS,
        configuration='docs = "docs"\n',
        no_prose=frozenset("note tip options heading level brew boil pot".split()),
    ),
    "looms": Tree(
        files=read_texts("looms"),
        configuration='prose-directives = ["exercise", "solution", "prf:theorem", '
        '"prf:proof"]\n'
        "[tool.pipeline.upstreams.looms.site]\n"
        'extensions = ["sphinx_exercise", "sphinx_proof"]\n',
        no_prose=frozenset(
            (
                "exercise solution prf theorem proof dropdown label python toctree code block weave"
            ).split()
        ),
    ),
    "clocks": Tree(files=GALLERY),
}


@pytest.fixture(params=TREES)
def docs(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, Tree]:
    """A project about one of the trees. It is the current folder."""
    name: str = request.param
    tree = TREES[name]
    write_tree(tmp_path / "src", tree.files)
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.pipeline.upstreams.{name}]\nurl = "src"\n{tree.configuration}'
    )
    monkeypatch.chdir(tmp_path)
    return name, tree


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{2,}", text.lower()))


def shown(tree: Tree) -> Iterator[tuple[str, set[str]]]:
    """The words of each page as markdown-it shows it, which knows CommonMark and tables.

    What is indented as code or stands in a fence with a name of a directive counts as well: in
    these dialects it is prose.
    """
    renderer = MarkdownIt("commonmark").enable("table")
    for path, text in tree.files.items():
        sources = [text]
        if path.endswith(".ipynb"):
            cells = json.loads(text)["cells"]
            sources = [
                "".join(cell["source"])
                for cell in cells
                if cell["cell_type"] == "markdown"
            ]
        elif not path.endswith(".md") or path.startswith("_static"):
            continue
        soup = BeautifulSoup(
            "".join(map(renderer.render, sources)), features="html.parser"
        )
        for block in soup.select("code.language-python"):
            block.decompose()
        yield path, words_of(soup.get_text(" "))


def findings(root: Path) -> Iterator[str]:
    """What the last run has said of blocks that it left alone."""
    report = json.loads((root / "build" / "report.json").read_bytes())
    for locale in report["locales"].values():
        for page in locale["pages"]:
            for finding in page["findings"]:
                yield f"{finding['text']} {finding.get('excerpt', '')}"


def test_every_word_that_is_shown_is_in_a_message_or_a_finding(
    docs: tuple[str, Tree], tmp_path: Path
) -> None:
    name, tree = docs
    assert main(["sync", "--no-execute", "-q"]) == 0
    catalogs = tmp_path / "translations" / "zh_CN" / name
    held: dict[str, set[str]] = {}
    for catalog in catalogs.rglob("*.po"):
        page = catalog.relative_to(catalogs).with_suffix("").as_posix()
        entries = polib.pofile(str(catalog))
        held[page] = words_of(" ".join(entry.msgid for entry in entries))
    folder = f"{'docs/' if 'docs' in tree.configuration else ''}"
    told = words_of(" ".join(findings(tmp_path)))
    lost = {}
    for path, words in shown(tree):
        page = path.removeprefix(folder).rpartition(".")[0]
        lacking = words - held.get(page, set()) - tree.no_prose
        if lacking - told:
            lost[page] = lacking - told
    assert lost == {}


@pytest.mark.parametrize(
    ("names", "dialect"),
    [
        (["mkdocs.yml", "docs"], "mkdocs"),
        (["mkdocs.yaml"], "mkdocs"),
        (["_config.yml", "index.md"], "commonmark"),
        (["_config.yml", "_toc.yml"], "myst"),  # a Jupyter Book
        (["mkdocs.yml", "conf.py"], "myst"),
        (["index.md"], "myst"),
        ([], "myst"),
    ],
)
def test_the_markdown_is_told_by_what_lies_beside_the_docs(
    names: list[str], dialect: str
) -> None:
    assert dialect_of(names) == dialect


def test_of_a_repository_too_and_the_configuration_goes_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commit_release(init_repository(tmp_path / "src"), "v1", MKDOCS)
    table = (
        '[tool.pipeline.upstreams.kettles]\nurl = "src"\ndocs = "docs"\nref = "v1"\n'
    )
    configuration = tmp_path / "pyproject.toml"
    configuration.write_text(table)
    monkeypatch.chdir(tmp_path)
    catalog = tmp_path / "translations/zh_CN/kettles/index.po"
    assert main(["sync", "--no-execute", "-q"]) == 0
    assert 'msgid "Mind the steam"' in catalog.read_text("utf-8")
    assert '\n "markdown": "mkdocs"' in (tmp_path / "upstream/kettles.lock").read_text()
    # The next run knows it before it asks upstream, and finds nothing to do.
    for words in (["sync", "--no-execute"], ["build", "--no-execute"], ["split"]):
        capsys.readouterr()
        assert main(words) == 0
        assert "nothing to write" in capsys.readouterr().err
    configuration.write_text(f'{table}markdown = "commonmark"\n')
    assert main(["sync", "--no-execute", "-q"]) == 0
    assert 'msgid "Mind the steam"' not in catalog.read_text("utf-8")


PACKAGE = 'ref = "v{version}"\npackage = "Lamp_Kit"\n'


@pytest.mark.parametrize(
    ("lines", "words", "exit_code", "told"),
    [
        (PACKAGE, ["sync", "--no-execute"], 3, "no tag, branch or commit 'v9.9'"),
        (PACKAGE, ["sync", "--no-execute"], 3, "Did you mean 'v9.0'?"),
        ('package = "Other"', ["sync"], 2, 'For example: other = ["other==1.2.3"]'),
        ('docs = "doc"', ["sync", "--no-execute"], 3, "docs"),
        (
            'ref = "v9.0"\n[tool.pipeline.upstreams.lamps.site]\nextensions = ["none_such"]',
            ["site", "--no-execute"],
            2,
            "the Sphinx extension 'none_such' is not installed",
        ),
    ],
)
def test_what_the_docs_are_not_is_told_with_a_way_out(
    lines: str,
    words: list[str],
    exit_code: int,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    commit_release(init_repository(tmp_path / "src"), "v9.0", MKDOCS)
    (tmp_path / "pyproject.toml").write_text(
        '[dependency-groups]\nlamp-kit = ["lamp-kit==9.9"]\n'
        f'[tool.pipeline.upstreams.lamps]\nurl = "src"\n{lines}\n'
    )
    monkeypatch.chdir(tmp_path)
    if words[0] == "site":
        assert main(["pull", "-q"]) == 0
    assert main(words) == exit_code
    assert told in capsys.readouterr().err


@pytest.mark.usefixtures("plainly")
@pytest.mark.slow
def test_code_runs_and_the_site_says_nothing_that_is_not_so(
    docs: tuple[str, Tree], tmp_path: Path
) -> None:
    name, tree = docs
    assert main(["sync", "-q"]) == 0
    assert main(["check", "-q"]) == 0
    assert main(["site", "-q"]) == 0
    site = tmp_path / "build" / "site" / name
    pages = json.loads((site / "progress.json").read_bytes())["pages"]
    for row in pages:
        html = (site / row["url"]).read_text("utf-8")
        assert "JAX" not in html, row["url"]
        assert "Apache" not in html, row["url"]
        soup = BeautifulSoup(html, features="html.parser")
        article = soup.find("article")
        assert article is not None
        seen = words_of(article.get_text(" "))
        catalog = tmp_path / "translations" / "zh_CN" / name / f"{row['page']}.po"
        entries = polib.pofile(str(catalog))
        # Front matter is in the head of a page, but for its title.
        held = " ".join(
            entry.msgid
            for entry in entries
            if not (entry.comment or "").startswith("front matter")
        )
        # Targets of links, roles and variables are in messages, and not seen.
        held = re.sub(r"\]\([^)]*\)|<.*?>", "", held)
        assert words_of(held) - seen == set(), row["url"]
    # A gallery has no page called index: one of its own pages leads to the others.
    first = (site / "index.html").read_text("utf-8")
    assert "_static/note" not in first.partition("http-equiv")[2][:200]
    names = {row["page"] for row in pages}
    assert not any(page.startswith("_static") for page in names)
    for path in tree.files:
        if path.endswith(".ipynb"):
            outputs = read_tree(tmp_path / "build" / "zh_CN" / name / "executed")
            page = path.rpartition(".")[0]
            assert (
                b'"text/plain"' in outputs[f"{page}.ipynb"]
                or b"stdout" in (outputs[f"{page}.ipynb"])
            )


@pytest.mark.slow
def test_what_a_page_shows_and_is_not_there_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "index.md": "# A\n\n![x](none.png) words.\n\n```{figure} gone.png\nBelow it.\n```\n",
        "b.rst": "B\n=\n\n.. image:: away.png\n",
    }
    write_tree(tmp_path / "src", files)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pipeline.upstreams.copy]\nurl = "src"\n'
    )
    monkeypatch.chdir(tmp_path)
    assert main(["sync", "--no-execute", "-q"]) == 0
    assert main(["site", "--no-execute", "-q"]) == 0
    told = capsys.readouterr().err
    for place in ("index.md:3", "index.md:5", "b.rst:4"):
        assert f"warning [sphinx] {place}: image file is missing" in told
