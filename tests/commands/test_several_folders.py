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

import polib
import pytest
from bs4 import BeautifulSoup, Tag
from cases import read_tables
from folders import read_tree, write_tree
from notebooks import code, notebook, prose
from repositories import commit_release, git, init_repository

from pipeline.cli import main

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


def configure(project: Path, docs: str, *, lines: str = "", site: str = "") -> None:
    """Write a configuration whose upstream beside the project has its docs in ``docs``."""
    project.mkdir(exist_ok=True)
    (project / "pyproject.toml").write_text(
        f'[tool.pipeline.upstreams.lamps]\nurl = "../origin"\ndocs = {docs}\n{lines}'
        f"[tool.pipeline.upstreams.lamps.site]\n{site}"
    )


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """The repository, with the tag v1."""
    folder = init_repository(tmp_path / "origin")
    commit_release(folder, "v1", FILES)
    return folder


@pytest.fixture
def project(tmp_path: Path, origin: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project about both folders. It is the current folder."""
    configure(tmp_path / "project", TWO)
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def catalog(project: Path, page: str) -> Path:
    return project / "translations" / "zh_CN" / "lamps" / f"{page}.po"


def pages_in(folder: Path) -> list[str]:
    """The catalogues or memories in a folder, by page."""
    return sorted(
        path.relative_to(folder).with_suffix("").as_posix()
        for path in folder.rglob("*.po")
    )


def translate(path: Path, words: str, msgstr: str, *, fuzzy: bool = False) -> None:
    """Translate the entry of a catalogue whose English begins with ``words``."""
    entries = polib.pofile(str(path), wrapwidth=0)
    (entry,) = (one for one in entries if one.msgid.startswith(words))
    entry.msgstr = msgstr
    if fuzzy:
        entry.flags.append("fuzzy")
    entries.save()


def said(folder: Path) -> dict[str, set[tuple[str, str, bool, bool]]]:
    """What is translated in a folder of catalogues, by name of the page without its folder."""
    found: dict[str, set[tuple[str, str, bool, bool]]] = {}
    for page in pages_in(folder):
        for entry in polib.pofile(str(folder / f"{page}.po")):
            if entry.msgstr:
                row = (entry.msgid, entry.msgstr, entry.fuzzy, bool(entry.obsolete))
                found.setdefault(page.removeprefix("docs/"), set()).add(row)
    return found


@pytest.mark.parametrize("is_plain", [False, True], ids=["git", "plain"])
def test_pages_are_called_by_their_path_in_the_repository(
    is_plain: bool, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if is_plain:
        shutil.rmtree(project.parent / "origin" / ".git")
    assert main(["sync", "--no-execute", "-q"]) == 0
    assert pages_in(project / "translations" / "zh_CN" / "lamps") == PAGES
    pulled = read_tree(project / "upstream" / "lamps")
    assert sorted(pulled) == sorted(
        path for path in FILES if path.startswith(("docs/", "examples/"))
    )
    lock = json.loads((project / "upstream" / "lamps.lock").read_bytes())
    assert lock["docs"] == ["docs", "examples"]
    # What is merged without a translation is upstream's, byte for byte.
    merged = read_tree(project / "build" / "zh_CN" / "lamps" / "merged")
    assert {path: pulled[path] for path in merged} == merged
    assert sorted(path.rpartition(".")[0] for path in merged) == PAGES
    capsys.readouterr()
    assert main(["sync", "--no-execute"]) == 0
    assert "nothing changed for zh_CN since the last run" in capsys.readouterr().err
    assert main(["sync", "--no-execute", "--pages", "examples/*"]) == 0
    assert "2 pages, 2 documents" in capsys.readouterr().err


@pytest.fixture
def translated(project: Path, origin: Path) -> Path:
    """A project about ``docs`` alone, of v1: translated in part, with all kinds of entries."""
    git(project.parent, "init", "-q", "project")
    (project / ".gitignore").write_text(
        "/upstream/*\n!/upstream/*.lock\n/translations/*/*/\n"
        "!/translations/memory/*/\n/build/\n"
    )
    older = {
        **FILES,
        "docs/guide.md": "# The guide\n\nA lamp that nobody switches on stays dark for ever.\n\n"
        "Turn the switch, and wait until the old lamp shines brightly.\n\nShort.\n",
    }
    commit_release(origin, "v0", older)
    configure(project, ONE, lines='ref = "v0"\n')
    assert main(["sync", "--no-execute", "-q"]) == 0
    for page, words, msgstr in (
        ("index", "Lamps", "灯"),
        ("guide", "The guide", "指南"),
        ("guide", "A lamp that", "没有人打开的灯永远是暗的。"),
        ("guide", "Turn the", "打开开关，等到旧灯亮起来。"),
        ("guide", "Short", "短。"),
    ):
        translate(catalog(project, page), words, msgstr)
    deep = catalog(project, "deep/page")
    translate(deep, "Deep below", "灯下深处有许多电线。", fuzzy=True)
    # Of v1 one of them is older English now, and one is nowhere.
    configure(project, ONE, lines='ref = "v1"\n')
    assert main(["sync", "--no-execute", "-q"]) == 0
    git(project, "add", "-A")
    git(project, "commit", "-qm", "translated")
    return project


@pytest.mark.slow
@pytest.mark.parametrize("is_fresh", [False, True], ids=["same clone", "fresh clone"])
def test_no_translation_is_lost_when_folders_come_and_go(
    is_fresh: bool,
    translated: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = translated
    catalogs = Path("translations/zh_CN/lamps")
    memories = Path("translations/memory/zh_CN/lamps")
    before = said(catalogs)
    kinds = {(fuzzy, gone) for rows in before.values() for *_, fuzzy, gone in rows}
    assert kinds == {(False, False), (True, False), (False, True)}
    memory = read_tree(memories)
    for docs in (TWO, ONE):
        if is_fresh:
            clone = project.with_name(f"{project.name}-")
            git(project.parent, "clone", "-q", str(project), str(clone))
            project = clone
            monkeypatch.chdir(project)
        configure(project, docs, lines='ref = "v1"\n')
        capsys.readouterr()
        assert main(["sync", "--no-execute"]) == 0
        told = capsys.readouterr()
        assert "warning" not in told.out + told.err
        folder = "docs/" if docs == TWO else ""
        assert said(catalogs) == before
        expected = [f"{folder}{page}" for page in ("deep/page", "guide", "index")]
        if docs == TWO:
            expected += ["examples/first", "examples/index"]
        assert pages_in(catalogs) == pages_in(memories) == expected
        assert main(["memory", "verify", "-q"]) == 0
        assert main(["status"]) == 0
        git(project, "add", "-A")
        git(project, "commit", "-qm", docs)
    # All is as it was, but for the commit that pages were last looked at.
    assert without_commit(read_tree(memories)) == without_commit(memory)


def without_commit(files: dict[str, bytes]) -> dict[str, bytes]:
    """Memories without the lines that say of which commit they are."""
    return {
        path: re.sub(rb'"X-Upstream-(Ref|Commit): [^"]*"\n', b"", data)
        for path, data in files.items()
    }


def test_a_folder_that_is_not_there_is_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sync", "--no-execute", "-q"]) == 0
    before = read_tree(project)
    configure(project, '["docs", "tutorials"]')
    assert main(["sync", "--no-execute"]) == 3
    told = capsys.readouterr().err
    assert "has no folder 'tutorials' at commit" in told
    assert "Folders there: docs, examples. Set 'docs' in the configuration." in told
    # Nor is anything built of folders that are configured no more.
    assert main(["build", "--no-execute"]) == 3
    told = capsys.readouterr().err
    assert "is of the folders docs, examples, but the configuration says" in told
    after = read_tree(project)
    assert {path: after[path] for path in before if path != "pyproject.toml"} == {
        path: before[path] for path in before if path != "pyproject.toml"
    }


def test_the_markdown_is_told_by_what_lies_beside_either_folder(
    project: Path, origin: Path
) -> None:
    kettles: dict[str, bytes | str] = {
        "site/mkdocs.yml": "site_name: Kettles\n",
        "site/docs/index.md": '# Kettles\n\n!!! note "Mind the steam"\n\n    It burns.\n',
        "site/more/index.md": "# More\n\nAnd [back](../docs/index.md).\n",
    }
    commit_release(origin, "v2", kettles)
    configure(project, '["site/more", "site/docs"]', lines='ref = "v2"\n')
    assert main(["sync", "--no-execute", "-q"]) == 0
    assert 'msgid "Mind the steam"' in catalog(project, "docs/index").read_text("utf-8")
    assert pages_in(project / "translations" / "zh_CN" / "lamps") == [
        "docs/index",
        "more/index",
    ]


SITE = """\
english-url = "https://lamps.example/en/"
hero = "灯的文档"
"""
PAGE_URL = 'page-url = "https://github.com/x/lamps/blob/{commit}/{path}"\n'


def article(site: Path, page: str) -> Tag:
    soup = BeautifulSoup((site / f"{page}.html").read_text("utf-8"), "html.parser")
    found = soup.find("article")
    assert isinstance(found, Tag)
    return found


def links(html: Tag) -> dict[str, str]:
    """Where the links of a page lead, by their words."""
    return {link.get_text(strip=True): str(link["href"]) for link in html.select("a")}


def commit_translated(project: Path) -> None:
    translate(catalog(project, "docs/index"), "Lamps", "灯")
    translate(catalog(project, "examples/index"), "Bright parts", "明亮的部件")
    assert main(["build", "-q"]) == 0
    ignored = "build/\nupstream/*/\ntranslations/zh_CN/\n"
    (init_repository(project) / ".gitignore").write_text(ignored, encoding="utf-8")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "Translate")


@pytest.mark.slow
@pytest.mark.kernel
def test_a_site_of_several_folders(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(project, TWO, lines=PAGE_URL, site=SITE)
    assert main(["sync", "-q"]) == 0
    commit_translated(project)
    capsys.readouterr()
    assert main(["site"]) == 0
    assert "sphinx     no warnings" in capsys.readouterr().err
    site = project / "build" / "site" / "lamps"
    home = article(site, "docs/index")
    there = links(home)
    # From one tree into the other, from the top of the own one, and out of both.
    assert there["the first example"] == "../examples/first.html"
    assert there["all parts"] == "../examples/index.html#bright-parts"
    assert (there["the guide"], there["The guide"]) == ("guide.html", "guide.html")
    lock = json.loads((project / "upstream" / "lamps.lock").read_bytes())
    blob = f"https://github.com/x/lamps/blob/{lock['commit']}"
    assert there["licence"] == f"{blob}/LICENSE.txt"
    assert there["docs/index.md"] == f"{blob}/docs/index.md"
    words = home.get_text()
    assert "trained lamps" in words
    assert "Words of the examples folder." in words
    assert "灯的文档" in words
    for image in home.select("img"):
        assert (site / "docs" / str(image["src"])).read_bytes() == DOT
    assert links(article(site, "docs/deep/page"))["The guide"] == "../guide.html"
    first = links(article(site, "examples/first"))
    assert first["the guide"] == "../docs/guide.html"
    assert "42" in article(site, "examples/first").get_text()
    assert article(site, "examples/index").find(id="bright-parts") is not None
    # The navigation has both trees, though the contents of the one do not lead to the other.
    soup = BeautifulSoup(
        (site / "docs" / "guide.html").read_text("utf-8"), "html.parser"
    )
    listed = [
        str(link["href"]) for link in soup.select(".bd-sidebar-primary nav.bd-links a")
    ]
    assert listed[:5] == [
        "index.html",
        "#",
        "deep/page.html",
        "../examples/index.html",
        "../examples/first.html",
    ]
    # Upstream's own site begins in docs: only of its pages the English address is known.
    english = soup.select(".jz-to-english")
    assert [link["href"] for link in english] == ["https://lamps.example/en/guide.html"]
    example = (site / "examples" / "index.html").read_text("utf-8")
    assert "lamps.example/en/examples" not in example
    assert "lamps.example/en/index.html" in example
    _check_addresses(site)
    assert main(["verify-site", str(site)]) == 0
    capsys.readouterr()
    assert main(["site"]) == 0
    assert "nothing changed for the site in zh_CN" in capsys.readouterr().err


@pytest.mark.slow
def test_a_site_of_folders_without_contents(project: Path) -> None:
    origin = project.parent / "origin"
    shutil.rmtree(origin)
    pages = {
        "wheels/b.md": "# Wheel b\n\nSee [the spring](../springs/a.md).\n",
        "springs/a.md": "# Spring a\n\nBack to [a wheel](../wheels/b.md).\n",
        "springs/part/c.md": "# Spring c\n\nIt has [no link](/part/none.md) to follow.\n",
    }
    write_tree(origin, pages)
    configure(
        project, '["wheels", "springs"]', site='english-url = "https://x.example/"\n'
    )
    assert main(["sync", "--no-execute", "-q"]) == 0
    assert main(["site", "--no-execute", "-q"]) == 0
    site = project / "build" / "site" / "lamps"
    first = (site / "index.html").read_text("utf-8")
    assert 'content="0; url=wheels/b.html"' in first
    soup = BeautifulSoup((site / "springs/a.html").read_text("utf-8"), "html.parser")
    listed = [
        str(link["href"]) for link in soup.select(".bd-sidebar-primary nav.bd-links a")
    ]
    assert listed[:3] == ["../wheels/b.html", "#", "part/c.html"]
    # No folder has a conf.py: addresses are what they are here, as with one folder.
    english = soup.select(".jz-to-english")
    assert [link["href"] for link in english] == ["https://x.example/springs/a.html"]


def _check_addresses(site: Path) -> None:
    """Old addresses, and those of the English docs, lead to pages; assets are no pages."""
    for old, new in (
        ("index", "docs/index"),
        ("guide", "docs/guide"),
        ("deep/page", "../docs/deep/page"),
        ("old/start", "../docs/guide"),
        ("docs/old/start", "../guide"),
    ):
        html = (site / f"{old}.html").read_text("utf-8")
        assert f'http-equiv="refresh" content="0; url={new}.html"' in html
    assert (site / "docs" / "_static" / "dot.png").read_bytes() == DOT
    assert not list(site.rglob("note.html"))
    missing = (site / "404.html").read_text("utf-8")
    assert 'const folder = "docs/";' in missing


@pytest.mark.slow
def test_the_hub_and_a_move_to_another_release(
    project: Path, origin: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = str(FILES["examples/index.md"]).replace("many houses", "all of the houses")
    commit_release(origin, "v2", {**FILES, "examples/index.md": guide})
    other = '[tool.pipeline.upstreams.alone]\nurl = "../origin"\ndocs = "examples"\n'
    configure(project, TWO, lines='ref = "v1"\n')
    configuration = project / "pyproject.toml"
    configuration.write_text(configuration.read_text() + other)
    assert main(["sync", "--all", "--no-execute", "-q"]) == 0
    assert main(["status", "--all"]) == 0
    told = capsys.readouterr().out
    assert "lamps" in told
    assert "alone" in told
    before = configuration.read_bytes()
    assert main(["upgrade", "v2", "lamps", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "examples/index" in told
    assert "docs/guide" not in told
    assert configuration.read_bytes() == before
    assert main(["upgrade", "v2", "lamps", "-q"]) == 0
    assert "all of the houses" in catalog(project, "examples/index").read_text("utf-8")


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
def test_a_copy_is_adopted_though_its_page_has_moved_to_another_folder(
    project: Path, origin: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = wires(WIRES, title="Wires")
    commit_release(origin, "v2", {**FILES, "docs/wires.md": old})
    (origin / "docs" / "wires.md").unlink()
    newer = {"examples/wires.md": old.replace("evenly", "evenly and warmly")}
    commit_release(origin, "v3", {**FILES, **newer})
    configure(project, TWO, lines='ref = "v3"\n')
    assert main(["sync", "--no-execute", "-q"]) == 0
    copy = project / "copy.md"
    copy.write_text(wires(WIRES.values(), title="电线"), "utf-8")
    words = ["--author", "Li Lei", "--license", "CC-BY-4.0"]
    assert main(["adopt", "copy.md", *words, "--at", "v2"]) == 0
    adopted = {
        entry.previous_msgid or entry.msgid: entry.msgstr
        for entry in polib.pofile(str(catalog(project, "examples/wires")))
        if entry.msgstr
    }
    pairs = dict(zip(coded(WIRES), coded(WIRES.values()), strict=True))
    assert adopted == {"Wires": "电线", **pairs}
    # Found by itself, too: history is that of both folders.
    for words, page in ((["--at", "v2"], "docs/wires"), ([], "examples/wires")):
        capsys.readouterr()
        assert main(["adopt", "copy.md", "--audit", *words]) == 0
        assert f"{page} as of" in capsys.readouterr().out
