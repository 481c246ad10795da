"""Merge leaves pages alone whose catalogue and documents are those of the last run.

It says of them what it said then.
"""

from __future__ import annotations

import json
import shutil
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from catalog_files import read_catalog
from folders import read_tree

from pipeline.cli import main
from pipeline.core.pin.lock import parse_lock
from pipeline.paths import Paths

pytestmark = pytest.mark.slow

LOCALE = "zh_CN"


@pytest.fixture
def paths(synced: Path) -> Paths:
    return Paths(synced, "sample")


@pytest.fixture(scope="module")
def anew(synced_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is said of the pages after an edit if nothing is known of them."""
    paths = Paths(tmp_path_factory.mktemp("anew") / "project", "sample")
    shutil.copytree(synced_sample, paths.root, symlinks=True)
    edit(paths, "grad")
    with chdir(paths.root):
        assert run() == 0
        shutil.rmtree(paths.build)
        assert run() == 0
    return report(paths)


def run() -> int:
    return main(["merge", "sample", "--locale", LOCALE, "-q"])


def report(paths: Paths) -> dict[str, Any]:
    rows = json.loads(paths.report.read_bytes())["locales"][LOCALE]["pages"]
    return {row["page"]: row for row in rows}


def merged(paths: Paths) -> dict[str, bytes]:
    return read_tree(paths.merged(LOCALE))


def edit(paths: Paths, page: str, *, suffix: str = "（改）") -> None:
    """Put some words behind the first translated paragraph of a page."""
    path = paths.catalog(LOCALE, page)
    entry = next(
        entry
        for entry in read_catalog(path).entries
        if entry.is_translated and entry.notes[0].startswith("paragraph")
    )
    text = path.read_text(encoding="utf-8")
    end = entry.msgstr[-6:]
    assert text.count(f'{end}"\n') == 1
    path.write_text(text.replace(f'{end}"\n', f'{end}{suffix}"\n'), encoding="utf-8")


def pages(paths: Paths) -> list[str]:
    """All pages, also those of the reference, which reports count apart."""
    folder = paths.catalogs(LOCALE)
    files = folder.rglob("*.po")
    return sorted(path.relative_to(folder).with_suffix("").as_posix() for path in files)


def test_after_an_edit_all_is_as_if_merged_for_the_first_time(paths: Paths) -> None:
    edit(paths, "grad")
    assert run() == 0
    after, said = merged(paths), report(paths)
    assert sum("（改）".encode() in data for data in after.values()) >= 1
    shutil.rmtree(paths.build)
    assert run() == 0
    assert (merged(paths), report(paths)) == (after, said)


def memo(paths: Paths) -> Path:
    return paths.memo(LOCALE, "merged")


def test_what_is_known_is_not_made_again(paths: Paths) -> None:
    known = json.loads(memo(paths).read_bytes())
    known["index"][1]["row"]["title"] = "known"
    memo(paths).write_text(json.dumps(known), encoding="utf-8")
    edit(paths, "grad")
    assert run() == 0
    assert report(paths)["index"]["title"] == "known"
    edit(paths, "index")
    assert run() == 0
    assert report(paths)["index"]["title"] != "known"


def test_a_merged_file_that_was_changed_is_made_again(paths: Paths) -> None:
    before = merged(paths)
    name = next(name for name in before if name.startswith("index"))
    (paths.merged(LOCALE) / name).write_bytes(b"damaged")
    edit(paths, "grad")
    assert run() == 0
    assert merged(paths)[name] == before[name]


@pytest.mark.parametrize("damaged", ["[]", '{"index": ["", {"row": {}}]}'])
@pytest.mark.parametrize("kind", ["merged", "updated", "catalogs"])
def test_a_memo_that_cannot_be_used_is_made_anew(
    paths: Paths, anew: dict[str, Any], kind: str, damaged: str
) -> None:
    paths.memo(LOCALE, kind).write_text(damaged, encoding="utf-8")
    edit(paths, "grad")
    assert run() == 0
    assert sorted(json.loads(paths.memo(LOCALE, kind).read_bytes())) == pages(paths)
    assert report(paths) == anew


def test_another_commit_changes_the_attribution_only(paths: Paths) -> None:
    before, lock = merged(paths), paths.lock.read_text(encoding="utf-8")
    commit = parse_lock(lock.encode(), where="lock").commit
    paths.lock.write_text(lock.replace(commit, "5" * 40), encoding="utf-8")
    assert run() == 0
    after = merged(paths)
    assert before.keys() == after.keys()
    assert before != after
    for path, data in after.items():
        assert data.replace(b"5" * 12, commit[:12].encode()) == before[path]
    shutil.rmtree(paths.build)
    assert run() == 0
    assert merged(paths) == after


def test_what_was_wrong_with_a_page_is_said_again(paths: Paths) -> None:
    edit(paths, "index", suffix="[断](")
    first = run()
    said = report(paths)["index"]
    edit(paths, "grad")
    assert (run(), report(paths)["index"]) == (first, said)
    assert said["findings"]
