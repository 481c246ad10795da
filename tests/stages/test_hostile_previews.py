"""Nothing that others have written acts in a preview, nor in the frame of the workbench.

Pages of all formats hold what browsers act on, wherever a renderer may take it for markup. What
comes out is looked at by a parser that is not the sanitizer's, and by a browser if there is one.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from bs4 import BeautifulSoup, Tag
from notebooks import code, notebook_value, prose
from previews import preview_page
from runs import run_of
from site_chromium import REASON

from pipeline.adapters.html.images import PageFolder
from pipeline.config.settings import Settings, Upstream
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import read_document
from pipeline.core.pin.lock import SourceFile
from pipeline.core.results import PageResult
from pipeline.paths import Paths
from pipeline.stages.publish.marked_page import render_marked, render_message
from pipeline.stages.publish.renderer import render_preview
from pipeline.stages.publish.stage import render

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HIT = "document.title='hit'"
SCRIPT = f"<script>{HIT}</script>"
IMAGE = f'<img src=x onerror="{HIT}">'
# Where a part is removed, what remains must not be markup.
TRICK = f"<scr<script></script>ipt>{HIT}</scr<base>ipt>"
LEAVING = '<me<base>ta http-equiv=refresh content="0;url=https://evil.example/">'
BROKEN = f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;{IMAGE}">'
ALT = f"图 href=data:! style=position:fixed;inset:0 on'onx='z'error={HIT} 字"
ADDRESSES = (
    f"javascript:{HIT}",
    f"JaVa&#9;Script:{HIT}",
    f"data:text/html,{SCRIPT}",
    "vbscript:x",
    f"&#1;javascript:{HIT}",
)
FORMULAS = (
    rf"\text{{{SCRIPT}}}",
    rf"\verb!{{a}}`{IMAGE}`!",
    rf"\colorbox{{red}}{{< img/src=\"x\"onerror=\"{HIT}\">}}",
    rf"\href{{javascript:{HIT}}}{{x}}",
    rf"\color{{red\" onload=\"{HIT}}}{{x}}",
)
DRAWING = f'<svg onload="{HIT}"><a xlink:href="{ADDRESSES[0]}">x</a></svg>'
PAYLOADS = (SCRIPT, IMAGE, TRICK, LEAVING, BROKEN, DRAWING)

MYST = "\n\n".join(
    (
        f"# Tea {IMAGE} {SCRIPT}",
        *PAYLOADS,
        '<b data-block="1" data-owned="1">cup</b>',
        *(f"- item {one}\n  > quote {one}" for one in PAYLOADS),
        f"| a {IMAGE} |\n| --- |\n| {TRICK} |",
        *(f"[x]({one}) [y](<{one}>) <{one}> ![z]({one})" for one in ADDRESSES),
        *(f"字 ${one}$ 文\n\n$$\n{one}\n$$\n\n- a ${one}$" for one in FORMULAS),
        f'![{ALT}](cup.png) ![a](cup.png "b\' onload={HIT}")',
        f'```{{figure}} x" onerror="{HIT}\n:alt: {IMAGE}\n\n{SCRIPT}\n```',
        f"```{{raw}} html\n{SCRIPT}{IMAGE}\n```",
        f"```{{note}} {IMAGE}\n{SCRIPT}\n```",
        f"```{SCRIPT}\n{SCRIPT}\n```",
        f"{{doc}}`x <{ADDRESSES[0]}>` {{abbr}}`{IMAGE}` {{math}}`{FORMULAS[0]}` {{x}}`{SCRIPT}`",
        f'(x" onclick="{HIT})=\nterm {IMAGE}\n: what {TRICK}\n\n[^a]\n\n[^a]: note {IMAGE}',
        f'<img alt="{ALT}" src=cup.png> <img src="//evil.example/a.png" width="1" height=1>',
        f"<form action={ADDRESSES[0]}><input type=image formaction={ADDRESSES[0]}></form>",
        '<p style="position:fixed;background:url(//evil.example/a)">all over</p>',
        "<![odd[x]]>",
        "the end of the page",
    )
)
RST = f"""
Tea {IMAGE}
{"=" * 90}

Take :math:`{FORMULAS[0]}` and :math:`{FORMULAS[2]}`, :raw-html:`{SCRIPT}`.

See :doc:`x <{ADDRESSES[0]}>`.

`x <{ADDRESSES[0]}>`_ `y <JAVASCRIPT:{HIT}>`__ `z <data:text/html,x>`_ javascript:alert(1)

.. image:: javascript:{HIT}
   :alt: {ALT}
   :target: javascript:{HIT}

.. figure:: https://evil.example/a.png
   :target: java	script:{HIT}

   {SCRIPT}

.. raw:: html

   {SCRIPT}

.. role:: raw-html(raw)
   :format: html

.. meta::
   :http-equiv=refresh: 0;url=https://evil.example/

.. csv-table:: {SCRIPT}

   {IMAGE}

.. math:: {FORMULAS[1]}

.. note::

   * {IMAGE} :math:`{FORMULAS[3]}`

.. container:: x" onclick="{HIT}

   {TRICK}

