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
from folders import read_tree, write_tree
from lamps_package import CHINESE, PACKAGE
from repositories import init_repository
from site_projects import SiteProject, words_of

pytestmark = pytest.mark.slow

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


def build(project: SiteProject, chinese: Mapping[str, str], *, code: int = 0) -> str:
    """Pull, translate and make the site; return what was printed."""
    project.run("pull")
    project.run("split")
    project.translate(chinese)
    said = project.run("build", "--no-execute", code=code)
    return said + project.run("site", "--no-execute", code=code)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> SiteProject:
    root = tmp_path_factory.mktemp("lamps")
    pages = {f"english/{path}": text for path, text in ENGLISH.items()}
    files = {"pyproject.toml": CONFIGURATION, "package/lamps/__init__.py": PACKAGE}
    write_tree(root, {**files, **pages})
    project = SiteProject(root, "lamps")
    build(project, CHINESE)
    return project


@pytest.fixture
def copied(project: SiteProject, tmp_path: Path) -> SiteProject:
    """A copy of the project, for a test that changes it."""
    return SiteProject(shutil.copytree(project.root, tmp_path / "copy"), "lamps")


def test_object_has_a_page_with_its_docstring(project: SiteProject) -> None:
    shine = project.article("_autosummary/lamps.shine")
    signature = words_of(shine.select_one("dt#lamps\\.shine"))
    assert signature.startswith("lamps.shine(power: float, hours: int = 1) → float")
    assert words_of(shine.select_one("dd > p")) == "返回灯的光量。光量从不为负。"
    headings = [words_of(found) for found in shine.select("dt[class^=field]")]
    assert headings == ["参数:", "返回:"]
    assert words_of(shine.select_one("p.rubric")) == "示例"
    words = {words_of(found) for found in shine.select(".jz-zh")}
    assert {"功率", "一支蜡烛", "灯的瓦数", "亮多久"} <= words
    names = [words_of(found) for found in shine.select("li strong")]
    assert names == ["power", "hours"]
    assert all(" – " in words_of(found) for found in shine.select("dd li"))
    # Examples and formulas are upstream's.
    assert ">>> shine(2.0) 2.0" in words_of(shine.select_one(".doctest pre"))
    assert shine.select_one("math") is not None


def test_pages_that_list_an_object_are_above_its_page(project: SiteProject) -> None:
    html = project.page("_autosummary/lamps.shine")
    above = html.select(".jz-breadcrumbs a")
    assert [link["href"] for link in above] == ["../index.html", "../api.html"]
    (marked,) = html.select("nav.bd-docs-nav li.current.active > a")
    assert marked["href"] == "../api.html"
    assert "aria-current" not in marked.attrs


@pytest.mark.parametrize(("page", "line"), [("shine", 4), ("glow", 4), ("dim", 31), ("Lamp", 39)])
def test_page_names_its_source(project: SiteProject, page: str, line: int) -> None:
    fresh = project.article(f"_autosummary/lamps.{page}").select_one(".jz-fresh a")
    assert words_of(fresh) == f"lamps/__init__.py:{line}"
    assert fresh is not None
    assert str(fresh["href"]).endswith(f"lamps/__init__.py#L{line}")


def test_alias_shows_the_same_docstring(project: SiteProject) -> None:
    alias = project.article("_autosummary/lamps.glow")
    assert "lamps.glow(" in words_of(alias.select_one("dt#lamps\\.glow"))
    own, other = (
        words_of(project.article(f"_autosummary/lamps.{name}").select_one("dl.py > dd"))
        for name in ("shine", "glow")
    )
    assert own == other
    # One document serves both, on the page that comes first.
    names = {path.name for path in project.root.glob("upstream/**/*.docstring")}
    assert "lamps.glow.docstring" in names
    assert "lamps.shine.docstring" not in names


def test_object_without_docstring_has_a_page(project: SiteProject) -> None:
    dim = project.article("_autosummary/lamps.dim")
    assert words_of(dim.select_one("dt#lamps\\.dim")).startswith("lamps.dim(power)")
    assert words_of(dim.select_one("dl.py > dd")) == ""


