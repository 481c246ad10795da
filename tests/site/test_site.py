"""The site as Sphinx builds it.

Some documents have what the real ones have, others are broken.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from msgspec import structs
from notebooks import notebook_value

pytest.importorskip(
    "sphinx_book_theme", reason="the dependency group site is not installed"
)

from inventories import inventory
from repositories import DOCS
from runs import run_of

from pipeline.adapters import po
from pipeline.adapters.files import WriteError
from pipeline.config.reader import read_settings
from pipeline.config.settings import ReferenceTable, Settings, SitePolicy, Upstream
from pipeline.core.catalog.origins import Machine
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.document.landing import landings_to_json
from pipeline.core.document.reader import read_document
from pipeline.core.drafting.drafts import Draft, drafted
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock, SourceFile, blob_id, pages_of
from pipeline.core.results import PageResult
from pipeline.entries import Catalog
from pipeline.errors import ConfigError, PublishError
from pipeline.findings import Finding, Severity
from pipeline.log import Log
from pipeline.paths import Paths
from pipeline.reading import MYST, Dialect, Reading
from pipeline.site.build import build_site
from pipeline.site.manifest import digest_of_file

pytestmark = pytest.mark.slow  # each runs Sphinx, or looks at what it made

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)
POLICY = SitePolicy(
    edit_url="https://example.org/{name}/{locale}/{page}.po#L{line}",
    notebook_url="https://colab.research.google.com/github/us/{page}.ipynb",
    english_url="https://docs.example.org/en/",
    url="https://us.example.org/docs/",
    repository_url="https://github.com/us/docs",
    start=("guide", "gone", "card"),
    hero="先热炉，再烤面包。",
    hero_code="import oven",
)
DATA = Path(__file__).parent / "data" / "workshop"
INDEX = (DATA / "index.md").read_text(encoding="utf-8")
GUIDE = (DATA / "guide.md").read_text(encoding="utf-8")
CARD = (DATA / "card.rst").read_text(encoding="utf-8")
API = (DATA / "api.rst").read_text(encoding="utf-8")


HTML = (DATA / "html.md").read_text(encoding="utf-8")
# A picture that would make the page heavy, and one that would not.
LARGE = base64.b64encode(base64.b64decode(PIXEL) + bytes(5000)).decode()
PICTURES = f"![](data:image/png;base64,{LARGE})\n![](data:image/png;base64,{PIXEL})"
CELLS: list[dict[str, Any]] = [
    {
        "cell_type": "markdown",
        "metadata": {},
        "source": "# Work\n\nSee ![dot](attachment:dot.png) and [the card](card.rst).",
        "attachments": {"dot.png": {"image/png": PIXEL}},
    },
    {
        "cell_type": "code",
        "metadata": {},
        "source": "print(1 < 2)",
        "outputs": [],
        "execution_count": None,
    },
    {"cell_type": "markdown", "metadata": {}, "source": PICTURES},
]
CHINESE = {
    "The workshop": "工坊",
    "A gradient is **here**, see [the guide](guide.md#second-part) and {func}`lamp.on`.": (
        "这里有**梯度**，见[指南](guide.md#second-part)和 {func}`lamp.on`。"
    ),
    "Tool": "工具",
    "saw": "锯",
    "The guide": "指南",
    "Second part": "第二部分",
    "Second part {#sun}": "第二部分 {#sun}",
    "[Leaf](#sun){.button #leaf}": "[叶](#sun){.button #leaf}",
    "[Leaf](#sun){: .button #leaf }": "[叶](#sun){: .button #leaf }",
    "Text of the second part[^1], see {doc}`card` and [](work.ipynb).": (
        "第二部分的正文[^1]，见 {doc}`card` 和 [](work.ipynb)。"
    ),
    "A *title*": "一个*标题*",
    "Body of the tip.": "提示的内容。",
    "A gradient is in gradient descent.": "梯度下降里有梯度。",
    "Work": "活计",
    "See ![dot](attachment:dot.png) and [the card](card.rst).": (
        "见 ![dot](attachment:dot.png) 和[卡片](card.rst)。"
    ),
    "Card": "卡片",
    ":doc:`index`, see `Card`_ and again__.": ":doc:`index`，见 `Card`_ 和\\ again__\\ 。",
    "leaf": "叶节点",
    "A thing.": "一物。",
    "See `Named <https://example.org/named>`_, Named_, a note [#a]_, and :jax-issue:`12`.": (
        "见\\ `Named <https://example.org/named>`_\\ 、\\ Named_\\ 、脚注\\ [#a]_\\ 和\\ "
        ":jax-issue:`12`\\ 。"
    ),
    "The caption.": "图题。",
    "Of words.": "关于词语。",
    '<div class="x">Words in <b>HTML</b> stay.</div>': (
        '<div class="x"><b>HTML</b> 里的词留着。</div>'
    ),
    "A task.": "一项任务。",
}


def notebook(cells: list[dict[str, Any]], *outputs: dict[str, Any]) -> str:
    """The text of a notebook whose code cells all have ``outputs``."""
    shown = [
        {**cell, "outputs": list(outputs)} if cell["cell_type"] == "code" else cell
        for cell in cells
    ]
    return json.dumps(notebook_value(*shown, kernelspec={"name": "python3"}))


WITH_OPTIONS = ReferenceTable(options={"list_config_options": "lamp.config"})


@dataclass
class Workshop:
    """A scratch project with documents and their catalogues.

    It also has what merge and execute would have made of them.
    """

    root: Path
    package: str = "JAX"  # what the docs are of

    @property
    def paths(self) -> Paths:
        return Paths(self.root, "demo")

    @property
    def target(self) -> Path:
        return self.root / "build" / "site" / "demo"

    def write(
        self,
        path: str,
        english: str,
        *,
        fuzzy: bool = False,
        reading: Reading = MYST,
    ) -> None:
        self.put(self.paths.docs / path, english.replace("> ATTRIBUTION\n\n", ""))
        entries = wanted_entries(
            "x",
            [
                read_document(
                    path, english.replace("> ATTRIBUTION\n\n", "").encode(), reading
                )
            ],
        )
        known = tuple(
            replace(entry, msgstr=CHINESE.get(entry.msgid, ""), fuzzy=fuzzy)
            for entry in entries
        )
        catalog = po.format_catalog(
            Catalog(header={"Language": "zh_CN"}, entries=known)
        )
        self.put(self.paths.catalog("zh_CN", path.rpartition(".")[0]), catalog.decode())

    def merge(self, reading: Reading = MYST) -> None:
        """As ``merge`` would: translations that are finished, and English elsewhere."""
        from pipeline.core.document.merge import PageExtras, merge
        from pipeline.entries import translations_of

        for path in self.documents():
            page = path.relative_to(self.paths.docs)
            catalog = po.read_catalog(
                self.paths.catalog("zh_CN", str(page.with_suffix(""))).read_bytes(),
                where="x",
            ).catalog
            document = read_document(page.as_posix(), path.read_bytes(), reading)
            linked = frozenset(["second-part"])
            merged = merge(
                document,
                translations_of(catalog),
                PageExtras(
                    attribution=self.attribution(page.as_posix()), anchors=linked
                ),
            )
            self.put(self.paths.merged("zh_CN") / page, merged.data.decode())
            blocks = landings_to_json(merged.blocks).decode()
            self.put(self.paths.blocks("zh_CN") / f"{page.as_posix()}.json", blocks)

    def attribution(self, path: str) -> str:
        from pipeline.core.document.attribution import attribution

        return attribution(
            locale="zh_CN", path=path, lock=self.lock, page_url="", license_name=""
        )

    def execute(self, page: str = "work") -> None:
        merged = json.loads(
            (self.paths.merged("zh_CN") / f"{page}.ipynb").read_text(encoding="utf-8")
        )
        outputs: list[dict[str, Any]] = [
            {"output_type": "stream", "name": "stdout", "text": "True\n"},
            {
                "output_type": "display_data",
                "metadata": {},
                "data": {"image/png": PIXEL, "text/plain": "dot"},
            },
            {
                "output_type": "display_data",
                "metadata": {},
                "data": {
                    "text/html": '<b>bold</b><script src="https://cdn.example.org/x.js"></script>'
                },
            },
        ]
        self.put(
            self.paths.executed("zh_CN") / f"{page}.ipynb",
            notebook(merged["cells"], *outputs),
        )

    def put(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        os.replace(new, path)

    def documents(self) -> Iterator[Path]:
        return (
            path
            for path in sorted(self.paths.docs.rglob("*"))
            if path.suffix in (".md", ".rst", ".ipynb")
        )

    @property
    def lock(self) -> Lock:
        files = [path for path in sorted(self.paths.docs.rglob("*")) if path.is_file()]
        found = tuple(
            SourceFile(
                path=path.relative_to(self.paths.docs).as_posix(),
                blob=blob_id(path.read_bytes()),
            )
            for path in files
        )
        return Lock(
            url="x",
            ref="v1",
            commit="f" * 40,
            date="2026-06-15T00:00:00+00:00",
            version="0.10.2",
            package=self.package,
            docs=DOCS,
            files=found,
        )

    def pages(self) -> tuple[PageResult, ...]:
        ran = Execution(page="work", status=Status.PASSED, cells=1, total=1)
        return tuple(
            PageResult(
                page=page.name,
                files=page.files,
                words=10,
                translated=1,
                translated_words=5,
                fuzzy=1,
                code_cells=1,
                execution=ran,
            )
            for page in pages_of(self.lock.files)
        )

    def build(
        self,
        policy: SitePolicy = POLICY,
        log: Log | None = None,
        pages: tuple[PageResult, ...] = (),
        **changes: Any,
    ) -> tuple[Finding, ...]:
        upstream = Upstream(
            usual_names={"np": "numpy"},
            package="JAX",
            version="0.10.2",
            name="demo",
            url="x",
            page_url="",
            **changes,
        )
        settings = Settings(
            root=self.root,
            locales=("zh_CN",),
            upstreams={"demo": upstream},
        )
        run = run_of(settings, upstream, log=log, pages=[page.page for page in pages])
        built = build_site(
            run, pages or self.pages(), lock=self.lock, locale="zh_CN", policy=policy
        )
        self.changes = built.changes
        return built.findings

    def html(self, page: str) -> str:
        return (self.target / f"{page}.html").read_text(encoding="utf-8")

    def article(self, page: str) -> str:
        """A page without the panel about its translation, which quotes sources of blocks."""
        html = re.sub(
            r'<details class="jz-since">.*?</details>',
            "",
            self.html(page),
            flags=re.DOTALL,
        )
        return html[html.index("<article") : html.index("</article>")]

    def times(self) -> Mapping[str, int]:
        return {
            path.relative_to(self.target).as_posix(): path.stat().st_mtime_ns
            for path in self.target.rglob("*.html")
        }


def workshop_in(root: Path) -> Workshop:
    found = Workshop(root)
    for path, text in {
        "index.md": INDEX,
        "guide.md": GUIDE,
        "card.rst": CARD,
        "work.ipynb": notebook(CELLS),
    }.items():
        found.write(path, text)
    found.write("bare.md", "```{include} ../gone.md\n```\n")
    found.write("broken.md", "# Broken\n\nWhole.\n\n```{nonsense}\nx <b>y</b>\n```\n")
    found.write("api.rst", API)
    found.put(found.paths.docs / "hero.html", '<h2 class="hero">Laid out</h2>')
    found.write("html.md", HTML)
    found.put(
        found.paths.docs / "tags.py", "import x\n# tag: first\nlamp = 1\n# tag: first\n"
    )
    (found.paths.docs / "images").mkdir()
    (found.paths.docs / "images" / "dot.png").write_bytes(base64.b64decode(PIXEL))
    found.put(
        root / "translations" / "glossary" / "zh_CN.csv",
        "source,target,context,translator_comments\ngradient,梯度,,\ngradient descent,梯度下降,,\n",
    )
    found.paths.inventory.parent.mkdir(parents=True)
    found.paths.inventory.write_bytes(
        inventory("lamp.on py:function 1 api/lamp.html#$ -")
    )
    found.put(
        found.paths.docs / "conf.py", 'rediraffe_redirects = {"old.md": "guide.md"}\n'
    )
    found.merge()
    found.execute()
    return found


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Workshop, tuple[Finding, ...]]:
    """A site that is built once for all tests that only look at it."""
    workshop = workshop_in(tmp_path_factory.mktemp("site"))
    return workshop, workshop.build(reference=WITH_OPTIONS)


Built = tuple[Workshop, tuple[Finding, ...]]


def test_blocks_carry_state_and_english(built: Built) -> None:
    article = built[0].article("index")
    title = (
        '<span class="jz-zh">工坊</span><span class="jz-en" lang="en" data-jz-for="0">The '
        "workshop</span>"
    )
    assert re.search(
        rf'class="jz-block jz-translated" data-jz="0" data-jz-edit="\d+">{title}',
        article,
    )
    assert (
        '<p class="jz-en" lang="en" data-jz-for="1">A gradient is <strong>here</strong>, see '
        '<a class="reference '
    ) in article
    assert re.search(
        (
            r'<p class="jz-block jz-english" data-jz="\d+" data-jz-edit="\d+" id="jz-\d+" '
            r'lang="en">Still English, <span class="math'
        ),
        article,
    )
    assert re.search(
        (
            r'<p class="jz-block jz-translated" data-jz="\d+" data-jz-edit="\d+"><span '
            r'class="jz-zh">工具</span><span class="jz-en"'
        ),
        article,
    )
    assert "本页译自" not in article  # the line under the title says it


def test_the_line_under_the_title_and_the_downloads(built: Built) -> None:
    workshop, _ = built
    article = workshop.article("work")
    assert (
        article.index("</h1>")
        < article.index('<p class="jz-fresh"')
        < article.index("jz-downloads")
    )
    assert "全部 1 个代码单元已在 JAX 0.10.2 上运行" in article
    executed, clean = re.findall(
        r'<a class="jz-download" href="([^"]+)" download>', article
    )
    assert (
        json.loads((workshop.target / executed).read_text(encoding="utf-8"))["cells"][
            1
        ]["outputs"][0]["text"]
        == "True\n"
    )
    assert (
        json.loads((workshop.target / clean).read_text(encoding="utf-8"))["cells"][1][
            "outputs"
        ]
        == []
    )


def test_translated_headings_keep_their_english_anchors(built: Built) -> None:
    ids = re.findall(
        r'<section [^>]*id="([^"]+)"|<span id="([^"]+)">', built[0].article("guide")
    )
    flat = [one or two for one, two in ids]
    assert {"the-guide", "first-part", "second-part", "second-part-1"} <= set(flat)
    assert len(flat) == len(set(flat))
    assert re.search(r'href="guide.html#second-part"', built[0].article("index"))


def test_footnotes_lead_back_to_the_page_only(built: Built) -> None:
    article = built[0].article("guide")
    assert len(re.findall(r'role="doc-backlink"', article)) == 1
    assert article.count('role="doc-noteref"') == 2  # in Chinese and in English


def test_rest_pages_are_like_the_others(built: Built) -> None:
    article = built[0].article("card")
    assert '<span class="jz-zh">卡片</span>' in article
    assert article.count('href="https://example.org/again"') == 2
    assert article.count('href="#card"') >= 2
    assert re.search(
        (
            r'<dt class="jz-block jz-translated"[^>]*>.*?叶节点.*?</dt><dt class="jz-en" '
            r'data-jz-for="\d+" lang="en">leaf</dt>'
        ),
        article,
        re.S,
    )
    assert re.search(
        (
            r'href="https://docs.example.org/en/api/lamp.html#lamp.on"[^>]*><code[^>]*><span '
            r'class="pre">lamp.on</span>'
        ),
        article,
    )
    # Which the inventory does not know.
    assert '<span class="pre">lamp.off</span>' in article
    assert re.search(
        r"<kbd>.*?--bright.*?</dt>\s*<dd><p[^>]*>Burn brighter", article, re.S
    )
    assert "这里的内容在上游仓库中：" in article


def test_what_only_upstreams_own_site_can_show_leads_there(built: Built) -> None:
    article = built[0].article("api")
    marked = 'hreflang="en" title="英文页面，本站没有"'
    for place, words in (
        ("#module-lamp", "lamp"),
        ("#lamp.on", "lamp.on"),
        ("", "api"),
    ):
        address = f"https://docs.example.org/en/api.html{place}"
        assert f'href="{address}" {marked}>{words}</a>' in article
    assert 'lamp <span class="o">=</span> <span class="mi">1</span>' in article
    assert article.count("这里的内容在上游仓库中：") == 2
    assert "graph of nothing" in article
    # It is for styles of upstream's own.
    assert "Laid out" not in article
    assert "#12" in article


NAMES = """Names
=====

