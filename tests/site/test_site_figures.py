"""What a page holds that Sphinx's writers are particular about, on a site of its own.

Images with links that are missing or elsewhere, elements of HTML that several blocks are part of,
and cells of code within other blocks: each of them in everything that may hold it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import indent

import pytest
from bs4 import Tag
from catalog_files import edit_catalog
from folders import write_tree
from msgspec.structs import replace
from site_projects import SiteProject

from pipeline.entries import Entry

pytestmark = [pytest.mark.slow, pytest.mark.kernel]  # one run of Sphinx and of a kernel

REMOTE, MISSING = "https://example.org/pic.png", "gone.png"
TO = "https://example.org/to/"
LAUNCHER = "https://colab.research.google.com/github/us/boat.ipynb"


Holder = Callable[[str], str]


def _within(begin: str, spaces: int = 3) -> Holder:
    """Make a function that puts a block of reST below a construct."""
    return lambda block: f"{begin}\n\n{indent(block, ' ' * spaces)}"


def _behind(mark: str, begin: str = "") -> Holder:
    """Make a function that puts a block behind the mark of an item."""
    return lambda block: begin + mark + indent(block, " " * len(mark))[len(mark) :]


def _fenced(*infos: str) -> Holder:
    """Make a function that puts a block into directives of Markdown, the last outermost."""

    def put(block: str) -> str:
        for size, info in enumerate(infos, 4):
            block = f"{'`' * size}{info}\n{block}{'`' * size}\n"
        return block

    return put


REST_HOLDERS: Mapping[str, Holder] = {
    "page": str,
    "item": _behind("- "),
    "definition": _behind("   ", "boat\n   Words.\n\n"),
    "quote": _within("Before."),
    "note": _within(".. note::"),
    "cell": _behind("     - ", ".. list-table::\n\n   * - a\n"),
    "card": _within(".. card:: Boat"),
    "tab": _within(".. tab-set::\n\n   .. tab-item:: Boat", 6),
    "legend": _within(".. figure:: gone.png\n\n   Boat."),
}
MYST_HOLDERS: Mapping[str, Holder] = {
    "page": str,
    "item": _behind("- "),
    "definition": _behind(": ", "Boat\n"),
    "quote": lambda block: indent(block, "> ", lambda _: True),
    "note": _fenced("{note}"),
    "cell": lambda block: _fenced("{list-table}")(_behind("  - ", "* - a\n")(block)),
    "card": _fenced("{card} Boat"),
    "tab": _fenced("{tab-item} Boat", "{tab-set}"),
    "legend": lambda block: _fenced("{figure} gone.png")(f"Boat.\n\n{block}"),
}
# ``TO`` stands for an address of each block's own.
REST_BLOCKS = (
    ".. image:: IMAGE\n   :target: TO\n   :alt: oar\n   :align: center\n",
    ".. figure:: IMAGE\n   :target: TO\n\n   Oars.\n\n   More of them.\n",
    ".. figure:: IMAGE\n   :target: TO\n\n   ..\n\n   No caption.\n",
    "|NAME|\n\n.. |NAME| image:: IMAGE\n   :target: TO\n",
    "Words |NAME| around.\n\n.. |NAME| image:: IMAGE\n   :target: TO\n   :alt: oar\n",
)
MYST_BLOCKS = (
    "```{image} IMAGE\n:target: TO\n:alt: oar\n```\n",
    "```{figure} IMAGE\n:target: TO\nOars.\n\nMore of them.\n```\n",
    "[![oar](IMAGE)](TO)\n",
    "[**![](IMAGE)** of it](TO)\n",
)


def _page(title: str, holders: Mapping[str, Holder], blocks: tuple[str, ...]) -> tuple[str, int]:
    """Every block with every image in every holder, and how many there are."""
    parts = [title]
    for holder in holders.values():
        for image in (REMOTE, MISSING):
            for block in blocks:
                number = len(parts)
                filled = block.replace("IMAGE", image).replace("NAME", f"n{number}")
                parts.append(holder(filled.replace("TO", f"{TO}{number}/")))
    # Blocks of one holder must not run into those of the next.
    return "\n\nWords between.\n\n".join(parts), len(parts) - 1


REST, REST_COUNT = _page("Boats\n=====", REST_HOLDERS, REST_BLOCKS)
MYST, MYST_COUNT = _page("# Oars", MYST_HOLDERS, MYST_BLOCKS)
IMAGES = {
    "boats.rst": f"{REST}\n\n.. figure:: {REMOTE}\n   :target: {LAUNCHER}\n\n   ..\n\n   Sail.\n",
    "oars.md": f"{MYST}\n\n```{{card}} Top\n:img-top: {REMOTE}\n:link: {TO}card/\nWords.\n```\n",
    "named.rst": (
        "Named\n=====\n\n.. _here:\n\n"
        f".. image:: {MISSING}\n   :target: {TO}named/\n   :name: picture\n\n"
        "See `it <picture_>`_.\n"
    ),
}
DATA = Path(__file__).parent / "data" / "figures"
FOLDS = (DATA / "folds.md").read_text(encoding="utf-8")
CELLS = (DATA / "sails.md").read_text(encoding="utf-8")
PLAIN = "# Hulls\n\n:::{note}\n```{code-cell} ipython3\nhull = 1\n```\n:::\n\nWords.\n"
PAGES = ("boats", "oars", "named", "folds", "sails", "hulls")
FILES = {
    **IMAGES,
    "folds.md": FOLDS,
    "sails.md": CELLS,
    "hulls.md": PLAIN,
    "index.rst": "Fleet\n=====\n\n.. toctree::\n\n   " + "\n   ".join(PAGES) + "\n",
}


class Fleet(SiteProject, frozen=True):
    """The project with its site."""

    def warnings(self, page: str) -> list[str]:
        """What Sphinx said of a page."""
        log = self.root / "build/zh_CN/fleet/doctrees/warnings.txt"
        return [line for line in log.read_text("utf-8").split("\n") if page in line]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """A site whose every message is translated, as ``译…``."""
    root = tmp_path_factory.mktemp("fleet")
    sources = {f"src/{path}": text for path, text in FILES.items()}
    url = '[tool.pipeline.upstreams.fleet]\nurl = "src"\n'
    write_tree(root, {"pyproject.toml": url, **sources})
    fleet = Fleet(root, "fleet")
    fleet.run("sync", "-q")
    for path in root.glob("translations/zh_CN/fleet/*.po"):
        edit_catalog(path, _translated)
    fleet.run("site", "-q")
    return fleet


def _translated(entry: Entry) -> Entry:
    """Put 译 before a message, or before every text of HTML."""
    if entry.msgid.startswith("<"):
        return replace(entry, msgstr=re.sub(r">(?=\w)", ">译", entry.msgid))
    if entry.msgid.startswith(("[", "|", "!")):
        return entry
    return replace(entry, msgstr=f"译{entry.msgid}")


def _text(node: Tag | None) -> str:
    """The words of an element, in one line."""
    assert node is not None
    return " ".join(node.get_text(" ").split())


def test_every_page_is_shown(fleet: Fleet) -> None:
    for page in PAGES:
        assert fleet.article(page).select(".jz-translated"), page
        assert not fleet.article(page).select(".jz-broken"), page


@pytest.mark.parametrize(("page", "count"), [("boats", REST_COUNT), ("oars", MYST_COUNT)])
def test_linked_words_replace_images(fleet: Fleet, page: str, count: int) -> None:
    article = fleet.article(page)
    assert not article.select("img")
    assert not article.select("a a")
    assert not article.select("p p")
    for number in range(1, count + 1):
        links = article.select(f'a[href="{TO}{number}/"]')
        assert links, number
        for link in links:
            assert re.search(r"oar|n\d+|pic\.png|gone\.png", _text(link)), number
            assert link.find_parent(["p", "span", "td"]), number


def test_a_figure_that_launches_a_notebook_keeps_its_words(fleet: Fleet) -> None:
    links = fleet.article("boats").select(f'figure a[href="{LAUNCHER}"]')
    assert [_text(link) for link in links] == ["在 Colab 中打开上游的英文笔记本"]


def test_links_to_an_image_lead_to_its_words(fleet: Fleet) -> None:
    article = fleet.article("named")
    assert article.select('[id="picture"]')
    assert article.select('a[href="#picture"]')


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ("section > details > p", "译Water inside."),
        ("details > details.inner > p", "译Water below,"),
        ("section > details > .highlight-python", "depth = 1"),
        ("section > details > .admonition", "A note inside."),
        ("section > details > div td", "c"),
        ("section > details > .math", "y = 2"),
        ("li > details > p", "译Inside an item."),
        ("blockquote details > p", "译Inside a quote."),
        ("table.own td > p", "译Cell two ."),
        ("table.corner td#empty", ""),
        ("table.corner th", "译Head"),
        ("center > p", "译Words in the middle."),
        ("div.open > p", "译Words behind it."),
        ("section > details > p", "译Words at the end."),
    ],
)
def test_html_holds_its_content(fleet: Fleet, selector: str, text: str) -> None:
    found = [_text(node) for node in fleet.article("folds").select(selector)]
    assert any(one.startswith(text) or text in one for one in found), found


def test_what_folds_can_be_read_in_both_languages(fleet: Fleet) -> None:
    article = fleet.article("folds")
    # A summary in a box would be no summary.
    summaries = article.select("details:not(.jz-since) > summary")
    shown = {
        tuple(_text(node) for node in summary.select(f".jz-{language}"))
        for summary in summaries
        for language in ("zh", "en")
    }
    assert {("译River &", "译lake"), ("River &", "lake")} <= shown
    assert {("译Deep lake",), ("Deep lake",), ("译Endless",), ("Endless",)} <= shown
    cells = article.select("table.own td")
    assert _text(cells[0].select_one(".jz-zh")) == "译First cell"
    assert _text(cells[0].select_one(".jz-en")) == "First cell"
    whole = article.select_one("div.jz-block > div")
    assert _text(whole) == "译Words of a whole one"


def test_the_search_has_the_words_of_a_summary_in_both_languages(fleet: Fleet) -> None:
    record = fleet.root / "build/zh_CN/fleet/doctrees/search/folds.json"
    pieces = json.loads(record.read_bytes())["pieces"]
    text, english = ("\n".join(piece[at] for piece in pieces) for at in (2, 3))
    for words in ("Deep lake", "Endless", "Listed"):
        assert f"译{words}" in text
        assert words in english
        assert f"译{words}" not in english


@pytest.mark.parametrize(
    ("selector", "output"),
    [
        (".sd-tab-content", "white"),
        (".sd-tab-content", "'whitewhite'"),
        ("details.sd-dropdown", "rope"),
        (".sd-row .sd-card", "deck"),
        ("section", "top white"),
        (".admonition.warning", "last"),
    ],
)
def test_a_cell_is_shown_in_its_place(fleet: Fleet, selector: str, output: str) -> None:
    article = fleet.article("sails")
    outputs = article.select(".cell_output")
    places = [node for node in outputs if _text(node) == output]
    assert len(places) == 1
    assert places[0].find_parent(lambda node: node in article.select(selector))


def test_what_holds_a_cell_has_its_translated_title(fleet: Fleet) -> None:
    article = fleet.article("sails")
    labels = [_text(node) for node in article.select("label .jz-zh")]
    assert labels == ["译White sail", "译Red sail"]
    titles = [_text(node) for node in article.select(".sd-card-title .jz-zh")]
    assert titles == ["译Mast", "译Deck"]
    assert _text(article.select_one(".sd-card-footer .jz-translated")) == ("译At the bottom.")
    assert "译Rope" in _text(article.select_one("summary.sd-summary-title"))
    assert "译After it." in _text(article.select_one(".admonition.note"))
    assert "译Last words." in _text(article.select_one(".admonition.warning"))
    assert "unseen" not in _text(article)
    assert _text(article.select_one(".admonition.tip b")) == "rig"


def test_the_tags_of_a_cell_count_within_a_tab(fleet: Fleet) -> None:
    article = fleet.article("sails")
    assert "sail =" in _text(article.select_one(".sd-tab-content details.hide"))
    assert not article.select(".sd-dropdown .cell_input")


@pytest.mark.parametrize(
    ("page", "selector", "code"),
    [
        ("sails", ".admonition-anchor .cell_input", "an"),
        ("sails", "li .cell_input", "listed = 1"),
        ("sails", "blockquote .cell_input", "quoted = 1"),
        ("hulls", ".admonition .cell_input", "hull = 1"),
    ],
)
def test_code_that_no_notebook_has_is_shown_and_said(
    fleet: Fleet, page: str, selector: str, code: str
) -> None:
    assert code in _text(fleet.article(page).select_one(selector))
    assert any("without outputs" in line for line in fleet.warnings(page))
