"""The merge driver of the memory, run by git itself: merge, rebase, cherry-pick, stash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from branch_project import Clone
from folders import read_tree
from places import ROOT

from pipeline.cli import main
from pipeline.commands.memory import DRIVER
from pipeline.core.memory.record import digest
from pipeline.stages.update.merge_driver import _place_of

ATTRIBUTES = (ROOT / ".gitattributes").read_text("utf-8")
GLUE = "A glue hangs beside the stairs, right of the door."
LINE = f"/translations/memory/**/*.po merge={DRIVER}"


@pytest.fixture(scope="module")
def template(begun: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A project whose git merges the memory by entry."""
    work = begun.copy(tmp_path_factory.mktemp("merging") / "project")
    (work.root / ".gitattributes").write_text(ATTRIBUTES)
    work.commit("Merge by entry")
    assert work.run("memory", "setup") == 0
    return work


@pytest.fixture
def work(template: Clone, tmp_path: Path) -> Clone:
    return template.copy(tmp_path / "project")


def translate(work: Clone, branch: str, **texts: str) -> None:
    """Translate paragraphs of the cellar on a branch, which is made if need be; commit that."""
    if branch not in work.git("branch", "--format=%(refname:short)").split():
        work.git("branch", branch, "main")
    work.git("checkout", "-q", branch)
    assert work.sync() == 0
    for word, text in texts.items():
        work.translate("cellar", word, text)
    assert work.sync() == 0
    work.commit(f"Translate {', '.join(texts)}")


def fails(work: Clone, *words: str) -> str:
    """What git says when it stops with a conflict."""
    with pytest.raises(subprocess.CalledProcessError) as caught:
        work.git(*words)
    return f"{caught.value.stdout}{caught.value.stderr}"


def memory_of(work: Clone) -> str:
    return (work.memories / "cellar.po").read_text("utf-8")


def test_neighbours_merge_where_lines_would_not(work: Clone) -> None:
    """A remark below an entry touches the next one: git alone sees one change in two."""
    words = "lamp saw glue drill bench apron drawer clamp varnish hammer".split()
    translate(work, "one", **{word: f"一：{word}" for word in words[::2]})
    translate(work, "two", **{word: f"二：{word}" for word in words[1::2]})
    for order in (("one", "two"), ("two", "one")):
        work.git("checkout", "-q", "--detach", order[0])
        work.git("merge", "-q", "-m", "both", order[1])
        work.assert_follows()
        assert all(work.texts("cellar").values())


def test_both_sides_of_an_entry_are_one_conflict_that_names_them(work: Clone) -> None:
    translate(work, "one", glue="一号胶水", saw="锯子")
    translate(work, "two", glue="二号胶水", drill="钻头")
    said = fails(work, "merge", "one")
    assert "was translated by Li Lei" in said
    assert "CONFLICT (content)" in said
    text = memory_of(work)
    assert text.count("<<<<<<<") == text.count("=======") == text.count(">>>>>>>") == 1
    ours, theirs = text[text.index("<<<<<<<") :].split("=======\n")
    assert "二号胶水" in ours
    assert "一号胶水" in theirs.split(">>>>>>>")[0]
    assert "Li Lei" in ours
    assert "Li Lei" in theirs
    assert work.sync() == 4
    # Mended as any conflict is: one side stays, the marks go.
    start, middle, end = (
        text.index(mark) for mark in ("<<<<<<<", "=======", ">>>>>>>")
    )
    rest = text[text.index("\n", end) + 1 :]
    mended = text[:start] + text[middle + len("=======\n") : end] + rest
    (work.memories / "cellar.po").write_text(mended, "utf-8")
    work.commit("Merge one")
    work.assert_follows()
    texts = work.texts("cellar")
    assert (texts["glue"], texts["saw"], texts["drill"]) == ("一号胶水", "锯子", "钻头")


def test_rebase_and_cherry_pick_use_it_too(work: Clone) -> None:
    translate(work, "one", lamp="灯", saw="锯子")
    translate(work, "two", glue="胶水", drill="钻头")
    translate(work, "two", bench="工作台")
    work.git("rebase", "-q", "one")
    work.assert_follows()
    texts = work.texts("cellar")
    assert [texts[word] for word in ("lamp", "glue", "bench")] == [
        "灯",
        "胶水",
        "工作台",
    ]
    translate(work, "three", saw="锯", bench="工作台")
    said = fails(work, "cherry-pick", "one")
    assert memory_of(work).count("<<<<<<<") == 1
    assert "锯子" in memory_of(work)
    assert "CONFLICT" in said
    work.git("cherry-pick", "--abort")
    work.assert_follows()


