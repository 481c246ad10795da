"""A run does again only what it must, and what it makes is what a run that knows nothing makes."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from catalog_files import edit_catalog
from folders import read_tree
from msgspec.structs import replace

from pipeline.cli import main
from pipeline.entries import Entry
from pipeline.stages.update.store import store_memory

# The same sentences stand on several pages, and pages link to each other.
PAGES = {
    "mill": "# The mill\n\nIt grinds corn.\n\nSee [the yard](yard.md#the-gate).\n",
    "yard": "# The yard\n\nIt grinds corn.\n\n## The gate\n\nIt is shut at night.\n",
    "loft": "# The loft\n\nIt is shut at night.\n\nBats live in it.\n",
}
NEW = ("It grinds corn.", "Bats live in the loft.", "It is shut at noon.", "Go home.")


@pytest.fixture
def docs(project: Path) -> Path:
    """The sample's docs, made to be these pages."""
    folder = project / "upstream" / "sample"
    shutil.rmtree(folder)
    shutil.rmtree(project / "translations" / "zh_CN" / "sample", ignore_errors=True)
    shutil.rmtree(project / "translations" / "memory" / "zh_CN" / "sample")
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def edits_of(docs: Path, seed: int) -> Iterator[str]:
    """Do something that people do to a project; each time it is said what."""
    chance = random.Random(seed)
    root = docs.parent.parent
    catalogs = root / "translations" / "zh_CN" / "sample"
    memories = root / "translations" / "memory" / "zh_CN" / "sample"
    for number in range(8):
        paths = sorted(catalogs.glob("*.po"))
        path = chance.choice(paths)

        def translated(entry: Entry, number: int = number) -> Entry:
            if entry.obsolete or chance.random() < 0.4:
                return entry
            return replace(entry, msgstr=f"译文{number}。", fuzzy=False, previous=None)

        def emptied(entry: Entry) -> Entry:
            return replace(entry, msgstr="", fuzzy=False, previous=None)

        def doubted(entry: Entry) -> Entry:
            return replace(entry, fuzzy=bool(entry.msgstr))

        memory = memories / path.name
        edited = {
            "translate": (path, translated),
            "empty": (path, emptied),
            "doubt": (path, doubted),
            "memory": (memory, translated),
        }
        removed = {
            "rebuild": path,
            "unstore": memory,
            "state": root / "build" / "zh_CN" / "sample" / "memory.json",
        }
        kind = chance.choice(["translate"] * 3 + [*edited, *removed, "docs"])
        if kind in edited:
            edit_catalog(*edited[kind])
        elif kind in removed:
            removed[kind].unlink(missing_ok=True)
        else:
            page = docs / path.with_suffix(".md").name
            head, *_, last = page.read_text(encoding="utf-8").split("\n\n")
            blocks = [head, *chance.sample(NEW, 2), last]
            page.write_text("\n\n".join(blocks), encoding="utf-8")
        yield f"{number}: {kind} {path.name}, {len(list(memories.glob('*.po')))} stored"


def made(root: Path) -> dict[str, dict[str, bytes]]:
    """Everything that a merge has written for translators and readers."""
    folders = ("translations", "build/zh_CN/sample/merged", "build/zh_CN/sample/blocks")
    return {folder: read_tree(root / folder) for folder in folders}


@pytest.mark.parametrize("seed", range(4))
def test_what_is_known_changes_nothing_of_what_is_made(
    docs: Path, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = docs.parent.parent
    assert main(["sync", "sample", "--no-execute"]) == 0
    for done in edits_of(docs, seed):
        whole = tmp_path / "whole"
        shutil.copytree(root, whole, symlinks=True)
        shutil.rmtree(whole / "build" / "zh_CN" / "sample" / "memo")
        told = []
        for project in (root, whole):
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(project)
                assert main(["pull", "sample"]) == 0, done
                capsys.readouterr()
                # A translation without the link of its message is an error in both.
                code = main(["merge", "sample", "--json"])
                report = json.loads(capsys.readouterr().out)["locales"]["zh_CN"]
                # What was told of a page is told again until it is looked at again.
                counts = {**report["totals"], "findings": None}
                told.append((code, counts))
        assert made(root) == made(whole), done
        assert told[0] == told[1], done
        shutil.rmtree(whole)


def test_only_the_pages_are_read_that_an_edit_can_change(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = docs.parent.parent
    catalogs = root / "translations" / "zh_CN" / "sample"
    assert main(["sync", "sample", "--no-execute"]) == 0
    for path in catalogs.glob("*.po"):
        edit_catalog(
            path, lambda entry: replace(entry, msgstr=f"{entry.msgid}的译文。")
        )
    # All have a translation for every message: what one of them has is of no use to others.
    assert main(["merge", "sample"]) == 0
    capsys.readouterr()
    edit_catalog(
        catalogs / "loft.po", lambda entry: replace(entry, msgstr="又一个译文。")
    )
    assert main(["merge", "sample"]) == 0
    assert "1 page, 1 document," in capsys.readouterr().err
    # A page that lacks one may get it from any other.
    edit_catalog(catalogs / "mill.po", lambda entry: replace(entry, msgstr=""))
    edit_catalog(catalogs / "yard.po", lambda entry: replace(entry, msgstr=""))
    assert main(["merge", "sample"]) == 0
    capsys.readouterr()
    edit_catalog(
        catalogs / "yard.po", lambda entry: replace(entry, msgstr="新的译文。")
    )
    assert main(["merge", "sample"]) == 0
    assert "2 pages, 2 documents" in capsys.readouterr().err
    assert "新的译文。".encode() in (catalogs / "mill.po").read_bytes()


def test_what_somebody_saves_during_a_run_is_for_the_next_one(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = docs.parent.parent
    catalog = root / "translations" / "zh_CN" / "sample" / "loft.po"
    assert main(["sync", "sample", "--no-execute"]) == 0

    def saved_meanwhile(*arguments: Any, **options: Any) -> None:
        edit_catalog(catalog, lambda entry: replace(entry, msgstr="保存得正巧。"))
        store_memory(*arguments, **options)

    edit_catalog(catalog, lambda entry: replace(entry, msgstr="先前的译文。"))
    with monkeypatch.context() as patch:
        patch.setattr("pipeline.stages.update.stage.store_memory", saved_meanwhile)
        assert main(["merge", "sample"]) == 0
    assert main(["merge", "sample"]) == 0
    memory = root / "translations" / "memory" / "zh_CN" / "sample" / "loft.po"
    assert "保存得正巧。".encode() in memory.read_bytes()
