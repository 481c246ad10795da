"""Docs that lie in several folders of one repository, or of a plain folder.

The tree is written for these tests: a Sphinx project in ``docs`` and notebooks in ``examples``,
which link to and include each other, and nothing of which lies in the root.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from bs4 import Tag
from cases import read_tables
from catalog_files import edit_catalog, read_catalog
from folders import read_tree, write_tree
from in_process import command
from msgspec.structs import replace
from notebooks import code, notebook, prose
from repositories import commit_release, git, init_repository
from site_projects import SiteProject

CASES = read_tables(__file__)

DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154"
    "789c6360606060000000050001a5f645400000000049454e44ae426082"
)
DATA = Path(__file__).parent / "data" / "several"
FILES: dict[str, bytes | str] = {
    **{path: data.decode() for path, data in read_tree(DATA).items()},
    "docs/conf.py": 'rediraffe_redirects = {"old/start": "guide"}\n',
    "docs/_static/dot.png": DOT,
    "examples/first.ipynb": notebook(
        prose("See [the guide](../docs/guide.md) for how lamps are switched on.\n"),
        code("print(6 * 7)"),
        title="# First example",
    ),
    "examples/train.py": "print('trained lamps')\n",
}
PAGES = "docs/deep/page docs/guide docs/index examples/first examples/index".split()
ONE, TWO = '"docs"', '["docs", "examples"]'


ALL = Path("translations/zh_CN/lamps")
MEMORIES = Path("translations/memory/zh_CN/lamps")
IGNORED = "/build/\n/upstream/*\n!/upstream/*.lock\n/translations/zh_CN/\n"


def configure(docs: str, *, lines: str = "", site: str = "") -> None:
    """Write a configuration whose upstream beside the project has its docs in ``docs``."""
    Path("pyproject.toml").write_text(
        f'[tool.pipeline.upstreams.lamps]\nurl = "../origin"\ndocs = {docs}\n{lines}'
        f"[tool.pipeline.upstreams.lamps.site]\n{site}"
    )


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """The repository, with the tag v1."""
    folder = init_repository(tmp_path / "origin")
    commit_release(folder, "v1", FILES)
    return folder


@pytest.fixture(autouse=True)
def project(tmp_path: Path, origin: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project about both folders. It is the current folder."""
    root = init_repository(tmp_path / "project")
    (root / ".gitignore").write_text(IGNORED)
    monkeypatch.chdir(root)
    configure(TWO)
    return root


def commit_all(subject: str) -> None:
    git(Path(), "add", "-A")
    git(Path(), "commit", "-qm", subject)


def pages_in(folder: Path) -> list[str]:
    """The catalogues or memories in a folder, by page."""
    return sorted(path.removesuffix(".po") for path in read_tree(folder))


def translate(page: str, words: str, msgstr: str, *, fuzzy: bool = False) -> None:
    """Translate the entry of a page whose English begins with ``words``."""
    path = ALL / f"{page}.po"
    (found,) = (e for e in read_catalog(path).entries if e.msgid.startswith(words))
    changed = replace(found, msgstr=msgstr, fuzzy=fuzzy)
    edit_catalog(path, lambda entry: changed if entry == found else entry)


def said() -> set[tuple[str, str, str, bool, bool]]:
    """What is translated, with the name of the page without its folder."""
    return {
        (page.removeprefix("docs/"), one.msgid, one.msgstr, one.fuzzy, one.obsolete)
        for page in pages_in(ALL)
        for one in read_catalog(ALL / f"{page}.po").entries
        if one.msgstr
    }


