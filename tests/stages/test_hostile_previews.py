"""Nothing that others have written acts in a preview, nor in the frame of the workbench.

Pages of all formats hold what browsers act on, wherever a renderer may take it for markup. What
comes out is looked at by a parser that is not the sanitizer's, and by a browser if there is one.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup, Tag
from msgspec.structs import replace
from notebooks import notebook_value, prose
from runs import run_at
from site_chromium import REASON

from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.myst import markdown_html
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import read_document
from pipeline.core.pin.lock import SourceFile
from pipeline.core.results import PageResult
from pipeline.errors import InputError
from pipeline.limits import DIRECTIVES, PREVIEW_MARKS
from pipeline.stages.publish.marked_page import render_marked, render_message
from pipeline.stages.publish.renderer import render_preview
from pipeline.stages.publish.stage import PreviewPage, RunState, render

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# --- previews to render, for documents that a test writes


def preview_page(
    folder: Path, name: str, text: str, *, title: str = "Tea", state: str = "failed"
) -> PreviewPage:
    """Write ``text`` to the document ``name`` in ``folder``; return its preview, not rendered."""
    source = folder / name
    source.write_text(text, "utf-8")
    return PreviewPage(
        page="tea",
        source=source,
        outputs=None,
        target=folder / f"{name}.html",
        folder=PageFolder(folder),
        language="zh-CN",
        title=title,
        state=RunState(kind="failed", text=state),
        digest="0" * 64,
    )


# --- tests

HIT = "document.title='hit'"
SCRIPT = f"<script>{HIT}</script>"
IMAGE = f'<img src=x onerror="{HIT}">'
# Where a part is removed, what remains must not be markup.
TRICK = f"<scr<script></script>ipt>{HIT}</scr<base>ipt>"
LEAVING = '<me<base>ta http-equiv=refresh content="0;url=https://evil.example/">'
BROKEN = f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;{IMAGE}">'
ALT = f"图 href=data:! style=position:fixed;inset:0 on'onx='z'error={HIT} 字"
DRAWING = f'<svg onload="{HIT}"><a xlink:href="javascript:{HIT}">x</a></svg>'
PAYLOADS = (SCRIPT, IMAGE, TRICK, LEAVING, BROKEN, DRAWING)

# Some outputs of the notebook would swallow all that follows. It has another suffix in its folder:
# ruff would format it.
PAGES = {
    path.name.removesuffix(".json"): path.read_text("utf-8")
    for path in sorted((Path(__file__).parent / "data" / "hostile").iterdir())
}

ACTING = frozenset(
    "applet audio base button canvas embed form frame iframe link meta noscript object script "
    "select style template textarea video".split()
)
SENDING = frozenset("srcdoc action formaction srcset background".split())
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
            assert name not in SENDING
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
def preview(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The preview of a hostile page."""
    folder = tmp_path_factory.mktemp("previews")
    (folder / "cup.png").write_bytes(b"image")
    name, state = request.param, f"failed: {IMAGE}"
    one = preview_page(folder, name, PAGES[name], title=f"Tea {SCRIPT}", state=state)
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


def test_a_page_that_cannot_be_written_is_a_problem(tmp_path: Path) -> None:
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
    marked = render_marked(document, merge(document, {}), folder=PageFolder(tmp_path), outputs=None)
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


def test_nothing_acts_in_an_index_of_hostile_names(tmp_path: Path) -> None:
    run = run_at(tmp_path, url="x")
    name, merged = f"javascript:{HIT}#", run.paths.merged("zh_CN")
    for folder in (run.paths.docs, merged):
        folder.mkdir(parents=True)
    (merged / f"{name}.md").write_text("# Tea")
    source = SourceFile(path=f"{name}.md", blob="0" * 40)
    page = PageResult(page=name, files=(source,), title=f"{SCRIPT}{IMAGE}")
    assert render(run, [page], locale="zh_CN").findings == ()
    index = read(run.paths.preview("zh_CN"))
    assert_nothing_acts(one_of(index, "body"))
    assert str(one_of(index, "a")["href"]).startswith("javascript%3A")
    policy = one_of(index, "meta[http-equiv=Content-Security-Policy]")
    assert "default-src 'none'" in str(policy["content"])


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
    assert not [address for address in asked if not address.startswith(("file:", "data:"))]
    page.close()


# Pages that would take long to render: their source is shown, and a finding names the bound.


MANY = 20_000
LONG_PAGES = {
    "tea.md": "Tea\n\n" + "[" * MANY,
    "tea.rst": "Tea\n\n" + "=\n" * MANY,
    # Many cells, with few brackets each.
    "tea.ipynb": json.dumps(notebook_value(*[prose("Tea " + "[" * 100)] * 200)),
}


@pytest.mark.parametrize("name", LONG_PAGES)
def test_a_page_with_many_marks_is_shown_as_source(name: str, tmp_path: Path) -> None:
    preview = preview_page(tmp_path, name, LONG_PAGES[name])
    began = time.process_time()
    rendered = render_preview(preview)
    assert time.process_time() - began < 2
    assert "20,000 brackets and underlines; at most 5,000 are read" in rendered.problem
    assert name in rendered.problem
    assert "<pre>" in preview.target.read_text("utf-8")


@pytest.mark.parametrize("name", LONG_PAGES)
def test_the_workbench_refuses_such_a_page(name: str, tmp_path: Path) -> None:
    document = read_document(name, LONG_PAGES[name].encode())
    merged = merge(document, {})
    with pytest.raises(InputError, match=r"at most 5,000 are read"):
        render_marked(document, merged, folder=PageFolder(tmp_path), outputs=None)


def test_as_many_marks_as_are_permitted_are_rendered_quickly(tmp_path: Path) -> None:
    render_preview(preview_page(tmp_path, "cup.md", "Cup"))  # loads the modules
    preview = preview_page(tmp_path, "tea.md", "[" * PREVIEW_MARKS.most)
    began = time.process_time()
    assert render_preview(preview).problem == ""
    assert time.process_time() - began < 2


def test_directives_in_too_many_others_are_shown_as_source(tmp_path: Path) -> None:
    depth = 2 * DIRECTIVES
    fences = [":" * (depth + 3 - level) for level in range(depth)]
    opening = "\n".join(f"{fence}{{note}}" for fence in fences)
    closing = "\n".join(reversed(fences))
    text = f"{opening}\n**inner**\n{closing}\n"
    html = markdown_html(text, folder=PageFolder(tmp_path))
    assert html.count('class="admonition note"') == DIRECTIVES
    assert "**inner**" in html
