"""Nothing that a translator wrote goes without a word: branches with catalogues, emptied strings.

A branch for Weblate commits the catalogues that git ignores on all others.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from branch_project import Clone
from catalog_files import edit_catalog
from folders import read_tree
from in_process import command
from msgspec.structs import replace
from repositories import git

from pipeline.adapters import po
from pipeline.entries import Entry

UPGRADE = "upgrade v2 docs --package-version 1.0.0"


@pytest.fixture
def beside(work: Clone) -> Clone:
    """The project on main, beside a branch that has the catalogues as well."""
    work.commit_catalogs("weblate")
    work.visit("main")
    return work


def empty(work: Clone, *words: str) -> None:
    """Take translations of the cellar away, as an editor does."""

    def change(entry: Entry) -> Entry:
        is_meant = {*words} & {*entry.msgid.split()} and not entry.obsolete
        return replace(entry, msgstr="") if is_meant else entry

    work.edit("cellar", change)


# A branch that commits catalogues


def test_one_warning_tells_of_all_overwritten_catalogues(beside: Clone) -> None:
    beside.translate("cellar", "glue", "没有存的胶水")
    beside.translate("garage", "saw", "没有存的锯子")
    beside.visit("weblate")
    (finding,) = beside.findings("catalogue-overwritten")
    assert finding["where"] == "translations/zh_CN/docs/attic.po"
    assert "overwritten 4 catalogues" in finding["text"]
    assert "git worktree add" in finding["hint"]
    beside.save("cellar", "glue", "又译一次的胶水")
    assert beside.codes() == []


def test_stored_work_outlives_a_catalogue_of_gits(work: Clone) -> None:
    work.store("cellar", "saw", "旧锯子")
    work.commit_catalogs("weblate")
    work.visit("main")
    work.translate("cellar", "glue", "存了的胶水")
    work.save("cellar", "saw", "新锯子")
    # The memory is the same on both branches, so git lets the change go along.
    work.switch("weblate")
    assert work.texts("cellar")["glue"] == ""
    assert work.sync() == 0
    texts = work.texts("cellar")
    assert (texts["glue"], texts["saw"]) == ("存了的胶水", "新锯子")
    assert "存了的胶水" in (work.memories / "cellar.po").read_text("utf-8")
    assert work.codes() == ["catalogue-overwritten"]


def test_what_a_forced_checkout_takes_from_the_memory_is_told(beside: Clone) -> None:
    beside.save("cellar", "glue", "存了的胶水")
    beside.git("checkout", "-q", "--force", "weblate")
    assert beside.sync() == 0
    assert beside.codes() == ["catalogue-overwritten", "memory-taken-back"]
    assert beside.kept("set-aside") == {"gone from the memory": "存了的胶水"}


def test_new_work_in_committed_catalogues_is_stored(beside: Clone) -> None:
    beside.switch("weblate")
    beside.translate("cellar", "glue", "在别处译的胶水")
    beside.translate("yard/shed", "glue", "在别处改的胶水")
    beside.git("commit", "-qam", "Translate in Weblate")
    beside.visit("main")
    assert beside.texts("cellar")["glue"] == ""
    beside.store("garage", "saw", "锯子")
    beside.visit("weblate")
    assert beside.texts("cellar")["glue"] == "在别处译的胶水"
    assert beside.texts("yard/shed")["glue"] == "在别处改的胶水"
    assert [code for code in beside.codes() if code.startswith("memory")] == []


def test_a_commit_of_ones_own_catalogues_is_no_overwriting(work: Clone) -> None:
    work.commit_catalogs("weblate")
    work.store("cellar", "glue", "胶水")
    work.translate("cellar", "glue", "别的胶水")
    work.commit("Another one")
    assert work.sync() == 0
    assert work.codes() == []
    assert work.texts("cellar")["glue"] == "别的胶水"


# Emptied strings


def test_emptied_strings_stay_as_obsolete_entries(work: Clone) -> None:
    work.translate("cellar", "glue", "胶水")
    work.store("cellar", "saw", "锯子")
    empty(work, "glue", "saw")
    assert work.sync() == 0
    (finding,) = work.findings("translation-emptied")
    line = int(finding["where"].rpartition(":")[2])
    catalog = work.read("cellar")
    (live,) = (entry for entry in catalog.entries if entry.line == line)
    assert (live.msgstr, live.obsolete) == ("", False)
    assert "2 translations of this file are empty now" in finding["text"]
    texts = work.texts("cellar")
    assert (texts["glue"], texts["saw"]) == ("", "")
    kept = {entry.msgstr: entry.context for entry in catalog.entries if entry.obsolete}
    assert kept == {"胶水": "emptied", "锯子": "emptied"}
    # They stay as they are, here and in a fresh clone, also through an upgrade and back.
    before = read_tree(work.catalogs)
    work.commit("Empty two")
    work.assert_follows()
    assert read_tree(work.catalogs) == before
    work.move_to("v2")
    assert work.sync() == 0
    work.move_to("v1")
    assert work.sync() == 0
    texts = work.texts("cellar")
    assert (texts["glue"], texts["saw"]) == ("", "")
    # Emptied once more, with other words.
    work.save("cellar", "glue", "又一种胶水")
    empty(work, "glue")
    assert work.sync() == 0
    kept = {entry.msgstr: entry.context for entry in work.read("cellar").entries}
    assert kept["又一种胶水"] == "emptied (2)"
    assert kept["胶水"] == "emptied"


def test_words_that_move_to_another_message_are_not_emptied(work: Clone) -> None:
    work.save("cellar", "glue", "贴错的译文")
    empty(work, "glue")
    work.save("cellar", "saw", "贴错的译文")
    # It was the translation of other English, and is kept.
    assert len(work.findings("translation-emptied")) == 1
    work.commit("Mend it")
    assert po.format_catalog(work.read("cellar")) == (work.catalogs / "cellar.po").read_bytes()


# A catalogue that cannot be read


def progress(work: Clone, name: str) -> int:
    """Return how many translated messages of a page the last run has shown."""
    report = json.loads((work.root / "build" / "report.json").read_bytes())
    rows = report["locales"]["zh_CN"]["pages"]
    (row,) = (row for row in rows if row["page"] == name)
    return int(row["translated"])


def test_a_catalogue_with_a_stray_quote_is_named_and_kept(work: Clone) -> None:
    path = work.catalogs / "yard/shed.po"
    build = ("build", "docs", "--no-execute")
    assert work.run(*build) == 0
    shown, whole = progress(work, "yard/shed"), path.read_bytes()
    assert shown == 11
    chinese = next(work.output.rglob("merged/**/shed.md")).read_bytes()
    memory = (work.memories / "yard/shed.po").read_bytes()
    broken = whole.replace(b'msgstr "', b'msgstr ""', 2)
    path.write_bytes(broken)
    # Every run says so: the file is not forgotten while it lies there.
    for _ in range(2):
        assert work.run(*build) == 4
        assert progress(work, "yard/shed") == shown
        assert next(work.output.rglob("merged/**/shed.md")).read_bytes() == chinese
        assert path.read_bytes() == broken
        assert (work.memories / "yard/shed.po").read_bytes() == memory
    assert work.run("status", "docs") == 4
    # At another release as well: the page is brought there for readers, and the file stays.
    work.move_to("v2")
    assert work.sync() == 4
    assert progress(work, "yard/shed") == shown
    assert path.read_bytes() == broken
    path.write_bytes(whole)
    assert work.sync() == 0
    assert progress(work, "yard/shed") == shown


def forbid(patch: pytest.MonkeyPatch, path: Path) -> None:
    """Let the system refuse to open or list ``path``. Tests may run as root, who may read all."""
    opened, listed = Path.open, os.scandir

    def refuse(given: Path | str) -> None:
        if Path(given) == path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    def open_path(given: Path, *words: Any, **named: Any) -> Any:
        refuse(given)
        return opened(given, *words, **named)

    def scan(given: Path | str) -> Any:
        refuse(given)
        return listed(given)

    patch.setattr(Path, "open", open_path)
    patch.setattr(os, "scandir", scan)


# The English that each run meets, and what a person cannot read in it.
@pytest.mark.parametrize("release", ["v1", "v2"])
@pytest.mark.parametrize(
    ("name", "stays"), [("yard/shed.po", "yard/shed.po"), ("yard", ""), ("", "")]
)
def test_a_catalogue_that_may_not_be_read_is_not_a_missing_one(
    work: Clone, monkeypatch: pytest.MonkeyPatch, name: str, stays: str, release: str
) -> None:
    work.translate("yard/shed", "saw", "没有存的锯子")
    work.move_to(release)
    before = read_tree(work.root / "translations")
    with monkeypatch.context() as patch:
        forbid(patch, work.catalogs / name)
        assert work.sync() == 4
    after = read_tree(work.root / "translations")
    # Where nobody can list the pages, nothing is updated at all.
    kept = [path for path in before if f"docs/{stays}" in path]
    assert {path: after[path] for path in kept} == {path: before[path] for path in kept}
    assert work.sync() == 0
    assert work.texts("yard/shed")["saw"] == "没有存的锯子"


def test_a_circular_link_hides_no_other_catalogue(work: Clone) -> None:
    for name in "aaa.po", "zzz.po":
        (work.catalogs / name).symlink_to(name)
    work.translate("cellar", "glue", "没有存的胶水")
    assert work.sync() == 4
    assert "没有存的胶水" in (work.memories / "cellar.po").read_text("utf-8")


# Files that come back without an export


def copied(work: Clone, name: str) -> Path:
    """Return a copy of a catalogue, as somebody takes one along."""
    path = work.root.with_name("back") / f"{Path(name).name}.po"
    path.parent.mkdir(exist_ok=True)
    shutil.copy(work.catalogs / f"{name}.po", path)
    return path


def with_words(words: dict[str, str]) -> Callable[[Entry], Entry]:
    """Return an edit that translates the paragraphs of ``words``; "?" in front: unfinished."""

    def change(entry: Entry) -> Entry:
        for word in words.keys() & set(re.findall(r"\w+", entry.msgid)):
            text = words[word]
            return replace(entry, msgstr=text.lstrip("?"), fuzzy=text.startswith("?"))
        return entry

    return change


def test_conflicts_of_an_import_are_those_that_two_have_made(work: Clone) -> None:
    path = copied(work, "yard/shed")
    work.translate("yard/shed", "saw", "这里新译的锯子")
    work.store("yard/shed", "drill", "这里新译的钻头")
    edit_catalog(path, with_words({"glue": "别处新译的胶水", "drill": "别处新译的钻头"}))
    told = command("import --name docs", path, root=work.root)
    assert told.out.count("[import-conflict]") == 1
    assert "别处新译的钻头" in told.out
    assert f"{path}:" in told.out
    assert "1 translations imported" in told.err
    texts = [work.texts("yard/shed")[word] for word in ("glue", "saw", "drill")]
    assert texts == ["别处新译的胶水", "这里新译的锯子", "这里新译的钻头"]


@pytest.mark.parametrize("page", ["attic", "cellar"])
def test_work_on_vanished_english_is_taken(work: Clone, page: str) -> None:
    work.store(page, "lamp", "灯")
    path = copied(work, page)
    work.upgrade()
    # The hammer is dropped from the cellar, the attic is called loft now.
    edit_catalog(path, with_words({"hammer": "?没译完的锤子", "glue": "别处译的胶水"}))
    assert work.run("import", "--name", "docs", str(path)) == 0
    assert work.sync() == 0
    now = {"attic": "loft", "cellar": "cellar"}[page]
    found = {entry.msgstr: (entry.fuzzy, entry.obsolete) for entry in work.read(now).entries}
    assert found["别处译的胶水"] == (False, False)
    assert found["没译完的锤子"] == (True, page == "cellar")


def test_a_page_that_is_gone_for_good_keeps_what_comes_back(work: Clone) -> None:
    path = copied(work, "cellar")
    for folder in (work.catalogs, work.memories):
        (folder / "cellar.po").rename(folder / "vault.po")
    memory = work.memories / "vault.po"
    work.commit("As if upstream had had a vault")
    memory.unlink()
    (work.catalogs / "vault.po").unlink()
    work.commit("It is gone")
    assert work.sync() == 0

    def strange(entry: Entry) -> Entry:
        english = f"In the vault: {entry.msgid}"
        return replace(entry, msgid=english, msgstr="地窖", references=("vault",))

    edit_catalog(path, strange)
    vault = path.with_name("vault.po")
    path.rename(vault)
    assert work.run("import", "--name", "docs", str(vault)) == 0
    assert {entry.obsolete for entry in work.read("vault").entries} == {True}
    # Of a page that never was, or whose name leads elsewhere, nothing is taken.
    text = vault.read_text("utf-8")
    for name in ("nowhere", "../../../../memory/zh_CN/docs/vault"):
        other = path.with_name("other.po")
        other.write_text(text.replace("#: vault", f"#: {name}"), "utf-8")
        assert work.run("import", "--name", "docs", str(other)) == 4


# What an upgrade says beforehand


@pytest.mark.parametrize("folder", ["", "sub"])
def test_a_dry_run_of_an_upgrade_right_after_a_checkout_has_no_conflicts_of_its_own(
    begun: Clone, tmp_path: Path, folder: str
) -> None:
    work = begun.copy(tmp_path / "project" / folder)
    if folder:
        # The project may be a part of a repository.
        shutil.move(work.root / ".git", work.root.parent / ".git")
        work.git("add", "--all", "--force", "..")
        work.git("rm", "-rq", "--cached", "translations/zh_CN", "build", "upstream")
        work.git("commit", "-qm", "Move the project")
    work.store("cellar", "glue", "主分支的胶水")
    work.branch("other", "HEAD~1")
    assert work.sync() == 0
    work.store("cellar", "glue", "别的胶水")
    work.switch("main")
    before = read_tree(work.root)
    told = command(f"{UPGRADE} --dry-run --json", root=work.root)
    assert "memory-conflict" not in told.out
    after = read_tree(work.root)
    assert {path for path in before if before[path] != after.get(path)} == set()


def test_rules_without_a_page_in_the_new_release_are_told(work: Clone) -> None:
    with (work.root / "pyproject.toml").open("a") as config:
        config.write("\n[[tool.pipeline.upstreams.docs.skip]]\n")
        config.write('pages = ["attic"]\nreason = "old"\n')
    for line in (f"{UPGRADE} --dry-run", UPGRADE):
        told = command(line, root=work.root)
        assert "'attic' matches no page of docs v2" in told.out + told.err


# Who has translated what


def test_the_commits_of_several_translators_are_credited_to_each(work: Clone) -> None:
    """Weblate commits for each of them, and its header names the last one only."""
    work.commit_catalogs("weblate")
    people = {"glue": "Li Lei", "saw": "Han Meimei", "drill": "Lin Tao"}
    for word, name in people.items():
        work.translate("cellar", word, f"{name}的译文")
        work.git("commit", "-qam", "Translated", "--author", f"{name} <x@example.org>")
    work.save("cellar", "bench", "没有提交的译文")
    memory = (work.memories / "cellar.po").read_text("utf-8")
    notes = {block.rpartition('msgstr "')[2].split('"')[0]: block for block in memory.split("\n\n")}
    for name in people.values():
        assert f"translator: {name} <x@example.org>, 2026-" in notes[f"{name}的译文"]
    assert "translator: Li Lei <li@example.org>, 2026" in notes["没有提交的译文"]
    # The names stay when nothing changes, and in a fresh clone.
    before = read_tree(work.memories)
    work.git("add", "--force", "translations")
    work.git("commit", "-qm", "Store")
    assert work.sync() == 0
    assert read_tree(work.memories) == before


def test_the_address_of_a_private_server_stays_out_of_the_memory(work: Clone) -> None:
    path = work.catalogs / "cellar.po"
    work.translate("cellar", "glue", "胶水")
    line = r"Language-Team: Chinese <https://weblate.internal.example/x/zh_Hans/>\n"
    text = re.sub(r"Language-Team: .*?\\n", lambda _: line, path.read_text("utf-8"))
    path.write_text(text, "utf-8")
    assert work.sync() == 0
    memory = (work.memories / "cellar.po").read_text("utf-8")
    assert "Language-Team: Chinese\\n" in memory
    assert "weblate.internal" not in memory
    work.commit("Translate")
    # A translator's tool finds its line again, also after others' work has come in.
    work.branch("other", "HEAD~1")
    assert work.sync() == 0
    work.store("cellar", "saw", "锯子")
    work.visit("main")
    path.write_text(text, "utf-8")
    work.git("merge", "-q", "--no-edit", "other")
    assert work.sync() == 0
    assert work.texts("cellar")["saw"] == "锯子"
    assert line in path.read_text("utf-8")


@pytest.mark.parametrize("branch", ["main", "without"])
def test_discarded_work_without_catalogue_is_set_aside(work: Clone, branch: str) -> None:
    work.drop_memory("cellar", "without")
    work.switch("main")
    work.save("cellar", "glue", "只在这里的胶水")
    (work.catalogs / "cellar.po").unlink()
    work.git("checkout", "-q", "--force", branch)
    assert work.sync() == 0
    assert work.kept("set-aside") == {"gone from the memory": "只在这里的胶水"}
    (finding,) = work.findings("memory-taken-back")
    assert "a translation of this file is gone" in finding["text"]


def test_a_discarded_stash_is_set_aside(work: Clone) -> None:
    work.save("cellar", "glue", "贮藏过的胶水")
    work.git("stash", "-q")
    work.assert_follows()
    assert work.texts("cellar")["glue"] == ""
    work.git("stash", "pop", "-q")
    assert work.sync() == 0
    assert (work.codes(), work.comments()) == ([], [])
    assert work.texts("cellar")["glue"] == "贮藏过的胶水"
    work.git("checkout", "-q", "--", "translations/memory")
    assert work.sync() == 0
    assert work.kept("set-aside") == {"gone from the memory": "贮藏过的胶水"}
    assert work.codes() == ["memory-taken-back"]


# An old catalogue that a merge has brought back


@pytest.fixture
def resolved(work: Clone) -> Clone:
    """A branch with catalogues where the cellar was taken whole from an older branch."""
    work.branch("server")
    work.save("cellar", "glue", "旧胶水")
    work.git("add", "--force", "translations")
    git(work.root, "commit", "-qm", "Catalogues", date="2026-01-01T00:00:00+0800")
    work.branch("weblate", "server")
    for word in ("glue", "drill"):
        work.save("cellar", word, f"新译文 {word}")
    work.git("commit", "-qam", "Translate here")
    work.switch("server")
    work.translate("cellar", "saw", "锯子")
    git(work.root, "commit", "-qam", "Weblate", date="2026-01-01T01:00:00+0800")
    work.switch("weblate")
    work.git("merge", "-q", "--no-commit", "--strategy", "ours", "server")
    work.git("checkout", "-q", "server", "--", "translations/zh_CN/docs/cellar.po")
    work.git("commit", "-qm", "Merge")
    return work


@pytest.mark.parametrize("is_known", [True, False])
def test_an_old_catalogue_yields_to_the_memory(resolved: Clone, *, is_known: bool) -> None:
    if not is_known:
        shutil.rmtree(resolved.root / "build")  # no run remembers what was there
    assert resolved.texts("cellar")["glue"] == "旧胶水"
    assert resolved.sync() == 0
    texts = resolved.texts("cellar")
    assert (texts["glue"], texts["drill"]) == ("新译文 glue", "新译文 drill")
    assert texts["saw"] == "锯子"
    (finding,) = resolved.findings("catalogue-outdated")
    assert "a translation of this file is older" in finding["text"]
    assert resolved.kept("set-aside") == {"older than the memory": "旧胶水"}
    assert resolved.codes() == ["catalogue-outdated"]


@pytest.mark.parametrize("is_committed", [True, False])
def test_old_words_put_back_stay(work: Clone, *, is_committed: bool) -> None:
    work.branch("weblate")
    for text in ("旧胶水", "新胶水"):
        work.save("cellar", "glue", text)
        work.git("add", "--force", "translations")
        date = "2026-01-01T00:00:00+0800"
        git(work.root, "commit", "-qm", "Translate", date=date)
    work.translate("cellar", "glue", "旧胶水")
    if is_committed:
        work.git("commit", "-qam", "Put it back")
    assert work.sync() == 0
    assert work.texts("cellar")["glue"] == "旧胶水"
    assert work.codes() == []


def test_weblate_s_header_merges_with_that_of_an_upgrade(work: Clone) -> None:
    work.commit_catalogs("weblate")
    # Meanwhile main moves to another release, and somebody translates there.
    work.switch("main")
    work.move_to("v2")
    assert work.sync() == 0
    work.store("cellar", "varnish", "清漆")
    work.git("checkout", "-q", "-B", "server", "weblate")
    work.translate("cellar", "bench", "工作台")
    path = work.catalogs / "cellar.po"
    text = path.read_text("utf-8").replace("Li Lei <li@", "Han Meimei <han@")
    path.write_text(text.replace("2026-01-02 03:04", "2026-01-03 03:04"), "utf-8")
    work.git("commit", "-qam", "Translate in Weblate")
    work.switch("weblate")
    work.git("merge", "-q", "--no-edit", "main")
    assert work.sync() == 0
    work.git("add", "--force", "translations")
    work.git("commit", "-qm", "Update catalogues")
    work.git("merge", "-q", "--no-edit", "server")
    header = work.read("cellar").header
    assert header["PO-Revision-Date"] == "2026-01-03 03:04+0800"
    assert header["Last-Translator"] == "Han Meimei <han@example.org>"
    assert header["POT-Creation-Date"] != "1970-01-01 00:00+0000"
    texts = work.texts("cellar")
    assert (texts["varnish"], texts["bench"]) == ("清漆", "工作台")


# Contexts


def test_a_context_that_names_no_section_of_its_message_is_told(work: Clone) -> None:
    work.translate("cellar", "glue", "胶水")
    catalog = work.read("cellar")
    (glue,) = (entry for entry in catalog.entries if entry.msgstr == "胶水")
    astray = replace(glue, context="Nowhere", msgstr="另一种胶水")
    path = work.catalogs / "cellar.po"
    entries = (*catalog.entries, astray)
    path.write_bytes(po.format_catalog(replace(catalog, entries=entries)))
    assert work.sync() == 0
    (finding,) = work.findings("unknown-section")
    assert "“Nowhere”" in finding["text"]
    line = int(finding["where"].rpartition(":")[2])
    (entry,) = (entry for entry in work.read("cellar").entries if entry.line == line)
    assert (entry.context, entry.msgstr) == ("Nowhere", "另一种胶水")
    # What the hint says is what helps.
    section = re.search("“(.+)”", finding["hint"])
    assert section is not None
    path.write_text(path.read_text("utf-8").replace("Nowhere", section[1]), "utf-8")
    assert work.sync() == 0
    assert work.codes() == []
    assert "另一种胶水" in (work.output / "merged" / "cellar.md").read_text("utf-8")


# Pages that upstream has dropped


def test_what_is_left_of_a_dropped_page_is_stored_again_or_gone_for_good(
    work: Clone, capsys: pytest.CaptureFixture[str]
) -> None:
    # Pages that are translated take nothing from others: what others hold is no reason to look.
    for page in ("attic", "cellar", "garage", "yard/shed"):
        work.translate(page)
    catalog = work.read("cellar")
    entries = tuple(
        replace(entry, msgid=f"Once {number}.", msgstr=f"从前{number}。", fuzzy=False)
        for number, entry in enumerate(catalog.entries)
    )
    left = work.catalogs / "once.po"
    left.write_bytes(po.format_catalog(replace(catalog, entries=entries)))
    assert work.sync() == 0
    assert "page-gone" in capsys.readouterr().err
    stored = work.memories / "once.po"
    data = stored.read_bytes()
    assert work.sync() == 0
    # The memory alone is removed: the catalogue still has the words.
    stored.unlink()
    assert work.sync() == 0
    assert stored.read_bytes() == data
    assert work.run("memory", "verify") == 0
    # Both are removed, as the warning says.
    stored.unlink()
    left.unlink()
    capsys.readouterr()
    assert work.sync() == 0
    assert "page-gone" not in capsys.readouterr().err
    assert not left.exists()
    assert not stored.exists()
