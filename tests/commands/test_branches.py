"""P12: whatever git does to the memory, the next sync follows it.

Each test is a way of working with branches, on real repositories. After every step the catalogues
and the memory are those of a fresh clone, nothing is said, and git sees no difference.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from branch_project import FIRST, Clone
from folders import read_tree
from in_process import command
from repositories import git, make_origin

from pipeline.stages.update import stage

PAGES = ("cellar", "garage", "attic")


def add(work: Clone, branch: str, page: str, word: str = "", text: str = "") -> None:
    """Translate ``page``, or a paragraph of it, on a new branch from main, and commit that."""
    work.branch(branch)
    work.assert_follows()
    work.store(page, word, text)


def whole(work: Clone) -> list[str]:
    """Return the translated pages, of which no other has any translation."""
    found = [page for page in PAGES if all(work.texts(page).values())]
    assert [page for page in PAGES if any(work.texts(page).values())] == found
    return found


# A branch that git checks out while a run is at work


@pytest.mark.parametrize("step", ["open_memory", "update_catalog_files", "store_memory"])
def test_switch_during_a_run(work: Clone, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    add(work, "other", "cellar", "glue", "那边的胶水")
    work.visit("main")
    work.translate("garage", "saw", "没有存的锯子")
    run_step = getattr(stage, step)

    def switch(*words: object, **named: object) -> object:
        work.switch("other")
        return run_step(*words, **named)

    with monkeypatch.context() as patch:
        patch.setattr(stage, step, switch)
        work.sync()
    assert work.sync() == 0
    assert work.texts("cellar")["glue"] == "那边的胶水"
    assert work.texts("garage")["saw"] == "没有存的锯子"


# Branches whose work is stored and committed


@pytest.fixture(scope="module")
def template(begun: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A project with a branch for each of two pages, and one that translates three in turn."""
    work = begun.copy(tmp_path_factory.mktemp("branched") / "project")
    for branch, pages in (("one", ["cellar"]), ("two", ["garage"]), ("three", PAGES)):
        work.branch(branch)
        for page in pages:
            work.store(page)
    work.switch("main")
    return work


# By name, what git is told, and the pages that are translated then.
STEPS = {
    "two pull requests": {
        "merge --no-ff one": "cellar",
        "merge --no-ff two": "cellar garage",
    },
    "in the other order": {
        "merge --no-ff two": "garage",
        "merge --no-ff one": "cellar garage",
    },
    "a revert and its revert": {
        "checkout one": "cellar",
        "revert --no-edit HEAD": "",
        "revert --no-edit one": "cellar",
    },
    "an older commit and back": {
        "checkout --detach three~2": "cellar",
        "checkout main": "",
        "checkout three": "cellar garage attic",
    },
    "a reset and back": {
        "reset --hard three": "cellar garage attic",
        "reset --hard HEAD~1": "cellar garage",
        "reset --hard HEAD@{1}": "cellar garage attic",
    },
    "cherry-picks": {
        "cherry-pick three~1": "garage",
        "cherry-pick three": "garage attic",
    },
    "a patch": {
        "format-patch -1 two": "",
        "am 0001-Translate-of-garage.patch": "garage",
    },
    "a rebase": {"checkout two": "garage", "rebase one": "cellar garage"},
}


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_git_steps(template: Clone, tmp_path: Path, steps: dict[str, str]) -> None:
    work = template.copy(tmp_path / "project")
    (work.root / ".git/info/exclude").write_text("*.patch\n")
    for words, pages in steps.items():
        work.git(*words.split())
        work.assert_follows()
        assert whole(work) == pages.split(), words


def test_switches_without_what_was_built(template: Clone, tmp_path: Path) -> None:
    work = template.copy(tmp_path / "project")
    for branch, pages in (("one", ["cellar"]), ("main", []), ("two", ["garage"])):
        shutil.rmtree(work.root / "build")
        work.switch(branch)
        work.assert_follows()
        assert whole(work) == pages


def test_squash_merge_and_a_branch_that_goes_on_from_before_it(work: Clone) -> None:
    add(work, "one", "cellar")
    work.store("garage", "saw", "锯子")
    work.switch("main")
    work.git("merge", "-q", "--squash", "one")
    # Nobody has committed it yet, and the catalogues follow all the same.
    assert work.sync() == 0
    assert work.codes() == []
    work.commit("All of one")
    work.assert_follows()
    work.switch("one")
    work.store("garage", "drill", "钻头")
    work.git("merge", "-q", "-m", "Merge main", "main")
    work.assert_follows()
    assert work.texts("garage")["drill"] == "钻头"


