"""A run does again only what it must, and what it makes is what a run that knows nothing makes."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from catalog_files import edit_catalog
from folders import read_tree, write_tree
from in_process import command
from msgspec.structs import replace

from pipeline.entries import Entry
from pipeline.stages.update.store import store_memory

# The same sentences stand on several pages, and pages link to each other.
PAGES = {
    "mill.md": "# The mill\n\nIt grinds corn.\n\nSee [the yard](yard.md#the-gate).\n",
    "yard.md": "# The yard\n\nIt grinds corn.\n\n## The gate\n\nIt is shut at night.\n",
    "loft.md": "# The loft\n\nIt is shut at night.\n\nBats live in it.\n",
}
CATALOGS = Path("translations/zh_CN/sample")
MEMORIES = Path("translations/memory/zh_CN/sample")
NEW = ("It grinds corn.", "Bats live in the loft.", "It is shut at noon.", "Go home.")


@pytest.fixture
def root(project: Path) -> Path:
    """The sample, whose docs are these pages."""
    for folder in (CATALOGS, MEMORIES, Path("upstream/sample")):
        shutil.rmtree(folder)
    write_tree(Path("upstream/sample"), PAGES)
    command("sync sample --no-execute")
    return project


def edits_of(chance: random.Random) -> Iterator[str]:
    """Do something that people do to a project; each time it is said what."""
    for number in range(8):
        name = chance.choice(sorted(path.name for path in CATALOGS.glob("*.po")))

        def translated(entry: Entry, number: int = number) -> Entry:
            if entry.obsolete or chance.random() < 0.4:
                return entry
            return replace(entry, msgstr=f"译文{number}。", fuzzy=False, previous=None)

        def emptied(entry: Entry) -> Entry:
            return replace(entry, msgstr="", fuzzy=False, previous=None)

        def doubted(entry: Entry) -> Entry:
            return replace(entry, fuzzy=bool(entry.msgstr))

        edited = {
            "translate": (CATALOGS / name, translated),
            "empty": (CATALOGS / name, emptied),
            "doubt": (CATALOGS / name, doubted),
            "memory": (MEMORIES / name, translated),
        }
        removed = {
            "rebuild": CATALOGS / name,
            "unstore": MEMORIES / name,
            "state": Path("build/zh_CN/sample/memory.json"),
        }
        kind = chance.choice(["translate"] * 3 + [*edited, *removed, "docs"])
        if kind in edited:
            edit_catalog(*edited[kind])
        elif kind in removed:
            removed[kind].unlink(missing_ok=True)
        else:
            page = Path("upstream/sample", name).with_suffix(".md")
            head, *_, last = page.read_text(encoding="utf-8").split("\n\n")
            blocks = [head, *chance.sample(NEW, 2), last]
            page.write_text("\n\n".join(blocks), encoding="utf-8")
        yield f"{number}: {kind} {name}"


def made(root: Path) -> dict[str, object]:
    """Merge, and return all that is written for translators and readers, and the counts."""
    command("pull sample", root=root)
    # A translation without the link of its message is an error.
    told = command("merge sample --json", root=root, code=None)
    # What was told of a page is told again until it is looked at again.
    counts = {**told.json["locales"]["zh_CN"]["totals"], "findings": None}
    folders = ("translations", "build/zh_CN/sample/merged", "build/zh_CN/sample/blocks")
    trees = {folder: read_tree(root / folder) for folder in folders}
    return {**trees, "code": told.code, "counts": counts}


@pytest.mark.parametrize("seed", range(4))
def test_memos_change_no_result(root: Path, seed: int, tmp_path: Path) -> None:
    for done in edits_of(random.Random(seed)):
        whole = tmp_path / "whole"
        shutil.copytree(root, whole, symlinks=True)
        shutil.rmtree(whole / "build" / "zh_CN" / "sample" / "memo")
        assert made(root) == made(whole), done
        shutil.rmtree(whole)


def translate(page: str, text: str) -> None:
    """Give all messages of a page a translation: ``text``, with the English for "{}"."""
    edit_catalog(
        CATALOGS / f"{page}.po",
        lambda entry: replace(entry, msgstr=text.format(entry.msgid)),
    )


def test_only_the_pages_are_read_that_an_edit_can_change(root: Path) -> None:
    for page in ("mill", "yard", "loft"):
        translate(page, "{}的译文。")
    # All have a translation for every message: what one of them has is of no use to others.
    command("merge sample")
    translate("loft", "又一个译文。")
    assert "1 page, 1 document," in command("merge sample").err
    # A page that lacks one may get it from any other.
    translate("mill", "")
    translate("yard", "")
    command("merge sample")
    translate("yard", "新的译文。")
    assert "2 pages, 2 documents" in command("merge sample").err
    assert "新的译文。".encode() in (CATALOGS / "mill.po").read_bytes()


def test_a_save_during_a_run_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def saved_meanwhile(*arguments: Any, **options: Any) -> None:
        translate("loft", "保存得正巧。")
        store_memory(*arguments, **options)

    translate("loft", "先前的译文。")
    with monkeypatch.context() as patch:
        patch.setattr("pipeline.stages.update.stage.store_memory", saved_meanwhile)
        command("merge sample")
    command("merge sample")
    assert "保存得正巧。".encode() in (MEMORIES / "loft.po").read_bytes()