def test_stash_that_is_popped_over_a_change(work: Clone) -> None:
    translate(work, "one", lamp="灯")
    work.translate("cellar", "saw", "锯子")
    assert work.sync() == 0
    work.git("stash", "-q")
    translate(work, "one", glue="胶水")
    work.git("stash", "pop", "-q")
    assert work.sync() == 0
    assert work.texts("cellar")["saw"] == "锯子"
    assert work.texts("cellar")["glue"] == "胶水"


def test_an_upgrade_merges_with_translations_of_what_it_changes(work: Clone) -> None:
    work.branch("upgrade")
    work.move_to("v2")
    assert work.sync() == 0
    work.commit("Upgrade")
    translate(work, "one", lamp="灯", hammer="锤子", glue="胶水")
    for order in (("upgrade", "one"), ("one", "upgrade")):
        work.git("checkout", "-q", "--detach", order[0])
        work.git("merge", "-q", "-m", "both", order[1])
        assert '"X-Upstream-Ref: v2\\n"' in memory_of(work)
        assert work.sync() == 0
        assert work.comments() == []
        states = {
            entry.msgstr: (entry.fuzzy, entry.obsolete)
            for entry in work.read("cellar").entries
            if entry.msgstr
        }
        # What upstream has dropped is obsolete, what it has changed waits.
        assert states["胶水"] == (False, False)
        assert states["锤子"] == (False, True)
        assert "灯" in states
        work.git("stash", "-q", "-u")


def test_both_sides_add_the_file(work: Clone) -> None:
    work.git("rm", "-q", "translations/memory/zh_CN/docs/cellar.po")
    work.git("commit", "-qm", "Without the cellar")
    translate(work, "one", glue="胶水", saw="锯子")
    translate(work, "two", drill="钻头", saw="锯子")
    work.git("merge", "-q", "-m", "both", "one")
    work.assert_follows()
    texts = work.texts("cellar")
    assert (texts["glue"], texts["drill"], texts["saw"]) == ("胶水", "钻头", "锯子")


@pytest.mark.parametrize("fault", ["no python", "no memory"])
def test_where_it_cannot_run_git_merges_lines_and_marks_what_it_cannot(
    work: Clone, fault: str
) -> None:
    translate(work, "one", glue="一号", saw="锯子")
    translate(work, "two", glue="二号")
    if fault == "no python":
        command = work.git("config", f"merge.{DRIVER}.driver")
        broken = command.replace(sys.executable, "/nowhere/python")
        assert broken != command
        work.git("config", f"merge.{DRIVER}.driver", broken)
    else:
        path = work.memories / "cellar.po"
        path.write_text(memory_of(work).replace("X-Upstream-Page", "X-Other"), "utf-8")
        work.commit("Break the header")
    fails(work, "merge", "one")
    text = memory_of(work)
    assert "<<<<<<< ours" in text
    assert "一号" in text
    assert "二号" in text
    assert "锯子" in text


def test_setup_is_done_once_and_says_what_is_missing(
    work: Clone, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work.root)
    before = (work.root / ".git" / "config").read_bytes()
    assert main(["memory", "setup"]) == 0
    assert "in this clone already" in capsys.readouterr().err
    assert (work.root / ".git" / "config").read_bytes() == before
    work.git("config", "--remove-section", f"merge.{DRIVER}")
    work.git("rm", "-q", ".gitattributes")
    assert main(["memory", "setup"]) == 0
    said = capsys.readouterr().err
    assert "in this clone from now on" in said
    assert LINE in said
    assert LINE in ATTRIBUTES
    assert main(["memory", "setup", "docs"]) == 2
    assert "applies to the whole clone" in capsys.readouterr().err