.. currentmodule:: lamp

.. autosummary::
   :toctree: ../_autosummary

   Lamp
   ~lamp.bulb

.. autosummary::

   unpaged

.. autofunction:: dim(level)
"""
USES = """# Uses

{func}`lamp.Lamp`, {meth}`lamp.Lamp.burn`, {class}`~lamp.bulb`, {func}`lamp.dim`, {attr}`lamp.on`,
{func}`lamp.unpaged`, {func}`lamp.gone`, {mod}`lamp`, {func}`.bulb.burn`.
"""


def leads(workshop: Workshop, page: str) -> dict[str, str]:
    """Where the names on a page lead; those that lead nowhere are left out."""
    link = (
        r'<a class="reference external" href="([^"]+)"[^>]*><code class="xref[^>]*>'
        r'<span class="pre">([^<]+)</span></code></a>'
    )
    article = workshop.article(page)
    return {name: address for address, name in re.findall(link, article)}


def test_names_that_the_docs_list_lead_to_their_reference(tmp_path: Path) -> None:
    """Without a network, and under whatever kind of object a name is asked for."""
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# Start\n")
    workshop.write("api/names.rst", NAMES)
    workshop.write("uses.md", USES)
    workshop.merge()
    (missing,) = workshop.build()
    assert missing.code == "inventory"
    english = "https://docs.example.org/en/"
    assert leads(workshop, "uses") == {
        "lamp.Lamp()": f"{english}_autosummary/lamp.Lamp.html#lamp.Lamp",
        # A class tells of its methods on its page, perhaps without an anchor for each.
        "lamp.Lamp.burn()": f"{english}_autosummary/lamp.Lamp.html",
        "bulb": f"{english}_autosummary/lamp.bulb.html#lamp.bulb",
    }
    # The page that describes it is here.
    assert 'href="api/names.html#lamp.dim"' in workshop.article("uses")
    assert set(leads(workshop, "api/names")) == {"Lamp", "lamp.bulb"}
    # An inventory knows more, and comes first.
    workshop.paths.inventory.parent.mkdir(parents=True, exist_ok=True)
    workshop.paths.inventory.write_bytes(
        inventory(
            "lamp.on py:function 1 known.html#$ -",
            "lamp.Lamp py:class 1 known.html#$ -",
        )
    )
    assert workshop.build() == ()
    known = leads(workshop, "uses")
    assert known["lamp.Lamp()"] == f"{english}known.html#lamp.Lamp"
    assert known["lamp.on"] == f"{english}known.html#lamp.on"
    # Docs without an English site have nowhere to lead to.
    assert workshop.build(structs.replace(POLICY, english_url="")) == ()
    assert leads(workshop, "uses") == {}


ELSEWHERE = """# Uses

