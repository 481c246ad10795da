"""Links into upstream's own site: to the page here where there is one, else marked as English."""

from __future__ import annotations

import pytest
from bs4 import Tag
from folders import write_tree
from inventories import inventory
from site_html import Site
from site_projects import SiteProject

from pipeline.paths import Paths

pytestmark = pytest.mark.slow

NEWEST = "https://docs.lamps.example/en/latest/"
OLD = "http://lamps.rtd.example/en/stable/"
PROJECT = f"""\
[dependency-groups]
lamps = ["Lamps==1.2"]
[tool.pipeline.upstreams.lamps]
url = "docs"
package = "Lamps"
[tool.pipeline.upstreams.lamps.site]
english-url = "{NEWEST}"
english-hosts = ["Lamps.rtd.example"]
"""
# Addresses of upstream's site, and where they lead from the page ``deep/here``.
HERE = {
    f"{NEWEST}guide.html": "../guide.html",
    f"{NEWEST}guide.html#bright-light": "../guide.html#bright-light",
    f"{NEWEST}guide.html?old=1#Bright-light": "../guide.html#bright-light",
    f"{OLD}guide.html#a-lamp": "../guide.html#a-lamp",
    f"{OLD}guide.html#by-hand": "../guide.html#by-hand",
    f"{OLD}guide.html#never-was": "../guide.html",
    f"{OLD}old%20guide.html#bright-light": "../guide.html#bright-light",
    "http://docs.lamps.example/en/1.2/deep/": "index.html",
    "https://DOCS.lamps.example/en/v1.2/deep/here.html": "here.html",
    f"{NEWEST}deep/here.html#here": "#here",
    "https://docs.lamps.example/en/latest": "../index.html",
    "https://lamps.rtd.example": "../index.html",
    f"{NEWEST}api.html": "../api.html",
    f"{NEWEST}api.html#lamp.on": "../api.html#lamp.on",
    f"{NEWEST}api.html#module-lamp": "../api.html#module-lamp",
}
ENGLISH = (
    f"{NEWEST}api.html#lamp.on.steps",  # the reference has it, and we do not
    f"{NEWEST}_autosummary/lamp.off.html",
    f"{NEWEST}genindex.html",
    f"{OLD}../1.1/guide.html",
    "https://docs.lamps.example/en/1.1/guide.html",
    "https://docs.lamps.example/en/1.20/guide.html#bright-light",
)
OTHERS = (
    "https://example.org/en/latest/guide.html",
    "https://docs.lamps.example.org/en/latest/guide.html",
    "https://docs.lamps.example/fr/latest/guide.html",
    "https://us@docs.lamps.example/en/latest/guide.html",
    "ftp://docs.lamps.example/en/latest/guide.html",
)
ALL = (*HERE, *ENGLISH, *OTHERS)


def markdown() -> str:
    """A page with each address in prose, a list in a quote, a table, an autolink and HTML."""
    lines = ["# Here", ""]
    for number, address in enumerate(ALL):
        lines += [
            f"Prose [p{number}]({address}) and [r{number}].\n",
            f"> - a list with **[l{number}]({address})**\n",
            f"| a | b |\n| - | - |\n| c | [t{number}]({address}) |\n",
            f'<div><a href="{address}">h{number}</a></div>\n',
            f'Words <a href="{address}">i{number}</a> around.\n',
            f"[r{number}]: {address}\n",
        ]
    return "\n".join(lines)


def rest() -> str:
    """The same in reStructuredText."""
    lines = ["There", "=====", ""]
    for number, address in enumerate(ALL):
        lines += [
            f"Prose `p{number} <{address}>`__ and `r{number}`_.\n",
            f"* a list\n\n  * in a list with `l{number} <{address}>`__\n",
            f".. list-table::\n\n   * - a\n     - `t{number} <{address}>`__\n",
            f".. note::\n\n   A box with `h{number} <{address}>`__.\n",
            f".. _r{number}: {address}\n",
        ]
    return "\n".join(lines)


