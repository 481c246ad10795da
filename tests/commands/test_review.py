"""``review``: what a branch has done to the translations, on real repositories."""

from __future__ import annotations

import shutil
import time
from contextlib import chdir
from pathlib import Path

import pytest
from branch_project import FIRST, NAME, Clone, page
from folders import read_tree, snapshot
from repositories import git, make_origin

from pipeline.cli import main
from pipeline.commands.review.reviewing import review_changes
from pipeline.config.reader import read_settings
from pipeline.core.review import AutomaticChange
from pipeline.core.word_diff import Part
from pipeline.findings import Severity
from pipeline.report.review import Review

Speech = pytest.CaptureFixture[str]
SAFE = "<script>alert(1)</script>|`x`**b** @nobody [a](javascript:b)"


@pytest.fixture(scope="module")
def template(begun: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A project whose ``main`` has two pages translated."""
    clone = begun.copy(tmp_path_factory.mktemp("review") / "project")
    clone.translate("cellar")
    assert clone.sync() == 0
    clone.commit("Translate the cellar")
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


def store(work: Clone, subject: str = "") -> None:
    """Store what was translated, and commit it if it has a subject."""
    assert work.sync() in (0, 1)
    if subject:
        work.commit(subject)


def happened(review: Review) -> list[tuple[str, str]]:
    return [(message.page, message.happened) for message in review.messages]


def test_a_page_and_three_messages_elsewhere_are_shown_and_nothing_else(
    work: Clone,
) -> None:
    work.translate("garage")
    work.translate("cellar", "lamp", "楼梯旁挂着一盏灯")
    work.translate("cellar", "glue", "楼梯旁挂着胶水")
    work.translate("yard/shed", "drill", "雨会弄坏钻头")
    store(work, "Translate the garage")
    review = reviewed(work)
    assert review.counts == {"translated": 11, "changed": 3}
    assert review.quiet == {}
    garage = [message for message in review.messages if message.page == "garage"]
    # In the order of the page, which the memory does not have.
    english = [message.english for message in garage]
    assert english == FIRST["garage.md"].removeprefix("# ").strip().split("\n\n")
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
    work.git("checkout", "-q", "main")
    work.translate("attic")
    store(work, "Translate the attic")
    work.git("checkout", "-q", "work")
    store(work)
    work.translate("cellar", "lamp", "灯")
    store(work, "Change a lamp")
    assert happened(reviewed(work)) == [("cellar", "changed")]
    assert happened(reviewed(work, "main")) == [("cellar", "changed")]


def test_of_an_upgrade_only_what_a_person_must_look_at(work: Clone) -> None:
    work.translate("attic")
    store(work, "Translate the attic")
    work.git("branch", "-f", "main")
    work.move_to("v2")
    store(work, "Upgrade")
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


def test_a_fuzzy_one_that_is_confirmed_and_one_that_is_withdrawn(work: Clone) -> None:
    work.move_to("v2")
    store(work, "Upgrade")
    work.git("branch", "-f", "main")
    work.translate("cellar", "lamp", "如今楼梯旁挂着灯")
    path = work.memories / "yard" / "shed.po"
    store(work)
    text = path.read_text()
    start = text.index('msgstr "yard')
    path.write_text(text[:start] + 'msgstr ""' + text[text.index("\n", start) :])
    review = reviewed(work)
    assert happened(review) == [("cellar", "confirmed"), ("yard/shed", "withdrawn")]
    assert review.messages[1].state == "untranslated"


def test_findings_stand_beside_what_they_are_about(work: Clone) -> None:
    work.translate("cellar", "lamp", "灯 在 楼梯 旁 .")
    store(work, "Mistake")
    (message,) = reviewed(work).messages
    severities = {finding.severity for finding in message.findings}
    assert severities <= {Severity.ERROR, Severity.WARNING}
    assert message.findings
    assert {finding.line for finding in message.findings} == {message.line}


def test_a_fresh_clone_without_any_docs_shows_the_chinese(
    work: Clone, capsys: Speech
) -> None:
    work.translate("garage", "saw", "锯子")
    store(work, "Translate a saw")
    target = work.root.with_name("fresh")
    git(work.root.parent, "clone", "-q", str(work.root), str(target))
    fresh = Clone(target)
    fresh.git("remote", "set-head", "origin", "main")
    (message,) = reviewed(fresh).messages
    assert (message.english, message.new) == ("", "锯子")
    with chdir(target):
        main(["review"])
    told = capsys.readouterr().err
    assert "1 message on 1 page to look at\n" in told
    assert "nox -s sync -- --no-execute" in told
    assert "look at build/review.html\n" in told
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
    work.translate("attic", "saw", "阁楼的锯子")
    store(work)
    assert happened(reviewed(work, pages=("att*",))) == [("attic", "translated")]
    assert reviewed(work, "main", "work", pages=("att*",)).messages == ()
    assert work.run("review", "--pages", "att*") == 0
    page = (work.root / "build" / "review.html").read_text("utf-8")
    assert "阁楼的锯子" in page
    assert ">锯子<" not in page


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_shown(
    work: Clone, capsys: Speech
) -> None:
    work.translate("garage", "saw", "锯子")
    store(work)
    (work.memories / "cellar.po").write_text("<<<<<<< ours\n")
    capsys.readouterr()
    assert work.run("review") == 4
    assert "memory/zh_CN/docs/cellar.po:1: " in capsys.readouterr().err
    review = reviewed(work)
    assert happened(review) == [("garage", "translated")]
    (problem,) = review.problems
    assert problem.file.endswith("memory/zh_CN/docs/cellar.po")
    work.commit("Break the cellar")
    work.git("checkout", "-q", "main", "--", "translations")
    review = reviewed(work, "HEAD")
    (problem,) = review.problems
    assert problem.code == "review-base-unreadable"
    assert ("cellar", "translated") in happened(review)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["no-such-branch"], "git knows no commit 'no-such-branch'"),
        (["--", "--output=x"], "git knows no commit '--output=x'"),
        (["main", "work", "main"], "two commits at most, not main work main"),
        (["--json"], "review cannot print JSON"),
    ],
)
def test_words_that_cannot_be_reviewed(
    work: Clone, words: list[str], what: str, capsys: Speech
) -> None:
    with chdir(work.root):
        assert main(["review", *words]) == 2
    assert what in capsys.readouterr().err


def test_a_branch_that_only_the_remote_has_is_meant(
    work: Clone, capsys: Speech
) -> None:
    work.git("update-ref", "refs/remotes/origin/main", "main")
    work.git("branch", "-D", "main")
    assert work.run("review", "main") == 2
    assert "Did you mean origin/main? " in capsys.readouterr().err
    assert work.run("review", "nowhere") == 2
    assert "Did you mean" not in capsys.readouterr().err


def test_without_a_main_branch_or_a_repository(work: Clone, capsys: Speech) -> None:
    work.git("branch", "-D", "main")
    assert work.run("review") == 2
    assert "nox -s review -- COMMIT" in capsys.readouterr().err
    shutil.rmtree(work.root / ".git")
    assert work.run("review") == 2
    assert "is not in a git repository" in capsys.readouterr().err


def test_a_shallow_clone_is_told_what_to_fetch(work: Clone, capsys: Speech) -> None:
    work.git("commit", "-q", "--allow-empty", "-m", "Nothing")
    work.git("checkout", "-q", "main")
    work.git("commit", "-q", "--allow-empty", "-m", "Something else")
    work.git("checkout", "-q", "work")
    target = work.root.with_name("shallow")
    url = work.root.as_uri()
    words = ("-q", "--depth=1", "--no-single-branch", url, str(target))
    git(work.root.parent, "clone", *words)
    assert Clone(target).run("review", "origin/main") == 2
    assert "git fetch --unshallow" in capsys.readouterr().err


def test_the_branch_that_a_pull_request_is_for(
    work: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.git("update-ref", "refs/remotes/origin/release", "HEAD")
    monkeypatch.setenv("GITHUB_BASE_REF", "release")
    assert reviewed(work).base_name == "origin/release"


def test_the_step_summary_and_the_page_show_what_strangers_wrote_as_text(
    work: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    work.translate("garage", "saw", SAFE)
    work.edit("garage", lambda entry: entry)
    store(work)
    assert work.run("review") == 0
    shown = summary.read_text("utf-8")
    assert "1 message on 1 page to look at" in shown
    for text in (shown, (work.root / "build" / "review.html").read_text("utf-8")):
        assert "alert(1)" in text.replace("&#40;", "(").replace("&#41;", ")")
        assert "<script" not in text
    assert "[a]" not in shown
    assert "@nobody" not in shown


def test_english_that_only_a_release_beside_the_pin_has(
    begun: Clone, tmp_path: Path
) -> None:
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
    found = {
        (message.page, message.new): message.english for message in review.messages
    }
    assert found["cellar", "译文：cellar"] == added
    assert found["loft", "译文：loft"].startswith("Nobody knows how old this saw")
    assert not review.lacks_english


def test_a_second_run_writes_nothing_and_no_file_but_the_page_is_touched(
    work: Clone,
) -> None:
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
        f"shelf{number}.md": page(f"Shelf {number}", sentence % number)
        for number in range(50)
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
