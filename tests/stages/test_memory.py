"""The translation memory: no English in it, nothing lost through it.

Catalogues come back from it byte for byte.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from pathlib import Path

import pytest
from folders import read_tree
from memory_project import (
    FIRST,
    LI,
    LOCALE,
    RELEASES,
    SECOND,
    Project,
    Synced,
    chinese,
)
from msgspec.structs import replace
from repositories import git, make_origin

from pipeline.adapters import po
from pipeline.adapters.files import WriteError
from pipeline.core.memory.file import END
from pipeline.core.memory.record import digest
from pipeline.entries import Entry
from pipeline.errors import UpstreamError
from pipeline.stages.pull.stage import pull, read_pulled
from pipeline.stages.split import split
from pipeline.stages.update.locale import Locale
from pipeline.stages.update.opening import open_memory
from pipeline.stages.update.stage import update

HAN = {
    "Last-Translator": "Han Meimei <han@example.org>",
    "PO-Revision-Date": "2026-03-04 05:06+0800",
}


@pytest.fixture
def project(tmp_path: Path, stored: Project) -> Project:
    """A project whose catalogues of v1 are translated and stored."""
    return stored.copy(tmp_path / "project")


def clone_of(project: Project, ref: str) -> Synced:
    """Sync a fresh clone, and expect the very files that were there before."""
    catalogs, memory = (
        read_tree(project.paths.catalogs(LOCALE)),
        read_tree(project.paths.memories(LOCALE)),
    )
    assert catalogs
    project.clone()
    run = project.sync(ref)
    assert run.codes == []
    assert read_tree(project.paths.catalogs(LOCALE)) == catalogs
    assert read_tree(project.paths.memories(LOCALE)) == memory
    assert project.verify() == ()
    return run


# What a file holds


def test_a_memory_file_has_every_message_and_no_english(project: Project) -> None:
    text = project.memory("guide").read_text(encoding="utf-8")
    head, *entries = text.split("\n\n")
    assert (
        '"X-Upstream: docs\\n"\n"X-Upstream-Ref: v1\\n"\n"X-Upstream-Commit: ' in head
    )
    assert len(entries) - 1 == len(project.read("guide").entries) == 5
    assert END.msgid in entries[-1]
    codes = re.findall(r'^msgid "([0-9a-f]{32})"$', text, re.MULTILINE)
    assert codes == sorted(codes)
    assert digest("Guide to the workshop") in codes
    assert (
        entries[0].split("\n")[0]
        == "#. translator: Li Lei <li@example.org>, 2026-01-02 03:04+0800"
    )


@pytest.mark.slow
def test_no_word_of_upstream_is_in_any_memory_file(project: Project) -> None:
    for step in ("v1", "v2", "v3"):
        project.sync(step)
        project.edit(
            "guide",
            lambda entry: (
                replace(entry, msgstr=entry.msgid)
                if "varnish" in entry.msgid
                else entry
            ),
        )
    project.sync("v3")
    words = {
        word.lower()
        for files in RELEASES.values()
        for text in files.values()
        for word in re.findall(r"[A-Za-z]{4,}", text)
    }
    ours = (
        "translation memory each msgid digest upstream english translate catalogues here "
        "example.org"
    )
    notes = (
        "seen previous translator fuzzy carried over moved same text rewording numbers typo case "
        "mark"
    )
    for path, data in read_tree(project.paths.memories(LOCALE)).items():
        for line in data.decode("utf-8").split("\n"):
            found = set(
                re.findall(
                    r"[a-z]{4,}",
                    re.sub(r"\b[0-9a-f]{32,40}\b", "", line.lower()).replace(
                        path.removesuffix(".po"), ""
                    ),
                )
            )
            assert not (found & words) - set(
                f"{ours} {notes} guide start intro help".split()
            ), line


def test_english_as_its_own_translation_is_not_stored_but_comes_back(
    project: Project,
) -> None:
    project.translate("faq", "Questions", "Questions")
    project.sync("v1")
    assert "Questions" not in project.memory("faq").read_text(encoding="utf-8")
    assert "#. same: as the English" in project.memory("faq").read_text(
        encoding="utf-8"
    )
    clone_of(project, "v1")
    assert project.entry("faq", "Questions").msgstr == "Questions"


def test_a_fuzzy_translation_that_is_the_previous_english_is_not_stored_either(
    project: Project,
) -> None:
    old = next(
        entry.msgid
        for entry in project.read("guide").entries
        if "two drawers" in entry.msgid
    )
    project.translate("guide", "two drawers", old)
    project.sync("v2")
    assert project.entry("guide", "three drawers").msgstr == old
    assert "#. same: as the previous English" in project.memory("guide").read_text(
        encoding="utf-8"
    )
    clone_of(project, "v2")


def test_one_changed_translation_is_one_changed_entry(project: Project) -> None:
    before = read_tree(project.paths.memories(LOCALE))
    project.translate("guide", "Glue", "胶水")
    project.sync("v1")
    after = read_tree(project.paths.memories(LOCALE))
    assert [name for name in after if after[name] != before[name]] == ["guide.po"]
    changed = set(after["guide.po"].split(b"\n")) ^ set(before["guide.po"].split(b"\n"))
    assert changed == {
        'msgstr "胶水"'.encode(),
        f'msgstr "{chinese(_entry_of(FIRST["guide.md"], "Glue"))}"'.encode(),
    }


def _entry_of(page: str, word: str) -> Entry:
    return Entry(msgid=next(line for line in page.split("\n") if line.startswith(word)))


def test_a_page_that_an_upgrade_leaves_alone_keeps_its_file(
    project: Project, origin: Path
) -> None:
    before = project.memory("intro/start").read_bytes()
    project.sync("v2")
    assert project.memory("intro/start").read_bytes() == before
    assert git(origin, "rev-parse", "v1").encode() in before


def test_a_second_run_writes_nothing(project: Project) -> None:
    for ref in ("v1", "v2", "v3"):
        project.sync(ref)
        before = {
            path: path.stat().st_mtime_ns
            for path in project.root.rglob("*")
            if path.is_file()
        }
        again = project.sync(ref)
        assert again.changes == []
        assert {
            path: path.stat().st_mtime_ns
            for path in project.root.rglob("*")
            if path.is_file()
        } == before


# P10


def test_a_clone_gets_them_back_after_two_upgrades_with_fuzzy_entries(
    project: Project, origin: Path
) -> None:
    project.sync("v2")
    assert project.entry("guide", "three drawers").fuzzy
    clone_of(project, "v2")
    project.sync("v3")
    bench = project.entry("guide", "big workshop")
    assert (bench.fuzzy, bench.previous) == (
        True,
        next(line for line in FIRST["guide.md"].split("\n") if "two drawers" in line),
    )
    assert (
        f"#. previous seen: {git(origin, 'rev-parse', 'v1')} guide"
        in project.memory("guide").read_text(encoding="utf-8")
    )
    clone_of(project, "v3")


@pytest.mark.slow
def test_a_clone_at_a_newer_ref_gets_what_the_working_copy_gets(
    project: Project, tmp_path: Path
) -> None:
    other = project.copy(tmp_path / "other")
    other.clone()
    for ref in ("v3", "v2", "v1", "v3"):  # also down again
        assert project.sync(ref).codes == other.sync(ref).codes == []
        assert read_tree(project.paths.catalogs(LOCALE)) == read_tree(
            other.paths.catalogs(LOCALE)
        )
        assert read_tree(project.paths.memories(LOCALE)) == read_tree(
            other.paths.memories(LOCALE)
        )
        clone_of(other, ref)


def test_comments_contexts_flags_and_the_teams_header_come_back(
    project: Project,
) -> None:
    catalog = project.read("guide")
    first, second, *rest = catalog.entries
    split_ = (
        replace(first, context="verb", msgstr="带领"),
        replace(first, context="noun", msgstr="指南", comments=("see the glossary",)),
    )
    header = {**catalog.header, **LI} | {
        "Language-Team": "Team <team@example.org>",
        "X-Generator": "Poedit 3.4",
        "X-Poedit-Bookmarks": "-1",
    }
    entries = (*split_, replace(second, flags=("no-wrap",)), *rest)
    project.catalog("guide").write_bytes(
        po.format_catalog(
            replace(
                catalog, header=header, comment=("For the workshop.",), entries=entries
            )
        )
    )
    project.sync("v1")
    assert "2026-01-02 03:04+0800, Poedit 3.4" in project.memory("guide").read_text(
        encoding="utf-8"
    )
    clone_of(project, "v1")
    assert project.read("guide").header["X-Generator"] == "Poedit 3.4"


def test_the_header_names_who_touched_an_entry_last(project: Project) -> None:
    project.translate("guide", "Glue", "胶水", header=HAN)
    project.sync("v1")
    text = project.memory("guide").read_text(encoding="utf-8")
    assert text.count("translator: Han Meimei") == 1
    assert text.count("translator: Li Lei") == 4
    clone_of(project, "v1")
    assert project.read("guide").header["Last-Translator"] == HAN["Last-Translator"]


def test_whoever_the_update_is_is_no_translator(
    project: Project, origin: Path, tmp_path: Path
) -> None:
    copied = make_origin(
        tmp_path / "copied", {"v1": FIRST, "v2": FIRST | {"copy.md": FIRST["guide.md"]}}
    )
    other = Project(project.root, str(copied))
    other.sync("v2")
    text = other.memory("copy").read_text(encoding="utf-8")
    assert "carried over: the same text in guide" in text
    assert "translator:" not in text
    clone_of(other, "v2")


def test_a_page_renamed_upstream_takes_its_memory_along(
    project: Project, tmp_path: Path
) -> None:
    renamed = {
        ("manual.md" if path == "guide.md" else path): text
        for path, text in FIRST.items()
    }
    other = Project(
        project.root,
        str(make_origin(tmp_path / "renamed", {"v1": FIRST, "v2": renamed})),
    )
    other.sync("v2")
    assert not other.memory("guide").exists()
    assert (
        other.memory("manual").read_text(encoding="utf-8").count("translator: Li Lei")
        == 5
    )
    clone_of(other, "v2")


def test_a_page_without_any_file_is_forgotten(project: Project) -> None:
    """As after a kill between the removal of a renamed page's memory and the end of the run."""
    state = project.paths.memory_state(LOCALE)
    before = json.loads(state.read_bytes())
    state.write_text(json.dumps({**before, "gone": before["guide"]}), encoding="utf-8")
    project.sync("v1")
    assert json.loads(state.read_bytes()) == before


