"""The merge driver of the memory, run by git itself: merge, rebase, cherry-pick, stash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from branch_project import Clone
from in_process import command
from places import ROOT

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
    work.visit(branch)
    for word, text in texts.items():
        work.save("cellar", word, text)
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
    for ours, theirs in (("one", "two"), ("two", "one")):
        work.git("checkout", "-q", "--detach", ours)
        work.git("merge", "-q", "-m", "both", theirs)
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
    theirs, _, rest = theirs.partition(">>>>>>>")
    for side, words in ((ours, "二号胶水"), (theirs, "一号胶水")):
        assert words in side
        assert "Li Lei" in side
    assert work.sync() == 4
    # Mended as any conflict is: one side stays, the marks go.
    mended = text[: text.index("<<<<<<<")] + theirs + rest.partition("\n")[2]
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
    texts = [work.texts("cellar")[word] for word in ("lamp", "glue", "bench")]
    assert texts == ["灯", "胶水", "工作台"]
    translate(work, "three", saw="锯", bench="工作台")
    said = fails(work, "cherry-pick", "one")
    assert memory_of(work).count("<<<<<<<") == 1
    assert "锯子" in memory_of(work)
    assert "CONFLICT" in said
    work.git("cherry-pick", "--abort")
    work.assert_follows()


def test_an_upgrade_merges_with_translations_of_what_it_changes(work: Clone) -> None:
    work.branch("upgrade")
    work.upgrade()
    translate(work, "one", lamp="灯", hammer="锤子", glue="胶水")
    for order in (("upgrade", "one"), ("one", "upgrade")):
        work.git("checkout", "-q", "--detach", order[0])
        work.git("merge", "-q", "-m", "both", order[1])
        assert '"X-Upstream-Ref: v2\\n"' in memory_of(work)
        assert work.sync() == 0
        assert work.comments() == []
        entries = work.read("cellar").entries
        states = {entry.msgstr: (entry.fuzzy, entry.obsolete) for entry in entries}
        # What upstream has dropped is obsolete, what it has changed waits.
        assert states["胶水"] == (False, False)
        assert states["锤子"] == (False, True)
        assert "灯" in states
        work.git("stash", "-q", "-u")


def test_both_sides_add_the_file(work: Clone) -> None:
    work.drop_memory("cellar", "without")
    work.switch("main")
    work.git("merge", "-q", "without")
    translate(work, "one", glue="胶水", saw="锯子")
    translate(work, "two", drill="钻头", saw="锯子")
    work.git("merge", "-q", "-m", "both", "one")
    work.assert_follows()
    texts = work.texts("cellar")
    assert (texts["glue"], texts["drill"], texts["saw"]) == ("胶水", "钻头", "锯子")


@pytest.mark.parametrize("fault", ["no python", "no memory"])
def test_without_the_driver_git_merges_lines(work: Clone, fault: str) -> None:
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


def test_setup_is_done_once_and_says_what_is_missing(work: Clone) -> None:
    config = work.root / ".git" / "config"
    before = config.read_bytes()
    setup = partial(command, "memory setup", root=work.root)
    assert "in this clone already" in setup().err
    assert config.read_bytes() == before
    work.git("config", "--remove-section", f"merge.{DRIVER}")
    work.git("rm", "-q", ".gitattributes")
    told = setup().err
    assert "in this clone from now on" in told
    assert LINE in told
    assert LINE in ATTRIBUTES
    assert "applies to the whole clone" in setup("docs", code=2).err


def test_no_setup_without_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    told = command("memory setup", root=tmp_path, code=2).err
    assert "is not in a git repository" in told


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


@pytest.mark.parametrize(
    ("asked", "size"),
    [("2000000000", 100), ("3", 7), ("9", 9)],
    ids=["too large", "too small", "fits"],
)
def test_marks_have_the_labels_of_git_and_a_size_within_limits(
    work: Clone, tmp_path: Path, asked: str, size: int
) -> None:
    """A branch has the size in ``.gitattributes``; our reader looks for seven characters."""
    base, ours, theirs = three_versions(work, tmp_path)
    before = base.read_bytes()
    label = "one (Translate glue)"  # of newer gits
    words = (base, ours, theirs, asked, "cellar.po", "two", label)
    command("memory -q merge --", *words, code=1)
    lines = ours.read_text("utf-8").split("\n")
    assert [line for line in lines if line.startswith(("<<<", "===", ">>>"))] == [
        f"{'<' * size} two",
        "=" * size,
        f"{'>' * size} {label}",
    ]
    assert base.read_bytes() == before


def test_two_drivers_at_once_end_as_one(work: Clone, tmp_path: Path) -> None:
    files = three_versions(work, tmp_path)
    words = [*map(str, files), "7", "cellar.po", "two", "one"]
    program = [sys.executable, "-m", "pipeline", "memory", "merge", "--", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [subprocess.Popen(program, env=environment) for _ in range(2)]
    ends = [process.wait(timeout=120) for process in running]
    # The slower one may find the marks of the faster one, and refuses the file.
    assert 1 in ends
    assert set(ends) <= {1, 4}
    text = files[1].read_text("utf-8")
    assert text.count("<<<<<<< two") == text.count(">>>>>>> one") == 1
    assert sorted(path.name for path in tmp_path.glob("[0-9]")) == ["0", "1", "2"]
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("words", ["", "a b c", "a b c x e f g"])
def test_merge_is_for_git(words: str) -> None:
    told = command(f"memory merge {words}", code=2).err
    assert "memory merge is for git" in told


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


@pytest.mark.parametrize("root", ["", "a/project/"])
def test_a_page_is_called_by_the_path_of_its_memory(root: str) -> None:
    name = f"{root}translations/memory/zh_CN/docs/yard/shed.po"
    place = _place_of(name, upstream="docs", locale="zh_CN")
    assert place == (Path(root), "yard/shed")
    # git may be told another name, as by hand.
    assert _place_of("shed.po", upstream="docs", locale="zh_CN").page == "shed"
