"""Small sites: documents with their catalogues, and what merge and execute would make of them.

No command runs but the build of the site.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from bs4 import BeautifulSoup, Tag
from catalog_files import edit_catalog, read_catalog
from inventories import inventory
from msgspec import Struct, field
from msgspec.structs import replace
from notebooks import Cell, code, display, notebook_value, prose
from places import ROOT
from repositories import DOCS
from runs import run_of

from pipeline.adapters import po
from pipeline.config.settings import ReferenceTable, Settings, SitePolicy, Upstream
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.document.attribution import attribution
from pipeline.core.document.landing import landings_to_json
from pipeline.core.document.merge import PageExtras, merge
from pipeline.core.document.reader import read_document
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock, SourceFile, blob_id, pages_of
from pipeline.core.results import PageResult
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.findings import Finding
from pipeline.paths import Paths
from pipeline.reading import MYST, Reading
from pipeline.site.build import build_site

DATA = ROOT / "tests" / "site" / "data" / "workshop"
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)
# A picture that would make the page heavy.
LARGE = base64.b64encode(base64.b64decode(PIXEL) + bytes(5000)).decode()
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
WITH_OPTIONS = ReferenceTable(options={"list_config_options": "lamp.config"})
CELLS = (
    prose(
        "# Work\n\nSee ![dot](attachment:dot.png) and [the card](card.rst).",
        attachments={"dot.png": {"image/png": PIXEL}},
    ),
    code("print(1 < 2)"),
    prose(f"![](data:image/png;base64,{LARGE})\n![](data:image/png;base64,{PIXEL})"),
)
SCRIPT = '<b>bold</b><script src="https://cdn.example.org/x.js"></script>'
OUTPUTS = (
    {"output_type": "stream", "name": "stdout", "text": "True\n"},
    display({"image/png": PIXEL, "text/plain": "dot"}),
    display({"text/html": SCRIPT}),
)
CHINESE = {
    "The workshop": "工坊",
    "A gradient is **here**, see [the guide](guide.md#second-part) and {func}`lamp.on`.": (
        "这里有**梯度**，见[指南](guide.md#second-part)和 {func}`lamp.on`。"
    ),
    "Tool": "工具",
    "saw": "锯",
    "The guide": "指南",
    "Second part": "第二部分",
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
    "To read": "可读",
    "Of work": "关于活计",
    "Aside": "旁支",
    "Here": "此处",
}


def work(*outputs: Cell) -> str:
    """Return the text of a notebook that has run with these ``outputs``."""
    prose_cell, code_cell, pictures = CELLS
    cells = (prose_cell, {**code_cell, "outputs": list(outputs)}, pictures)
    return json.dumps(notebook_value(*cells, kernelspec={"name": "python3"}))


class Workshop(Struct, dict=True):
    """Scratch project with documents, of which ``translations`` has the Chinese.

    ``findings`` are those of the last build.
    """

    root: Path
    package: str = "JAX"  # what the docs are of
    locale: str = "zh_CN"
    reading: Reading = MYST
    translations: Mapping[str, str] = field(default_factory=lambda: CHINESE)
    findings: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, root: Path, files: Mapping[str, str], **fields: Any) -> Self:
        """Return a project with the documents ``files``, merged."""
        workshop = cls(root, **fields)
        for path, text in files.items():
            workshop.write(path, text)
        workshop.merge()
        return workshop

    @cached_property
    def paths(self) -> Paths:
        return Paths(self.root, "demo")

    @property
    def target(self) -> Path:
        return self.paths.site

    def write(self, path: str, english: str, *, fuzzy: bool = False) -> None:
        """Write a document and its catalogue."""
        self.put(self.paths.docs / path, english)
        document = read_document(path, english.encode(), self.reading)
        entries = tuple(
            replace(entry, msgstr=self.translations.get(entry.msgid, ""), fuzzy=fuzzy)
            for entry in wanted_entries("x", [document])
        )
        catalog = Catalog(header={"Language": self.locale}, entries=entries)
        self.put(self.catalog_of(path), po.format_catalog(catalog).decode())

    def catalog_of(self, path: str) -> Path:
        return self.paths.catalog(self.locale, path.rpartition(".")[0])

    def edit(self, path: str, msgid: str, **fields: Any) -> None:
        """Change an entry of the catalogue of a document."""

        def edited(entry: Entry) -> Entry:
            return replace(entry, **fields) if entry.msgid == msgid else entry

        edit_catalog(self.catalog_of(path), edited)

    def merge(self) -> None:
        """Merge like the command: finished translations, and English elsewhere."""
        for file in self.paths.docs.rglob("*"):
            if file.suffix not in (".md", ".rst", ".ipynb"):
                continue
            path = file.relative_to(self.paths.docs).as_posix()
            catalog = read_catalog(self.catalog_of(path))
            document = read_document(path, file.read_bytes(), self.reading)
            line = attribution(
                locale=self.locale,
                path=path,
                lock=self.lock,
                page_url="",
                license_name="",
            )
            extras = PageExtras(attribution=line, anchors=frozenset(["second-part"]))
            merged = merge(document, translations_of(catalog), extras)
            self.put(self.merged(path), merged.data.decode())
            self.put(self.blocks(path), landings_to_json(merged.blocks).decode())

    def merged(self, path: str) -> Path:
        return self.paths.merged(self.locale) / path

    def blocks(self, path: str) -> Path:
        return self.paths.blocks(self.locale) / f"{path}.json"

    def change(self, path: str, old: str, new: str) -> None:
        """Change a text of a merged document."""
        text = self.merged(path).read_text(encoding="utf-8")
        assert old in text
        self.put(self.merged(path), text.replace(old, new))

    def execute(self) -> None:
        """Write the notebook ``work`` with outputs."""
        merged = json.loads(self.merged("work.ipynb").read_bytes())
        merged["cells"][1]["outputs"] = list(OUTPUTS)
        executed = self.paths.executed(self.locale) / "work.ipynb"
        self.put(executed, json.dumps(merged))

    def put(self, path: Path, text: str) -> None:
        """Replace a file, so that its time changes even within a tick of the clock."""
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.replace(path)

    def put_inventory(self, data: bytes) -> None:
        self.paths.inventory.parent.mkdir(parents=True, exist_ok=True)
        self.paths.inventory.write_bytes(data)

    @property
    def lock(self) -> Lock:
        found = (path for path in sorted(self.paths.docs.rglob("*")) if path.is_file())
        files = tuple(
            SourceFile(
                path=path.relative_to(self.paths.docs).as_posix(),
                blob=blob_id(path.read_bytes()),
            )
            for path in found
        )
        return Lock(
            url="x",
            ref="v1",
            commit="f" * 40,
            date="2026-06-15T00:00:00+00:00",
            version="0.10.2",
            package=self.package,
            docs=DOCS,
            files=files,
        )

    def pages(self) -> tuple[PageResult, ...]:
        ran = Execution(page="work", status=Status.PASSED, cells=1, total=1)
        some = PageResult(
            page="",
            words=10,
            translated=1,
            translated_words=5,
            fuzzy=1,
            code_cells=1,
            execution=ran,
        )
        return tuple(
            replace(some, page=page.name, files=page.files) for page in pages_of(self.lock.files)
        )

    def build(
        self,
        policy: SitePolicy = POLICY,
        *,
        pages: Sequence[PageResult] = (),
        **changes: Any,
    ) -> tuple[Finding, ...]:
        """Build the site of all pages, or of ``pages``, with ``changes`` of its upstream."""
        upstream = Upstream(
            name="demo",
            url="x",
            package="JAX",
            version="0.10.2",
            usual_names={"np": "numpy"},
            **changes,
        )
        settings = Settings(root=self.root, locales=(self.locale,), upstreams={"demo": upstream})
        built = build_site(
            run_of(settings, upstream, pages=[page.page for page in pages]),
            pages or self.pages(),
            lock=self.lock,
            locale=self.locale,
            policy=policy,
        )
        self.findings = built.findings
        return built.findings

    def read(self, name: str) -> str:
        """Return the text of a file of the site."""
        return (self.target / name).read_text(encoding="utf-8")

    def html(self, page: str) -> str:
        return self.read(f"{page}.html")

    def article(self, page: str) -> str:
        """Return a page without the panel about its translation, which quotes blocks."""
        html = re.sub(
            r'<details class="jz-since">.*?</details>',
            "",
            self.html(page),
            flags=re.DOTALL,
        )
        return html[html.index("<article") : html.index("</article>")]

    def parsed(self, page: str) -> Tag:
        return BeautifulSoup(self.article(page), "html.parser")

    def times(self) -> Mapping[str, int]:
        return {
            path.relative_to(self.target).as_posix(): path.stat().st_mtime_ns
            for path in self.target.rglob("*.html")
        }

    def unmarked(self, page: str) -> Iterator[str]:
        """Yield the texts of the blocks of a page that are not marked in its HTML."""
        sources = self.paths.output(self.locale) / "site-src"
        record = json.loads((sources / "_jz" / "pages" / f"{page}.json").read_bytes())
        marked = set(re.findall(r'data-jz="(\d+)"', self.html(page)))
        for number, block in enumerate(record["blocks"]):
            if str(number) not in marked:
                yield block["text"]


def whole_workshop(root: Path) -> Workshop:
    """Return a project with a page of each kind, and with faults that the real docs have, too."""
    workshop = Workshop(root)
    docs = workshop.paths.docs
    for name in ("index.md", "guide.md", "card.rst", "api.rst", "html.md"):
        workshop.write(name, (DATA / name).read_text(encoding="utf-8"))
    workshop.write("work.ipynb", work())
    workshop.write("bare.md", "```{include} ../gone.md\n```\n")
    workshop.write("broken.md", "# Broken\n\nWhole.\n\n```{nonsense}\nx <b>y</b>\n```\n")
    for name, text in {
        "hero.html": '<h2 class="hero">Laid out</h2>',
        "tags.py": "import x\n# tag: first\nlamp = 1\n# tag: first\n",
        "conf.py": 'rediraffe_redirects = {"old.md": "guide.md"}\n',
    }.items():
        workshop.put(docs / name, text)
    (docs / "images").mkdir()
    (docs / "images" / "dot.png").write_bytes(base64.b64decode(PIXEL))
    workshop.put(
        root / "translations" / "glossary" / "zh_CN.csv",
        "source,target,context,translator_comments\ngradient,梯度,,\ngradient descent,梯度下降,,\n",
    )
    workshop.put_inventory(inventory("lamp.on py:function 1 api/lamp.html#$ -"))
    workshop.merge()
    workshop.execute()
    return workshop