@pytest.mark.slow
@pytest.mark.parametrize("refs", [("v2", "v3"), ("v3", "v2")])
def test_paragraphs_that_upstream_joined_come_back_with_all_their_english(
    project: Project, tmp_path: Path, refs: tuple[str, str]
) -> None:
    joined = FIRST["guide.md"].replace(
        "small tools.\n\nThe saw", "small tools. The saw"
    )
    again = joined.replace("else has come in.", "else has come in. Ask first.")
    releases = {
        "v1": FIRST,
        "v2": FIRST | {"guide.md": joined},
        "v3": FIRST | {"guide.md": again},
    }
    other = Project(project.root, str(make_origin(tmp_path / "joined", releases)))
    old = " ".join(
        line
        for line in FIRST["guide.md"].split("\n")
        if line.startswith(("Every", "The saw"))
    )
    for ref in refs:
        other.sync(ref)
        assert (
            other.entry("guide", "The saw").fuzzy,
            other.entry("guide", "The saw").previous,
        ) == (True, old)
        clone_of(other, ref)
    purged = other.read(
        "guide"
    )  # a translator throws away what is obsolete: the sources are still known
    other.catalog("guide").write_bytes(
        po.format_catalog(
            replace(
                purged,
                entries=tuple(entry for entry in purged.entries if not entry.obsolete),
            )
        )
    )
    before = other.memory("guide").read_bytes()
    other.sync(refs[1])
    assert other.memory("guide").read_bytes() == before


