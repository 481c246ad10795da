"""One site of docs that try to run something at every door: nothing but our own script is live."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup, Tag
from folders import write_tree
from notebooks import code, display, notebook_value, prose
from workshop import PIXEL, Workshop

from pipeline.config.settings import SitePolicy

pytestmark = pytest.mark.slow

_SPLIT = "<scr<script></script>ipt src='_static/evil.js'></script><scr<base>ipt>hit()</script>"
_LEADS = "<me<base>ta http-equiv=refresh content='0;url=https://evil.example/'>"
_IMAGE = "<img src=x onerror=hit()>"
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" onload="hit()"><script>hit()</script>'
    '<path d="M0 0"/></svg>'
)
DATA = Path(__file__).parent / "data" / "hostile"


def _page(name: str) -> str:
    text = (DATA / name).read_text(encoding="utf-8")
    for mark, payload in (("IMAGE", _IMAGE), ("SPLIT", _SPLIT), ("LEADS", _LEADS)):
        text = text.replace(f"⟦{mark}⟧", payload)
    return text


_TABLE = f"<table><tr><td onclick=hit()>1{_IMAGE}</td></tr></table>{_LEADS}"
_SHOWN = (
    ("text/html", f"<b>plot</b>{_SPLIT}<div id=drawn></div><script>hit()</script>"),
    ("text/html", _TABLE),
    ("application/javascript", "hit()"),
    ("image/svg+xml", _SVG),
    ("text/markdown", f"**b** {_IMAGE} {_SPLIT} [a](javascript:hit())"),
    ("text/latex", "$\\text{<script>hit()</script>}$"),
    ("application/vnd.jupyter.widget-view+json", {"a": "</script><script>hit()"}),
    ("text/plain", "<script>hit()</script>\x1b[31m<b onclick=hit()>"),
)
_SIZE = {"width": '1" onload="hit()', "height": "1;hit()"}
_OUTPUTS = [display({kind: data}) for kind, data in _SHOWN]
_OUTPUTS.append(display({"image/png": PIXEL}, **{"image/png": _SIZE}))
_CELLS = (
    prose(f"# Out <script>hit()</script> {_IMAGE}"),
    code("show()", outputs=_OUTPUTS),
)
_PAGES = {
    "index.md": _page("index.md"),
    "rest.rst": _page("rest.rst"),
    "out.ipynb": json.dumps(notebook_value(*_CELLS, kernelspec={"name": "python3"})),
}
_FILES: dict[str, bytes | str] = {
    "x.png": base64.b64decode(PIXEL),
    "film.mp4": b"film",
    "demo.html": "<script>hit()</script>",
    "evil.svg": _SVG,
    "_static/evil.js": "hit()",
    "_static/evil.html": "<script>hit()</script>",
    "_static/evil.svg": _SVG,
    "_static/pan.css": "@import '//evil.example/'; .pan {color: red; position: fixed}",
}
_CHINESE = {
    "Small *words*.": "小MARKUP*字*。",
    '<div class="pan" onclick="hit()">Words in <b>HTML</b> stay.</div>': (
        '<div class="pan" onclick="hit()"><b>HTML</b> 里的字 MARKUP</div>'
    ),
    "Folded *words*.": "折叠的*字*。",
}
# What a translation says, had no guard seen it.
_MARKUP = f"{_IMAGE}{_SPLIT}{_LEADS}"
# What runs, leads away or fetches as soon as it stands in a page.
_LIVE = (
    "applet base embed fencedframe foreignobject frame frameset iframe object portal set"
).split()
_ADDRESSES = frozenset("action background data formaction href poster src xlink:href".split())
_FETCHED = frozenset(("poster", "src", "srcset", "background"))
_RUNNING = re.compile(r"(?:javascript|vbscript|data:(?!image/))", re.IGNORECASE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    root = tmp_path_factory.mktemp("hostile")
    workshop = Workshop(root, package="", translations=_CHINESE)
    write_tree(workshop.paths.docs, _FILES)
    for path, text in _PAGES.items():
        workshop.write(path, text)
    workshop.merge()
    for path in _PAGES:
        if "MARKUP" in workshop.merged(path).read_text(encoding="utf-8"):
            workshop.change(path, "MARKUP", _MARKUP)
        blocks = workshop.blocks(path)
        landed = blocks.read_text(encoding="utf-8")
        workshop.put(blocks, landed.replace("MARKUP", json.dumps(_MARKUP)[1:-1]))
    executed = workshop.paths.executed("zh_CN") / "out.ipynb"
    workshop.put(executed, _PAGES["out.ipynb"])
    workshop.build(SitePolicy())
    return workshop.target


def _pages(site: Path) -> Iterator[tuple[str, BeautifulSoup]]:
    """Every page but the one that servers show for what is not there, as two parsers read it."""
    for path in sorted(site.rglob("*.html")):
        if path.name != "404.html":
            for parser in ("html.parser", "lxml"):
                yield path.name, BeautifulSoup(path.read_bytes(), parser)


def _problems(element: Tag) -> Iterator[str]:
    """What is live of an element."""
    if element.name in _LIVE:
        yield f"<{element.name}>"
    for name, value in element.attrs.items():
        text = " ".join(value) if isinstance(value, list) else str(value)
        plain = re.sub(r"[\x00-\x20]", "", text)
        if name.lower().startswith("on"):
            yield f"{element.name} {name}={text}"
        if name.lower() in _ADDRESSES and _RUNNING.match(plain):
            yield f"{element.name} {name}={text}"
        if name.lower() == "attributename" and not re.fullmatch(r"x1|opacity", text):
            yield f"{element.name} {name}={text}"
        if name in _FETCHED and re.match(r"(?:https?:)?//", plain):
            yield f"{element.name} {name}={text}"
        if name == "style" and re.search(r"url\(|position", text):
            yield f"{element.name} {name}={text}"
    if element.name == "style" and re.search(r"url\(|@import|position|<", element.get_text()):
        yield str(element)
    if element.name == "meta" and element.get("http-equiv", "Content-Security-Policy") != (
        "Content-Security-Policy"
    ):
        yield str(element)
    if element.name == "link" and "//" in str(element.get("href")):
        yield str(element)


def test_nothing_of_others_is_live_on_any_page(site: Path) -> None:
    names = set()
    for name, page in _pages(site):
        names.add(name)
        found = [problem for element in page.find_all(True) for problem in _problems(element)]
        assert found == [], name
        # The search field is ours.
        forms = page.find_all(["form", "button", "select", "textarea"])
        article = page.find("article")
        assert all(article not in form.parents for form in forms if article), name
    assert {"index.html", "rest.html", "out.html", "progress.html"} <= names


def test_the_only_script_is_the_one_that_the_policy_names(site: Path) -> None:
    for name, page in _pages(site):
        (script,) = page.find_all("script")
        assert not script.has_attr("src")
        policy = page.find("meta", attrs={"http-equiv": "Content-Security-Policy"})
        assert isinstance(policy, Tag)
        digest = base64.b64encode(sha256(str(script.string).encode()).digest()).decode()
        rules = str(policy["content"])
        assert f"script-src 'sha256-{digest}' 'strict-dynamic';" in rules, name
        loaded = str(script["data-scripts"]).split()
        for address in loaded:
            assert re.match(r"(?:\.\./)*_static/(?!.*evil)", address), address


def test_what_readers_need_is_there(site: Path) -> None:
    index = (site / "index.html").read_text(encoding="utf-8")
    page = BeautifulSoup(index, "html.parser")
    details = page.select_one("article details:not(.jz-since)")
    assert isinstance(details, Tag)
    assert "折叠" in details.get_text()
    assert "Folded" in details.get_text()
    both = page.select_one("article .jz-translated b")
    english = page.select_one("article .jz-en div.pan b")
    assert both is not None
    assert english is not None
    assert page.select_one("article svg path") is not None
    assert page.select_one("article div.pan b") is not None
    image = page.select_one('article img[alt^="图 onx=1"]')
    assert isinstance(image, Tag)
    assert set(image.attrs) == {"src", "alt"}
    assert page.select_one("article b em") is not None
    out = BeautifulSoup((site / "out.html").read_bytes(), "html.parser")
    assert "plot" in out.get_text()
    assert out.select_one("article table td") is not None
    assert len(out.select("article img")) >= 2
    assert "<style>.bd-article .pan{color: red}</style>" in index


def test_what_a_page_lost_is_said_under_its_title(site: Path) -> None:
    for name in ("index", "rest", "out"):
        page = BeautifulSoup((site / f"{name}.html").read_bytes(), "html.parser")
        (line,) = page.select("p.jz-fresh")
        assert re.search(r"\d+ 处(?:脚本|内容本站没有)", line.get_text()), name
        # Without English docs there is nothing to lead to, and no name of the page in its place.
        assert name not in [code.get_text() for code in page.select("article p > code")]


def test_files_that_a_browser_would_run_are_not_published(site: Path) -> None:
    published = {path.relative_to(site).as_posix(): path for path in site.rglob("*")}
    assert not re.search(r"(?:evil|demo)\.(?:js|html)\n", "\n".join([*published, ""]))
    assert "_static/pan.css" in published
    (download,) = [path for path in published if path.endswith("demo.html.txt")]
    assert f'href="{download}"' in (site / "index.html").read_text(encoding="utf-8")
    drawings = [path for name, path in published.items() if name.endswith(".svg")]
    assert len([path for path in drawings if "evil" in path.name]) == 3
    for path in drawings:
        text = path.read_text(encoding="utf-8")
        assert "hit" not in text, path
        assert "<script" not in text, path
        assert "javascript" not in text, path


def test_data_for_programs_is_data(site: Path) -> None:
    feed = ElementTree.fromstring((site / "atom.xml").read_bytes())
    assert {element.tag.partition("}")[0] for element in feed.iter()} == {
        "{http://www.w3.org/2005/Atom"
    }
    for path in (site / "_search").rglob("*.js"):
        # Data in a call, never markup that ends a script.
        assert re.match(r"jzSearch\(", path.read_text(encoding="utf-8")), path