{func}`print`, {func}`lamp.map`, {class}`vase.Vase`, {func}`np.sum`, {func}`vase.fill`,
{mod}`glass`, {func}`glass.cut`.
"""
AROUND = """Around
======

.. currentmodule:: lamp

:func:`map`, :func:`.only_here`, :func:`only_here`, :func:`deep.only_here`, :func:`.twice`.
"""
LISTED = """Names
=====

.. currentmodule:: lamp

.. autosummary::
   :toctree: _autosummary

   map
   deep.only_here
   one.twice
   two.twice
   np.max
"""
KNOWN = {
    "python": (
        "https://python.example/3/",
        "py:function print library/functions.html#print",
        "py:function map library/functions.html#map",
    ),
    "vase": (
        "https://vase.example/",
        # A class where a function is asked for, and the other way round.
        "py:data vase.fill a.html#vase.fill",
        "py:function vase.Vase a.html#vase.Vase",
        "py:function numpy.sum sum.html#numpy.sum",
        "std:label vase-shapes shapes.html#vase-shapes",
    ),
}


def names_lock(known: Mapping[str, tuple[str, ...]]) -> str:
    """The table of names with these sites: their URL, then the objects."""
    return json.dumps(
        {
            name: {"url": url, "release": "1", "objects": objects}
            for name, (url, *objects) in known.items()
        }
    )


def test_names_of_other_sites_are_links_by_the_table_of_names(tmp_path: Path) -> None:
    """Without a network and without an inventory, for every locale the same."""
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# Start\n")
    workshop.write("glass.md", "# Glass\n")
    workshop.write("uses.md", f"{ELSEWHERE}\nSee {{ref}}`shapes <vase-shapes>`.\n")
    workshop.write("around.rst", AROUND)
    workshop.write("names.rst", LISTED)
    workshop.merge()
    workshop.put(workshop.paths.names, names_lock(KNOWN))
    sites = {name: url for name, (url, *_) in KNOWN.items()}
    policy = structs.replace(POLICY, inventories=sites)
    (missing,) = workshop.build(policy)
    assert missing.where.endswith("demo.inv")
    english = "https://docs.example.org/en/_autosummary/"
    assert leads(workshop, "uses") == {
        "print()": "https://python.example/3/library/functions.html#print",
        "lamp.map()": f"{english}lamp.map.html#lamp.map",
        "vase.Vase": "https://vase.example/a.html#vase.Vase",
        # numpy goes by its short name in docs of JAX.
        "np.sum()": "https://vase.example/sum.html#numpy.sum",
        "vase.fill()": "https://vase.example/a.html#vase.fill",
    }
    article = workshop.article("uses")
    assert 'href="https://vase.example/shapes.html#vase-shapes"' in article
    # Nothing documents the module, but a page is called like it.
    assert re.search(
        r'internal" href="glass.html"[^>]*><code[^>]*><span[^>]*>glass<', article
    )
    assert leads(workshop, "around") == {
        # Not Python's: the module around it has one.
        "map()": f"{english}lamp.map.html#lamp.map",
        # With a dot, as Sphinx has it: the only one of that name.
        "only_here()": f"{english}lamp.deep.only_here.html#lamp.deep.only_here",
        "deep.only_here()": f"{english}lamp.deep.only_here.html#lamp.deep.only_here",
    }
    # Another table makes other links, at the next build.
    moved = {"vase": ("https://vase.example/", "py:class vase.Vase new.html#vase.Vase")}
    workshop.put(workshop.paths.names, names_lock(moved))
    told = {finding.where: finding.text for finding in workshop.build(policy)}
    assert "python" in told["upstream/demo.names.lock"]
    known = leads(workshop, "uses")
    assert known["vase.Vase"] == "https://vase.example/new.html#vase.Vase"
    assert "print()" not in known
    # So it is for docs that have no English site.
    workshop.build(structs.replace(policy, english_url=""))
    assert leads(workshop, "uses") == {"vase.Vase": known["vase.Vase"]}


@pytest.mark.parametrize("damaged", ["names", "inventory"])
def test_lists_of_names_that_are_damaged_are_told(tmp_path: Path, damaged: str) -> None:
    """The site is made without them; nothing of them gets into it."""
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# Start\n\n{func}`lamp.on`, {func}`vase.fill`.\n")
    workshop.merge()
    sites = {"vase": "https://vase.example/"}
    hostile = {"vase": (sites["vase"], "py:data vase.fill javascript:hit()")}
    whole = {"vase": (sites["vase"], "py:data vase.fill a.html#vase.fill")}
    bad_line = "lamp.on py:function 1 javascript:hit() -"
    if damaged == "names":
        workshop.put(workshop.paths.names, names_lock(hostile))
        data = inventory("lamp.on py:function 1 api.html#$ -", bad_line)
    else:
        workshop.put(workshop.paths.names, names_lock(whole))
        data = inventory(bad_line)[:-8]
    workshop.paths.inventory.parent.mkdir(parents=True)
    workshop.paths.inventory.write_bytes(data)
    (finding,) = workshop.build(structs.replace(POLICY, inventories=sites))
    assert finding.severity is Severity.WARNING
    path = getattr(workshop.paths, damaged)
    assert finding.where == path.relative_to(tmp_path).as_posix()
    assert set(leads(workshop, "index")) == (
        {"lamp.on()"} if damaged == "names" else {"vase.fill()"}
    )
    assert "javascript:hit" not in workshop.html("index")


def test_names_without_a_record_are_a_list_of_links(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    lists = ".. autosummary::\n\n   ~jax.numpy.cumsum\n   :nosignatures:\n   lamp.on\n"
    workshop.write("index.rst", f"Names\n=====\n\n{lists}")
    workshop.merge()
    workshop.build()
    (listed,) = re.findall(
        r'<ul class="jz-api simple">(.*?)</ul>', workshop.article("index"), re.DOTALL
    )
    named = re.sub("<[^>]*>", "", listed).split()
    assert named == ["jax.numpy.cumsum", "lamp.on"]


TAGGED = (DATA / "tags.txt").read_text(encoding="utf-8")
TAG_BLOCKS = {
    "whole": "def plan(books):\n  for book in books:\n    put(book)\n  return '#1'\n",
    "whole 1:3": "for book in books:\n  put(book)\n",
    "whole -1": "return '#1'\n",
    "whole [0, 3]": "def plan(books):\n  return '#1'\n",
    "inner": "lamp = 1\nvase = 2\n",
}
TAG_LINKS = [
    "alone",
    "empty",
    "whole 7",
    "whole x",
    "whole 1:2:3:4",
    "whole 4:",
    "gone",
]
TAGS = "Tags\n====\n\n" + "".join(
    f".. tagged-block:: tags.py {arguments}\n   :hl_lines: 2-900000\n\n"
    for arguments in [*TAG_BLOCKS, *TAG_LINKS]
)


def test_names_of_rest_links_lead_where_those_of_the_page_lead(built: Built) -> None:
    article = built[0].article("api")
    # Two in each language.
    assert article.count('href="https://example.org/named"') == 4
    assert re.search(
        (
            r'<span class="jz-block jz-translated caption-text" data-jz="2" '
            r'data-jz-edit="\d+"><span class="jz-zh">图题。</span>'
        ),
        article,
    )
    assert article.count('data-jz="2"') == 1
    assert article.count('href="#id') + article.count('href="#footnote') >= 2
    html = built[0].html("api")
    assert 'href="https://example.org/out">Out</a>' in html[: html.index("<article")]


def test_blocks_of_html_and_tasks(built: Built) -> None:
    article = built[0].article("html")
    assert re.search(
        (
            r'<div class="jz-block jz-translated docutils container" data-jz="1">\s*<div '
            r'class="x"><b>HTML</b> 里的词留着。</div>'
        ),
        article,
    )
    assert re.search(
        (
            r'<div class="jz-en" lang="en" data-jz-for="1">\s*<div class="x">Words in '
            r"<b>HTML</b> stay.</div>"
        ),
        article,
    )
    assert article.count('type="checkbox"') == 2
    assert "gone.js" not in article
    assert 'draw("drawn")' not in article
    assert re.search(
        r'<span id="drawn"></span>\s*<p class="jz-elsewhere jz-box">这里的图由脚本绘制[^<]*'
        r'<a [^>]*href="https://docs.example.org/en/html.html#drawn" hreflang="en"',
        article,
    )


def test_the_home_page_begins_with_words_code_and_ways_on(built: Built) -> None:
    article = built[0].article("index")
    hero = article[article.index("jz-front") :]
    assert article.index("<h1") < article.index("jz-front") < article.index("jz-fresh")
    assert "<p>先热炉，再烤面包。</p>" in hero[:300]
    assert "oven" in hero[: hero.index("开始")]
    assert 'href="guide.html"><span class="doc">开始</span>' in hero
    # The page to install from is not there; the button after it keeps its own words.
    assert "安装" not in hero
    assert 'href="card.html"><span class="doc">教程</span>' in hero
    assert "jz-front" not in built[0].article("guide")


def test_a_home_page_of_which_nothing_is_said_has_only_its_own_words(
    tmp_path: Path,
) -> None:
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# Lamps\n")
    workshop.merge()
    workshop.build(structs.replace(POLICY, title="Lamp", hero="", hero_code=""))
    html = workshop.html("index")
    assert "jz-front" not in html
    # What the page itself does not say of it, the title of the site does.
    assert '<meta name="description" content="Lamp">' in html


def test_the_code_of_the_home_page_runs() -> None:
    settings = read_settings(Path(__file__).parents[2] / "pyproject.toml", environ={})
    # One text for both: they are of one package.
    (code,) = {upstream.site.hero_code for upstream in settings.upstreams.values()}
    *lines, last = code.split("\n")
    script = "\n".join([*lines, f"print(({last}).tolist())"])
    # In a process of its own: where JAX is loaded, other tests could not fork.
    ran = subprocess.run(
        (sys.executable, "-c", script), capture_output=True, text=True, check=True
    )
    # d/dw (2w - 1)² = 4 (2w - 1)
    assert ran.stdout == "[-4.0, 4.0, 12.0]\n"


def test_what_leads_to_a_page_in_english_says_so(tmp_path: Path) -> None:
    workshop = workshop_in(tmp_path)
    mark = '<small class="jz-lang" title="尚未翻译，英文">EN</small>'
    cards = """# Cards