def test_rebase_that_stops_to_be_edited_with_a_sync_at_every_stop(work: Clone) -> None:
    add(work, "one", "cellar", "glue", "胶水")
    work.store("cellar", "saw", "锯子")
    work.store("garage", "drill", "钻头")
    work.switch("main")
    work.store("attic")
    work.switch("one")
    work.git("-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "main")
    for saw, drill in (("", ""), ("锯子", ""), ("锯子", "钻头")):
        work.assert_follows()
        assert (work.texts("cellar")["saw"], work.texts("garage")["drill"]) == (
            saw,
            drill,
        )
        work.git("rebase", "--continue")
    work.assert_follows()


def test_amended_commit(work: Clone) -> None:
    work.store("cellar", "glue", "初稿")
    work.save("cellar", "glue", "定稿")
    work.git("commit", "-q", "-a", "--amend", "--no-edit")
    work.assert_follows()
    assert work.texts("cellar")["glue"] == "定稿"


def test_stash_that_is_popped_on_another_branch(work: Clone) -> None:
    add(work, "one", "cellar", "glue", "胶水")
    work.save("cellar", "saw", "锯子")
    work.git("stash", "-q")
    add(work, "two", "garage")
    work.git("stash", "pop", "-q")
    assert work.sync() == 0
    texts = work.texts("cellar")
    assert (texts["saw"], texts["glue"]) == ("锯子", "")
    work.commit("The saw")
    work.assert_follows()


def test_worktree(work: Clone) -> None:
    add(work, "one", "cellar")
    work.git("worktree", "add", "-q", "../second", "main")
    second = Clone(work.root.with_name("second"))
    second.assert_follows()
    second.git("checkout", "-q", "-b", "two")
    second.store("garage")
    second.git("merge", "-q", "-m", "Merge one", "one")
    second.assert_follows()
    work.assert_follows()
    work.git("merge", "-q", "two")
    work.assert_follows()
    assert whole(work) == ["cellar", "garage"]


def test_shallow_clone_that_pulls(work: Clone) -> None:
    add(work, "one", "cellar")
    other = Clone(work.root.with_name("shallow"))
    clone = ("clone", "-q", "--depth=1", "-b", "main", f"file://{work.root}")
    git(work.root.parent, *clone, str(other.root))
    other.assert_follows()
    other.git("fetch", "-q", "--depth=1", "origin", "one:one")
    for branch, pages in (("one", ["cellar"]), ("main", [])):
        other.switch(branch)
        other.assert_follows()
        assert whole(other) == pages


def test_pull_with_rebase_between_two_people(work: Clone) -> None:
    work.git("config", "receive.denyCurrentBranch", "updateInstead")
    other = Clone(work.root.with_name("theirs"))
    git(work.root.parent, "clone", "-q", str(work.root), str(other.root))
    assert other.sync() == 0
    other.store("cellar", "glue", "胶水")
    work.store("cellar", "saw", "锯子")
    other.git("pull", "-q", "--rebase")
    other.assert_follows()
    other.git("push", "-q", "origin", "HEAD:main")
    work.assert_follows()
    assert work.texts("cellar")["glue"] == "胶水"


@pytest.mark.parametrize("hook", ["GIT_DIR", "GIT_INDEX_FILE"])
def test_follows_inside_a_hook_of_another_repository(
    work: Clone, monkeypatch: pytest.MonkeyPatch, hook: str
) -> None:
    add(work, "one", "cellar")
    work.switch("main")
    monkeypatch.setenv(hook, str(work.root.with_name("nowhere")))
    work.assert_follows()


# Pages that come and go


def test_page_whose_memory_is_deleted_on_a_branch(work: Clone) -> None:
    work.store("cellar")
    work.drop_memory("cellar", "without")
    # What a fresh clone does as well: a page of the docs has a memory, if an empty one.
    assert work.sync() == 0
    assert (whole(work), work.codes(), work.comments()) == ([], [], [])
    work.commit("An empty one")
    work.assert_follows()
    work.switch("main")
    work.assert_follows()
    assert whole(work) == ["cellar"]
    work.git("merge", "-q", "--no-ff", "-m", "Merge without", "without")
    work.assert_follows()
    assert whole(work) == []


def test_upgrade_on_a_branch_and_back(work: Clone) -> None:
    work.store("cellar")
    work.store("attic")
    trees = {"main": read_tree(work.catalogs)}
    work.branch("upgrade")
    work.upgrade()
    work.assert_follows()
    states = {(entry.fuzzy, entry.obsolete) for entry in work.read("cellar").entries}
    assert states == {(False, False), (True, False), (False, True)}
    assert all(work.texts("loft").values())
    assert not (work.catalogs / "attic.po").exists()
    trees["upgrade"] = read_tree(work.catalogs)
    for branch in ("main", "upgrade") * 2:
        work.switch(branch)
        work.assert_follows()
        assert read_tree(work.catalogs) == trees[branch]


def test_upgrade_renames_a_page_that_a_branch_translates(work: Clone) -> None:
    work.branch("upgrade")
    work.upgrade()
    add(work, "one", "attic")
    work.switch("upgrade")
    work.git("merge", "-q", "-m", "Merge one", "one")
    # The page has another name now: git has seen that, and so does the sync.
    work.assert_follows()
    assert all(work.texts("loft").values())


# Work that was not stored


def test_unstored_work_goes_along_to_another_branch(work: Clone) -> None:
    add(work, "one", "cellar")
    work.translate("cellar", "glue", "还没存的胶水")
    work.translate("garage", "saw", "还没存的锯子")
    work.visit("main")
    assert (work.codes(), work.comments()) == ([], [])
    texts = work.texts("cellar")
    assert texts.pop("glue") == "还没存的胶水"
    assert not any(texts.values())
    assert work.texts("garage")["saw"] == "还没存的锯子"
    changed = work.git("status", "--porcelain").split()
    assert changed[1::2] == [
        "translations/memory/zh_CN/docs/cellar.po",
        "translations/memory/zh_CN/docs/garage.po",
    ]
    work.commit("Two more")
    work.assert_follows()


def test_unstored_work_on_an_entry_of_the_other_branch(work: Clone) -> None:
    add(work, "one", "cellar", "glue", "一号胶水")
    work.switch("main")
    work.assert_follows()
    work.translate("cellar", "glue", "自己的胶水")
    work.translate("cellar", "saw", "自己的锯子")
    work.visit("one")
    (finding,) = work.findings("memory-conflict")
    assert "build/zh_CN/docs/set-aside/cellar.po" in finding["hint"]
    assert work.kept("set-aside") == {"someone else wrote": "一号胶水"}
    assert work.texts("cellar")["glue"] == "自己的胶水"
    assert work.comments() == []


def test_unstored_work_on_a_page_whose_memory_a_branch_has_deleted(work: Clone) -> None:
    work.store("cellar")
    work.drop_memory("cellar", "without")
    work.save("cellar", "glue", "还没存的胶水")
    texts = work.texts("cellar")
    assert texts.pop("glue") == "还没存的胶水"
    assert not any(texts.values())
    assert "还没存的胶水" in (work.memories / "cellar.po").read_text("utf-8")


def test_unstored_work_where_somebody_has_deleted_what_is_built(work: Clone) -> None:
    add(work, "one", "cellar", "glue", "胶水")
    work.translate("cellar", "saw", "还没存")
    shutil.rmtree(work.root / "build")
    work.switch("main")
    # Nobody knows what was stored: all of it counts as work.
    assert work.sync() == 0
    texts = work.texts("cellar")
    assert (texts["glue"], texts["saw"]) == ("胶水", "还没存")
    assert work.comments() == []


@pytest.mark.parametrize("change", ["older", "deleted"])
def test_a_dry_run_after_a_switch_writes_nothing(work: Clone, change: str) -> None:
    work.branch("older")
    work.switch("main")
    work.store("cellar")
    work.drop_memory("cellar", "deleted")
    work.visit("main")
    work.switch(change)
    before = read_tree(work.root)
    assert work.run("sync", "docs", "--no-execute", "--check") == 1
    after = read_tree(work.root)
    for name in (path for path in before if "report" in path or "junit" in path):
        after[name] = before[name]
    assert after == before
    assert work.sync() == 0
    assert whole(work) == []


# What git does not have


def test_discarded_work_that_git_never_had_is_set_aside(work: Clone) -> None:
    work.save("cellar")
    lost = work.texts("cellar")
    work.visit("--force")
    (finding,) = work.findings("memory-taken-back")
    assert "11 translations of this file are gone" in finding["text"]
    assert "build/zh_CN/docs/set-aside/cellar.po" in finding["hint"]
    assert whole(work) == []
    assert work.git("status", "--porcelain") == ""
    text = (work.output / "set-aside" / "cellar.po").read_text("utf-8")
    assert [words for words in lost.values() if words not in text] == []


@pytest.mark.parametrize("is_committed", [True, False])
def test_memory_removed_by_hand_comes_back(work: Clone, is_committed: bool) -> None:
    work.save("cellar")
    if is_committed:
        work.commit("The cellar")
    before = read_tree(work.memories)
    (work.memories / "cellar.po").unlink()
    assert work.sync() == 0
    assert read_tree(work.memories) == before


def test_conflict_in_git_is_only_about_what_both_have_changed(work: Clone) -> None:
    add(work, "one", "cellar", "glue", "一号")
    work.store("cellar", "saw", "锯子")
    add(work, "two", "cellar", "glue", "二号")
    work.store("cellar", "drill", "钻头")
    try_merge = ["-c", "merge.conflictStyle=merge", "merge", "-q", "one"]
    with pytest.raises(Exception, match="returned non-zero"):
        work.git(*try_merge)
    path = work.memories / "cellar.po"
    text = path.read_text("utf-8")
    assert text.count("<<<<<<<") == 1
    # Until it is mended the file is left alone, and the catalogue stays as it is.
    before = read_tree(work.catalogs)
    assert work.sync() == 4
    assert (path.read_text("utf-8"), read_tree(work.catalogs)) == (text, before)
    mended = text[: text.index("<<<<<<<")] + text[text.index("=======\n") + 8 :]
    path.write_text(mended.replace(">>>>>>> one\n", ""), "utf-8")
    assert work.sync() == 0
    texts = work.texts("cellar")
    assert (texts["glue"], texts["saw"], texts["drill"]) == ("一号", "锯子", "钻头")
    work.commit("Merge one")
    assert work.sync() == 0
    assert (work.codes(), work.comments()) == ([], [])
    assert work.git("status", "--porcelain") == ""


# ``memory verify``


def test_verify_accepts_a_branch_that_was_not_opened_yet(work: Clone) -> None:
    add(work, "one", "cellar")
    work.switch("main")
    assert work.run("memory", "verify") == 0
    work.translate("garage", "saw", "还没存")
    assert work.run("memory", "verify") == 1


def test_verify_counts_pages_whose_english_is_unavailable(work: Clone) -> None:
    told = command("memory verify --strict", root=work.root)
    assert "not checked" not in told.out
    with (work.memories / "cellar.po").open("a", encoding="utf-8") as file:
        file.write(f'\nmsgid "{"a" * 32}"\nmsgstr "不知道是谁的"\n')
    for words, code in (("", 0), ("--strict", 1)):
        told = command(f"memory verify {words}", root=work.root, code=code)
        assert told.out.splitlines()[-1] == (
            "not checked: 1 page of the memory, because English is unavailable "
            "(an error with --strict)"
        )
    told = command("memory verify --strict --json", root=work.root, code=1)
    assert told.json["exit_code"] == 1


# Notes about code


def test_notes_about_code_stay_out_of_the_memory(tmp_path: Path) -> None:
    """An old clone gets them by the next sync, and new ones where only the code changes."""
    front = "---\nkernelspec:\n  display_name: P\n  name: python3\n---\n\n"
    cell = front + "Run it:\n\n```{{code-cell}}\nlamp({number})\n```\n"
    releases = {f"v{n}": FIRST | {"run.md": cell.format(number=n)} for n in (1, 2)}
    work = Clone.make(tmp_path / "project", make_origin(tmp_path / "origin", releases))
    work.store("run")
    path = work.catalogs / "run.po"
    kept = path.read_bytes()
    assert b"#. code: lamp(1)\n" in kept
    path.write_bytes(kept.replace(b"#. code: lamp(1)\n", b""))
    assert work.sync() == 0
    assert path.read_bytes() == kept
    work.assert_follows()
    before = read_tree(work.memories)
    work.move_to("v2")
    assert work.sync() == 0
    assert path.read_bytes() == kept.replace(b"lamp(1)", b"lamp(2)")
    assert read_tree(work.memories) == before