@pytest.mark.parametrize("is_plain", [False, True], ids=["git", "plain"])
def test_pages_are_called_by_their_whole_path(is_plain: bool, origin: Path) -> None:
    if is_plain:
        shutil.rmtree(origin / ".git")
    command("sync --no-execute -q")
    assert pages_in(ALL) == PAGES
    pulled = read_tree(Path("upstream/lamps"))
    assert {*pulled} == {path for path in FILES if path.startswith(("docs/", "exam"))}
    lock = json.loads(Path("upstream/lamps.lock").read_bytes())
    assert lock["docs"] == ["docs", "examples"]
    # What is merged without a translation is upstream's, byte for byte.
    merged = read_tree(Path("build/zh_CN/lamps/merged"))
    assert {path: pulled[path] for path in merged} == merged
    assert sorted(path.rpartition(".")[0] for path in merged) == PAGES
    told = command("sync --no-execute").err
    assert "nothing changed for zh_CN since the last run" in told
    assert "2 pages, 2 documents" in command("sync --no-execute --pages examples/*").err


@pytest.fixture
def translated(project: Path, origin: Path) -> Path:
    """A project about ``docs`` alone, of v1: translated in part, with all kinds of entries."""
    older = (
        "# The guide\n\nA lamp that nobody switches on stays dark for ever.\n\n"
        "Turn the switch, and wait until the old lamp shines brightly.\n\nShort.\n"
    )
    commit_release(origin, "v0", {**FILES, "docs/guide.md": older})
    configure(ONE, lines='ref = "v0"\n')
    command("sync --no-execute -q")
    translate("index", "Lamps", "灯")
    translate("guide", "The guide", "指南")
    translate("guide", "A lamp that", "没有人打开的灯永远是暗的。")
    translate("guide", "Turn the", "打开开关，等到旧灯亮起来。")
    translate("guide", "Short", "短。")
    translate("deep/page", "Deep below", "灯下深处有许多电线。", fuzzy=True)
    # Of v1 one of them is older English now, and one is nowhere.
    configure(ONE, lines='ref = "v1"\n')
    command("sync --no-execute -q")
    commit_all("translated")
    return project


