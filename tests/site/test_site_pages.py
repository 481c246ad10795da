"""Built sites, as files. No browser is needed.

Every link leads somewhere, nothing comes from elsewhere, code is upstream's.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from textwrap import indent

import pytest
from msgspec import Struct
from site_builds import NAMES, get_site
from site_html import Site

from pipeline.core.document.reader import Document, Format, Unit, read_document
from pipeline.core.pin.lock import is_reference, pages_of, parse_lock
from pipeline.paths import Paths

# --- code of upstream's documents, as a site should show it

_BLOCKS = ("fence", "colon_fence", "code_block")
_SHOWN = ("{code-cell}", "{code-block}", "{code}", "{sourcecode}")
_HIDDEN = re.compile(r"\b(?:remove-cell|remove-input|remove_cell|remove_input)\b")
# Sphinx leaves them out, upstream's own site too.
_FOR_DOCTEST = re.compile(r"[ \t]*#[ \t]*doctest:.+$", re.MULTILINE)
_FILE = re.compile(r"[\w./-]+\.(?:py|md|rst|txt|sh|json)\b")
_OPTIONS = re.compile(r"(?ms)(?:---\n.*?^---\n|(?::[\w-]+:[^\n]*\n)+)")


class Code(Struct, frozen=True):
    """Code that a page should show, in order.

    The page may also show ``texts``: diagrams, and parts of other files.
    """

    blocks: Sequence[str]
    texts: Sequence[str]

    def differences(self, shown: Iterable[str]) -> Iterator[str]:
        """Yield the blocks in ``shown`` that upstream does not have.

        Also yield upstream's blocks that are missing in ``shown``.
        """
        waiting = deque(self.blocks)
        for block in map(as_shown, shown):
            if waiting and block == waiting[0]:
                waiting.popleft()
            elif not self._quotes(block):
                yield f"not upstream's: {block}"
        yield from (f"not shown: {block}" for block in waiting)

    def _quotes(self, block: str) -> bool:
        forms = [indent(block, " " * width) for width in range(13)]
        return any(form in text for text, form in product(self.texts, forms))


def upstream_code(root: Path, name: str) -> Mapping[str, Code]:
    """Return, by page, the code of the document that the site of upstream ``name`` shows.

    ``root`` is the project's root.
    """
    paths = Paths(root, name)
    lock = parse_lock(paths.lock.read_bytes(), where=str(paths.lock))
    return {
        page.name: _read(paths.docs, page.files[0].path)
        for page in pages_of(lock.files)
        if not is_reference(page.name)
    }


def _read(docs: Path, path: str) -> Code:
    document = read_document(path, (docs / path).read_bytes())
    named = {(docs / path).parent / file for file in _FILE.findall(document.raw)}
    files = filter(Path.is_file, sorted(named))
    others = (file.read_text(encoding="utf-8") for file in files)
    return Code(code_of(document), (document.raw, *others))


def code_of(document: Document) -> list[str]:
    """Return the pieces of code that ``document`` shows."""
    return [text for text in map(as_shown, _code(document)) if text]


def as_shown(code: str) -> str:
    """Return ``code`` without the parts that readers do not see.

    These are empty lines at its ends, and comments for doctest in console sessions.
    """
    return (_FOR_DOCTEST.sub("", code) if ">>>" in code else code).strip("\n")


def _code(document: Document) -> Iterator[str]:
    if document.format is Format.RST:
        yield from document.code
    elif document.notebook is None:
        yield from _fences(document.units[0])
    else:
        prose = {unit.cell: unit for unit in document.units}
        values = json.loads(document.raw)["cells"]
        for number, cell in enumerate(document.notebook.cells):
            tags = values[number].get("metadata", {}).get("tags", ())
            if number in prose:
                yield from _fences(prose[number])
            elif cell.kind == "code" and not _HIDDEN.search(" ".join(tags)):
                yield cell.source


def _fences(unit: Unit) -> Iterator[str]:
    for _, (kind, *rest) in unit.split.skeleton:
        if kind not in _BLOCKS or len(rest) < 3:
            continue
        _, info, content = rest
        name = info.split()[0] if info.split() else ""
        if not name.startswith("{"):
            yield content
        elif name in _SHOWN:
            options = _OPTIONS.match(content)
            if not (options and _HIDDEN.search(options[0])):
                yield content[options.end() :] if options else content


# --- tests

FORMULA = re.compile(r"\$\$|\$[^\s$](?:[^$\n]*[^\s$])?\$|\\\(|\\\[|\\begin\{")

pytestmark = pytest.mark.slow  # the first makes the site of the sample


@pytest.fixture(scope="session", params=NAMES)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return get_site(request.param, tmp_path_factory)


def test_every_link_leads_somewhere(site: Site) -> None:
    assert len(site.pages) > 5
    assert list(site.broken_links()) == []


def test_no_id_occurs_twice(site: Site) -> None:
    twice = {
        path: [name for name, count in Counter(html.ids).items() if count > 1]
        for path, html in site.pages.items()
    }
    assert {path: names for path, names in twice.items() if names} == {}


def test_nothing_is_loaded_from_another_machine(site: Site) -> None:
    assert list(site.remote_loads()) == []
    sheets = "".join(path.read_text(encoding="utf-8") for path in site.folder.rglob("*.css"))
    assert re.findall(r"(?:@import\s+[\"']?|url\(\s*[\"']?)(?:https?:)?//[^)\"']+", sheets) == []


def test_one_sheet_and_no_script_hold_up_a_page(site: Site) -> None:
    for path in site.pages:
        html = (site.folder / path).read_text(encoding="utf-8")
        sheets = re.findall(r"<link\b[^>]*rel=\"stylesheet\"[^>]*>", html)
        own = [sheet for sheet in sheets if "styles/all.css?v=" not in sheet]
        assert len(sheets) - len(own) <= 1, path
        # The progress page brings one of its own.
        assert len(own) == html.count("_static/progress.css"), path
        # The first script loads the others when the page has been read.
        assert re.findall(r"<script\b[^>]*\bsrc=", html) == [], path


def test_code_is_upstreams(site: Site) -> None:
    root = site.folder.parents[2]
    if not (root / "upstream" / f"{site.name}.lock").is_file():
        pytest.skip("the documents that this site was made of are not beside it")
    expected = upstream_code(root, site.name)
    assert sum(len(code.blocks) for code in expected.values()) > 20
    found = {
        page: list(code.differences(site.pages[f"{page}.html"].code))
        for page, code in expected.items()
    }
    assert {page: differences for page, differences in found.items() if differences} == {}


def test_no_formula_is_left_as_it_was_written(site: Site) -> None:
    left = {path: FORMULA.findall("".join(html.prose)) for path, html in site.pages.items()}
    assert {path: formulas for path, formulas in left.items() if formulas} == {}


def test_every_page_says_how_fresh_it_is(site: Site) -> None:
    progress = json.loads((site.folder / "progress.json").read_bytes())
    pages = {row["url"] for row in progress["pages"]}
    assert pages <= set(site.pages)
    assert pages - set(site.having("jz-fresh")) == set()


# Upstream's cells may have none.
@pytest.mark.filterwarnings("ignore:Cell is missing an id field")
def test_a_notebook_can_be_downloaded_with_its_outputs_and_without(site: Site) -> None:
    nbformat = pytest.importorskip("nbformat")
    files = sorted((site.folder / "_downloads").rglob("*.ipynb"))
    assert len(files) >= 5
    for file in files:
        notebook = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
        if "clean" in file.relative_to(site.folder).parts:
            assert not any(
                cell.get("outputs") or cell.get("execution_count")
                for cell in notebook.cells
                if cell.cell_type == "code"
            ), file