the end of the page
"""


def output(kind: str, text: str | list[str], **metadata: Any) -> dict[str, Any]:
    return {
        "output_type": "display_data",
        "data": {kind: text},
        "metadata": {kind: metadata} if metadata else {},
    }


PIXEL = base64.b64encode(b"image").decode()
ATTRIBUTE = f'1" onload="{HIT}" x="'
OUTPUTS = (
    *(output("text/html", one) for one in PAYLOADS),
    # These would swallow all that follows.
    output("text/html", ["<!-- ", "never closed"]),
    output("text/html", "<textarea><b"),
    output("text/html", "<plaintext>"),
    output("text/html", SCRIPT, isolated=True),
    output("text/html", f'<iframe srcdoc="{SCRIPT}"></iframe><embed src="{ADDRESSES[2]}">'),
    output("application/javascript", f"{HIT}</script>{IMAGE}"),
    output("text/markdown", f"**b** {IMAGE} [x]({ADDRESSES[0]})\n\n{TRICK}"),
    output("text/latex", f"${FORMULAS[0]}$ {SCRIPT}"),
    output("text/plain", f"{SCRIPT} \x1b]8;;javascript:{HIT}\x07x\x1b]8;;\x07"),
    output("image/svg+xml", f'<svg xmlns="http://www.w3.org/2000/svg">{SCRIPT}</svg>'),
    output("image/png", PIXEL, width=ATTRIBUTE, height=ATTRIBUTE, alt=ATTRIBUTE),
    output("image/png", f'{PIXEL}" onerror="{HIT}'),
    output("image/jpeg", PIXEL, width=f"1 onload={HIT}", height=ATTRIBUTE),
    output("application/vnd.jupyter.widget-view+json", f"</script>{SCRIPT}"),
    {"output_type": "stream", "name": "stderr", "text": f"{SCRIPT}{IMAGE}"},
    {"output_type": "error", "ename": SCRIPT, "evalue": IMAGE, "traceback": [f"\x1b[31m{SCRIPT}"]},
)  # fmt: skip
NOTEBOOK = json.dumps(
    notebook_value(
        prose(f"# Tea {IMAGE} {SCRIPT}"),
        *(prose(one) for one in PAYLOADS),
        code("brew()", f'tag" onclick="{HIT}', outputs=OUTPUTS),
        {
            "cell_type": "raw",
            "metadata": {"raw_mimetype": "text/html"},
            "source": SCRIPT,
        },
        prose(
            f"![{ALT}](attachment:a.png)",
            attachments={"a.png": {f'image/png" onerror="{HIT}': PIXEL}},
        ),
        prose("the end of the page"),
        widgets={
            "application/vnd.jupyter.widget-state+json": {"a": f"</script>{SCRIPT}"}
        },
    )
)
PAGES = {"tea.md": MYST, "tea.rst": RST, "tea.ipynb": NOTEBOOK}

ACTING = frozenset(
    "applet audio base button canvas embed form frame iframe link meta noscript object script "
    "select style template textarea video".split()
)
NO_SCHEME = r"(?![a-z][a-z0-9+.-]*:)"
LINK = re.compile(rf"https?://|mailto:|{NO_SCHEME}", re.IGNORECASE)
IMAGE_SOURCE = re.compile(rf"data:image/|(?![/\\]{{2}}){NO_SCHEME}", re.IGNORECASE)


def assert_nothing_acts(part: Tag) -> None:
    """No element of it runs, sends, leads away or fetches anything."""
    for element in part.find_all(True):
        assert element.name not in ACTING
        for name, value in element.attrs.items():
            text = " ".join(value) if isinstance(value, list) else str(value)
            assert not name.startswith("on")
            assert name not in (
                "srcdoc",
                "action",
                "formaction",
                "srcset",
                "background",
            )
            if name in ("href", "xlink:href", "src", "cite"):
                allowed = IMAGE_SOURCE if name == "src" else LINK
                assert allowed.match(re.sub(r"[\x00-\x20]", "", text)), text
            if name == "style":
                assert not re.search(r"url|position|expression|@|\\", text)


def read(preview: Path) -> BeautifulSoup:
    return BeautifulSoup(preview.read_text("utf-8"), "html.parser")


def one_of(page: Tag, selector: str) -> Tag:
    """The first element that is asked for."""
    found = page.select_one(selector)
    assert found is not None
    return found


@pytest.fixture(scope="module", params=PAGES)
def preview(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The preview of a hostile page."""
    folder = tmp_path_factory.mktemp("previews")
    (folder / "cup.png").write_bytes(b"image")
    one = preview_page(
        folder,
        request.param,
        PAGES[request.param],
        title=f"Tea {SCRIPT}",
        state=f"failed: {IMAGE}",
    )
    assert render_preview(one).problem == ""
    return one.target


def test_nothing_acts_in_a_preview(preview: Path) -> None:
    page = read(preview)
    assert_nothing_acts(one_of(page, "body"))
    head = [element.name for element in one_of(page, "head").find_all(True)]
    assert head == ["meta", "meta", "meta", "meta", "title", "style"]
    assert one_of(page, "title").get_text() == f"Tea {SCRIPT}"
    assert IMAGE in one_of(page, ".state").get_text()


