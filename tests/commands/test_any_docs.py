"""Docs as other projects write them, by configuration alone: no word is lost, nothing misstated.

The trees are written for these tests in the manner of mkdocs with mkdocstrings, of
Sphinx with extensions for exercises and proofs, and of a gallery of notebooks without an index.
What a renderer that is not ours shows of each page is compared with what the catalogues hold.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from catalog_files import read_catalog
from folders import read_tree, write_tree
from in_process import command
from markdown_it import MarkdownIt
from msgspec import Struct, field
from notebooks import code, notebook, prose
from repositories import commit_release, init_repository
from site_projects import SiteProject

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


def configure(name: str, lines: str = "") -> None:
    """Write a configuration with one upstream, the folder "src"."""
    table = f'[tool.pipeline.upstreams.{name}]\nurl = "src"\n'
    Path("pyproject.toml").write_text(table + lines)


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is a project."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=TREES)
def docs(request: pytest.FixtureRequest) -> tuple[str, Tree]:
    """The project is about one of the trees."""
    name: str = request.param
    tree = TREES[name]
    write_tree(Path("src"), tree.files)
    configure(name, tree.configuration)
    return name, tree


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{2,}", text.lower()))


def shown(path: str, text: str) -> set[str]:
    """The words of a page as markdown-it shows it, which knows CommonMark and tables.

    What is indented as code or stands in a fence with a name of a directive counts as well: in
    these dialects it is prose.
    """
    sources = [text]
    if path.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        prose = (cell for cell in cells if cell["cell_type"] == "markdown")
        sources = ["".join(cell["source"]) for cell in prose]
    render = MarkdownIt("commonmark").enable("table").render
    soup = BeautifulSoup("".join(map(render, sources)), features="html.parser")
    for block in soup.select("code.language-python"):
        block.decompose()
    return words_of(soup.get_text(" "))


def test_no_word_that_is_shown_is_lost(docs: tuple[str, Tree]) -> None:
    name, tree = docs
    told = command("sync --no-execute -q --json").json["locales"]["zh_CN"]["pages"]
    findings = [finding for page in told for finding in page["findings"]]
    known = {
        word
        for finding in findings
        for word in words_of(f"{finding['text']} {finding.get('excerpt', '')}")
    }
    lost: set[str] = set()
    for path, text in tree.files.items():
        if path.endswith((".md", ".ipynb")) and not path.startswith("_static"):
            page = path.removeprefix("docs/").rpartition(".")[0]
            entries = read_catalog(Path(f"translations/zh_CN/{name}/{page}.po")).entries
            held = words_of(" ".join(entry.msgid for entry in entries))
            lost |= shown(path, text) - held - tree.no_prose - known
    assert lost == set()


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
def test_neighbours_tell_the_markdown(names: list[str], dialect: str) -> None:
    assert dialect_of(names) == dialect


def test_of_a_repository_too_and_the_configuration_goes_before_it() -> None:
    commit_release(init_repository(Path("src")), "v1", MKDOCS)
    lines = 'docs = "docs"\nref = "v1"\n'
    configure("kettles", lines)
    catalog = Path("translations/zh_CN/kettles/index.po")
    command("sync --no-execute -q")
    assert 'msgid "Mind the steam"' in catalog.read_text("utf-8")
    assert '\n "markdown": "mkdocs"' in Path("upstream/kettles.lock").read_text()
    # The next run knows it before it asks upstream, and finds nothing to do.
    for line in ("sync --no-execute", "build --no-execute", "split"):
        assert "nothing to write" in command(line).err
    configure("kettles", f'{lines}markdown = "commonmark"\n')
    command("sync --no-execute -q")
    assert 'msgid "Mind the steam"' not in catalog.read_text("utf-8")


PACKAGE = 'ref = "v{version}"\npackage = "Lamp_Kit"\n'
SITE = 'ref = "v9.0"\n[tool.pipeline.upstreams.lamps.site]\nextensions = ["none_such"]\n'


@pytest.mark.parametrize(
    ("lines", "line", "code", "told"),
    [
        (PACKAGE, "sync --no-execute", 3, "no tag, branch or commit 'v9.9'"),
        (PACKAGE, "sync --no-execute", 3, "Did you mean 'v9.0'?"),
        ('package = "Other"\n', "sync", 2, 'For example: other = ["other==1.2.3"]'),
        ('docs = "doc"\n', "sync --no-execute", 3, "docs"),
        (SITE, "site", 2, "the Sphinx extension 'none_such' is not installed"),
    ],
)
def test_wrong_configuration(lines: str, line: str, code: int, told: str) -> None:
    commit_release(init_repository(Path("src")), "v9.0", MKDOCS)
    configure("lamps", f'{lines}[dependency-groups]\nlamp-kit = ["lamp-kit==9.9"]\n')
    command("pull -q", code=None)
    assert told in command(line, code=code).err


@pytest.mark.usefixtures("plainly")
@pytest.mark.slow
def test_the_site_says_nothing_false(docs: tuple[str, Tree], tmp_path: Path) -> None:
    name, tree = docs
    for verb in ("sync", "check", "site"):
        command(f"{verb} -q")
    project = SiteProject(tmp_path, name)
    pages = json.loads(project.read("progress.json"))["pages"]
    for row in pages:
        html = project.read(row["url"])
        assert "JAX" not in html, row["url"]
        assert "Apache" not in html, row["url"]
        seen = words_of(project.article(row["page"]).get_text(" "))
        path = Path(f"translations/zh_CN/{name}/{row['page']}.po")
        # Front matter is in the head of a page, but for its title.
        held = " ".join(
            entry.msgid
            for entry in read_catalog(path).entries
            if not "".join(entry.notes).startswith("front matter")
        )
        # Targets of links, roles and variables are in messages, and not seen.
        held = re.sub(r"\]\([^)]*\)|<.*?>", "", held)
        assert words_of(held) - seen == set(), row["url"]
    # A gallery has no page called index: one of its own pages leads to the others.
    first = project.read("index.html")
    assert "_static/note" not in first.partition("http-equiv")[2][:200]
    assert not any(row["page"].startswith("_static") for row in pages)
    outputs = read_tree(Path(f"build/zh_CN/{name}/executed"))
    for path_of_page in tree.files:
        if path_of_page.endswith(".ipynb"):
            assert re.search(rb'"text/plain"|stdout', outputs[path_of_page])


@pytest.mark.slow
def test_a_missing_image_is_a_warning() -> None:
    files = {
        "index.md": "# A\n\n![x](none.png) words.\n\n```{figure} gone.png\nBelow it.\n```\n",
        "b.rst": "B\n=\n\n.. image:: away.png\n",
    }
    write_tree(Path("src"), files)
    configure("copy")
    command("sync --no-execute -q")
    told = command("site --no-execute -q").err
    for place in ("index.md:3", "index.md:5", "b.rst:4"):
        assert f"warning [sphinx] {place}: image file is missing" in told