def test_a_change_that_was_followed_comes_back_with_its_note(
    project: Project, tmp_path: Path
) -> None:
    link = "Plans for all of the benches hang on the wall, and [on paper]({}) in the office.\n"
    pages = [
        FIRST | {"plans.md": link.format(url)}
        for url in ("http://bench.example.org/plans", "https://bench.example.org/plans")
    ]
    other = Project(
        project.root,
        str(
            make_origin(
                tmp_path / "followed", {"v1": FIRST, "v2": pages[0], "v3": pages[1]}
            )
        ),
    )
    other.sync("v2")
    other.translate(
        "plans",
        "Plans",
        "所有工作台的图纸都挂在墙上，办公室里也有[纸质版](http://bench.example.org/plans)。",
    )
    other.sync("v2")
    other.sync("v3")
    entry = other.entry("plans", "Plans")
    assert entry.is_translated
    assert "https://bench" in entry.msgstr
    assert entry.notes[-1].startswith("carried over: ")
    assert "[-" in entry.notes[-1]
    assert "office" not in other.memory("plans").read_text(encoding="utf-8")
    clone_of(other, "v3")
    other.edit(
        "plans",
        lambda one: (
            one if not one.obsolete else replace(one, msgid="Quite another text.")
        ),
    )
    other.memory("plans").unlink()
    other.sync("v3")
    memory = other.memory("plans").read_text(encoding="utf-8")
    assert re.search(
        r"^#\. carried over: [a-z -]+$", memory, re.MULTILINE
    )  # whose change it was is not known any more


def test_a_date_that_is_none_does_not_win(project: Project) -> None:
    project.translate(
        "guide",
        "Glue",
        "胶水",
        header={**HAN, "PO-Revision-Date": "2026-13-41 99:99+0800"},
    )
    project.sync("v1")
    assert "2026-13-41" in project.memory("guide").read_text(encoding="utf-8")
    project.clone()
    project.sync("v1")
    assert project.read("guide").header["Last-Translator"] == LI["Last-Translator"]


