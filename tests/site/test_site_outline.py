"""Docs whose order stands in a file of its own: one of mkdocs and a book of Jupyter's, built once.

Navigation, what comes before and after a page, lists of contents, and what pages of such docs have
besides MyST: snippets, values that words stand for, and numbers of figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import pytest
from bs4 import Tag
from folders import write_tree
from site_projects import SiteProject

pytestmark = pytest.mark.slow

KETTLES: Mapping[str, str] = {
    "mkdocs.yml": (
        "site_name: Kettles\nplugins: [!!python/name:os.system '', search]\nnav:\n"
        "  - Home: index.md\n  - Zeal: zeal.md\n  - Parts:\n"
        "      - Lid: parts/lid.md\n      - Inside:\n          - parts/coil.md\n"
        "      - Shop: https://example.org/\n      - Bad: javascript:alert(1)\n"
        "  - Gone: gone.md\n  - Alone: alone.md\n"
    ),
    "secret.md": "Nobody sees the secret.\n",
    "docs/index.md": "# Kettles\n\nWater boils.\n",
    "docs/alone.md": "# Alone\n\nNothing else.\n",
    "docs/extra.md": "# Extra\n\nIn no list.\n",
    "docs/zeal.md": (
        "## Only a section\n\n--8<-- \"parts/lid.md:3:3\"\n\n--8<-- '../secret.md'\n\n"
        '--8<-- "/etc/hostname"\n\n```python\n--8<-- "docs/code/brew.py:body"\n```\n\n'
        '```python\n--8<-- "gone.py"\n```\n'
    ),
    "docs/parts/lid.md": "# The lid\n\nKeeps heat inside.\n\nA second one.\n",
    "docs/parts/coil.md": "# The coil\n\nGets hot.\n",
    "docs/code/brew.py": "import tea\n# --8<-- [start:body]\ntea.brew()\n# --8<-- [end:body]\n",
}
LOOMS: Mapping[str, str] = {
    "_toc.yml": (
        "format: jb-book\nroot: start\nparts:\n- caption: Weaving\n  chapters:\n"
        "  - file: warp\n    sections:\n    - file: weft\n    - glob: more/*\n"
        "- caption: Others\n  chapters:\n  - file: zero\n"
    ),
    "_config.yml": "parse:\n  myst_substitutions:\n    tool: a **shuttle**\n",
    "start.md": "# Looms\n\nThey hold threads.\n",
    "index.md": "# Another page\n\nIt is no start.\n",
    "warp.md": (
        "---\nmyst:\n  substitutions:\n    many: twelve\n---\n# The warp\n\n"
        "```{tableofcontents}\n```\n\nTake {{ tool }} and {{ many }} threads: {numref}`loom`, "
        "{numref}`Figure %s <loom>`, {numref}`this one <loom>`.\n\n"
        "```{figure} loom.png\n:name: loom\nA wide loom\n```\n"
    ),
    "loom.png": "\x89PNG\r\n",
    "weft.md": "# The weft\n\nAcross.\n",
    "more/b.md": "# More B\n\nWords.\n",
    "more/a.md": "# More A\n\nWords.\n",
    "zero.md": "# Zero\n\nNo thread.\n",
}


class Built(SiteProject, frozen=True):
    """A site that is built, and what the run has said of it."""

    said: str

    @classmethod
    def of(cls, root: Path, name: str, files: Mapping[str, str], docs: str) -> Self:
        url = f'[tool.pipeline.upstreams.{name}]\nurl = "src"\ndocs = "{docs}"\n'
        sources = {f"src/{path}": text for path, text in files.items()}
        write_tree(root, {"pyproject.toml": url, **sources})
        project = SiteProject(root, name)
        project.run("sync", "--no-execute", "-q")
        return cls(root, name, project.run("site", "--no-execute", "-q"))

    def words(self, name: str) -> str:
        """Return the words of a page, with a space between those of two elements."""
        return " ".join(self.article(name).get_text(" ").split())

    def navigation(self, name: str) -> list[Any]:
        """The captions and lists of the navigation, as titles; ``{title: [below]}``."""
        menu = self.page(name).select_one("nav.bd-links")
        assert menu is not None
        found: list[Any] = []
        for part in menu.select("p.caption, ul.bd-sidenav"):
            found += [f"# {title_of(part)}"] if part.name == "p" else titles_in(part)
        return found[1:-3]  # without the home page, and our own pages

    def neighbours(self, name: str) -> list[str]:
        links = self.page(name).select("a.left-prev, a.right-next")
        return [str(link["href"]) for link in links]


def title_of(tag: Tag) -> str:
    for copy in tag.select(".jz-en, .jz-lang"):
        copy.extract()
    return tag.get_text(" ", strip=True)


def titles_in(entries: Tag) -> list[Any]:
    found: list[Any] = []
    for entry in entries.find_all("li", recursive=False):
        below = entry.select_one(":scope > details > ul")
        link = entry.find("a")
        assert link is not None
        words = title_of(link)
        found.append({words: titles_in(below)} if below else words)
    return found


@pytest.fixture(scope="module")
def kettles(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built.of(tmp_path_factory.mktemp("kettles"), "kettles", KETTLES, "docs")


@pytest.fixture(scope="module")
def looms(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built.of(tmp_path_factory.mktemp("looms"), "looms", LOOMS, ".")


def test_navigation_follows_nav_of_mkdocs(kettles: Built) -> None:
    assert kettles.navigation("extra") == [
        "Zeal",
        "# Parts",
        "The lid",
        {"Inside": ["The coil"]},
        "Shop",
        "Alone",
        "# 其他页面",
        "Extra",
    ]
    assert kettles.neighbours("zeal") == ["index.html", "parts/lid.html"]
    assert "javascript:" not in str(kettles.page("extra").select("nav"))
    assert kettles.said.count("lists pages that do not exist") == 1
    assert "../mkdocs.yml" in kettles.said
    assert "javascript:alert(1), gone.md" in kettles.said


def test_group_is_open_only_around_the_page(kettles: Built) -> None:
    for page, is_open in (("parts/coil", True), ("parts/lid", False)):
        group = kettles.page(page).select_one("nav.bd-links details")
        assert group is not None
        assert group.has_attr("open") is is_open


def test_page_without_title_has_that_of_nav(kettles: Built) -> None:
    heading = kettles.page("zeal").select_one("article h1")
    assert heading is not None
    assert heading.get_text().startswith("Zeal")


def test_snippets_are_shown_from_within_the_docs_only(kettles: Built) -> None:
    article = kettles.words("zeal")
    assert "Keeps heat inside." in article
    assert "A second one." not in article
    assert "tea . brew()" in article
    assert "import" not in article
    assert "secret" not in article
    told = "shows parts of files that the docs folder does not have: "
    assert f"{told}../secret.md, /etc/hostname, gone.py" in kettles.said
    assert kettles.said.count(told) == 1


def test_navigation_follows_the_contents_of_a_book(looms: Built) -> None:
    assert looms.navigation("zero") == [
        "# Weaving",
        {"The warp": ["The weft", "More A", "More B"]},
        "# Others",
        "Zero",
        "# 其他页面",
        "Another page",
    ]
    assert looms.neighbours("more/b") == ["a.html", "../zero.html"]
    home = looms.page("zero").select_one(".bd-sidenav__home-link a")
    assert home is not None
    assert home["href"] == "start.html"


def test_book_lists_contents_fills_in_words_and_names_figures(looms: Built) -> None:
    article = looms.words("warp")
    assert "The weft EN More A EN More B EN" in article
    assert "Take a shuttle and twelve threads: A wide loom , A wide loom , this one ." in article
    links = looms.page("warp").select('article p a.internal[href="#loom"]')
    assert len(links) == 3
    assert looms.said == ""
