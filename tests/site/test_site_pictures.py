"""What stands in the place of pictures that scripts draw, films, charts and badges, on one site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from folders import write_tree
from site_projects import SiteProject, words_of

pytestmark = pytest.mark.slow

ENGLISH = "https://docs.ovens.example/en/latest/"
PROJECT = f"""\
[tool.pipeline.upstreams.ovens]
url = "docs"
[tool.pipeline.upstreams.ovens.site]
english-url = "{ENGLISH}"
"""
BOOK = "https://colab.research.google.com/github/us/ovens/blob/main/bake.ipynb"
KAGGLE = "https://kaggle.com/kernels/welcome?src=https://github.com/us/ovens/bake.ipynb"
CHART = "flowchart LR\n  A[dough] --> B{hot?}\n"
DATA = Path(__file__).parent / "data" / "pictures"
INDEX = (DATA / "index.md").read_text(encoding="utf-8")
HEAT = (DATA / "heat.rst").read_text(encoding="utf-8")
_SVG = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/>{}</svg>'
CHARTS = (DATA / "charts.md").read_text(encoding="utf-8")
TABLE = (
    '<div id="df"><div class="box"><table><tr><td>left</td></tr></table>'
    '<button class="b" onclick="convert()"><svg></svg></button>'
    "<script>const button = 1</script></div></div>"
)
PLOT = '<div id="plot-1" style="height:525px; width:100%"></div><script>plot("plot-1")</script>'


# As notebooks have them in outputs.
OUTPUT = f"Output\n======\n\n.. raw:: html\n\n   {TABLE}\n\n.. raw:: html\n\n   {PLOT}\n"


class Built(SiteProject, frozen=True):
    """The project with its site, and what the build said."""

    said: str


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Built:
    root = tmp_path_factory.mktemp("ovens")
    pages = {
        "index.md": INDEX,
        "heat.rst": HEAT,
        "charts.md": CHARTS,
        "dough.mmd": f"{CHART}style A fill:#fff\n",
        "output.rst": OUTPUT,
        "drawn.svg": _SVG.format("<script>draw()</script>"),
        "still.svg": _SVG.format(""),
    }
    files = {f"docs/{path}": text for path, text in pages.items()}
    write_tree(root, {"pyproject.toml": PROJECT, **files})
    ovens = SiteProject(root, "ovens")
    ovens.run("sync", "--no-execute")
    # A page has a chart that cannot be drawn.
    return Built(root, "ovens", ovens.run("site", "--no-execute", code=7))


def test_a_badge_is_a_link_that_says_what_it_opens(project: Built) -> None:
    page = project.article("index")
    links = page.select('a[href^="https://colab"], a[href^="https://kaggle"]')
    assert [words_of(link) for link in links] == [
        "在 Colab 中打开上游的英文笔记本",
        "在 Kaggle 中打开上游的英文笔记本",
        "Open in Colab",
        "Run in Colab",
    ]
    assert {link["hreflang"] for link in links} == {"en"}
    assert [link["href"] for link in links] == [BOOK, KAGGLE, BOOK, BOOK]
    (build,) = page.select('a[href="https://ci.example/"]')
    assert words_of(build) == "Build"
    assert not build.has_attr("hreflang")
    assert not page.select("img")


def test_badges_are_not_what_a_page_is_about(project: Built) -> None:
    head = project.read("index.html").partition("</head>")[0]
    assert '<meta name="description" content="An oven bakes' in head


def test_a_box_stands_in_place_of_a_scripts_picture(project: Built) -> None:
    boxes = project.article("heat").select("p.jz-box")
    links = [box.select_one("a") for box in boxes]
    assert [link["href"] for link in links if link] == [
        f"{ENGLISH}heat.html#meter_1",
        f"{ENGLISH}heat.html#bright-light",
        f"{ENGLISH}heat.html#bright-light",
    ]
    for box, link in zip(boxes, links, strict=True):
        assert link is not None
        assert words_of(box) == (
            "这里的图由脚本绘制，本站不运行脚本。要看图并照文中所说操作，请到上游页面："
            "英文页面上的这幅图"
        )
        assert link["hreflang"] == "en"


def test_no_room_is_left_blank(project: Built) -> None:
    page = project.article("heat")
    assert page.select_one('span[id="meter_1"]:not([style], [class])') is not None
    assert not page.select(".meter, [style], [height], object, iframe")
    # A drawing without a script is shown as it is.
    assert [Path(str(image["src"])).name for image in page.select("img")] == ["still.svg"]


def test_a_film_is_a_link_in_a_box(project: Built) -> None:
    (box,) = project.article("heat").select("span.jz-box")
    assert words_of(box) == "视频或网页，不在本站：A talk"
    (link,) = box.select("a")
    assert link["href"] == "https://www.youtube.com/watch?v=abc-1"


def test_what_a_box_tells_of_is_not_counted_twice(project: Built) -> None:
    (line,) = project.article("heat").select("p.jz-fresh")
    assert "3 处内容本站没有，见页内说明" in words_of(line)
    # Of the script that only a file of upstream's has.
    assert "1 处脚本、表单等不在本站运行" in words_of(line)


def test_an_output_whose_script_only_answers_is_whole(project: Built) -> None:
    page = project.article("output")
    (box,) = page.select(".jz-box")
    (link,) = box.select("a")
    assert link["href"] == f"{ENGLISH}output.html#plot-1"
    assert page.select_one("td") is not None
    assert page.select_one('span[id="plot-1"]:not([style])') is not None


def test_a_chart_is_drawn_with_its_text_below(project: Built) -> None:
    page = project.article("charts")
    first, second = page.select(".jz-chart")
    images = first.select("img")
    assert [image["class"] for image in images] == [
        ["no-scaled-link", "only-light"],
        ["no-scaled-link", "only-dark"],
    ]
    for image in images:
        assert image["alt"] == "图表"
        text = project.read(str(image["src"]))
        assert "dough" in text
        assert "hot?" in text
    # One with colours of its own stands on light ground in the dark as well.
    (image,) = second.select("img")
    assert image["alt"] == "A dough"
    assert not {"only-light", "only-dark"}.intersection(image["class"])
    source = page.select("details.jz-chart-source pre")[0]
    assert source.get_text().strip() == CHART.strip()
    assert "How to bake." in words_of(page)


def test_a_chart_that_cannot_be_drawn_is_its_text_and_a_finding(project: Built) -> None:
    page = project.article("charts")
    (source,) = page.select(".jz-broken")
    assert "A -->" in source.get_text()
    assert "Before." in words_of(page)
    assert "After." in words_of(page)
    reason = r"charts: \d+: the Mermaid chart cannot be drawn: .*unexpected end of input"
    assert re.search(reason, project.said)
    assert "gone.mmd" in words_of(page)