# Upstream's history


@pytest.mark.slow
def test_english_of_a_lost_commit_is_told_and_its_translations_stay(
    project: Project, tmp_path: Path
) -> None:
    project.sync("v2")
    memory = read_tree(project.paths.memories(LOCALE))
    rewritten = make_origin(
        tmp_path / "rewritten", {"v2": SECOND | {"new.md": "# Another history\n"}}
    )
    other = Project(project.root, str(rewritten))
    other.clone()
    run = other.sync("v2")
    assert run.codes == ["memory-not-recovered"]
    (finding,) = run.findings("guide")
    assert re.search(
        r"of \d+ translations is unavailable.*'[0-9a-f]{40}'", finding.text
    )
    assert finding.where.startswith("translations/memory/zh_CN/docs/guide.po:")
    assert other.entry("guide", "Glue").is_translated
    assert other.entry("guide", "three drawers").fuzzy
    assert other.entry("guide", "three drawers").previous is None
    kept = other.memory("guide").read_bytes()
    assert set(re.findall(rb'msgstr "(.+)"', kept)) == set(
        re.findall(rb'msgstr "(.+)"', memory["guide.po"])
    )
    assert [one.code for one in other.verify()] == ["memory-not-recovered"] * len(
        run.locale.findings
    )
    # the history is back: so is everything else
    again = Project(project.root, project.url)
    again.clone()
    assert again.sync("v2").codes == []
    assert again.entry("guide", "three drawers").previous is not None


def test_a_plain_folder_has_no_history_but_exact_texts(
    project: Project, origin: Path, tmp_path: Path
) -> None:
    git(origin, "worktree", "add", "-q", "--detach", str(tmp_path / "plain"), "v2")
    (tmp_path / "plain" / ".git").unlink()
    git(origin, "worktree", "prune")
    other = Project(project.root, str(tmp_path / "plain"))
    other.clone()
    run = other.sync("")
    assert run.codes == ["memory-not-recovered"]
    assert "plain folder has no history" in run.findings("guide")[0].text
    assert other.entry("guide", "Glue").is_translated


@pytest.mark.slow
def test_a_bundle_is_as_good_as_a_repository(
    project: Project, origin: Path, tmp_path: Path
) -> None:
    git(origin, "bundle", "create", "-q", str(tmp_path / "all.bundle"), "--all")
    for ref in ("v2", "v3"):
        project.sync(ref)
    clone_of(Project(project.root, str(tmp_path / "all.bundle")), "v3")


@pytest.mark.slow
def test_a_ref_older_than_the_docs_folder_and_one_where_half_of_the_pages_are_gone(
    project: Project, tmp_path: Path
) -> None:
    origin = make_origin(
        tmp_path / "odd",
        {"v1": FIRST, "v0": {}, "half": {"intro/start.md": FIRST["intro/start.md"]}},
    )
    other = Project(project.root, str(origin))
    before = read_tree(project.paths.catalogs(LOCALE))
    with pytest.raises(UpstreamError, match="has no folder 'docs'"):
        other.sync("v0")
    other.sync("half")
    assert {re.sub(rb"\s", b"", text) for text in _translations(other)} >= {
        re.sub(rb"\s", b"", text) for text in _strings(before)
    }
    clone_of(other, "half")
    other.sync("v1")
    assert all(
        entry.is_translated
        for page in ("guide", "faq")
        for entry in other.read(page).entries
    )
    text = other.memory("faq").read_text(encoding="utf-8")
    lost = re.sub(
        r"X-Upstream-Commit: [0-9a-f]{40}",
        f"X-Upstream-Commit: {git(origin, 'rev-parse', 'v0')}",
        text,
    )
    other.memory("faq").write_text(
        re.sub(r"X-Upstream-Page: [0-9a-f]{32}", f"X-Upstream-Page: {'0' * 32}", lost),
        encoding="utf-8",
    )
    other.clone()
    assert other.sync("v1").codes == []  # all of it stands word for word at the pin
    assert all(entry.is_translated for entry in other.read("faq").entries)


def _translations(project: Project) -> set[bytes]:
    return _strings(read_tree(project.paths.catalogs(LOCALE)))


def _strings(files: dict[str, bytes]) -> set[bytes]:
    return {
        text for data in files.values() for text in re.findall(rb'msgstr "(.+)"', data)
    }


# Work that comes in with the memory


@pytest.fixture
def teammate(project: Project, tmp_path: Path) -> Project:
    """Another working copy that starts from the same memory."""
    return project.copy(tmp_path / "teammate")