INDEX = f"""# Lamps

```{{toctree}}
guide
deep/index
Guide again <{NEWEST}guide.html>
The reference <{NEWEST}genindex.html>
api
```

:::{{card}} Older
:link: https://docs.lamps.example/en/1.1/guide.html

Words.
:::

:::{{card}} Newer
:link: {NEWEST}guide.html#by-hand

Words.
:::

Names: {{mod}}`lamp`, {{func}}`lamp.on`, {{func}}`lamp.off`, {{func}}`lamp.on.steps`.
"""
GUIDE = """# A lamp

(by-hand)=
## Bright light

Words.
"""
API = """API
===

.. automodule:: lamp

Under a heading
---------------

.. autofunction:: lamp.on

.. autosummary::
   :toctree: _autosummary

   lamp.off
"""
# The last has a page again.
CONF = (
    'rediraffe_redirects = {"old guide.md": "older.md", "older.md": "guide.md", '
    '"api.md": "guide.md"}\n'
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> SiteProject:
    project = SiteProject(tmp_path_factory.mktemp("lamps"), "lamps")
    pages = {
        "index.md": INDEX,
        "guide.md": GUIDE,
        "api.rst": API,
        "conf.py": CONF,
        "deep/index.md": "# Deep\n\n```{toctree}\nhere\nthere\n```\n",
        "deep/here.md": markdown(),
        "deep/there.rst": rest().replace("here.html#here", "there.html#there"),
    }
    known = inventory(
        "lamp py:module 0 api.html#module-$ -",
        "lamp.on py:function 1 api.html#$ -",
        "lamp.on.steps py:attribute 1 api.html#$ -",
    )
    files: dict[str, bytes | str] = {f"docs/{path}": text for path, text in pages.items()}
    place = Paths(project.root, "lamps").inventory.relative_to(project.root)
    files |= {"pyproject.toml": PROJECT, str(place): known}
    write_tree(project.root, files)
    project.run("sync", "--no-execute")
    project.run("site", "--no-execute")
    return project


def links(project: SiteProject, page: str, place: str = "article") -> dict[str, Tag]:
    """The links of a page by their words."""
    soup = project.page(page)
    for mark in soup.select(".jz-lang"):
        # In contents and navigation, where it marks pages in English, too.
        assert mark.parent is not None
        mark.parent["data-english"] = ""
        mark.decompose()
    found = soup.select(f"{place} a[href]")
    return {link.get_text(strip=True).removesuffix("#"): link for link in found}


def is_marked(link: Tag) -> bool:
    """Whether a link says that it leads to the English site, to eyes and to ears."""
    leaves = link.get("title") == "英文页面，本站没有"
    assert not leaves or link.get("hreflang") == "en"
    return leaves


@pytest.mark.parametrize(("page", "forms"), [("here", "prlthi"), ("there", "prlth")])
def test_addresses_of_upstream_lead_here(page: str, forms: str, project: SiteProject) -> None:
    shown = links(project, f"deep/{page}")
    for number, (address, place) in enumerate(HERE.items()):
        own = place.replace("#here", f"#{page}")
        if own == f"{page}.html":
            own = "#"
        for form in forms:
            link = shown[f"{form}{number}"]
            assert (link["href"], is_marked(link)) == (own, False), address
            assert "external" not in (link.get("class") or [])


@pytest.mark.parametrize(("page", "forms"), [("here", "prlthi"), ("there", "prlth")])
def test_only_english_pages_are_marked(page: str, forms: str, project: SiteProject) -> None:
    shown = links(project, f"deep/{page}")
    for number, address in enumerate(ALL[len(HERE) :], len(HERE)):
        for form in forms:
            link = shown.get(f"{form}{number}")
            if link is None:
                # No link at all: the scheme is not one that pages may lead to.
                assert address.startswith("ftp:")
                continue
            assert link["href"] == address
            assert is_marked(link) == (address in ENGLISH), address


def test_names_lead_to_where_they_stand_here(project: SiteProject) -> None:
    shown = links(project, "index")
    assert shown["lamp"]["href"] == "api.html#module-lamp"
    assert shown["lamp.on()"]["href"] == "api.html#lamp.on"
    assert is_marked(shown["lamp.off()"])
    assert is_marked(shown["lamp.on.steps()"])
    # The box on that page is to lead away: it says what is in English alone.
    away = links(project, "api")["lamp.on"]
    assert away["href"] == f"{NEWEST}api.html#lamp.on"
    assert is_marked(away)


def test_contents_and_navigation_stay_on_the_site(project: SiteProject) -> None:
    listed = links(project, "index", ".toctree-wrapper")
    assert listed["Guide again"]["href"] == "guide.html"
    assert is_marked(listed["The reference"])
    navigation = links(project, "deep/here", ".bd-sidebar-primary nav")
    assert navigation["Guide again"]["href"] == "../guide.html"
    assert navigation["The reference"]["href"] == f"{NEWEST}genindex.html"
    assert navigation["The reference"].has_attr("data-english")


def test_cards_stay_on_the_site_or_are_marked(project: SiteProject) -> None:
    older, newer = links(project, "index", ".sd-card").values()
    assert is_marked(older)
    assert newer["href"] == "guide.html#by-hand"
    card = older.find_parent(class_="sd-card")
    assert card is not None
    # Its link lies on it as a sheet, and has no words.
    assert card.has_attr("data-english") or card.select_one("[data-english]")


def test_only_the_line_of_the_original_leads_away_unmarked(
    project: SiteProject,
) -> None:
    for page in ("index", "guide", "api", "deep/here", "deep/there"):
        for words, link in links(project, page).items():
            if str(link["href"]).startswith((NEWEST, OLD)) and not is_marked(link):
                assert link.find_parent(class_="jz-fresh"), (page, words)


def test_no_link_of_the_site_is_dead(project: SiteProject) -> None:
    assert list(Site(project.site).broken_links()) == []


def test_merged_files_keep_upstreams_addresses(project: SiteProject) -> None:
    merged = project.root / "build" / "zh_CN" / "lamps" / "merged"
    text = (merged / "deep" / "here.md").read_text("utf-8")
    assert all(address in text for address in ALL)


def test_links_follow_an_anchor_that_goes(project: SiteProject) -> None:
    before = project.read("deep/here.html")
    assert "nothing changed" in project.run("site", "--no-execute", "-v")
    project.change("docs/guide.md", "Bright light", "Dim light")
    project.run("sync", "--no-execute")
    project.run("site", "--no-execute")
    assert before != project.read("deep/here.html")
    assert links(project, "deep/here")["p1"]["href"] == "../guide.html"