@pytest.mark.slow
@pytest.mark.parametrize("is_fresh", [False, True], ids=["same clone", "fresh clone"])
def test_no_translation_is_lost_when_folders_come_and_go(
    is_fresh: bool, translated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, memory = said(), without_commit()
    assert {(fuzzy, gone) for *_, fuzzy, gone in before} == {
        (False, False),
        (True, False),
        (False, True),
    }
    pages = ["deep/page", "guide", "index"]
    for docs, expected in ((TWO, PAGES), (ONE, pages)):
        if is_fresh:
            clone = translated.with_name(f"clone of {docs[:7]}")
            git(translated.parent, "clone", "-q", str(Path.cwd()), str(clone))
            monkeypatch.chdir(clone)
        configure(docs, lines='ref = "v1"\n')
        told = command("sync --no-execute")
        assert "warning" not in told.out + told.err
        assert said() == before
        assert pages_in(ALL) == pages_in(MEMORIES) == expected
        command("memory verify -q")
        command("status")
        commit_all(docs)
    # All is as it was, but for the commit that pages were last looked at.
    assert without_commit() == memory


def without_commit() -> dict[str, bytes]:
    """Memories without the lines that say of which commit they are."""
    lines = rb'"X-Upstream-(Ref|Commit): [^"]*"\n'
    return {path: re.sub(lines, b"", data) for path, data in read_tree(MEMORIES).items()}


def test_a_folder_that_is_not_there_is_named(project: Path) -> None:
    command("sync --no-execute -q")
    configure('["docs", "tutorials"]')
    before = read_tree(project)
    told = command("sync --no-execute", code=3).err
    assert "has no folder 'tutorials' at commit" in told
    assert "Folders there: docs, examples. Set 'docs' in the configuration." in told
    # Nor is anything built of folders that are configured no more.
    told = command("build --no-execute", code=3).err
    assert "is of the folders docs, examples, but the configuration says" in told
    after = read_tree(project)
    assert {path: after[path] for path in before} == before


def test_files_beside_a_folder_tell_the_markdown(origin: Path) -> None:
    kettles = {
        "site/mkdocs.yml": "site_name: Kettles\n",
        "site/docs/index.md": '# Kettles\n\n!!! note "Mind the steam"\n\n    It burns.\n',
        "site/more/index.md": "# More\n\nAnd [back](../docs/index.md).\n",
    }
    commit_release(origin, "v2", kettles)
    configure('["site/more", "site/docs"]', lines='ref = "v2"\n')
    command("sync --no-execute -q")
    assert 'msgid "Mind the steam"' in (ALL / "docs/index.po").read_text("utf-8")
    assert pages_in(ALL) == ["docs/index", "more/index"]


SITE = """\
english-url = "https://lamps.example/en/"
hero = "灯的文档"
"""
PAGE_URL = 'page-url = "https://github.com/x/lamps/blob/{commit}/{path}"\n'


def links(html: Tag, place: str = "a") -> dict[str, str]:
    """Where the links of a page lead, by their words."""
    return {link.get_text(strip=True): str(link["href"]) for link in html.select(place)}


def listed(page: Tag) -> list[str]:
    """Where the first links of the navigation lead."""
    return [*links(page, ".bd-sidebar-primary nav.bd-links a").values()]


@pytest.mark.slow
@pytest.mark.kernel
def test_a_site_of_several_folders(project: Path) -> None:
    configure(TWO, lines=PAGE_URL, site=SITE)
    command("sync -q")
    translate("docs/index", "Lamps", "灯")
    translate("examples/index", "Bright parts", "明亮的部件")
    command("build -q")
    commit_all("Translate")
    assert "sphinx     no warnings" in command("site").err
    lamps = SiteProject(project, "lamps")
    home = lamps.article("docs/index")
    lock = json.loads(Path("upstream/lamps.lock").read_bytes())
    blob = f"https://github.com/x/lamps/blob/{lock['commit']}"
    # From one tree into the other, from the top of the own one, and out of both.
    assert links(home).items() >= {
        ("the first example", "../examples/first.html"),
        ("all parts", "../examples/index.html#bright-parts"),
        ("the guide", "guide.html"),
        ("The guide", "guide.html"),
        ("licence", f"{blob}/LICENSE.txt"),
        ("docs/index.md", f"{blob}/docs/index.md"),
    }
    for words in ("trained lamps", "Words of the examples folder.", "灯的文档"):
        assert words in home.get_text()
    for image in home.select("img"):
        assert (lamps.site / "docs" / str(image["src"])).read_bytes() == DOT
    assert links(lamps.article("docs/deep/page"))["The guide"] == "../guide.html"
    first = lamps.article("examples/first")
    assert links(first)["the guide"] == "../docs/guide.html"
    assert "42" in first.get_text()
    assert lamps.article("examples/index").find(id="bright-parts") is not None
    # The navigation has both trees, though the contents of the one do not lead to the other.
    guide = lamps.page("docs/guide")
    assert listed(guide)[:5] == [
        "index.html",
        "#",
        "deep/page.html",
        "../examples/index.html",
        "../examples/first.html",
    ]
    # Upstream's own site begins in docs: only of its pages the English address is known.
    english = links(guide, ".jz-to-english").values()
    assert [*english] == ["https://lamps.example/en/guide.html"]
    example = lamps.read("examples/index.html")
    assert "lamps.example/en/examples" not in example
    assert "lamps.example/en/index.html" in example
    # Old addresses, and those of the English docs, lead to pages; assets are no pages.
    for old, target in (
        ("index", "docs/index"),
        ("guide", "docs/guide"),
        ("deep/page", "../docs/deep/page"),
        ("old/start", "../docs/guide"),
        ("docs/old/start", "../guide"),
    ):
        refresh = f'http-equiv="refresh" content="0; url={target}.html"'
        assert refresh in lamps.read(f"{old}.html")
    assert (lamps.site / "docs" / "_static" / "dot.png").read_bytes() == DOT
    assert not list(lamps.site.rglob("note.html"))
    assert 'const folder = "docs/";' in lamps.read("404.html")
    command("verify-site", lamps.site)
    assert "nothing changed for the site in zh_CN" in command("site").err


@pytest.mark.slow
def test_a_site_of_folders_without_contents(project: Path, origin: Path) -> None:
    shutil.rmtree(origin / ".git")
    pages = {
        "wheels/b.md": "# Wheel b\n\nSee [the spring](../springs/a.md).\n",
        "springs/a.md": "# Spring a\n\nBack to [a wheel](../wheels/b.md).\n",
        "springs/part/c.md": "# Spring c\n\nIt has [no link](/part/none.md) to follow.\n",
    }
    write_tree(origin, pages)
    configure('["wheels", "springs"]', site='english-url = "https://x.example/"\n')
    command("sync --no-execute -q")
    command("site --no-execute -q")
    lamps = SiteProject(project, "lamps")
    assert 'content="0; url=wheels/b.html"' in lamps.read("index.html")
    spring = lamps.page("springs/a")
    assert listed(spring)[:3] == ["../wheels/b.html", "#", "part/c.html"]
    # No folder has a conf.py: addresses are what they are here, as with one folder.
    english = links(spring, ".jz-to-english").values()
    assert [*english] == ["https://x.example/springs/a.html"]


@pytest.mark.slow
def test_the_hub_and_a_move_to_another_release(origin: Path) -> None:
    guide = str(FILES["examples/index.md"]).replace("many houses", "all of the houses")
    commit_release(origin, "v2", {**FILES, "examples/index.md": guide})
    other = '[tool.pipeline.upstreams.alone]\nurl = "../origin"\ndocs = "examples"\n'
    configure(TWO, lines='ref = "v1"\n', site=other)
    command("sync --all --no-execute -q")
    told = command("status --all").out
    assert "lamps" in told
    assert "alone" in told
    before = Path("pyproject.toml").read_bytes()
    told = command("upgrade v2 lamps --dry-run").out
    assert "examples/index" in told
    assert "docs/guide" not in told
    assert Path("pyproject.toml").read_bytes() == before
    command("upgrade v2 lamps -q")
    assert "all of the houses" in (ALL / "examples/index.po").read_text("utf-8")


# Paragraphs with code between them, which tells where a copy is the page.
WIRES = CASES["wires"]


def coded(paragraphs: Iterable[str]) -> list[str]:
    """Each with code of its own, which is the same in both languages."""
    return [f"`lamp.wire({n})` {words}" for n, words in enumerate(paragraphs)]


def wires(paragraphs: Iterable[str], *, title: str) -> str:
    blocks = [f"# {title}"]
    for number, paragraph in enumerate(coded(paragraphs)):
        blocks += [paragraph, f"```python\nlamp.wire({number}).check()\n```"]
    return "\n\n".join(blocks) + "\n"


@pytest.mark.slow
def test_a_copy_is_adopted_though_its_page_has_moved(origin: Path) -> None:
    old = wires(WIRES, title="Wires")
    commit_release(origin, "v2", {**FILES, "docs/wires.md": old})
    (origin / "docs" / "wires.md").unlink()
    newer = {"examples/wires.md": old.replace("evenly", "evenly and warmly")}
    commit_release(origin, "v3", {**FILES, **newer})
    configure(TWO, lines='ref = "v3"\n')
    command("sync --no-execute -q")
    Path("copy.md").write_text(wires(WIRES.values(), title="电线"), "utf-8")
    command("adopt copy.md --license CC-BY-4.0 --at v2 --author", "Li Lei")
    adopted = {
        entry.previous or entry.msgid: entry.msgstr
        for entry in read_catalog(ALL / "examples/wires.po").entries
        if entry.msgstr
    }
    pairs = dict(zip(coded(WIRES), coded(WIRES.values()), strict=True))
    assert adopted == {"Wires": "电线", **pairs}
    # Found by itself, too: history is that of both folders.
    audit = "adopt copy.md --audit"
    assert "docs/wires as of" in command(f"{audit} --at v2").out
    assert "examples/wires as of" in command(audit).out