def give(source: Project, target: Project) -> None:
    """The memory and the lock that ``source`` committed, pulled by ``target``."""
    shutil.rmtree(target.paths.memories(LOCALE))
    shutil.copytree(source.paths.memories(LOCALE), target.paths.memories(LOCALE))


def test_a_teammates_translation_comes_in_beside_ones_own(
    project: Project, teammate: Project
) -> None:
    teammate.translate("guide", "Glue", "胶水，队友译", header=HAN)
    teammate.sync("v1")
    give(teammate, project)
    project.translate(
        "guide",
        "drill",
        "钻头，自己译",
        header={**LI, "PO-Revision-Date": "2026-02-01 00:00+0800"},
    )
    run = project.sync("v1")
    assert run.codes == []
    assert project.entry("guide", "Glue").msgstr == "胶水，队友译"
    assert project.entry("guide", "drill").msgstr == "钻头，自己译"
    text = project.memory("guide").read_text(encoding="utf-8")
    assert (
        'Han Meimei <han@example.org>, 2026-03-04 05:06+0800\nmsgid "'
        + digest(project.entry("guide", "Glue").msgid)
        in text
    )
    assert (
        'Li Lei <li@example.org>, 2026-02-01 00:00+0800\nmsgid "'
        + digest(project.entry("guide", "drill").msgid)
        in text
    )
    clone_of(project, "v1")


def test_two_translations_of_one_message_are_told_and_the_own_one_stays(
    project: Project, teammate: Project
) -> None:
    teammate.translate("guide", "Glue", "队友的")
    teammate.translate("guide", "drill", "也是队友的")
    teammate.sync("v1")
    give(teammate, project)
    project.translate("guide", "Glue", "自己的")
    run = project.sync("v1")
    (finding,) = run.findings("guide")
    assert finding.code == "memory-conflict"
    line = next(
        entry.line for entry in project.read("guide").entries if "Glue" in entry.msgid
    )
    assert finding.where == f"translations/zh_CN/docs/guide.po:{line}"
    assert re.search(
        r"translations/memory/zh_CN/docs/guide.po:\d+; the translation here is kept",
        finding.text,
    )
    assert (
        project.entry("guide", "Glue").msgstr,
        project.entry("guide", "drill").msgstr,
    ) == (
        "自己的",
        "也是队友的",
    )
    assert "自己的" in project.memory("guide").read_text(encoding="utf-8")
    assert project.entry("guide", "Glue").comments == ()
    assert '"队友的"' not in project.memory("guide").read_text(encoding="utf-8")
    assert "build/zh_CN/docs/set-aside/guide.po" in finding.hint
    (other,) = project.kept("set-aside", "guide")
    assert (other.context, other.msgstr) == ("someone else wrote", "队友的")
    assert other.msgid == project.entry("guide", "Glue").msgid
    assert project.sync("v1").codes == []


def test_without_a_common_start_finished_work_stays_and_unfinished_gives_way(
    project: Project, teammate: Project
) -> None:
    for words in ("Glue", "drill", "saw"):
        teammate.translate("guide", words, f"队友：{words}")
    teammate.translate("guide", "a lamp", "")
    teammate.sync("v1")
    give(teammate, project)
    project.paths.memory_state(LOCALE).unlink()
    project.translate("guide", "Glue", "自己的")
    project.translate("guide", "drill", "")
    project.edit(
        "guide",
        lambda entry: (
            replace(entry, fuzzy=True, previous=entry.msgid)
            if "saw" in entry.msgid
            else entry
        ),
    )
    run = project.sync("v1")
    assert [one.code for one in run.findings("guide")] == ["memory-conflict"]
    found = {
        words: project.entry("guide", words).msgstr
        for words in ("Glue", "drill", "saw", "a lamp")
    }
    assert (found["Glue"], found["drill"], found["saw"]) == (
        "自己的",
        "队友：drill",
        "队友：saw",
    )
    assert found["a lamp"].startswith("译文")


def test_a_teammates_upgrade_comes_in_under_ones_own_work(
    project: Project, teammate: Project
) -> None:
    teammate.sync("v2")
    teammate.translate("guide", "varnish", "清漆")
    teammate.sync("v2")
    give(teammate, project)
    project.translate("guide", "Glue", "自己的胶水")
    project.translate("guide", "Whoever breaks", "自己的钻头")
    run = project.sync("v2")
    assert run.codes == []
    assert project.entry("guide", "varnish").msgstr == "清漆"
    assert project.entry("guide", "Glue").msgstr == "自己的胶水"
    assert project.entry("guide", "three drawers").fuzzy
    assert "自己的钻头" in project.catalog("guide").read_text(encoding="utf-8")
    clone_of(project, "v2")