def test_all_of_a_preview_is_there(preview: Path) -> None:
    main = one_of(read(preview), "main")
    text = main.get_text()
    assert "Tea" in text
    assert "the end of the page" in text
    # Words stay words.
    assert any(ALT in words for words in (text, *map(str, main.find_all("img"))))


def test_a_page_says_what_it_lost(preview: Path) -> None:
    line = one_of(read(preview), ".state").get_text()
    if preview.name == "tea.rst.html":
        assert "略去" not in line  # its scripts were never markup
    else:
        assert re.search(r"· 略去 \d+ 个不能显示的元素：.*script × \d+", line)


def test_a_page_in_english_says_it_in_english(tmp_path: Path) -> None:
    one = preview_page(tmp_path, "tea.md", "<script>f()</script>\n\n<form></form>")
    assert render_preview(replace(one, language="en")).problem == ""
    text = one.target.read_text("utf-8")
    assert "· 2 elements left out: <code>form</code>, <code>script</code></p>" in text


def test_a_page_that_cannot_be_written_is_a_problem_and_no_error(
    tmp_path: Path,
) -> None:
    page = preview_page(tmp_path, "tea.md", "Tea.")
    # No file may have this name, which Python reports as a ValueError.
    rendered = render_preview(replace(page, target=tmp_path / "tea\0.html"))
    assert (rendered.page, rendered.has_changed) == ("tea", False)
    assert rendered.problem == "ValueError: embedded null byte"


def test_a_preview_may_fetch_nothing_and_run_nothing(preview: Path) -> None:
    policy = one_of(read(preview), "meta[http-equiv=Content-Security-Policy]")
    words = str(policy["content"]).split("; ")
    assert {"default-src 'none'", "script-src 'none'", "base-uri 'none'"} < {*words}
    assert not [word for word in words if "http" in word or "*" in word]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_acts_in_the_workbench(name: str, tmp_path: Path) -> None:
    document = read_document(name, PAGES[name].encode())
    marked = render_marked(
        document, merge(document, {}), folder=PageFolder(tmp_path), outputs=None
    )
    for html in (marked.html, *marked.inner.values()):
        assert_nothing_acts(BeautifulSoup(html, "html.parser"))
    assert 'data-block="' in marked.html
    assert "data-owned" not in marked.html


@pytest.mark.parametrize("name", ["tea.md", "tea.rst"])
@pytest.mark.parametrize("typed", PAYLOADS)
def test_nothing_acts_of_what_is_typed(name: str, typed: str, tmp_path: Path) -> None:
    document = read_document(name, b"Tea\n===\n\nA cup.\n")
    # What the guard would keep from the page, too.
    merged = merge(document, {})
    unit = merged.units[0]
    cup = unit.messages[1]
    text = unit.text[: cup.start] + typed + unit.text[cup.end :]
    changed = replace(cup, end=cup.start + len(typed))
    typed_in = replace(unit, text=text, messages=(unit.messages[0], changed))
    html = render_message(
        document, replace(merged, units=(typed_in,)), 1, folder=PageFolder(tmp_path)
    )
    assert_nothing_acts(BeautifulSoup(html or "", "html.parser"))


@pytest.fixture
def hostile_names(tmp_path: Path) -> str:
    """The index of pages whose names and titles act."""
    paths = Paths(tmp_path, "demo")
    name = f"javascript:{HIT}#"
    for folder in (paths.docs, paths.merged("zh_CN")):
        folder.mkdir(parents=True)
    (paths.merged("zh_CN") / f"{name}.md").write_text("# Tea")
    settings = Settings(
        root=tmp_path,
        locales=("zh_CN",),
        upstreams={"demo": Upstream(package="JAX", version="1", name="demo", url="x")},
    )
    source = SourceFile(path=f"{name}.md", blob="0" * 40)
    page = PageResult(page=name, files=(source,), title=f"{SCRIPT}{IMAGE}")
    run = run_of(settings, settings.upstreams["demo"])
    assert render(run, [page], locale="zh_CN").findings == ()
    return paths.preview("zh_CN").read_text("utf-8")


def test_nothing_acts_in_the_index(hostile_names: str) -> None:
    page = BeautifulSoup(hostile_names, "html.parser")
    assert_nothing_acts(one_of(page, "body"))
    assert str(one_of(page, "a")["href"]).startswith("javascript%3A")
    assert "default-src 'none'" in hostile_names


@pytest.mark.browser
@pytest.mark.skipif(bool(REASON), reason=REASON)
def test_a_browser_runs_nothing_of_a_preview(preview: Path, browser: Browser) -> None:
    # The policy is not what holds: it is taken out.
    page = browser.new_page(bypass_csp=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(preview.as_uri())
    page.wait_for_timeout(300)
    assert page.title() == f"Tea {SCRIPT}"
    assert page.url == preview.as_uri()
    assert not [
        address for address in asked if not address.startswith(("file:", "data:"))
    ]
    page.close()
