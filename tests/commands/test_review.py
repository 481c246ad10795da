"""``review``: what a branch has done to the translations, on real repositories."""

from __future__ import annotations

import shutil
import time
from contextlib import chdir
from functools import partial
from pathlib import Path

import pytest
from branch_project import FIRST, NAME, Clone, page
from folders import read_tree, snapshot
from in_process import command
from repositories import git, make_origin

from pipeline.commands.review.reviewing import review_changes
from pipeline.config.reader import read_settings
from pipeline.core.review import AutomaticChange
from pipeline.core.word_diff import Part
from pipeline.findings import Severity
from pipeline.report.review import Review

SAFE = "<script>alert(1)</script>|`x`**b** @nobody [a](javascript:b)"


@pytest.fixture(scope="module")
def template(begun: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A project whose ``main`` has two pages translated."""
    clone = begun.copy(tmp_path_factory.mktemp("review") / "project")
    clone.store("cellar")
    return clone


@pytest.fixture
def work(template: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """A copy of that project, on a branch of its own."""
    for variable in ("GITHUB_STEP_SUMMARY", "GITHUB_BASE_REF"):
        monkeypatch.delenv(variable, raising=False)
    clone = template.copy(tmp_path / "project")
    clone.branch("work")
    return clone


def reviewed(work: Clone, *words: str, pages: tuple[str, ...] = ()) -> Review:
    """What ``review`` compares two states of the memory by."""
    settings = read_settings(work.root / "pyproject.toml")
    with chdir(work.root):
        return review_changes(settings, words, locales=settings.locales, pages=pages)


def happened(review: Review) -> list[tuple[str, str]]:
    return [(message.page, message.happened) for message in review.messages]


def test_only_the_changes_of_a_branch_are_shown(work: Clone) -> None:
    work.translate("garage")
    work.translate("cellar", "lamp", "楼梯旁挂着一盏灯")
    work.translate("cellar", "glue", "楼梯旁挂着胶水")
    work.store("yard/shed", "drill", "雨会弄坏钻头")
    review = reviewed(work)
    assert review.counts == {"translated": 11, "changed": 3}
    assert review.quiet == {}
    garage = [one.english for one in review.messages if one.page == "garage"]
    # In the order of the page, which the memory does not have.
    assert garage == FIRST["garage.md"].removeprefix("# ").strip().split("\n\n")
    lamp = review.messages[0]
    assert (lamp.page, lamp.state) == ("cellar", "finished")
    assert lamp.english == "A lamp hangs beside the stairs, right of the door."
    assert lamp.new == "楼梯旁挂着一盏灯"
    assert lamp.old.startswith("cellar：译文")
    assert lamp.translator == "Li Lei, 2026-01-02"
    line = (work.root / lamp.file).read_text().split("\n")[lamp.line - 1]
    assert line.startswith(("#", "msgid"))
    assert {Part.REMOVED, Part.ADDED} <= {piece.part for piece in lamp.pieces}
    assert reviewed(work, "main", "work").messages == review.messages


def test_what_main_has_done_since_is_no_change_of_the_branch(work: Clone) -> None:
    work.switch("main")
    work.store("attic")
    work.visit("work")
    work.store("cellar", "lamp", "灯")
    for words in ((), ("main",)):
        assert happened(reviewed(work, *words)) == [("cellar", "changed")]


def test_of_an_upgrade_only_what_a_person_must_look_at(work: Clone) -> None:
    work.store("attic")
    work.git("branch", "-f", "main")
    work.upgrade()
    review = reviewed(work)
    (lamp,) = review.messages
    assert (lamp.page, lamp.happened, lamp.state) == ("cellar", "fuzzy", "fuzzy")
    assert lamp.english.startswith("A lamp now hangs")
    assert lamp.old_english.startswith("A lamp hangs")
    assert lamp.old == lamp.new != ""
    assert lamp.notes == ("fuzzy: rewording: A lamp {+now+} hangs beside the …",)
    # A page was renamed: eleven messages followed. A paragraph went, and one is another.
    assert review.quiet[AutomaticChange.MOVED] == 11
    assert review.quiet[AutomaticChange.GONE] >= 2


def test_findings_stand_beside_what_they_are_about(work: Clone) -> None:
    work.translate("cellar", "lamp", "灯 在 楼梯 旁 .")
    work.sync()
    work.commit("Mistake")
    (message,) = reviewed(work).messages
    found = {(finding.severity, finding.line) for finding in message.findings}
    allowed = {(Severity.ERROR, message.line), (Severity.WARNING, message.line)}
    assert set() < found <= allowed


def test_a_fresh_clone_without_any_docs_shows_the_chinese(work: Clone) -> None:
    work.store("garage", "saw", "锯子")
    target = work.root.with_name("fresh")
    git(work.root.parent, "clone", "-q", str(work.root), str(target))
    fresh = Clone(target)
    fresh.git("remote", "set-head", "origin", "main")
    (message,) = reviewed(fresh).messages
    assert (message.english, message.new) == ("", "锯子")
    told = command("review", root=target, code=None).err
    for words in (
        "1 message on 1 page to look at\n",
        "nox -s sync -- --no-execute",
        "look at build/review.html\n",
    ):
        assert words in told
    assert fresh.sync() == 0
    assert reviewed(fresh).messages[0].english.startswith("Whoever")


def test_a_page_whose_memory_was_deleted_is_withdrawn(work: Clone) -> None:
    (work.memories / "cellar.po").unlink()
    review = reviewed(work)
    assert set(happened(review)) == {("cellar", "withdrawn")}
    assert review.messages[0].english == "Down there"
    assert {message.line for message in review.messages} == {1}


def test_only_the_pages_that_are_asked_for(work: Clone) -> None:
    work.translate("garage", "saw", "锯子")
    work.save("attic", "saw", "阁楼的锯子")
    assert happened(reviewed(work, pages=("att*",))) == [("attic", "translated")]
    assert reviewed(work, "main", "work", pages=("att*",)).messages == ()
    assert work.run("review", "--pages", "att*") == 0
    page = (work.root / "build" / "review.html").read_text("utf-8")
    assert "阁楼的锯子" in page
    assert ">锯子<" not in page


def test_a_damaged_file_hides_no_other(work: Clone) -> None:
    work.save("garage", "saw", "锯子")
    (work.memories / "cellar.po").write_text("<<<<<<< ours\n")
    told = command("review", root=work.root, code=4).err
    assert "memory/zh_CN/docs/cellar.po:1: " in told
    review = reviewed(work)
    assert happened(review) == [("garage", "translated")]
    (problem,) = review.problems
    assert problem.file.endswith("memory/zh_CN/docs/cellar.po")
    work.commit("Break the cellar")
    work.git("checkout", "-q", "main", "--", "translations")
    review = reviewed(work, "HEAD")
    assert [problem.code for problem in review.problems] == ["review-base-unreadable"]
    assert ("cellar", "translated") in happened(review)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("no-such-branch", "git knows no commit 'no-such-branch'"),
        ("-- --output=x", "git knows no commit '--output=x'"),
        ("main work main", "two commits at most, not main work main"),
        ("--json", "review cannot print JSON"),
    ],
)
def test_words_that_cannot_be_reviewed(work: Clone, words: str, what: str) -> None:
    assert what in command(f"review {words}", root=work.root, code=2).err


def test_without_a_main_branch_or_a_repository_there_is_a_way_out(work: Clone) -> None:
    review = partial(command, root=work.root, code=2)
    work.git("update-ref", "refs/remotes/origin/main", "main")
    work.git("branch", "-D", "main")
    assert "Did you mean origin/main? " in review("review main").err
    assert "Did you mean" not in review("review nowhere").err
    work.git("update-ref", "-d", "refs/remotes/origin/main")
    assert "nox -s review -- COMMIT" in review("review").err
    shutil.rmtree(work.root / ".git")
    assert "is not in a git repository" in review("review").err


def test_a_shallow_clone_is_told_what_to_fetch(work: Clone) -> None:
    for branch in ("work", "main"):
        work.switch(branch)
        work.git("commit", "-q", "--allow-empty", "-m", branch)
    work.switch("work")
    target = work.root.with_name("shallow")
    words = ("-q", "--depth=1", "--no-single-branch", work.root.as_uri(), str(target))
    git(work.root.parent, "clone", *words)
    told = command("review origin/main", root=target, code=2).err
    assert "git fetch --unshallow" in told


def test_pull_request_base(work: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    work.git("update-ref", "refs/remotes/origin/release", "HEAD")
    monkeypatch.setenv("GITHUB_BASE_REF", "release")
    assert reviewed(work).base_name == "origin/release"


def test_the_step_summary_and_the_page_show_what_strangers_wrote_as_text(
    work: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    work.translate("garage", "saw", SAFE)
    work.sync()
    assert work.run("review") == 0
    shown = summary.read_text("utf-8")
    assert "1 message on 1 page to look at" in shown
    for text in (shown, (work.root / "build" / "review.html").read_text("utf-8")):
        assert "alert(1)" in text.replace("&#40;", "(").replace("&#41;", ")")
        assert "<script" not in text
    assert "[a]" not in shown
    assert "@nobody" not in shown


def test_english_of_a_release_beside_the_pin(begun: Clone, tmp_path: Path) -> None:
    work = begun.copy(tmp_path / "project")
    config = work.root / "pyproject.toml"
    text = config.read_text(encoding="utf-8").replace("==1.0.0", "==1")
    shown = 'ref = "v{version}"\npackage = "JAX"\nbeside = ["2"]'
    config.write_text(text.replace('ref = "v1"', shown), encoding="utf-8")
    assert work.run("sync", "docs", "--all", "--no-execute") == 0
    work.commit("Show a release beside the pin")
    added = "This paragraph was not there before."
    for name in ("cellar", "loft"):
        catalog = work.catalogs.with_name("docs@2") / f"{name}.po"
        data = catalog.read_text(encoding="utf-8")
        for english in (added, "Nobody knows how old this saw may really be."):
            message = f'msgid "{english}"\nmsgstr '
            data = data.replace(f'{message}""', f'{message}"译文：{name}"')
        catalog.write_text(data, encoding="utf-8")
    assert work.run("sync", "docs", "--all", "--no-execute") == 0
    review = reviewed(work)
    found = {(message.page, message.new): message.english for message in review.messages}
    assert found["cellar", "译文：cellar"] == added
    assert found["loft", "译文：loft"].startswith("Nobody knows how old this saw")
    assert not review.lacks_english


def test_only_the_report_is_written_and_only_once(work: Clone) -> None:
    before = read_tree(work.root / "translations")
    assert work.run("review") == 0
    once = snapshot(work.root / "build")
    assert work.run("review") == 0
    assert snapshot(work.root / "build") == once
    assert read_tree(work.root / "translations") == before


@pytest.mark.slow
def test_five_hundred_messages_take_seconds_and_not_minutes(tmp_path: Path) -> None:
    sentence = "The {} of shelf %d is counted twice a year."
    release = {
        f"shelf{number}.md": page(f"Shelf {number}", sentence % number) for number in range(50)
    }
    work = Clone.make(tmp_path / "project", _with_shed(tmp_path / "origin", release))
    work.branch("work")
    for number in range(50):
        work.translate(f"shelf{number}")
    assert work.run("split", NAME) == 0
    started = time.process_time()
    review = reviewed(work)
    seconds = time.process_time() - started
    assert len(review.messages) == 550
    # Less than one where nothing else runs. Machines differ, and coverage doubles it: whatever
    # grows with the square of the messages takes far longer.
    assert seconds < 6.0


def _with_shed(folder: Path, release: dict[str, str]) -> Path:
    """An upstream with a release, and the page that every project begins with."""
    return make_origin(folder, {"v1": FIRST | release})