def test_a_translation_taken_back_stays_taken_back(project: Project) -> None:
    project.translate("guide", "Glue", "")
    project.sync("v1")
    assert project.entry("guide", "Glue").msgstr == ""
    clone_of(project, "v1")


def test_what_a_damaged_catalogue_lost_comes_back_from_the_memory(
    project: Project,
) -> None:
    before = project.catalog("guide").read_bytes()
    project.catalog("guide").write_bytes(
        b"\n\n".join(before.split(b"\n\n")[:3]) + b"\n"
    )  # cut short by an editor
    run = project.sync("v1")
    assert run.codes == []
    assert project.catalog("guide").read_bytes() == before
    assert project.verify() == ()


def test_pages_that_are_not_in_the_run_are_opened_and_stored_as_they_are(
    project: Project,
) -> None:
    project.translate("faq", "Questions", "问题")
    project.sync("v1", only="guide")
    assert "问题" in project.memory("faq").read_text(encoding="utf-8")
    project.clone()
    project.sync("v1", only="guide")
    assert project.pages() == ["faq", "guide", "intro/start"]
    project.sync("v2", only="help")
    assert project.verify() == ()


def test_an_unreadable_document_leaves_its_memory_alone(
    project: Project, tmp_path: Path
) -> None:
    origin = make_origin(
        tmp_path / "bad", {"v1": FIRST, "v2": {**FIRST, "faq.ipynb": "{"}}
    )
    other = Project(project.root, str(origin))
    before = other.memory("faq").read_bytes()
    other.sync("v2")
    assert other.memory("faq").read_bytes() == before


def test_a_dry_run_writes_nothing_and_tells_what_it_would(project: Project) -> None:
    expected = read_tree(project.paths.catalogs(LOCALE))
    project.translate("guide", "Glue", "胶水")
    lock = read_pulled(project.run)
    run = project.sync("v1")
    changed = project.memory("guide").read_bytes()
    project.memory("guide").write_bytes(changed.replace("胶水".encode(), "干".encode()))
    shutil.rmtree(project.paths.catalogs(LOCALE))
    before = read_tree(project.root)
    dry = replace(project.run, dry=True)
    locale = Locale(dry, LOCALE)
    update(locale, run.pages, lock)
    assert read_tree(project.root) == before
    assert list(locale.changes) == [
        f"translations/zh_CN/docs/{name}" for name in expected
    ]
    opened = locale.shown_catalog("guide")
    assert {entry.msgstr for entry in opened.entries} >= {"干"}


# Bad input