def test_setup_needs_a_repository(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert main(["memory", "setup"]) == 2
    assert "is not in a git repository" in capsys.readouterr().err


def three_versions(work: Clone, folder: Path) -> list[Path]:
    """Base, ours and theirs of a conflict, as git hands them to the driver."""
    translate(work, "one", glue="一号")
    translate(work, "two", glue="二号")
    files = []
    for number, ref in enumerate(("main", "two", "one")):
        files.append(folder / str(number))
        data = work.git("show", f"{ref}:translations/memory/zh_CN/docs/cellar.po")
        files[-1].write_text(data + "\n", "utf-8")
    return files


@pytest.mark.parametrize(("asked", "size"), [("2000000000", 100), ("3", 7), ("9", 9)])
def test_a_branch_cannot_ask_for_any_size_of_marks(
    work: Clone, tmp_path: Path, asked: str, size: int
) -> None:
    """``.gitattributes`` has it; shells and our reader look for seven characters."""
    files = three_versions(work, tmp_path)
    words = [*map(str, files), asked, "cellar.po", "two", "one"]
    assert main(["memory", "-q", "merge", "--", *words]) == 1
    marks = [line for line in files[1].read_text("utf-8").split("\n") if "===" in line]
    assert marks == ["=" * size]


def test_the_driver_called_twice_at_once_ends_as_once(
    work: Clone, tmp_path: Path
) -> None:
    files = three_versions(work, tmp_path)
    words = [*map(str, files), "7", "cellar.po", "two", "one"]
    command = [sys.executable, "-m", "pipeline", "memory", "merge", "--", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [subprocess.Popen(command, env=environment) for _ in range(2)]
    ends = [process.wait(timeout=120) for process in running]
    # The slower one may find the marks of the faster one, and refuses the file.
    assert 1 in ends
    assert set(ends) <= {1, 4}
    text = files[1].read_text("utf-8")
    assert text.count("<<<<<<< two") == text.count(">>>>>>> one") == 1
    assert sorted(path.name for path in tmp_path.glob("[0-9]")) == ["0", "1", "2"]
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("words", [[], ["a", "b", "c"], list("abcxefg")])
def test_merge_is_for_git(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "merge", *words]) == 2
    assert "memory merge is for git" in capsys.readouterr().err


def test_labels_of_newer_gits_are_shown(work: Clone, tmp_path: Path) -> None:
    files = three_versions(work, tmp_path)
    words = [*map(str, files), "9", "cellar.po", "two", "one (Translate glue)"]
    assert main(["memory", "-q", "merge", "--", *words]) == 1
    lines = files[1].read_text("utf-8").split("\n")
    assert [line for line in lines if line.startswith(("<<<", "===", ">>>"))] == [
        "<<<<<<<<< two",
        "=========",
        ">>>>>>>>> one (Translate glue)",
    ]
    assert read_tree(tmp_path)["0"] == files[0].read_bytes()


def test_a_conflict_names_the_page_the_english_and_the_authors(work: Clone) -> None:
    """Where the notes name nobody, the commits do."""
    for branch, text in (("one", "一号胶水"), ("two", "二号胶水")):
        translate(work, branch, glue=text)
        path = work.memories / "cellar.po"
        lines = memory_of(work).split("\n")
        unnamed = [line for line in lines if not line.startswith("#. translator:")]
        path.write_text("\n".join(unnamed), "utf-8")
        author = f"{branch.title()} <{branch}@example.org>"
        work.git("commit", "-qa", "--amend", "--no-edit", "--author", author)
    said = fails(work, "merge", "one")
    assert (
        "cellar: 'A glue hangs beside the stairs, right of the door.' was translated by "
        "Two <two@example.org>, 2026-01-02 03:04+0800 and, differently, by "
        "One <one@example.org>, 2026-01-02 03:04+0800"
    ) in said
    work.git("merge", "--abort")
    # Without catalogues, as in a fresh clone, there is no English to name it by.
    shutil.rmtree(work.catalogs)
    assert f"cellar: '{digest(GLUE)}' was translated" in fails(work, "merge", "one")


def test_what_an_upgrade_drops_is_found_on_its_page_after_a_merge(work: Clone) -> None:
    work.branch("upgrade")
    work.move_to("v2")
    assert work.sync() == 0
    work.commit("Upgrade")
    translate(work, "one", hammer="锤子")
    work.git("merge", "-q", "-m", "both", "upgrade")
    seen = [line for line in memory_of(work).split("\n") if "seen: " in line]
    assert [line.rpartition(" ")[2] for line in seen] == ["cellar"]
    shutil.rmtree(work.catalogs)
    assert work.sync() == 0
    assert work.codes() == []
    kept = {entry.msgstr for entry in work.read("cellar").entries if entry.obsolete}
    assert kept == {"锤子"}


@pytest.mark.parametrize("root", ["", "a/project/"])
def test_a_page_is_called_by_the_path_of_its_memory(root: str) -> None:
    name = f"{root}translations/memory/zh_CN/docs/yard/shed.po"
    place = _place_of(name, upstream="docs", locale="zh_CN")
    assert place == (Path(root), "yard/shed")
    # git may be told another name, as by hand.
    assert _place_of("shed.po", upstream="docs", locale="zh_CN").page == "shed"
