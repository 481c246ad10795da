"""Pages of the API reference, read as a reader does: one site of a lamp shop, built once.

Its package lies in a folder of the project; upstream's pages list what it has.
"""

from __future__ import annotations

import json
import re
import shutil
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from folders import read_tree, write_tree
from in_process import run_in
from lamps_package import CHINESE, PACKAGE
from repositories import git, init_repository
from site_builds import LACKING

from pipeline.adapters import po
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.document.reader import read_document
from pipeline.core.pin.lock import page_name
from pipeline.entries import Catalog, Entry

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}"),
]

CONFIGURATION = """
[tool.pipeline.upstreams.lamps]
url = "english"
page-url = "https://example.org/docs/{path}"
[tool.pipeline.upstreams.lamps.reference]
path = "package"
[tool.pipeline.upstreams.lamps.site]
title = "Lamps"
"""
ENGLISH: Mapping[str, str] = {
    "index.md": "# Lamps\n\n```{toctree}\nguide\napi\n```\n",
    "guide.md": "# Guide\n\nCall {func}`lamps.shine`, then {meth}`lamps.Lamp.toggle`.\n",
    "api.rst": (
        "API\n===\n\n.. currentmodule:: lamps\n\n.. autosummary::\n   :toctree: _autosummary\n\n"
        "   shine\n   glow\n   dim\n   Lamp\n\n.. autofunction:: count\n"
    ),
}


def write_catalogs(root: Path, chinese: Mapping[str, str]) -> None:
    """Write the translations of the docstrings that the project has pulled."""
    docs = root / "upstream" / "lamps"
    documents: dict[str, list[Path]] = {}
    for file in sorted(docs.rglob("*.docstring")):
        path = file.relative_to(docs).as_posix()
        documents.setdefault(page_name(path), []).append(file)
    for page, found in documents.items():
        wanted = wanted_entries(
            page,
            [
                read_document(file.relative_to(docs).as_posix(), file.read_bytes())
                for file in found
            ],
        )
        entries = tuple(
            Entry(msgid=entry.msgid, msgstr=chinese[entry.msgid])
            for entry in wanted
            if entry.msgid in chinese
        )
        file = root / "translations" / "zh_CN" / "lamps" / f"{page}.po"
        file.parent.mkdir(parents=True, exist_ok=True)
        catalog = Catalog(header={"Language": "zh_CN"}, entries=entries)
        file.write_bytes(po.format_catalog(catalog))


def run(root: Path, *words: str, code: int = 0) -> str:
    """Run a command in the project; return what it printed."""
    done = run_in(root, *words)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def build(root: Path, chinese: Mapping[str, str], *, code: int = 0) -> str:
    """Pull, write the translations and make the site; return what was printed."""
    run(root, "pull", "lamps")
    write_catalogs(root, chinese)
    said = run(root, "build", "lamps", "--no-execute", code=code)
    return said + run(root, "site", "lamps", "--no-execute", code=code)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lamps")
    write_tree(
        root,
        {"pyproject.toml": CONFIGURATION, "package/lamps/__init__.py": PACKAGE},
    )
    write_tree(root / "english", ENGLISH)
    build(root, CHINESE)
    return root


@pytest.fixture
def copied(project: Path, tmp_path: Path) -> Path:
    """A copy of the project, for a test that changes it."""
    return shutil.copytree(project, tmp_path / "copy")


def article(root: Path, page: str) -> Tag:
    html = (root / "build" / "site" / "lamps" / f"{page}.html").read_bytes()
    found = BeautifulSoup(html, "lxml").select_one("article.bd-article")
    assert found is not None
    return found


def text_of(found: Tag | None) -> str:
    assert found is not None
    return " ".join(found.get_text().split())


def test_object_has_a_page_with_its_docstring(project: Path) -> None:
    shine = article(project, "_autosummary/lamps.shine")
    signature = text_of(shine.select_one("dt#lamps\\.shine"))
    assert signature.startswith("lamps.shine(power: float, hours: int = 1) → float")
    assert text_of(shine.select_one("dd > p")) == "返回灯的光量。光量从不为负。"
    headings = [
        text_of(found).rstrip(":") for found in shine.select("dt[class^=field]")
    ]
    assert headings == ["参数", "返回"]
    assert text_of(shine.select_one("p.rubric")) == "示例"
    words = {text_of(found) for found in shine.select(".jz-zh")}
    assert {"功率", "一支蜡烛", "灯的瓦数", "亮多久"} <= words
    assert [text_of(found) for found in shine.select("li strong")] == ["power", "hours"]
    assert all(" – " in text_of(found) for found in shine.select("dd li"))
    # Examples and formulas are upstream's.
    assert ">>> shine(2.0) 2.0" in text_of(shine.select_one(".doctest pre"))
    assert shine.select_one("math") is not None