````{grid} 2
```{grid-item-card} Bare
:link: bare
:link-type: doc
```
```{grid-item-card} Guide
:link: guide
:link-type: doc
```
````

See [bare](bare.md) in a sentence.
"""
    workshop.write("html.md", cards)
    workshop.merge()
    pages = tuple(
        replace(page, translated_words=0) if page.page == "card" else page
        for page in workshop.pages()
    )
    bare = next(page for page in pages if page.page == "bare")
    workshop.build(pages=(*(p for p in pages if p != bare), replace(bare, words=0)))
    article = workshop.article("html")
    # No word of bare.md is for translators, and its title is English.
    assert article.count(mark) == 1
    assert article.index("Bare") < article.index(mark) < article.index("Guide")
    sentence = article.partition("See ")[2]
    assert re.search(r'href="bare.html"[^>]* hreflang="en"[^>]*>', sentence)
    assert article.count("hreflang") == 1
    nav = workshop.html("guide").partition("<article")[0]
    marked = re.findall(r'href="([\w#.]+)">(?:(?!</a>).)* <small class="jz-lang"', nav)
    assert marked == ["card.html", "bare.html"]
    # The list of contents on the home page says the same.
    assert workshop.article("index").count(mark) == 2


def test_the_header_says_where_one_is_and_leads_to_the_english_page(
    built: Built,
) -> None:
    html = built[0].html("guide")
    header = html[html.index("bd-header-article") : html.index("<article")]
    assert (
        'href="https://docs.example.org/en/guide.html" title="在英文站阅读本页原文"'
        in header
    )
    assert 'href="https://github.com/us/docs" title="源代码仓库"' in header
    assert re.search(
        r'aria-label="当前位置">\s*<ol>\s*<li><a href="index.html"><span class="jz-zh">首页</span>',
        header,
    )
    assert "当前位置" not in built[0].html("index")
    # Pages of our own have no English.
    assert "jz-to-english" not in built[0].html("progress")


def test_a_page_says_what_it_is_and_where(built: Built) -> None:
    head = built[0].html("guide").partition("</head>")[0]
    for line in (
        '<meta name="description" content="第二部分的正文',
        '<link rel="alternate" hreflang="en" href="https://docs.example.org/en/guide.html">',
        '<link rel="canonical" href="https://us.example.org/docs/guide.html">',
        'hreflang="zh-CN" href="https://us.example.org/docs/guide.html">',
        '<meta property="og:title" content="指南">',
        '<meta property="og:image" content="https://us.example.org/docs/_static/card.png">',
    ):
        assert line in head, line
    assert (built[0].target / "_static" / "card.png").is_file()


def test_programs_find_a_map_and_the_pages_as_markdown(built: Built) -> None:
    target = built[0].target
    places = ElementTree.parse(target / "sitemap.xml").getroot()
    found = [place.text for place in places.iter() if place.tag.endswith("loc")]
    assert "https://us.example.org/docs/guide.html" in found
    assert len(found) == len(set(found)) == len(built[0].pages())
    robots = (target / "robots.txt").read_text(encoding="utf-8")
    assert "Sitemap: https://us.example.org/docs/sitemap.xml" in robots
    listed = (target / "llms.txt").read_text(encoding="utf-8")
    assert "- [指南](https://us.example.org/docs/guide.md)" in listed
    for address in re.findall(r"\(https://us.example.org/docs/([^)]+)\)", listed):
        assert (target / address).is_file(), address
    work = (target / "work.md").read_text(encoding="utf-8")
    assert "# 活计" in work
    assert "```python\nprint(1 < 2)\n```" in work
    card = (target / "card.md").read_text(encoding="utf-8")
    assert card.startswith("# 卡片\n")
    assert "一物。" in card


def test_every_page_is_called_by_its_title_and_every_chapter_once(
    tmp_path: Path,
) -> None:
    workshop = Workshop(tmp_path)
    parts = "".join(
        f"```{{toctree}}\n:caption: {caption}\n{page}\n```\n\n"
        for caption, page in (("Tools", "saw"), ("Stores", "hall"), ("Tools", "file"))
    )
    workshop.write("index.md", f"# The guide\n\n{parts}")
    for page in ("saw", "hall", "file", "left_over"):
        workshop.write(f"{page}.md", f"# The {page}\n\nIt is here.\n")
    # A page that is but put together from what was not pulled.
    workshop.write("news.md", "```{include} ../NEWS.md\n```\n")
    workshop.merge()
    workshop.build()
    rows = json.loads((workshop.target / "progress.json").read_bytes())["pages"]
    titles = {row["page"]: row["title"] for row in rows}
    assert titles["left_over"] == "The left_over"
    assert titles["news"] == "News"
    listed = (workshop.target / "llms.txt").read_text(encoding="utf-8")
    chapters = re.findall("^## (.*)", listed, re.MULTILINE)
    assert chapters == ["文档", "Tools", "Stores"]
    # Whoever proves a site looks for upstream's document there.
    news = (workshop.target / "news.md").read_text(encoding="utf-8")
    assert news == "```{include} ../NEWS.md\n```\n"
    for page in titles:
        assert workshop.html(page).count('name="viewport"') == 1


def test_programs_find_how_fresh_each_page_is_and_what_has_changed(
    built: Built,
) -> None:
    target = built[0].target
    told = json.loads((target / "freshness.json").read_bytes())
    assert told["upstream"]["commit"] == "f" * 40
    pages = {page["page"]: page for page in told["pages"]}
    assert set(pages) == {page.page for page in built[0].pages()}
    assert set(pages["work"]["files"]) == {
        *("_downloads/work.ipynb", "_downloads/clean/work.ipynb", "work.md"),
    }
    assert set(pages["card"]["files"]) == {"_downloads/source/card.rst", "card.md"}
    merged = built[0].paths.merged("zh_CN") / "card.rst"
    published = target / "_downloads" / "source" / "card.rst"
    assert published.read_bytes() == merged.read_bytes()
    for page in pages.values():
        assert sum(page["counts"].values()) >= len(page["blocks"])
        for path, digest in page["files"].items():
            assert digest_of_file((target / path).read_bytes()) == digest
    # The project of this test is no repository: the feed has no entry, and is one.
    feed = ElementTree.fromstring((target / "atom.xml").read_bytes())
    assert feed.findall("{http://www.w3.org/2005/Atom}entry") == []
    assert 'type="application/atom+xml"' in built[0].html("guide")
    assert 'href="atom.xml"' in built[0].html("guide")


def test_what_is_not_there_leads_to_the_same_english_address(built: Built) -> None:
    page = (built[0].target / "404.html").read_text(encoding="utf-8")
    assert 'href="https://docs.example.org/en/"' in page
    assert 'new URL("https://us.example.org/docs/", location.href)' in page
    assert "没有这个页面" in page


def test_links_that_show_titles_show_them_in_the_language_around_them(
    built: Built,
) -> None:
    shown = re.findall(
        r'<a class="reference internal" href="(card|work).html"><span [^>]*>([^<]+)<',
        built[0].article("guide"),
    )
    assert shown == [
        ("card", "卡片"),
        ("work", "活计"),
        ("card", "Card"),
        ("work", "Work"),
    ]


def test_of_terms_within_each_other_the_longest_is_marked(built: Built) -> None:
    found = re.findall(
        r'<abbr class="jz-term" title="([^"]+)" tabindex="0">([^<]+)</abbr>',
        built[0].article("html"),
    )
    assert found == [("gradient descent", "梯度下降"), ("gradient", "梯度")]


def test_nothing_is_fetched_from_elsewhere(built: Built) -> None:
    workshop, _ = built
    for path in workshop.target.glob("*.html"):
        html = path.read_text(encoding="utf-8")
        assert not re.findall(
            r'<(?:img|script|iframe|link rel="(?:style|icon|pre)|video)[^>]*'
            r'(?:src|href)="(?:https?:)?//[^"]*"',
            html,
        ), path.name
    index = workshop.article("index")
    assert (
        '<a class="jz-remote reference external" href="https://example.org/photo.png">A photo</a>'
        in index
    )
    film = '<a class="jz-remote jz-frame" href="https://example.org/film">'
    assert f'<span class="jz-box">视频或网页，不在本站：{film}' in index
    theirs = (
        'href="https://colab.research.google.com/github/them/x.ipynb" hreflang="en"'
    )
    assert index.count(theirs) == index.count("在 Colab 中打开上游的英文笔记本") == 1
    assert "jz-launch" not in index
    ours = (
        '<a class="jz-launch" href="https://colab.research.google.com/github/us/work.ipynb">在 '
        "Colab 中打开</a></p>"
    )
    assert ours in workshop.article("work")


def test_attachments_and_outputs_are_files(built: Built) -> None:
    article = built[0].article("work")
    sources = re.findall(r'<img [^>]*src="([^":]+)"', article)
    files = {(built[0].target / source).read_bytes() for source in sources}
    assert files == {base64.b64decode(PIXEL), base64.b64decode(LARGE)}
    # A small one is one request less where it is.
    assert LARGE not in article
    assert f'src="data:image/png;base64,{PIXEL}"' in article
    assert "<b>bold</b>" in article
    assert '<a class="reference internal" href="card.html">' in article
    assert not (built[0].target.parent / "jupyter_execute").exists()


def test_terms_and_links_to_the_catalogue(built: Built) -> None:
    article = built[0].article("index")
    assert '<abbr class="jz-term" title="gradient" tabindex="0">梯度</abbr>' in article
    begin, ends = (
        re.findall(rf'<{tag}[^>]* data-jz-edit="([^"]*)"', article)
        for tag in ('p class="jz-fresh"', "h1")
    )
    line = int(
        (begin[0] + ends[0]).removeprefix("https://example.org/demo/zh_CN/index.po#L")
    )
    lines = (
        built[0].paths.catalog("zh_CN", "index").read_text(encoding="utf-8").split("\n")
    )
    assert lines[line - 1] == 'msgid "The workshop"'


def test_pages_of_our_own(built: Built) -> None:
    workshop, _ = built
    assert '<td lang="en">gradient</td><td>梯度</td>' in workshop.html("glossary-zh")
    progress = json.loads(
        (workshop.target / "progress.json").read_text(encoding="utf-8")
    )
    assert [page["page"] for page in progress["pages"]][:3] == [
        "index",
        "guide",
        "work",
    ]
    assert "翻译进度" in workshop.html("progress")
    assert "url=guide.html" in workshop.html("old")


def test_scripts_are_loaded_where_they_are_used(built: Built) -> None:
    assert "copybutton.js" in built[0].html("work")
    assert "copybutton.js" not in built[0].html("card")
    assert not any(
        "design-tabs.js" in built[0].html(page)
        for page in ("index", "work", "progress")
    )


def test_no_script_makes_code_of_a_string(built: Built) -> None:
    # A page may not do that, and says so on the console of everybody.
    assert "doctools.js" in built[0].html("work")
    assert "translations.js" not in built[0].html("work")


def test_what_the_theme_brings_for_nothing_is_not_published(built: Built) -> None:
    static = built[0].target / "_static"
    assert (static / "styles" / "all.css").is_file()
    # Its words in 46 languages, which its templates have said by then.
    assert not (static / "locales").exists()
    assert not list(static.rglob("*.map"))


def navigation_of(html: str) -> str:
    """The contents of the site as they stand on a page: the logo is navigation as well."""
    begin = html.index('<nav class="bd-links')
    return html[begin : html.index("</nav>", begin)]


def test_navigation_says_where_one_is(built: Built) -> None:
    html = built[0].html("guide")
    navigation = navigation_of(html)
    assert (
        '<li class="current active"><a href="#" aria-current="page">'
        '<span class="jz-zh">指南</span><span class="jz-en" lang="en">The guide</span></a></li>'
        in navigation
    )
    assert "Part</span>" in navigation
    assert '<html lang="zh-CN"' in html


def test_the_search_has_the_words_of_every_page(built: Built) -> None:
    folder = built[0].target / "_search"
    assert not (built[0].target / "searchindex.js").exists()
    entries = "".join(
        path.read_text(encoding="utf-8") for path in (folder / "entries").iterdir()
    )
    # Of a translation, of its English beside it, of code, and of a name with its module.
    for entry in ("梯度", "正文", "workshop", ".lamp.on"):
        assert f'"{entry}":"' in entries
    index = (folder / "index.js").read_text(encoding="utf-8")
    for page in ("index", "guide", "broken", "glossary-zh"):
        assert f'["{page}","' in index
    guide = (folder / "pages" / "guide.0.js").read_text(encoding="utf-8")
    assert '["second-part","' in guide


def test_an_unknown_directive_shows_its_source_and_the_page_stands(
    built: Built,
) -> None:
    workshop, findings = built
    (broken,) = [finding for finding in findings if finding.exit_code == 7]
    assert (broken.page, broken.severity) == ("broken", Severity.ERROR)
    assert "nonsense" in broken.text
    article = workshop.article("broken")
    assert "```{nonsense}\nx &lt;b&gt;y&lt;/b&gt;\n```" in article
    assert re.search(r'<p class="jz-block [^>]*>Whole\.</p>', article)
    # The line under the title does not claim that all of it is there.
    assert 'jz-unshown">1 处无法显示，现为源文本</span></p>' in article


ODD_MARKDOWN = (DATA / "odd.md").read_text(encoding="utf-8")
ODD_RST = (DATA / "odd.rst").read_text(encoding="utf-8")
RAISES = (DATA / "raising.txt").read_text(encoding="utf-8")


def test_what_is_broken_stays_as_small_as_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop = Workshop(tmp_path)
    for path, text in {
        "index.md": "# The workshop\n\nAll is well.\n",
        "odd.md": ODD_MARKDOWN,
        "text.rst": ODD_RST,
        "transform.md": "# The guide\n\nTRANSFORM\n",
        "writer.md": "# The guide\n\n```{unwritable}\n```\n",
    }.items():
        workshop.write(path, text)
    workshop.merge()
    workshop.put(tmp_path / "modules" / "raising.py", RAISES)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    findings = workshop.build(structs.replace(POLICY, extensions=("raising",)))
    errors = {}
    for finding in findings:
        if finding.severity is Severity.ERROR:
            errors[finding.page] = finding
    assert errors.keys() == {"odd", "text", "transform", "writer"}
    assert "All is well." in workshop.article("index")
    for page in ("odd", "text"):
        article = workshop.article(page)
        # Only what is broken is shown as it is written.
        assert "The page goes on.</p>" in article
        assert "Some words of it." in article
        assert "knows" in article
        assert "无法显示，现为源文本" in article
        assert "system-message" not in article
    assert workshop.article("odd").count("<hr") == 5
    assert "A quote that begins with a rule." in workshop.article("odd")
    for page, problem in {"transform": "cannot transform", "writer": "Odd"}.items():
        article = workshop.article(page)
        assert problem in article
        assert "# The guide" in article  # the source
        assert problem in errors[page].text
    assert "译文无法显示，以下为英文源文本" in workshop.article("transform")
    assert "已译" not in workshop.article("transform")


def test_a_page_of_mkdocs_is_shown_with_its_blocks(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    reading = Reading(dialect=Dialect.MKDOCS)
    page = (
        '# The guide\n\n!!! tip "A thing."\n\n    Body of the tip.\n\n'
        '=== "Leaf"\n    Words.\n\n::: lamp.Lamp\n\nA task.\n'
    )
    workshop.write("index.md", page, reading=reading)
    workshop.merge(reading)
    policy = structs.replace(POLICY, english_url="")
    assert workshop.build(policy, markdown=Dialect.MKDOCS) == ()
    article = workshop.article("index")
    assert "jz-block jz-translated admonition-title" in article
    for words in ("一物。", "提示的内容。", "一项任务。"):
        assert words in article
    assert "sd-tab-set" in article
    assert "lamp.Lamp" in article
    assert "!!!" not in article


@pytest.mark.parametrize("dialect", Dialect)
def test_alerts_and_attributes_work_in_every_dialect(
    tmp_path: Path, dialect: Dialect
) -> None:
    workshop = Workshop(tmp_path)
    reading = Reading(dialect=dialect)
    page = (
        "# The guide\n\n> [!TIP]\n> Body of the tip.\n\n"
        "{.red #pear}\nA thing.\n\n[Leaf](#sun){.button #leaf}\n"
    )
    if dialect is not Dialect.MYST:
        page += "\n## Second part {#sun}\n\nA task.\n{: .blue }\n"
        page = page.replace("{.button #leaf}", "{: .button #leaf }")
    workshop.write("index.md", page, reading=reading)
    workshop.merge(reading)
    policy = structs.replace(
        POLICY, english_url="", myst_extensions=("attrs_inline", "attrs_block")
    )
    workshop.build(policy, markdown=dialect)
    article = BeautifulSoup(workshop.article("index"), "html.parser")
    tip = article.select_one(".admonition.tip")
    assert tip
    assert "提示的内容。" in tip.text
    pear = article.select_one("#pear.red")
    assert pear
    assert "一物。" in pear.text
    assert article.select_one(".button")
    if dialect is not Dialect.MYST:
        assert article.select_one("section#sun h2, section [id=sun]")
        blue = article.select_one("p.blue")
        assert blue
        assert "一项任务。" in blue.text
    assert unmarked(workshop, "index") == {}
    blocks = article.select(".jz-translated")
    assert len(article.select(".jz-en")) == len(blocks)
    assert len(ids := [tag["id"] for tag in article.select("[id]")]) == len(set(ids))
    assert not re.search(r"\[!|[{}]", article.text)


def test_a_glossary_in_myst_has_both_terms(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    page = (
        "# The guide\n\n```{glossary}\nsaw\n  Body of the tip.\n```\n\n"
        '```{csv-table}\n:header: Leaf, 2\n\nA task., "1, 2"\n```\n\n{term}`saw`\n'
    )
    workshop.write("index.md", page)
    workshop.merge()
    workshop.build()
    article = BeautifulSoup(workshop.article("index"), "html.parser")
    terms = [term.text.strip("#") for term in article.select("dl.glossary dt")]
    assert terms[0].startswith("锯")
    assert "saw" in terms[-1]
    assert "提示的内容。" in article.select("dl.glossary dd")[0].text
    assert article.select_one('a[href="#term-saw"]')
    cells = [cell.text for cell in article.select("tbody td")]
    assert cells == ["一项任务。A task.", "1, 2"]


@pytest.mark.parametrize("package", ["", "Lamp"])
def test_nothing_is_said_of_jax_where_the_docs_are_of_something_else(
    tmp_path: Path, package: str
) -> None:
    workshop = Workshop(tmp_path, package)
    workshop.write("index.md", "# The guide\n\nWords.\n")
    workshop.merge()
    workshop.build(structs.replace(POLICY, title="Lamp"))
    # What the configuration says is shown, whatever the package.
    assert "先热炉，再烤面包。" in workshop.article("index")
    texts = ("*.html", "*.txt", "*.md", "progress.json")
    for pattern in texts:
        for path in workshop.target.rglob(pattern):
            if "_static" in path.parts:
                continue
            words = path.read_text(encoding="utf-8")
            assert not re.search(r"(?i)(?<!math)\bjax\b", words), path


def test_an_extension_that_is_not_installed_is_named(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# The guide\n")
    workshop.merge()
    for name in ("not_there", "not_there.at_all"):
        with pytest.raises(ConfigError, match=f"extension '{name}' is not installed"):
            workshop.build(structs.replace(POLICY, extensions=(name,)))


NEEDS = (DATA / "needing.txt").read_text(encoding="utf-8")


def test_an_extension_finds_what_sites_do_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# The guide\n\nWords.\n")
    workshop.merge()
    workshop.put(tmp_path / "modules" / "needing.py", NEEDS)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    policy = structs.replace(POLICY, extensions=("needing",), english_url="")
    assert workshop.build(policy) == ()


def test_docs_without_contents_list_all_pages(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    for path in ("_notes/a.md", "zoo.md", "shapes/round.md", "ant.md"):
        workshop.write(path, "# The guide\n\nWords.\n")
    workshop.merge()
    workshop.build()
    html = workshop.html("ant")
    navigation = navigation_of(html)
    links = re.findall(r'<a [^>]*href="([^"]*)"', navigation)
    assert links == [
        "#",
        "zoo.html",
        "_notes/a.html",
        "shapes/round.html",
        "glossary-zh.html",
        "progress.html",
    ]
    assert "url=ant.html" in workshop.html("index")
    # A new page is listed as well.
    workshop.write("bee.md", "# The guide\n")
    workshop.merge()
    workshop.build()
    assert 'href="bee.html"' in workshop.html("ant")


def test_what_is_missing_is_said(built: Built) -> None:
    workshop, findings = built
    assert [
        finding.where for finding in findings if "image file is missing" in finding.text
    ] == ["guide.md"] or any(
        "image file is missing" in finding.text and finding.page == "guide"
        for finding in findings
    )
    assert '<span class="jz-missing">图片缺失：gone</span>' in workshop.article("guide")
    assert "<h1>Bare" in workshop.article("bare")


def test_only_what_changed_is_built_and_what_is_gone_does_not_stay(
    tmp_path: Path,
) -> None:
    workshop = Workshop(tmp_path)
    contents = "# Start\n\n```{toctree}\nguide\nwork\ngone\nhidden\n```\n"
    for path, text in {
        "index.md": contents,
        "guide.md": GUIDE,
        "gone.md": "# Gone\n",
        "hidden.md": "---\nnosearch: true\n---\n\n# Hidden\n",
        "work.ipynb": notebook(CELLS),
    }.items():
        workshop.write(path, text)
    workshop.merge()
    workshop.execute()
    workshop.build()
    before = workshop.times()
    assert (
        any("gone.png" in finding.text for finding in workshop.build()) is False
    )  # nothing is read again
    assert workshop.times() == before
    searched = workshop.target / "_search" / "pages"
    assert (searched / "gone.0.js").is_file()
    assert (workshop.target / "hidden.html").is_file()
    assert not (searched / "hidden.0.js").exists()

    merged = {
        page: workshop.paths.merged("zh_CN") / page
        for page in ("index.md", "guide.md", "work.ipynb")
    }
    workshop.put(
        merged["guide.md"],
        merged["guide.md"]
        .read_text(encoding="utf-8")
        .replace("提示的内容", "提示的新内容"),
    )
    workshop.build()
    assert "提示的新内容" in workshop.article("guide")
    assert workshop.times()["gone.html"] == before["gone.html"]

    workshop.put(
        merged["work.ipynb"],
        merged["work.ipynb"].read_text(encoding="utf-8").replace("活计", "新活计"),
    )
    os.utime(
        workshop.paths.executed("zh_CN") / "work.ipynb", (1, 1)
    )  # the same code, executed before
    workshop.build()
    assert "新活计" in workshop.article("work")
    assert "True" in workshop.article("work")
    # The navigation of every page has the new title.
    assert "新活计" in workshop.html("gone").partition("<article")[0]
    assert "提示的新内容" in (searched / "guide.0.js").read_text(encoding="utf-8")

    (workshop.paths.docs / "gone.md").unlink()
    workshop.put(workshop.paths.docs / "index.md", contents.replace("gone\n", ""))
    workshop.put(merged["index.md"], contents.replace("gone\n", ""))
    workshop.put(
        merged["work.ipynb"],
        merged["work.ipynb"].read_text(encoding="utf-8").replace("1 < 2", "2 < 3"),
    )
    workshop.build()
    # Other code: its outputs are not known.
    assert "True" not in workshop.article("work")
    assert "未附运行结果" in workshop.article("work")
    assert not (workshop.target / "gone.html").exists()
    assert not (workshop.target / "gone.md").exists()
    assert not (searched / "gone.0.js").exists()
    assert not (workshop.target / "_downloads" / "work.ipynb").exists()


def test_a_build_of_a_few_pages_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    workshop = workshop_in(tmp_path)
    # The first build is of a part: the site has that part, and begins with it.
    few = tuple(page for page in workshop.pages() if page.page in ("guide", "card"))
    workshop.build(pages=few)
    assert sorted(workshop.times()) == [
        *("404.html", "card.html", "glossary-zh.html", "guide.html"),
        # old.html is an old name of guide.html.
        *("index.html", "old.html", "progress.html", "search.html"),
    ]
    assert "url=card.html" in workshop.html("index")

    workshop.build()
    before = workshop.times()
    for name in ("guide.md", "html.md"):
        merged = workshop.paths.merged("zh_CN") / name
        workshop.put(merged, merged.read_text(encoding="utf-8") + "\nMore words.\n")
    workshop.build(pages=tuple(page for page in few if page.page == "guide"))
    after = workshop.times()
    rewritten = {name for name, time in after.items() if time != before.get(name)}
    # Those of our own are made in every build, and the index lists the guide.
    assert rewritten == {
        *("guide.html", "index.html"),
        *("progress.html", "glossary-zh.html", "search.html"),
    }
    assert "More words" in workshop.article("guide")
    assert "html.html" in workshop.html("guide").partition("<article")[0]
    assert before.keys() == after.keys()
    counts = json.loads((workshop.target / "progress.json").read_bytes())["pages"]
    assert {row["page"] for row in counts} == {p.page for p in workshop.pages()}
    assert (workshop.target / "_downloads" / "work.ipynb").is_file()

    workshop.build()
    assert "More words" in workshop.article("html")


def test_a_missing_inventory_is_a_warning(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# Start\n")
    workshop.merge()
    (missing,) = workshop.build()
    assert (missing.severity, missing.code) == (Severity.WARNING, "inventory")
    assert missing.where == "build/cache/inventories/demo.inv"
    # It is said again by a build that changes nothing.
    assert workshop.build() == (missing,)
    assert missing.hint.endswith("/objects.inv, with a network.")
    # From a copy of upstream nothing else is fetched.
    (missing,) = workshop.build(url_replaced=True)
    assert missing.hint.endswith("a network and without DEMO_DOCS_UPSTREAM.")
    assert workshop.build(structs.replace(POLICY, english_url="")) == ()


# The first one comes before Sphinx has run at all: nothing runs it either.
CONFIGURATIONS = {
    "exit": b"open('ran', 'w')\nraise SystemExit('nobody runs this')\n",
    "syntax": b"def broken(:\n",
    "bytes": b"\xff\xfe\0rediraffe_redirects",
    "deep": b"rediraffe_redirects = " + b"[" * 5_000,
}


def test_an_upstream_may_lack_all_but_pages(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    workshop = Workshop(tmp_path)
    workshop.write("milk.md", "# Milk\n\nCold.\n")
    hostile = "<script>hit()</script>\n<p onclick=hit()>Drunk warm.</p>"
    workshop.write("tea.md", f"# Tea\n\n{hostile}\n\n```{{raw}} html\n{hostile}\n```\n")
    for name, text in CONFIGURATIONS.items():
        with subtests.test(name):
            (workshop.paths.docs / "conf.py").write_bytes(text)
            workshop.merge()
            # No page is the first one, no inventory is there; what conf.py says is not needed.
            assert [finding.code for finding in workshop.build()] == ["inventory"]
            assert "url=milk.html" in workshop.html("index")
            assert "Drunk warm." in workshop.article("tea")
            # The panel quotes it: there it is a text.
            html = workshop.html("tea")
            assert "<p onclick" not in html
            assert "<script>hit" not in html
            assert not list(tmp_path.rglob("ran"))


def test_fuzzy_translations_are_shown_to_those_who_ask_only(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# The guide\n\nBody of the tip.\n", fuzzy=True)
    workshop.write("work.ipynb", notebook(CELLS), fuzzy=True)
    workshop.merge()
    workshop.execute()
    workshop.build()
    assert "指南" not in workshop.article("index")
    workshop.build(structs.replace(POLICY, show_fuzzy=True))
    assert 'class="jz-block jz-fuzzy"' in workshop.article("index")
    assert "2 段译文待核对" in workshop.article("index")
    assert "jz-draft" not in workshop.article("index")
    assert "活计" in workshop.article("work")
    assert "True" in workshop.article("work")


def test_a_preview_marks_what_a_machine_has_made(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# The guide\n\nBody of the tip.\n")
    path = workshop.paths.catalog("zh_CN", "index")
    catalog = po.read_catalog(path.read_bytes(), where="index").catalog
    origin = Machine(model="m", prompt=1, date="2026-05-01")
    entries = [
        drafted(entry, Draft(before=entry, msgstr=entry.msgstr, origin=origin))
        for entry in catalog.entries
    ]
    data = po.format_catalog(replace(catalog, entries=tuple(entries)))
    workshop.put(path, data.decode())
    workshop.merge()
    workshop.build(structs.replace(POLICY, show_fuzzy=True))
    article = workshop.article("index")
    assert 'class="jz-block jz-fuzzy jz-draft"' in article
    assert "2 段机器草稿" in article
    sheet = workshop.target / "_static" / "styles" / "all.css"
    assert "机器\\A 草稿" in sheet.read_text(encoding="utf-8")
    workshop.build()
    assert "jz-draft" not in workshop.article("index")


def test_a_target_that_cannot_be_written(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# Start\n")
    workshop.merge()
    workshop.put(
        workshop.target.parent, "a file in the way, as a folder that is read-only is"
    )
    with pytest.raises(WriteError, match="cannot be written"):
        workshop.build()


def test_sphinx_that_ends_without_a_site(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# Start\n")
    workshop.merge()
    workshop.put(
        workshop.root / "translations" / "glossary" / "zh_CN.csv",
        "source,target,context,translator_comments\n",
    )
    workshop.target.mkdir(parents=True)
    (workshop.target / "_static").write_text("in the way", encoding="utf-8")
    with pytest.raises(PublishError, match="Sphinx ended with"):
        workshop.build()


def unmarked(workshop: Workshop, page: str) -> dict[int, str]:
    """The numbers of the blocks of a page that are not marked in its HTML, with their texts."""
    record = (
        workshop.paths.output("zh_CN") / "site-src" / "_jz" / "pages" / f"{page}.json"
    )
    blocks = json.loads(record.read_text(encoding="utf-8"))["blocks"]
    marked = set(re.findall(r'data-jz="(\d+)"', workshop.html(page)))
    return {
        number: block["text"]
        for number, block in enumerate(blocks)
        if str(number) not in marked
    }


# A substitution stands wherever it is used; MyST makes one paragraph of both parts of such a tip.
WITHOUT_PLACE = {
    "index": ["Part"],  # a caption of the toctree, which Sphinx shows in the navigation
    "api": ["something"],
    "guide": ["一个*标题*", "提示的内容。"],
}


@pytest.mark.parametrize("page", ["index", "guide", "work", "card", "api", "html"])
def test_every_block_that_has_a_place_is_marked(built: Built, page: str) -> None:
    assert list(unmarked(built[0], page).values()) == WITHOUT_PLACE.get(page, [])


FOLDED = "".join(
    f'```{{code-cell}}\n:tags: [{tag}]\n{more}\nprint("a < b")\n```\n\n'
    for tag, more in (
        ("hide-input", ""),
        ("hide-cell", ""),
        ("hide-input", ":mystnb:\n:  code_prompt_show: Look < here\n"),
    )
)
KERNEL = """---
file_format: mystnb
kernelspec:
  name: python3
  display_name: Python 3