BAD = {
    "upper case": (
        (r'msgid "([0-9a-f]{31})[0-9a-f]"', r'msgid "\1F"'),
        "is not a digest",
    ),
    "conflict": (
        (r"(msgstr .*\n\n)", r"<<<<<<< ours\n\1"),
        "unresolved merge conflict",
    ),
    "cut short": ((r'(?s)"\n\Z', ""), "string without its quotes"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_a_memory_file_that_cannot_be_read_is_told_and_left_alone(
    project: Project, name: str
) -> None:
    (pattern, replacement), expected = BAD[name]
    text = project.memory("guide").read_text(encoding="utf-8")
    broken = re.sub(pattern, replacement, text, count=1)
    assert broken != text
    project.memory("guide").write_text(broken, encoding="utf-8")
    catalog = project.catalog("guide").read_bytes()
    project.translate("faq", "Questions", "问题")
    run = project.sync("v1")
    (finding,) = run.findings("guide")
    assert (finding.code, finding.exit_code) == ("input-error", 4)
    assert re.match(r"translations/memory/zh_CN/docs/guide.po:\d+$", finding.where)
    assert expected in finding.text
    assert finding.hint
    assert project.memory("guide").read_text(encoding="utf-8") == broken
    assert project.catalog("guide").read_bytes() == catalog
    assert "问题" in project.memory("faq").read_text(encoding="utf-8")
    assert [one.text for one in project.verify()] == [finding.text]


def test_an_unknown_digest_is_told_and_stays(project: Project) -> None:
    text = project.memory("guide").read_text(encoding="utf-8")
    project.memory("guide").write_text(
        text + f'\nmsgid "{"a" * 32}"\nmsgstr "不知道是谁的"\n', encoding="utf-8"
    )
    run = project.sync("v1")
    (finding,) = run.findings("guide")
    assert finding.code == "memory-not-recovered"
    assert "1 of 6 translations" in finding.text
    assert "do not have it" in finding.text
    assert "不知道是谁的" in project.memory("guide").read_text(encoding="utf-8")
    assert project.sync("v1").codes == ["memory-not-recovered"]
    (unknown,) = project.verify()
    assert unknown.code == "memory-not-recovered"


def test_a_catalogue_that_cannot_be_read_keeps_its_memory(project: Project) -> None:
    before = project.memory("guide").read_bytes()
    project.catalog("guide").write_text("<<<<<<< ours\n", encoding="utf-8")
    project.sync("v1")
    assert project.memory("guide").read_bytes() == before
    assert project.catalog("guide").read_text(encoding="utf-8") == "<<<<<<< ours\n"
    assert [one.code for one in project.verify()] == ["input-error"]


def test_a_catalogue_that_is_deleted_before_it_is_stored_comes_back(
    project: Project,
) -> None:
    """A run that was killed has opened the memory, and has not stored the edit."""
    run = project.sync("v1")
    project.translate("guide", "Glue", "胶水")
    open_memory(Locale(project.run, LOCALE), {}, run.lock)
    project.catalog("guide").unlink()
    project.sync("v1")
    assert project.entry("guide", "The saw").is_translated


@pytest.mark.parametrize(
    ("kind", "code"),
    [("catalog", "catalogue-edited"), ("memory", "changed-meanwhile")],
)
def test_a_file_that_somebody_saves_while_the_run_is_at_work_is_left_alone(
    project: Project, kind: str, code: str
) -> None:
    project.sync("v1")
    project.translate("guide", "Glue", "胶水")
    lock = pull(project.run, ref="v2")
    pages = split(project.run, lock.pages)
    locale = Locale(project.run, LOCALE)
    locale.digests()  # reads all files
    path: Path = getattr(project, kind)("guide")
    if kind == "catalog":
        project.translate("guide", "drill", "钻头")
    else:
        path.write_bytes(path.read_bytes() + b"\n")
    saved = path.read_bytes()
    update(locale, pages, lock)
    (finding,) = locale.findings_of("guide")
    assert (finding.code, finding.hint[:9]) == (code, "Run again")
    assert path.read_bytes() == saved
    assert path.relative_to(project.root).as_posix() not in locale.changes
    assert project.sync("v2").codes == []
    stored = project.memory("guide").read_text(encoding="utf-8")
    assert "胶水" in stored
    assert ("钻头" in stored) is (kind == "catalog")


@pytest.mark.parametrize("room", [0, 2, 4, 6, 7])
def test_a_full_disk_loses_nothing(
    project: Project, teammate: Project, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    calls = iter(range(100))

    def full(_: int) -> None:
        if next(calls) >= room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch, pytest.raises(WriteError) as caught:
        patch.setattr(os, "fsync", full)
        project.sync("v2")
    assert "The disk is full" in caught.value.hint
    project.sync("v2")
    teammate.sync("v2")
    assert read_tree(project.paths.catalogs(LOCALE)) == read_tree(
        teammate.paths.catalogs(LOCALE)
    )
    assert read_tree(project.paths.memories(LOCALE)) == read_tree(
        teammate.paths.memories(LOCALE)
    )


@pytest.mark.parametrize(
    "state", ["{", "[]", '{"guide": 1}', '{"guide": ["<<<", "x"]}']
)
def test_a_damaged_state_file_is_no_matter(project: Project, state: str) -> None:
    before = (
        read_tree(project.paths.catalogs(LOCALE)),
        read_tree(project.paths.memories(LOCALE)),
    )
    project.paths.memory_state(LOCALE).write_text(state, encoding="utf-8")
    assert project.sync("v1").codes == []
    assert (
        read_tree(project.paths.catalogs(LOCALE)),
        read_tree(project.paths.memories(LOCALE)),
    ) == before


# verify


def test_verify_tells_what_differs(project: Project) -> None:
    assert project.verify() == ()
    project.translate("guide", "Glue", "还没存")
    project.memory("faq").unlink()
    line = project.entry("guide", "Glue").line
    assert {(one.code, one.where) for one in project.verify()} == {
        ("memory-lacks-page", "translations/zh_CN/docs/faq.po"),
        ("memory-differs", f"translations/zh_CN/docs/guide.po:{line}"),
    }
    project.sync("v1")
    assert project.verify() == ()


def test_verify_needs_something_pulled(tmp_path: Path) -> None:
    with pytest.raises(UpstreamError, match="nothing has been pulled yet"):
        Project(tmp_path, "https://example.org/x").verify()


def test_verify_tells_of_entries_that_only_one_side_has(project: Project) -> None:
    catalog = project.read("guide")
    extra = Entry(msgid="Never upstream's", msgstr="多出来的", obsolete=True)
    project.catalog("guide").write_bytes(
        po.format_catalog(replace(catalog, entries=(*catalog.entries, extra)))
    )
    assert [one.code for one in project.verify()] == ["memory-differs"]
    project.catalog("guide").write_bytes(
        po.format_catalog(replace(catalog, entries=catalog.entries[:-1]))
    )
    (finding,) = project.verify()
    assert finding.where == "translations/zh_CN/docs/guide.po"


# git


@pytest.mark.parametrize("words", ["Guide to", "Glue", "saw"])
def test_a_branch_that_upgrades_merges_with_one_that_translates_what_stays(
    project: Project, teammate: Project, tmp_path: Path, words: str
) -> None:
    """It holds for whichever message of the page.

    So for the last one, where the upgrade adds obsolete entries below.
    """
    repository = tmp_path / "committed"
    shutil.copytree(project.paths.memories(LOCALE), repository)
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["commit", "-qm", "memory"],
        ["checkout", "-q", "-b", "upgrade"],
    ):
        git(repository, *command)
    teammate.sync("v2")
    shutil.copy(teammate.memory("guide"), repository / "guide.po")
    assert (
        "\n#~ msgid"
        in (repository / "guide.po").read_text(encoding="utf-8").partition(END.msgid)[2]
    )
    git(repository, "commit", "-qam", "upgrade")
    git(repository, "checkout", "-q", "main")
    project.translate("guide", words, "另一个译法")
    project.sync("v1")
    shutil.copy(project.memory("guide"), repository / "guide.po")
    git(repository, "commit", "-qam", "translate")
    git(repository, "merge", "-q", "-m", "both", "upgrade")
    shutil.copy(repository / "guide.po", project.memory("guide"))
    project.sync("v2")
    assert project.entry("guide", words).msgstr == "另一个译法"
    assert project.verify() == ()


def test_one_side_of_a_conflicted_memory_taken_whole_loses_nothing_silently(
    project: Project,
) -> None:
    before = project.memory("guide").read_bytes()
    project.translate("guide", "Glue", "胶水")
    project.edit(
        "guide",
        lambda entry: replace(entry, msgstr="") if "drill" in entry.msgid else entry,
    )
    project.sync("v1")
    without = project.memory("guide").read_bytes()
    project.translate("guide", "drill", "钻头")
    project.sync("v1")
    project.memory("guide").write_bytes(without)
    run = project.sync("v1")
    (finding,) = run.findings("guide")
    assert finding.code == "memory-taken-back"
    entry = project.entry("guide", "drill")
    assert (entry.msgstr, entry.comments) == ("", ())
    assert finding.where == f"translations/zh_CN/docs/guide.po:{entry.line}"
    assert "build/zh_CN/docs/set-aside/guide.po" in finding.hint
    (kept,) = project.kept("set-aside", "guide")
    assert (kept.context, kept.msgid) == ("gone from the memory", entry.msgid)
    assert kept.msgstr == "钻头"
    assert "钻头" not in project.memory("guide").read_text(encoding="utf-8")
    assert project.sync("v1").codes == []
    assert before != without


@pytest.mark.realdocs
def test_a_clone_gets_its_catalogues_back_after_two_upgrades_of_the_real_docs(
    jax_docs_upstream: str, tmp_path: Path
) -> None:
    (tmp_path / "project").mkdir()
    project = Project(tmp_path / "project", jax_docs_upstream)
    most = "[!pn]*"  # without the largest, for the time it takes
    run = project.sync("jax-v0.8.0", only=most)
    for page in project.pages()[::2]:
        project.edit(
            page,
            lambda entry: (
                entry if entry.msgstr else replace(entry, msgstr=chinese(entry))
            ),
        )
    project.translate_pages(run.lock, run.pages)
    for ref in ("jax-v0.9.2", "jax-v0.10.2"):
        run = project.sync(ref, only=most)
        assert run.codes == []
    states = [
        entry
        for catalog in run.locale.readable_catalogs().values()
        for entry in catalog.entries
    ]
    assert sum(entry.fuzzy and not entry.obsolete for entry in states) > 20
    assert sum(entry.obsolete for entry in states) > 20
    expected = (
        read_tree(project.paths.catalogs(LOCALE)),
        read_tree(project.paths.memories(LOCALE)),
    )
    shutil.rmtree(project.paths.catalogs(LOCALE))
    project.paths.memory_state(LOCALE).unlink()
    opened = project.translate_pages(run.lock, run.pages)
    assert (
        read_tree(project.paths.catalogs(LOCALE)),
        read_tree(project.paths.memories(LOCALE)),
    ) == expected
    assert opened.codes == []
    assert not re.search(
        rb"(?:[A-Za-z]{3,} ){5}",
        re.sub(rb"#[^\n]*", b"", b"".join(expected[1].values())),
    )