def test_pages_that_list_an_object_are_above_its_page(project: Path) -> None:
    page = project / "build/site/lamps/_autosummary/lamps.shine.html"
    html = BeautifulSoup(page.read_bytes(), "lxml")
    above = html.select(".jz-breadcrumbs a")
    assert [link["href"] for link in above] == ["../index.html", "../api.html"]
    (marked,) = html.select("nav.bd-docs-nav li.current.active > a")
    assert marked["href"] == "../api.html"
    assert "aria-current" not in marked.attrs


@pytest.mark.parametrize(
    ("page", "line"),
    [("shine", 4), ("glow", 4), ("dim", 31), ("Lamp", 39)],
)
def test_page_names_its_source(project: Path, page: str, line: int) -> None:
    fresh = article(project, f"_autosummary/lamps.{page}").select_one(".jz-fresh a")
    assert text_of(fresh) == f"lamps/__init__.py:{line}"
    assert fresh is not None
    assert str(fresh["href"]).endswith(f"lamps/__init__.py#L{line}")


def test_alias_shows_the_same_docstring(project: Path) -> None:
    alias = article(project, "_autosummary/lamps.glow")
    assert "lamps.glow(" in text_of(alias.select_one("dt#lamps\\.glow"))
    own, other = (
        text_of(article(project, f"_autosummary/lamps.{name}").select_one("dl.py > dd"))
        for name in ("shine", "glow")
    )
    assert own == other
    # One document serves both, on the page that comes first.
    names = {path.name for path in (project / "upstream").rglob("*.docstring")}
    assert "lamps.glow.docstring" in names
    assert "lamps.shine.docstring" not in names


def test_object_without_docstring_has_a_page(project: Path) -> None:
    dim = article(project, "_autosummary/lamps.dim")
    assert text_of(dim.select_one("dt#lamps\\.dim")).startswith("lamps.dim(power)")
    assert text_of(dim.select_one("dl.py > dd")) == ""


def test_class_has_chinese_headings(project: Path) -> None:
    lamp = article(project, "_autosummary/lamps.Lamp")
    assert "带开关的灯。" in text_of(lamp)
    assert [text_of(found) for found in lamp.select("p.rubric")] == ["方法"]
    assert "拨动开关。" in text_of(lamp.select_one("table.jz-api"))


def test_table_of_names_has_chinese_first_sentences(project: Path) -> None:
    api = article(project, "api")
    rows = [found.select("td") for found in api.select("table.jz-api tbody tr")]
    summaries = {text_of(name): text_of(described) for name, described in rows}
    assert summaries["shine"] == summaries["glow"] == "(power[, hours]) 返回灯的光量。"
    assert summaries["dim"] == "(power)"
    assert summaries["Lamp"].startswith("() 带开关的灯。")
    links = [found["href"] for found in api.select("table.jz-api a")]
    assert links[0] == "_autosummary/lamps.shine.html#lamps.shine"
    # What a page describes itself stands there in full.
    assert "清点店里所有的灯。" in text_of(api.select_one("dt#lamps\\.count + dd"))


def test_names_in_guides_lead_to_pages_of_the_site(project: Path) -> None:
    link = article(project, "guide").select_one("a:has(code)")
    assert link is not None
    assert link["href"] == "_autosummary/lamps.shine.html#lamps.shine"
    assert "internal" in (link["class"] or [])


def test_search_and_lists_have_the_pages(project: Path) -> None:
    site = project / "build" / "site" / "lamps"
    index = (site / "_search" / "index.js").read_text(encoding="utf-8")
    text = (site / "_search/pages/_autosummary/lamps.shine.0.js").read_text("utf-8")
    freshness = json.loads((site / "freshness.json").read_bytes())
    # Objects are listed in short, those first that guides mention.
    (listed,) = re.findall('"objects":"([^"]*)"', index)
    assert listed == "_autosummary/lamps.Lamp:2 shine dim glow"
    for name in ("shine", "glow", "dim", "Lamp"):
        page = f"_autosummary/lamps.{name}"
        assert (site / f"{page}.md").is_file()
        assert page in json.dumps(freshness)
    assert "返回灯的光量。" in text
    signature = "lamps.shine(power: float, hours: int = 1) -> float"
    assert signature in text
    assert signature in (site / "_autosummary/lamps.shine.md").read_text("utf-8")