def test_class_has_chinese_headings(project: SiteProject) -> None:
    lamp = project.article("_autosummary/lamps.Lamp")
    assert "带开关的灯。" in words_of(lamp)
    assert [words_of(found) for found in lamp.select("p.rubric")] == ["方法"]
    assert "拨动开关。" in words_of(lamp.select_one("table.jz-api"))


def test_table_of_names_has_chinese_first_sentences(project: SiteProject) -> None:
    api = project.article("api")
    rows = [found.select("td") for found in api.select("table.jz-api tbody tr")]
    summaries = {words_of(name): words_of(described) for name, described in rows}
    assert summaries["shine"] == summaries["glow"] == "(power[, hours]) 返回灯的光量。"
    assert summaries["dim"] == "(power)"
    assert summaries["Lamp"].startswith("() 带开关的灯。")
    links = [found["href"] for found in api.select("table.jz-api a")]
    assert links[0] == "_autosummary/lamps.shine.html#lamps.shine"
    # What a page describes itself stands there in full.
    assert "清点店里所有的灯。" in words_of(api.select_one("dt#lamps\\.count + dd"))


def test_names_in_guides_lead_to_pages_of_the_site(project: SiteProject) -> None:
    link = project.article("guide").select_one("a:has(code)")
    assert link is not None
    assert link["href"] == "_autosummary/lamps.shine.html#lamps.shine"
    assert "internal" in (link["class"] or [])


def test_search_and_lists_have_the_pages(project: SiteProject) -> None:
    index = project.read("_search/index.js")
    text = project.read("_search/pages/_autosummary/lamps.shine.0.js")
    # Objects are listed in short, those first that guides mention.
    (listed,) = re.findall('"objects":"([^"]*)"', index)
    assert listed == "_autosummary/lamps.Lamp:2 shine dim glow"
    for name in ("shine", "glow", "dim", "Lamp"):
        page = f"_autosummary/lamps.{name}"
        assert (project.site / f"{page}.md").is_file()
        assert f'"{page}"' in project.read("freshness.json")
    assert "返回灯的光量。" in text
    signature = "lamps.shine(power: float, hours: int = 1) -> float"
    assert signature in text
    assert signature in project.read("_autosummary/lamps.shine.md")


def test_reference_is_counted_apart(project: SiteProject) -> None:
    said = project.run("status")
    assert "zh_CN: 3 pages, 4 messages, 0 % translated" in said
    assert "zh_CN: API reference: 3 pages, 11 messages, 100 % translated" in said
    assert "_api" not in said
    report = json.loads((project.root / "build" / "report.json").read_bytes())
    found = report["locales"]["zh_CN"]
    assert [page["page"] for page in found["pages"]] == ["api", "guide", "index"]
    reference = found["reference"]
    assert reference["messages"] == reference["translated"] == 11


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


def test_translations_add_nothing_but_words(copied: SiteProject) -> None:
    functions = "".join(
        f'\n\ndef lamp{number}(power):\n    """Lamp {number} of the shop.\n\n'
        f'    Args:\n      power: watts {number}\n    """\n'
        for number in range(len(HOSTILE))
    )
    copied.write("package/lamps/__init__.py", PACKAGE + functions)
    names = "".join(f"   lamp{number}\n" for number in range(len(HOSTILE)))
    copied.change("english/api.rst", "   Lamp\n", f"   Lamp\n{names}")
    chinese: dict[str, str] = {}
    for number, attack in enumerate(HOSTILE.values()):
        chinese[f"Lamp {number} of the shop."] = attack
        chinese[f"watts {number}"] = attack
    build(copied, {**CHINESE, **chinese}, code=1)
    for number, kind in enumerate(HOSTILE):
        found = copied.article(f"_autosummary/lamps.lamp{number}")
        assert not found.select("script, img, .doctest, section section"), kind
        _, *fields = [words_of(name) for name in found.select("dl.py dt")]
        assert fields == ["参数:"], kind
        assert not found.find(string=re.compile(r"os\.abort|volts|伏特|钱")), kind
        assert [words_of(name) for name in found.select("dd strong")] == ["power"], kind