---
"""
WALLS = """<center><img src="a.png"></center>
<center><IMG src='b.png' title='a > b'/></center>
<center><img src="c.png" alt="A saw"></center>
<center><img alt src='d.png'></center>"""
BELOW = r"""Some words:
\begin{align}
a_1 &= b_1 \\
c &= d
\end{align}"""
# Pages for one test each, which say nothing of each other.
SINGLE = {
    "index.md": "# Start\n\nWords.\n",
    "unheard.md": "# The guide\n\n$$\\unheardof{x}$$\n",
    "square.md": "# Part\n\n$$x^2$$\n",
    "folded.md": f"{KERNEL}# The guide\n\n{FOLDED}",
    "walls.md": f"# Pictures\n\nLook:\n\n{WALLS}\n",
    "module.rst": "API\n===\n\n.. automodule:: lamp\n\nNames of lamps.\n",
    "below.md": f"# The guide\n\n{BELOW}\n",
    "tags.rst": TAGS,
    "since.md": "# The guide\n\nBody of the tip.\n\nNothing else.\n",
    "unmerged.md": "# The guide\n\nBody of the tip.\n",
}


def translated_of_old(workshop: Workshop, page: str, msgid: str, *, old: str) -> None:
    """Make a translation one of the English ``old``, which upstream has changed since."""
    path = workshop.paths.catalog("zh_CN", page)
    catalog = po.read_catalog(path.read_bytes(), where=page).catalog
    entries = [
        replace(entry, fuzzy=True, previous=old) if entry.msgid == msgid else entry
        for entry in catalog.entries
    ]
    data = po.format_catalog(replace(catalog, entries=tuple(entries)))
    workshop.put(path, data.decode())


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A site of many small pages, each for the test that looks at it."""
    workshop = Workshop(tmp_path_factory.mktemp("single"))
    for path, text in SINGLE.items():
        workshop.write(path, text)
    workshop.put(workshop.paths.docs / "tags.py", TAGGED)
    translated_of_old(workshop, "since", "Body of the tip.", old="Body of a tip.")
    workshop.merge()
    (workshop.paths.merged("zh_CN") / "unmerged.md").unlink()
    (workshop.paths.blocks("zh_CN") / "unmerged.md.json").unlink()
    return workshop, workshop.build()


