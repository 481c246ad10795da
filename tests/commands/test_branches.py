"""P12: whatever git does to the memory, the next sync follows it.

Each test is a way of working with branches, on real repositories. After every step the catalogues
and the memory are those of a fresh clone, nothing is said, and git sees no difference.
"""

from __future__ import annotations

import json
import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from branch_project import FIRST, Clone
from folders import read_tree
from repositories import git, make_origin

from pipeline.cli import main
from pipeline.stages.update import stage


@pytest.fixture
def work(begun: Clone, tmp_path: Path) -> Clone:
    """A project whose ``main`` has one page translated."""
    return begun.copy(tmp_path / "project")


def add(work: Clone, branch: str, page: str, word: str = "", text: str = "") -> None:
    """Translate ``page``, or a paragraph of it, on a new branch from main, and commit that."""
    work.branch(branch)
    work.assert_follows()
    translate(work, page, word, text)


def translate(work: Clone, page: str, word: str = "", text: str = "") -> None:
    work.translate(page, word, text)
    assert work.sync() == 0
    work.commit(f"Translate {word} of {page}")


def merge(work: Clone, *branches: str) -> None:
    work.git("merge", "-q", "--no-ff", "-m", f"Merge {branches}", *branches)


def is_whole(work: Clone, page: str) -> bool:
    return all(work.texts(page).values())


def is_blank(work: Clone, page: str) -> bool:
    return not any(work.texts(page).values())


# A branch that git checks out while a run is at work


@pytest.mark.parametrize(
    "step", ["open_memory", "update_catalog_files", "store_memory"]
)
def test_git_switch_during_a_run_loses_nothing(
    work: Clone, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(work, "other", "cellar", "glue", "那边的胶水")
    work.git("checkout", "-q", "main")
    assert work.sync() == 0
    work.translate("garage", "saw", "没有存的锯子")
    run_step = getattr(stage, step)

    def switch(*words: object, **named: object) -> object:
        work.git("checkout", "-q", "other")
        return run_step(*words, **named)

    with monkeypatch.context() as patch:
        patch.setattr(stage, step, switch)
        work.sync()
    assert work.sync() == 0
    assert work.texts("cellar")["glue"] == "那边的胶水"
    assert work.texts("garage")["saw"] == "没有存的锯子"


# Pull requests


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_two_pull_requests_from_main_merge_in_either_order(
    work: Clone, order: tuple[str, str]
) -> None:
    add(work, "one", "cellar")
    add(work, "two", "garage")
    assert is_blank(work, "cellar")
    work.git("checkout", "-q", "main")
    work.assert_follows()
    for branch in order:
        merge(work, branch)
        work.assert_follows()
    assert is_whole(work, "cellar")
    assert is_whole(work, "garage")


def test_squash_merge_and_a_branch_that_goes_on_from_before_it(work: Clone) -> None:
    add(work, "one", "cellar")
    translate(work, "garage", "saw", "锯子")
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "--squash", "one")
    # Nobody has committed it yet, and the catalogues follow all the same.
    assert work.sync() == 0
    assert work.codes() == []
    work.commit("All of one")
    work.assert_follows()
    work.git("checkout", "-q", "one")
    translate(work, "garage", "drill", "钻头")
    work.git("merge", "-q", "-m", "Merge main", "main")
    work.assert_follows()
    assert work.texts("garage")["drill"] == "钻头"


