"""What programs are told of changes: the history in git, the Atom feed, ``freshness.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from folders import write_tree
from msgspec.structs import replace
from report_results import LOCK
from repositories import git, init_repository
from site_plans import site_at

from pipeline.adapters import po
from pipeline.adapters.version_control import changes_below
from pipeline.config.settings import SitePolicy
from pipeline.core.memory.record import digest
from pipeline.core.pin.lock import SourceFile
from pipeline.core.results import PageResult
from pipeline.entries import Catalog, Entry
from pipeline.site.exports import ENTRIES, feed
from pipeline.site.last_changes import Counted, count, last_changes
from pipeline.site.manifest import (
    digest_of_file,
    freshness_of_site,
    source_name,
    state_of,
)
from pipeline.site.plan import Site

MEMORY = "translations/memory/zh_CN/demo"
EAST = "2026-03-01T23:00:00+08:00"
WEST = "2026-03-01T16:30:00-07:00"  # later than EAST
ATOM = "{http://www.w3.org/2005/Atom}"
FILES = tuple(SourceFile(path=f"{page}.md", blob="0" * 40) for page in ("a", "b"))


def memory(commit: str = "1", **translations: str) -> bytes:
    """A file of the memory. A text that begins with ``?`` waits for a person."""
    entries = [
        Entry(
            msgid=digest(english),
            msgstr=chinese.removeprefix("?"),
            fuzzy=chinese.startswith("?"),
        )
        for english, chinese in translations.items()
    ]
    header = {"Language": "zh_CN", "X-Upstream-Commit": commit * 40}
    return po.format_catalog(Catalog(header=header, entries=tuple(entries)))


def site_in(root: Path, url: str = "") -> Site:
    return site_at(
        root,
        policy=SitePolicy(title="导览", url=url),
        lock=replace(LOCK, files=FILES),
        pages=[PageResult(page=page) for page in ("a", "b")],
    )


def commit(root: Path, date: str = EAST, **pages: bytes) -> str:
    """Commit a state of the memory; return the commit."""
    write_tree(root / MEMORY, {f"{page}.po": data for page, data in pages.items()})
    return commit_all(root, date)


def commit_all(root: Path, date: str = EAST) -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "x", date=date)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return init_repository(tmp_path / "project")


def test_a_page_changed_when_its_finished_translations_did(root: Path) -> None:
    first = commit(root, a=memory(x="甲", y="乙"), b=memory(z="丙"))
    second = commit(root, WEST, a=memory(x="甲", y="已"), b=memory(z="丙"))
    # The header is another one, a draft came: readers see no difference.
    commit(root, a=memory("2", x="甲", y="已", w="?丁"), b=memory("2", z="丙"))
    found = last_changes(site_in(root))
    assert [
        (change.page, change.commit, change.date, change.added, change.changed) for change in found
    ] == [("a", second, WEST, 0, 1), ("b", first, EAST, 1, 0)]
    assert found[0].author == "A"
    # What was counted is remembered, and the same comes of it.
    assert last_changes(site_in(root)) == found


def test_what_is_not_committed_is_no_change(root: Path) -> None:
    commit(root, a=memory(x="甲"))
    before = last_changes(site_in(root))
    (root / MEMORY / "a.po").write_bytes(memory(x="乙"))
    assert last_changes(site_in(root)) == before


def test_a_change_comes_with_the_merge_that_brought_it(root: Path) -> None:
    commit(root, a=memory(x="甲"))
    git(root, "switch", "-q", "-c", "side")
    commit(root, a=memory(x="乙"))
    git(root, "switch", "-q", "main")
    git(root, "commit", "-q", "--allow-empty", "-m", "other")
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "side", date=WEST)
    (change,) = last_changes(site_in(root))
    assert change.commit == git(root, "rev-parse", "HEAD")
    assert change.date == WEST


def test_where_a_shallow_clone_ends_nothing_is_said(root: Path, tmp_path: Path) -> None:
    commit(root, a=memory(x="甲"), b=memory(z="丙"))
    commit(root, a=memory(x="乙"), b=memory(z="丙"))
    commit(root, a=memory(x="丁"), b=memory(z="丙"))
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=2", root.as_uri(), str(shallow))
    # The older of its two commits would seem to have added all there is.
    assert [change.page for change in last_changes(site_in(shallow))] == ["a"]


def test_missing_pages_and_damaged_versions_are_passed_over(root: Path) -> None:
    commit(root, a=memory(x="甲"), gone=memory(x="甲"))
    commit(root, a=b'msgid "x\n', gone=memory(x="乙"))
    (root / MEMORY / "notes.txt").write_text("words")
    commit_all(root)
    (change,) = last_changes(site_in(root))
    assert (change.page, change.added) == ("a", 1)


def test_without_git_there_is_no_history(tmp_path: Path) -> None:
    assert last_changes(site_in(tmp_path)) == ()
    assert list(changes_below(tmp_path, MEMORY)) == []


def test_names_of_files_may_be_odd(root: Path) -> None:
    write_tree(root / MEMORY, {"a b/中\n文.po": b"x"})
    commit_all(root)
    (change,) = changes_below(root, MEMORY)
    assert change.path == f"{MEMORY}/a b/中\n文.po"
    assert (change.before, change.date) == ("", EAST)


def test_translations_are_counted_by_message() -> None:
    before, after = {"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"}
    assert count(before, after) == Counted(added=1, changed=1, removed=1)
    assert count(before, before) == Counted()


# — the feed


def row(page: str) -> dict[str, Any]:
    return {"page": page, "title": f"<{page}>\x0b", "url": f"{page}.html"}


def change(page: str, date: str) -> dict[str, Any]:
    return {
        "page": page,
        "commit": page * 40,
        "date": date,
        "author": "Li & Lei",
        "added": 3,
        "changed": 2,
        "removed": 1,
    }


def read_feed(data: bytes) -> ElementTree.Element:
    """A feed that has what RFC 4287 asks for (sections 4.1.1 and 4.1.2)."""
    root = ElementTree.fromstring(data)
    assert root.tag == f"{ATOM}feed"
    for element in (root, *root.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            (found,) = element.findall(f"{ATOM}{name}")
            assert found.text
        assert element.findtext(f"{ATOM}author/{ATOM}name")
        relations = [link.get("rel") for link in element.findall(f"{ATOM}link")]
        assert relations.count("alternate") == 1
    return root


def entries_of(data: bytes, name: str) -> list[str]:
    found = read_feed(data).findall(f"{ATOM}entry")
    return [entry.findtext(f"{ATOM}{name}") or "" for entry in found]


def test_the_feed_has_the_newest_change_first(tmp_path: Path) -> None:
    home = "https://us.example.org/"
    site = site_in(tmp_path, home)
    rows = [row("a"), row("b")]
    history = [change("a", EAST), change("b", WEST), change("gone", WEST)]
    data = feed(site, rows, history)
    assert entries_of(data, "title") == ["<b>", "<a>"]
    assert entries_of(data, "summary")[0] == "新增译文 3 段，修改 2 段，撤下 1 段。"
    assert read_feed(data).findtext(f"{ATOM}updated") == WEST
    links = {link.get("href") for link in read_feed(data).iter(f"{ATOM}link")}
    assert links == {f"{home}{name}" for name in ("", "atom.xml", "a.html", "b.html")}
    # An id names a change for ever: wherever the site lies, in whatever order it is told.
    elsewhere = feed(site_in(tmp_path), rows[::-1], history[::-1])
    assert entries_of(elsewhere, "id") == entries_of(data, "id")
    assert len({*entries_of(data, "id")}) == 2
    later = [change("a", EAST) | {"commit": "9" * 40}]
    assert entries_of(feed(site, rows, later), "id")[0] not in entries_of(data, "id")


def test_a_feed_without_changes_has_the_date_of_the_docs(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    root = read_feed(feed(site, [row("a")], []))
    assert root.findtext(f"{ATOM}updated") == LOCK.date
    undated = replace(site, lock=replace(LOCK, date=""), locale="de")
    root = read_feed(feed(undated, [], []))
    assert root.findtext(f"{ATOM}updated") == "1970-01-01T00:00:00Z"
    assert root.findtext(f"{ATOM}author/{ATOM}name") == "Translators of 导览"


def test_a_feed_is_bounded(tmp_path: Path) -> None:
    pages = [f"p{number}" for number in range(ENTRIES + 20)]
    history = [change(page, EAST) for page in pages]
    data = feed(site_in(tmp_path), list(map(row, pages)), history)
    assert len(entries_of(data, "title")) == ENTRIES


# — freshness.json


@pytest.mark.parametrize(
    ("counts", "state"),
    [
        ({"translated": 0, "stale": 3, "english": 1}, "english"),
        ({"translated": 1, "stale": 1, "english": 1}, "stale"),
        ({"translated": 1, "stale": 0, "english": 1}, "partial"),
        ({"translated": 1, "stale": 0, "english": 0}, "translated"),
        ({"translated": 0, "stale": 0, "english": 0}, "english"),
    ],
)
def test_a_page_has_one_state(counts: Mapping[str, int], state: str) -> None:
    assert state_of(counts) == state


def test_the_facts_of_a_page(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    counts = {"translated": 1, "stale": 1, "unreviewed": 0, "draft": 0, "english": 0}
    diff = [["kept", "Use "], ["removed", "it"], ["added", "this"], ["kept", "."]]
    record = {
        "source": "a.rst",
        "blob": "b" * 40,
        "downloads": [],
        "included": [],
        "since": {
            "counts": counts,
            "authors": [],
            "blocks": [{"id": "9" * 32, "state": "stale", "number": 1, "diff": diff}],
        },
    }
    write_tree(site.sources / "_jz" / "pages", {"a.json": json.dumps(record)})
    write_tree(site.target, {source_name("a"): b"words", "other": b""})
    told = freshness_of_site(site, [row("a"), row("b")], [change("a", EAST)])
    assert told["schema"] == 1
    assert told["upstream"]["commit"] == LOCK.commit
    # The other page could not be read, and has no record.
    (page,) = told["pages"]
    assert page["state"] == "stale"
    assert page["blocks"] == [
        {"id": "9" * 32, "state": "stale", "was": "Use it.", "now": "Use this."}
    ]
    assert page["changed"]["date"] == EAST
    assert "page" not in page["changed"]
    assert page["files"] == {source_name("a"): digest_of_file(b"words")}
    assert freshness_of_site(site, [row("a")], [])["pages"][0]["changed"] is None