def test_single_pages_have_no_faults(single: Built) -> None:
    """Nor do marks around lines that are not there make one."""
    assert {finding.code for finding in single[1]} == {"inventory"}


def test_a_formula_that_mathml_has_nothing_for_is_set_by_mathjax(single: Built) -> None:
    workshop, _ = single
    assert "<math" not in workshop.article("unheard")
    assert "<math" in workshop.article("square")
    (loaded,) = re.findall('data-scripts="([^"]+)"', workshop.html("unheard"))
    scripts = re.findall(r"_static/([\w/.-]+)", loaded)
    # The first tells the second what to do.
    assert scripts.index("formulas.js") < scripts.index("mathjax/tex-chtml.js")
    assert (workshop.target / "_static" / "mathjax" / "tex-chtml.js").is_file()
    assert "mathjax" not in workshop.html("square")


def test_what_is_folded_away_says_what_it_is(single: Built) -> None:
    article = single[0].article("folded")
    found = re.findall(r"<summary>\s*(.*?)\s*</summary>", article, flags=re.DOTALL)
    words = [re.findall(r">([^<]+)</p>", summary) for summary in found]
    assert words == [
        ["显示代码", "隐藏代码"],
        ["显示代码和输出", "隐藏代码和输出"],
        ["Look &lt; here", "隐藏代码"],
    ]