def test_reference_is_counted_apart(project: Path) -> None:
    said = run(project, "status", "lamps")
    assert "zh_CN: 3 pages, 4 messages, 0 % translated" in said
    assert "zh_CN: API reference: 3 pages, 11 messages, 100 % translated" in said
    assert "_api" not in said
    report = json.loads((project / "build" / "report.json").read_bytes())
    found = report["locales"]["zh_CN"]
    assert [page["page"] for page in found["pages"]] == ["api", "guide", "index"]
    assert (found["reference"]["messages"], found["reference"]["translated"]) == (
        11,
        11,
    )


HOSTILE = {
    "HTML": "灯<script>alert(1)</script><img src=x onerror=alert(1)>",
    "raw HTML": "灯\n\n.. raw:: html\n\n   <script>alert(1)</script>",
    "a section": "灯\n\nReturns:\n  钱",
    "a parameter": "灯\n\nArgs:\n  volts: 伏特",
    "a field": "灯\n\n:param volts: 伏特",
    "a role": "灯 :func:`os.abort`",
    "an example": "灯\n\n>>> import os; os.abort()",
    "a directive": "灯\n\n.. autofunction:: os.abort",
    "a heading": "灯\n\n标题\n====\n",
}


def test_translations_add_nothing_but_words(copied: Path) -> None:
    functions = "".join(
        f'\n\ndef lamp{number}(power):\n    """Lamp {number} of the shop.\n\n'
        f'    Args:\n      power: watts {number}\n    """\n'
        for number in range(len(HOSTILE))
    )
    (copied / "package/lamps/__init__.py").write_text(
        PACKAGE + functions, encoding="utf-8"
    )
    names = "".join(f"   lamp{number}\n" for number in range(len(HOSTILE)))
    listed = ENGLISH["api.rst"].replace("   Lamp\n", f"   Lamp\n{names}")
    (copied / "english" / "api.rst").write_text(listed, encoding="utf-8")
    chinese: dict[str, str] = {}
    for number, attack in enumerate(HOSTILE.values()):
        chinese[f"Lamp {number} of the shop."] = attack
        chinese[f"watts {number}"] = attack
    build(copied, {**CHINESE, **chinese}, code=1)
    for number, kind in enumerate(HOSTILE):
        found = article(copied, f"_autosummary/lamps.lamp{number}")
        assert not found.select("script, img, .doctest, section section"), kind
        assert [text_of(name) for name in found.select("dl.py dt")][1:] == ["参数:"], (
            kind
        )
        assert not found.find(string=re.compile(r"os\.abort|volts|伏特|钱")), kind
        assert [text_of(name) for name in found.select("dd strong")] == ["power"], kind


def test_bad_input_is_named_and_stops_no_page(copied: Path) -> None:
    odd = '''

def odd():
    """An odd lamp.

    .. image::

    It still shines.
    """
'''
    (copied / "package/lamps/__init__.py").write_text(PACKAGE + odd, encoding="utf-8")
    listed = ENGLISH["api.rst"].replace("   Lamp\n", "   Lamp\n   odd\n   gone\n")
    (copied / "english" / "api.rst").write_text(listed, encoding="utf-8")
    run(copied, "pull", "lamps")
    said = run(copied, "site", "lamps", "--no-execute", code=7)
    assert "lamps/__init__.py:46: lamps.odd: 3: Error in" in said
    assert "api.rst:14: gone is documented, but the package does not have it" in said
    page = article(copied, "_autosummary/lamps.odd")
    assert "It still shines." in text_of(page)
    assert ".. image::" in text_of(page.select_one(".jz-broken"))
    shine = article(copied, "_autosummary/lamps.shine")
    assert "返回灯的光量。" in text_of(shine)