def test_rebase_that_stops_to_be_edited_with_a_sync_at_every_stop(work: Clone) -> None:
    add(work, "one", "cellar", "glue", "胶水")
    translate(work, "cellar", "saw", "锯子")
    translate(work, "garage", "drill", "钻头")
    work.git("checkout", "-q", "main")
    translate(work, "attic")
    work.git("checkout", "-q", "one")
    work.git("-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "main")
    for word in ("saw", "drill"):
        work.assert_follows()
        assert not work.texts("cellar")["saw"] or word == "drill"
        work.git("rebase", "--continue")
    work.assert_follows()
    work.git("rebase", "--continue")
    assert work.texts("garage")["drill"] == "钻头"
    work.assert_follows()


def test_cherry_pick_and_a_patch_by_mail(work: Clone) -> None:
    add(work, "one", "cellar")
    translate(work, "garage", "saw", "锯子")
    translate(work, "garage", "drill", "钻头")
    work.git("checkout", "-q", "main")
    work.assert_follows()
    work.git("cherry-pick", "one~1")
    work.assert_follows()
    assert work.texts("garage")["saw"] == "锯子"
    assert is_blank(work, "cellar")
    work.git("format-patch", "-q", "-1", "one", "-o", "build/patches")
    work.git("am", "-q", *(str(path) for path in work.root.glob("build/patches/*")))
    work.assert_follows()
    assert work.texts("garage")["drill"] == "钻头"


def test_revert_and_the_revert_of_the_revert(work: Clone) -> None:
    translate(work, "cellar")
    work.git("revert", "--no-edit", "HEAD")
    work.assert_follows()
    assert is_blank(work, "cellar")
    work.git("revert", "--no-edit", "HEAD")
    work.assert_follows()
    assert is_whole(work, "cellar")


def test_amended_commit_and_a_reset_to_before_it(work: Clone) -> None:
    translate(work, "cellar", "glue", "初稿")
    work.translate("cellar", "glue", "定稿")
    assert work.sync() == 0
    work.git("commit", "-q", "-a", "--amend", "--no-edit")
    work.assert_follows()
    work.git("reset", "-q", "--hard", "HEAD~1")
    work.assert_follows()
    assert work.texts("cellar")["glue"] == ""
    work.git("reset", "-q", "--hard", "HEAD@{1}")
    work.assert_follows()
    assert work.texts("cellar")["glue"] == "定稿"


# Moving about


def test_older_commit_and_back(work: Clone) -> None:
    for page in ("cellar", "garage", "attic"):
        translate(work, page)
    work.git("checkout", "-q", "--detach", "HEAD~2")
    work.assert_follows()
    assert is_whole(work, "cellar")
    assert is_blank(work, "garage")
    work.git("checkout", "-q", "main")
    work.assert_follows()
    assert is_whole(work, "attic")


def test_stash_and_pop(work: Clone) -> None:
    work.translate("cellar")
    assert work.sync() == 0
    work.git("stash", "-q")
    work.assert_follows()
    assert is_blank(work, "cellar")
    work.git("stash", "pop", "-q")
    assert work.sync() == 0
    assert (work.codes(), work.comments()) == ([], [])
    assert is_whole(work, "cellar")
    work.commit("Translate the cellar")
    work.assert_follows()


def test_stash_that_is_popped_on_another_branch(work: Clone) -> None:
    add(work, "one", "cellar", "glue", "胶水")
    work.translate("cellar", "saw", "锯子")
    assert work.sync() == 0
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
    translate(second, "garage")
    second.git("merge", "-q", "-m", "Merge one", "one")
    second.assert_follows()
    work.assert_follows()
    work.git("merge", "-q", "two")
    work.assert_follows()
    assert is_whole(work, "garage")


def test_shallow_clone_that_pulls(work: Clone) -> None:
    add(work, "one", "cellar")
    shallow = work.root.with_name("shallow")
    url = f"file://{work.root}"
    git(work.root.parent, "clone", "-q", "--depth=1", "-b", "main", url, str(shallow))
    other = Clone(shallow)
    other.assert_follows()
    other.git("fetch", "-q", "--depth=1", "origin", "one:one")
    other.git("checkout", "-q", "one")
    other.assert_follows()
    assert is_whole(other, "cellar")
    other.git("checkout", "-q", "main")
    other.assert_follows()
    assert is_blank(other, "cellar")


def test_pull_with_rebase_between_two_people(work: Clone) -> None:
    work.git("config", "receive.denyCurrentBranch", "updateInstead")
    theirs = work.root.with_name("theirs")
    git(work.root.parent, "clone", "-q", str(work.root), str(theirs))
    other = Clone(theirs)
    assert other.sync() == 0
    translate(other, "cellar", "glue", "胶水")
    translate(work, "cellar", "saw", "锯子")
    other.git("pull", "-q", "--rebase")
    other.assert_follows()
    other.git("push", "-q", "origin", "HEAD:main")
    work.assert_follows()
    assert work.texts("cellar")["glue"] == "胶水"


# Pages that come and go


def test_page_whose_memory_is_deleted_on_a_branch(work: Clone) -> None:
    translate(work, "cellar")
    work.branch("without")
    work.git("rm", "-q", "translations/memory/zh_CN/docs/cellar.po")
    work.git("commit", "-qm", "Give the cellar up")
    # What a fresh clone does as well: a page of the docs has a memory, if an empty one.
    assert work.sync() == 0
    assert is_blank(work, "cellar")
    assert (work.codes(), work.comments()) == ([], [])
    work.commit("An empty one")
    work.assert_follows()
    work.git("checkout", "-q", "main")
    work.assert_follows()
    assert is_whole(work, "cellar")
    merge(work, "without")
    work.assert_follows()
    assert is_blank(work, "cellar")


def upgrade(work: Clone) -> None:
    """Go to the second release on a branch of its own, and commit that."""
    work.branch("upgrade")
    work.move_to("v2")
    assert work.sync() == 0
    work.commit("Upgrade")
    work.assert_follows()


def test_upgrade_on_a_branch_and_back_with_fuzzy_obsolete_and_renamed(
    work: Clone,
) -> None:
    translate(work, "cellar")
    translate(work, "attic")
    before = read_tree(work.catalogs)
    upgrade(work)
    states = {(entry.fuzzy, entry.obsolete) for entry in work.read("cellar").entries}
    assert states == {(False, False), (True, False), (False, True)}
    assert is_whole(work, "loft")
    assert not (work.catalogs / "attic.po").exists()
    after = read_tree(work.catalogs)
    for _ in range(2):
        work.git("checkout", "-q", "main")
        work.assert_follows()
        assert read_tree(work.catalogs) == before
        work.git("checkout", "-q", "upgrade")
        work.assert_follows()
        assert read_tree(work.catalogs) == after


def test_upgrade_that_renames_a_page_which_another_branch_translates(
    work: Clone,
) -> None:
    upgrade(work)
    add(work, "one", "attic")
    work.git("checkout", "-q", "upgrade")
    work.git("merge", "-q", "-m", "Merge one", "one")
    # The page has another name now: git has seen that, and so does the sync.
    work.assert_follows()
    assert is_whole(work, "loft")


# Work that was not stored


def test_unstored_work_goes_along_to_another_branch(work: Clone) -> None:
    add(work, "one", "cellar")
    work.translate("cellar", "glue", "还没存的胶水")
    work.translate("garage", "saw", "还没存的锯子")
    work.git("checkout", "-q", "main")
    assert work.sync() == 0
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


def test_unstored_work_on_an_entry_that_the_other_branch_has_as_well(
    work: Clone,
) -> None:
    add(work, "one", "cellar", "glue", "一号胶水")
    work.git("checkout", "-q", "main")
    work.assert_follows()
    work.translate("cellar", "glue", "自己的胶水")
    work.translate("cellar", "saw", "自己的锯子")
    work.git("checkout", "-q", "one")
    assert work.sync() == 0
    (finding,) = work.findings("memory-conflict")
    assert "build/zh_CN/docs/set-aside/cellar.po" in finding["hint"]
    assert work.kept("set-aside") == {"someone else wrote": "一号胶水"}
    assert work.texts("cellar")["glue"] == "自己的胶水"
    assert work.comments() == []


def test_unstored_work_on_a_page_whose_memory_a_branch_has_deleted(work: Clone) -> None:
    translate(work, "cellar")
    work.branch("without")
    work.git("rm", "-q", "translations/memory/zh_CN/docs/cellar.po")
    work.git("commit", "-qm", "Give the cellar up")
    work.translate("cellar", "glue", "还没存的胶水")
    assert work.sync() == 0
    texts = work.texts("cellar")
    assert texts.pop("glue") == "还没存的胶水"
    assert not any(texts.values())
    assert "还没存的胶水" in (work.memories / "cellar.po").read_text("utf-8")


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_dry_run_after_a_switch_tells_and_writes_nothing(
    work: Clone, is_deleted: bool
) -> None:
    translate(work, "cellar")
    work.branch("other", "main~1")
    if is_deleted:
        work.git("rm", "-q", "translations/memory/zh_CN/docs/cellar.po")
        work.git("commit", "-qm", "Give the cellar up")
    before = read_tree(work.root)
    assert work.run("sync", "docs", "--no-execute", "--check") == 1
    after = read_tree(work.root)
    for name in (path for path in before if "report" in path or "junit" in path):
        after[name] = before[name]
    assert after == before
    assert work.sync() == 0
    assert is_blank(work, "cellar")


# What no run remembers


def test_branches_where_somebody_has_deleted_what_is_built(work: Clone) -> None:
    add(work, "one", "cellar")
    translate(work, "garage", "saw", "锯子")
    for ref in ("main", "one", "main"):
        shutil.rmtree(work.root / "build")
        work.git("checkout", "-q", ref)
        work.assert_follows()
    assert is_blank(work, "cellar")


def test_unstored_work_where_somebody_has_deleted_what_is_built(work: Clone) -> None:
    add(work, "one", "cellar", "glue", "胶水")
    work.translate("cellar", "saw", "还没存")
    shutil.rmtree(work.root / "build")
    work.git("checkout", "-q", "main")
    # Nobody knows what was stored: all of it counts as work.
    assert work.sync() == 0
    texts = work.texts("cellar")
    assert (texts["glue"], texts["saw"]) == ("胶水", "还没存")
    assert work.comments() == []


# What git does not have


def test_work_that_git_never_had_is_set_aside_when_it_is_thrown_away(
    work: Clone,
) -> None:
    work.translate("cellar")
    assert work.sync() == 0
    lost = work.texts("cellar")
    work.git("checkout", "-q", "--", "translations/memory")
    assert work.sync() == 0
    (finding,) = work.findings("memory-taken-back")
    assert "11 translations of this file are gone" in finding["text"]
    assert "build/zh_CN/docs/set-aside/cellar.po" in finding["hint"]
    assert is_blank(work, "cellar")
    assert work.git("status", "--porcelain") == ""
    path = work.output / "set-aside" / "cellar.po"
    assert all(text in path.read_text("utf-8") for text in lost.values())


@pytest.mark.parametrize("is_committed", [True, False])
def test_memory_that_is_removed_by_hand_comes_back(
    work: Clone, is_committed: bool
) -> None:
    work.translate("cellar")
    assert work.sync() == 0
    if is_committed:
        work.commit("The cellar")
    before = read_tree(work.memories)
    (work.memories / "cellar.po").unlink()
    assert work.sync() == 0
    assert read_tree(work.memories) == before


def test_conflict_in_git_is_only_about_what_both_have_changed(work: Clone) -> None:
    add(work, "one", "cellar", "glue", "一号")
    translate(work, "cellar", "saw", "锯子")
    add(work, "two", "cellar", "glue", "二号")
    translate(work, "cellar", "drill", "钻头")
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


def test_verify_has_nothing_against_a_branch_that_was_not_opened_yet(
    work: Clone,
) -> None:
    add(work, "one", "cellar")
    work.git("checkout", "-q", "main")
    assert work.run("memory", "verify") == 0
    work.translate("garage", "saw", "还没存")
    assert work.run("memory", "verify") == 1


@pytest.mark.parametrize(
    ("words", "code"), [((), 0), (("--strict",), 1), (("--strict", "--json"), 1)]
)
def test_verify_counts_pages_whose_english_is_unavailable(
    work: Clone, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int
) -> None:
    with chdir(work.root):
        assert main(["memory", "verify", *words]) == 0
        assert "not checked" not in capsys.readouterr().out
        path = work.memories / "cellar.po"
        unknown = f'\nmsgid "{"a" * 32}"\nmsgstr "不知道是谁的"\n'
        path.write_text(path.read_text("utf-8") + unknown, "utf-8")
        assert main(["memory", "verify", *words]) == code
    out = capsys.readouterr().out
    if "--json" in words:
        assert json.loads(out)["exit_code"] == code
        return
    assert out.splitlines()[-1] == (
        "not checked: 1 page of the memory, because English is unavailable "
        "(an error with --strict)"
    )


@pytest.mark.parametrize("hook", ["GIT_DIR", "GIT_INDEX_FILE"])
def test_follows_inside_a_hook_of_another_repository(
    work: Clone, monkeypatch: pytest.MonkeyPatch, hook: str
) -> None:
    add(work, "one", "cellar")
    work.git("checkout", "-q", "main")
    monkeypatch.setenv(hook, str(work.root.with_name("nowhere")))
    work.assert_follows()


# Notes about code


def test_notes_about_code_come_and_change_without_a_word_in_the_memory(
    tmp_path: Path,
) -> None:
    """An old clone gets them by the next sync, and new ones where only the code changes."""
    front = "---\nkernelspec:\n  display_name: P\n  name: python3\n---\n\n"
    cell = "Run it:\n\n```{{code-cell}}\n{code}\n```\n"
    releases = {
        "v1": FIRST | {"run.md": front + cell.format(code="lamp(1)")},
        "v2": FIRST | {"run.md": front + cell.format(code="lamp(2)")},
    }
    origin = make_origin(tmp_path / "origin", releases)
    work = Clone.make(tmp_path / "project", origin)
    assert work.sync() == 0
    work.translate("run")
    assert work.sync() == 0
    work.commit("Translate run")
    path = work.catalogs / "run.po"
    whole = path.read_bytes()
    assert b"#. code: lamp(1)\n" in whole
    path.write_bytes(whole.replace(b"#. code: lamp(1)\n", b""))
    assert work.sync() == 0
    assert path.read_bytes() == whole
    work.assert_follows()
    before = read_tree(work.memories)
    work.move_to("v2")
    assert work.sync() == 0
    assert path.read_bytes() == whole.replace(b"lamp(1)", b"lamp(2)")
    assert read_tree(work.memories) == before