def test_an_image_in_html_of_which_nothing_is_said_is_passed_over(
    single: Built,
) -> None:
    article = single[0].article("walls")
    assert re.findall(r"(?i)<img[^>]*[a-d]\.png", article) == [
        '<img alt="" src="a.png',
        '<img alt="" src="b.png',
        '<img src="c.png',
        '<img alt="" src="d.png',
    ]


def test_a_module_that_only_says_whose_the_names_are_leads_nowhere(
    single: Built,
) -> None:
    article = single[0].article("module")
    assert "Names of lamps." in article
    assert "jz-elsewhere" not in article


def test_a_formula_below_words_is_one(single: Built) -> None:
    article = single[0].article("below")
    assert "<mtable" in article
    assert "begin{align}" not in article
    assert "Some words:" in article


def test_a_page_tells_what_has_changed_since_it_was_translated(single: Built) -> None:
    article = single[0].html("since").partition("<article")[2]
    assert article.index("jz-fresh") < article.index('<details class="jz-since">')
    assert "Body of <del>a</del><ins>the</ins> tip." in article
    assert re.findall('href="#(jz-[0-9]+)"', article) == ["jz-1", "jz-2"]
    assert re.findall(' id="(jz-[0-9]+)"', article) == ["jz-1", "jz-2"]