def test_options_of_the_package_are_shown_with_their_anchors(copied: Path) -> None:
    options = """
import enum

Tone = enum.Enum("Tone", "WARM COLD")


class Options:
    meta = {
        "lamps_tone": ("enum_class", (), {"enum_class": Tone}),
        "lamps_power": (int, (), {"help": "Watts of a lamp. See :func:`shine`."}),
        "lamps_light": ("enum", (), {"enum_values": ["warm", "cold"]}),
    }
    values = {"lamps_power": 60, "lamps_light": "warm", "lamps_tone": Tone.WARM}


options = Options()
"""
    (copied / "package/lamps/options.py").write_text(options, "utf-8")
    path = copied / "pyproject.toml"
    path.write_text(
        path.read_text("utf-8").replace(
            'path = "package"\n',
            'path = "package"\noptions = { list_options = "lamps.options.options" }\n',
        ),
        "utf-8",
    )
    page = "Options\n=======\n\nSee :func:`lamps.shine`.\n\n.. list_options::\n"
    (copied / "english/options.rst").write_text(page, "utf-8")
    build(
        copied,
        {
            **CHINESE,
            "Watts of a lamp. See :func:`shine`.": "灯的瓦数。参见 :func:`shine`。",
        },
    )
    found = article(copied, "options")
    power = found.select_one("dt#lamps_power")
    assert text_of(power).startswith("lamps_power: int = 60")
    shown = text_of(found)
    assert "环境变量" in shown
    assert "LAMPS_POWER" in shown
    assert "可选值" in shown
    assert "'warm', 'cold'" in shown
    assert "WARM, COLD" in shown
    assert not found.select(".jz-elsewhere")
    data = (copied / "build/site/lamps/objects.inv").read_bytes()
    assert b"lamps_power py:data" in zlib.decompress(data.split(b"zlib.\n", 1)[1])


def test_verify_site_proves_docstrings_that_match_the_lock(copied: Path) -> None:
    init_repository(copied)
    ignored = "build/\nupstream/lamps/\nupstream/.*\ntranslations/zh_CN/\n"
    (copied / ".gitignore").write_text(ignored, "utf-8")
    git(copied, "add", "-A")
    git(copied, "commit", "-qm", "Translate")
    run(copied, "site", "lamps", "--no-execute")
    site = "build/site/lamps"
    said = run(copied, "verify-site", site, "-v")
    assert "✓ _api/_autosummary/lamps.glow/lamps.glow.docstring" in said
    assert "✗" not in said
    assert "not proved" not in said
    # Another word in a docstring of the site.
    path = "_api/_autosummary/lamps.glow/lamps.glow.docstring"
    file = copied / site / "_downloads/source" / path
    text = file.read_text("utf-8")
    assert "返回灯的光量。" in text
    file.write_text(text.replace("光量", "钱"), "utf-8")
    said = run(copied, "verify-site", site, code=1)
    assert f"{path}: is not the file that freshness.json lists" in said
    file.write_text(text, "utf-8")
    # Docstrings that are not those of the lock prove nothing.
    english = copied / "upstream" / "lamps" / path
    english.write_bytes(english.read_bytes() + b"\n\nMore.")
    said = run(copied, "verify-site", site, code=1)
    assert "not proved: " in said
    assert (
        "of the API reference, because the docstrings that the lock lists are missing"
        in said
    )
    assert "✗" not in said


def test_pages_go_with_their_objects(copied: Path) -> None:
    page = copied / "build/site/lamps/_autosummary/lamps.dim.html"
    assert page.is_file()
    listed = ENGLISH["api.rst"].replace("   dim\n", "")
    (copied / "english" / "api.rst").write_text(listed, encoding="utf-8")
    build(copied, CHINESE)
    assert not page.exists()
    index = copied / "build/site/lamps/_search/index.js"
    assert "lamps.dim" not in index.read_text(encoding="utf-8")
    assert (copied / "build/site/lamps/_autosummary/lamps.shine.html").is_file()


def test_work_waits_while_the_reference_is_not_there(copied: Path) -> None:
    memory = copied / "translations" / "memory"
    before = read_tree(memory)
    catalogs = read_tree(copied / "translations" / "zh_CN")
    path = copied / "pyproject.toml"
    table = '[tool.pipeline.upstreams.lamps.reference]\npath = "package"\n'
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(table, ""), encoding="utf-8")
    said = run(copied, "sync", "lamps", "--no-execute")
    assert "page-gone" not in said
    assert "memory-" not in said
    assert read_tree(memory) == before
    path.write_text(text, encoding="utf-8")
    run(copied, "sync", "lamps", "--no-execute")
    assert read_tree(memory) == before
    assert read_tree(copied / "translations" / "zh_CN") == catalogs
    run(copied, "memory", "verify", "lamps")