def test_bad_input_is_named_and_stops_no_page(copied: SiteProject) -> None:
    odd = '''

def odd():
    """An odd lamp.

    .. image::

    It still shines.
    """
'''
    copied.write("package/lamps/__init__.py", PACKAGE + odd)
    copied.change("english/api.rst", "   Lamp\n", "   Lamp\n   odd\n   gone\n")
    copied.run("pull")
    said = copied.run("site", "--no-execute", code=7)
    assert "lamps/__init__.py:46: lamps.odd: 3: Error in" in said
    assert "api.rst:14: gone is documented, but the package does not have it" in said
    page = copied.article("_autosummary/lamps.odd")
    assert "It still shines." in words_of(page)
    assert ".. image::" in words_of(page.select_one(".jz-broken"))
    assert "返回灯的光量。" in words_of(copied.article("_autosummary/lamps.shine"))


def test_options_of_the_package_have_anchors(copied: SiteProject) -> None:
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
    copied.write("package/lamps/options.py", options)
    table = 'options = { list_options = "lamps.options.options" }'
    copied.change("pyproject.toml", 'path = "package"\n', f'path = "package"\n{table}\n')
    page = "Options\n=======\n\nSee :func:`lamps.shine`.\n\n.. list_options::\n"
    copied.write("english/options.rst", page)
    help_text = "Watts of a lamp. See :func:`shine`."
    build(copied, {**CHINESE, help_text: "灯的瓦数。参见 :func:`shine`。"})
    found = copied.article("options")
    power = found.select_one("dt#lamps_power")
    assert words_of(power).startswith("lamps_power: int = 60")
    for words in ("环境变量", "LAMPS_POWER", "可选值", "'warm', 'cold'", "WARM, COLD"):
        assert words in words_of(found)
    assert not found.select(".jz-elsewhere")
    data = (copied.site / "objects.inv").read_bytes()
    assert b"lamps_power py:data" in zlib.decompress(data.split(b"zlib.\n", 1)[1])


def test_verify_site_proves_docstrings_that_match_the_lock(copied: SiteProject) -> None:
    init_repository(copied.root)
    ignored = "build/\nupstream/lamps/\nupstream/.*\ntranslations/zh_CN/\n"
    copied.write(".gitignore", ignored)
    copied.commit("Translate")
    copied.run("site", "--no-execute")
    site = "build/site/lamps"
    path = "_api/_autosummary/lamps.glow/lamps.glow.docstring"
    said = copied.run("verify-site", site, "-v")
    assert f"✓ {path}" in said
    assert "✗" not in said
    assert "not proved" not in said
    # Another word in a docstring of the site.
    published = f"{site}/_downloads/source/{path}"
    copied.change(published, "返回灯的光量。", "返回灯的钱。")
    said = copied.run("verify-site", site, code=1)
    assert f"{path}: is not the file that freshness.json lists" in said
    copied.change(published, "返回灯的钱。", "返回灯的光量。")
    # Docstrings that are not those of the lock prove nothing.
    english = copied.root / "upstream" / "lamps" / path
    english.write_bytes(english.read_bytes() + b"\n\nMore.")
    said = copied.run("verify-site", site, code=1)
    assert "not proved: " in said
    assert "of the API reference, because the docstrings that the lock lists are missing" in said
    assert "✗" not in said


def test_pages_go_with_their_objects(copied: SiteProject) -> None:
    page = copied.site / "_autosummary/lamps.dim.html"
    assert page.is_file()
    copied.change("english/api.rst", "   dim\n", "")
    build(copied, CHINESE)
    assert not page.exists()
    assert "lamps.dim" not in copied.read("_search/index.js")
    assert copied.article("_autosummary/lamps.shine")


def test_work_waits_while_the_reference_is_not_there(copied: SiteProject) -> None:
    before = read_tree(copied.root / "translations")
    memory = read_tree(copied.root / "translations" / "memory")
    table = '[tool.pipeline.upstreams.lamps.reference]\npath = "package"\n'
    configuration = copied.root / "pyproject.toml"
    text = configuration.read_text(encoding="utf-8")
    copied.change("pyproject.toml", table, "")
    said = copied.run("sync", "--no-execute")
    assert "page-gone" not in said
    assert "memory-" not in said
    assert read_tree(copied.root / "translations" / "memory") == memory
    copied.write("pyproject.toml", text)
    copied.run("sync", "--no-execute")
    assert read_tree(copied.root / "translations") == before
    copied.run("memory", "verify")