def test_a_page_that_was_not_merged_is_english(single: Built) -> None:
    article = single[0].article("unmerged")
    assert re.search(
        r'<h1 class="jz-block jz-english" data-jz="0"[^>]*>The guide', article
    )
    assert "jz-translated" not in article


def test_lines_between_marks_are_shown(single: Built) -> None:
    article = single[0].article("tags")
    found = re.findall(r"<pre>(.*?)</pre>", article, re.DOTALL)
    assert [unescape(re.sub(r"<[^>]+>", "", code)) for code in found] == list(
        TAG_BLOCKS.values()
    )
    assert article.count("这里的内容在上游仓库中：") == len(TAG_LINKS)
    # The second line is set off, and all after it.
    assert 'class="hll"' in found[0]
    assert found[0].index("plan") < found[0].index('class="hll"')


LISTS = (DATA / "lists.rst").read_text(encoding="utf-8")
CHINESE.update(
    {"To read": "可读", "Of work": "关于活计", "Aside": "旁支", "Here": "此处"}
)


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    workshop = Workshop(tmp_path_factory.mktemp("lists"))
    workshop.write("index.rst", LISTS)
    workshop.write("work.ipynb", notebook(CELLS))
    workshop.write("guide.md", "# The guide\n")
    aside = ".. toctree::\n   :hidden:\n   :caption: Aside\n\n   deep\n"
    workshop.write("rest.rst", f"Rest\n====\n\n{aside}")
    workshop.write("deep.md", "# Deep\n")
    workshop.merge()
    workshop.build()
    return workshop


def test_captions_and_entries_of_lists_are_blocks(lists: Workshop) -> None:
    assert unmarked(lists, "index") == {}
    article = lists.article("index")
    caption = (
        r'<p aria-level="2" class="jz-block jz-translated caption" data-jz="1" data-jz-edit="\d+" '
        r'role="heading"><span class="caption-text"><span class="jz-zh">可读</span>'
        r'<span class="jz-en" lang="en" data-jz-for="1">To read</span></span></p>'
    )
    entry = (
        r'<li class="toctree-l1"><span class="jz-block jz-translated" data-jz="2" '
        r'data-jz-edit="\d+"><a class="reference internal" href="work.html">'
        r'<span class="jz-zh">关于活计</span>'
        r'<span class="jz-en" lang="en" data-jz-for="2">Of work</span></a></span></li>'
    )
    assert re.search(caption, article)
    assert re.search(entry, article)
    # Without a title of its own an entry is the title of its page, and no block of this one.
    assert (
        '<li class="toctree-l1"><a class="reference internal" href="guide.html">指南'
        in article
    )


def test_what_no_list_shows_is_marked_unseen(lists: Workshop) -> None:
    empty = r'jz-english" data-jz="3" data-jz-edit="\d+" hidden="" lang="en">Nothing yet</span>'
    assert re.search(empty, lists.article("index"))
    assert unmarked(lists, "rest") == {}
    hidden = r'data-jz-edit="\d+" hidden=""><span class="jz-zh">旁支'
    assert re.search(hidden, lists.article("rest"))


def test_a_hidden_list_is_marked_in_the_navigation_of_its_page(lists: Workshop) -> None:
    def navigation(page: str) -> str:
        html = lists.html(page)
        return html[html.index('<nav class="bd-links') : html.index("<article")]

    caption = (
        r'<span class="caption-text jz-block jz-translated" data-jz="4" data-jz-edit="\d+">'
        r'<span class="jz-zh">旁支</span><span class="jz-en" lang="en">Aside</span></span>'
    )
    entry = 'jz-block jz-english" href="rest.html" data-jz="5" lang="en">The rest</a>'
    assert re.search(caption, navigation("index"))
    assert entry in navigation("index")
    assert "jz-block" not in navigation("work")
    assert "旁支</span>" in navigation("work")


def test_the_label_of_a_tab_is_a_block(lists: Workshop) -> None:
    label = (
        r'<label [^>]*class="sd-tab-label"[^>]*>\s*<span class="jz-block jz-translated" '
        r'data-jz="6"[^>]*><span class="jz-zh">此处</span>'
        r'<span class="jz-en" lang="en" data-jz-for="6">Here</span></span></label>'
    )
    assert re.search(label, lists.article("index"))


def test_blocks_are_where_merge_says_that_they_have_landed(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.write("index.md", "# The guide\n\nBody of the tip.\n")
    workshop.merge()
    file = workshop.paths.blocks("zh_CN") / "index.md.json"
    known = file.read_text(encoding="utf-8")
    workshop.put(
        file, known.replace('"english": "Body', '"english": "As merge has it: body')
    )
    workshop.build()
    assert "As merge has it: body of the tip." in workshop.article("index")
    # Without a file that can be read the documents say it.
    for damaged in (known[:-9], "[]x", None):
        file.unlink()
        if damaged is not None:
            workshop.put(file, damaged)
        workshop.build()
        assert 'data-jz-for="1">Body of the tip.' in workshop.article("index")


def test_the_line_under_a_title_counts_what_the_site_lacks(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, package="shelf")
    boxes = ".. list_config_options::\n\n.. automodule:: shelf\n   :members:\n"
    script = ".. raw:: html\n\n   <div></div><script>draw()</script>\n"
    object_ = ".. autofunction:: shelf.put\n"
    workshop.write("boxes.rst", f"Boxes\n=====\n\n{boxes}\n{script}\n{object_}")
    workshop.write("prose.md", "# Prose\n\nWords.\n")
    # No word of it is for translators.
    workshop.write("bare.rst", ".. list_config_options::\n")
    workshop.merge()
    pages = [
        replace(page, words=0, translated=0, translated_words=0)
        if page.page == "bare"
        else page
        for page in workshop.pages()
    ]
    workshop.build(pages=tuple(pages), reference=WITH_OPTIONS)
    assert line_of(workshop, "boxes").endswith("4 处内容本站没有，见页内说明")
    assert "本站没有" not in line_of(workshop, "prose")
    assert line_of(workshop, "bare").endswith("1 处内容本站没有，见页内说明")
    # Each box says why.
    article = workshop.article("boxes")
    for reason in (
        "这里的内容由上游的程序生成，本站没有。",
        "这个模块的成员及其说明取自代码的 docstring，尚无中文。",
        "完整说明取自代码的 docstring，尚无中文。",
    ):
        assert article.count(f">{reason}请看英文文档：<a") == 1


def line_of(workshop: Workshop, page: str) -> str:
    """The words of the line under the title of a page."""
    (line,) = re.findall(r'<p class="jz-fresh[^>]*>(.*?)</p>', workshop.html(page))
    return re.sub("<[^>]+>", "", line)
