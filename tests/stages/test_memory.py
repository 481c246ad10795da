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
from catalog_files import LI
from folders import read_tree, snapshot
from memory_project import FIRST, LOCALE, RELEASES, SECOND, Project, Synced, chinese
from msgspec.structs import replace
from repositories import git

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
# The paragraphs of the page ``guide`` in v1.
HEADING, BENCH, SAW, GLUE, DRILL = FIRST["guide.md"].strip().split("\n\n")


@pytest.fixture
def project(tmp_path: Path, stored: Project) -> Project:
    """A project whose catalogues of v1 are translated and stored."""
    return stored.copy(tmp_path / "project")


def clone_of(project: Project, ref: str) -> Synced:
    """Sync a fresh clone, and expect the very files that were there before."""
    before = project.trees
    assert before[0]
    project.clone()
    run = project.sync(ref)
    assert run.codes == []
    assert project.trees == before
    assert project.verify() == ()
    return run


# What a file holds


def test_a_memory_file_has_every_message_and_no_english(project: Project) -> None:
    text = project.text("guide")
    head, *entries = text.split("\n\n")
    upstream = '"X-Upstream: docs\\n"\n"X-Upstream-Ref: v1\\n"\n"X-Upstream-Commit: '
    assert upstream in head
    assert len(entries) - 1 == len(project.read("guide").entries) == 5
    assert END.msgid in entries[-1]
    codes = re.findall(r'^msgid "([0-9a-f]{32})"$', text, re.MULTILINE)
    assert codes == sorted(codes)
    assert digest("Guide to the workshop") in codes
    translator = "#. translator: Li Lei <li@example.org>, 2026-01-02 03:04+0800\n"
    assert entries[0].startswith(translator)


@pytest.mark.slow
def test_no_word_of_upstream_is_in_any_memory_file(project: Project) -> None:
    for step in ("v1", "v2", "v3"):
        project.sync(step)
        for entry in project.read("guide").entries:
            if "varnish" in entry.msgid:
                project.change("guide", entry.msgid, msgstr=entry.msgid)
    project.sync("v3")
    texts = "\n".join(text for pages in RELEASES.values() for text in pages.values())
    words = {word.lower() for word in re.findall(r"[A-Za-z]{4,}", texts)}
    ours = (
        "translation memory each msgid digest upstream english translate catalogues here "
        "example.org seen previous translator fuzzy carried over moved same text rewording "
        "numbers typo case mark guide start intro help"
    )
    for path, data in project.trees[1].items():
        for line in data.decode("utf-8").split("\n"):
            told = re.sub(r"\b[0-9a-f]{32,40}\b", "", line.lower())
            told = told.replace(path.removesuffix(".po"), "")
            found = {*re.findall(r"[a-z]{4,}", told)}
            assert not (found & words) - {*ours.split()}, line


def test_english_as_its_own_translation_is_not_stored_as_text(project: Project) -> None:
    project.translate("faq", "Questions", "Questions")
    project.sync("v1")
    assert "Questions" not in project.text("faq")
    assert "#. same: as the English" in project.text("faq")
    clone_of(project, "v1")
    assert project.entry("faq", "Questions").msgstr == "Questions"


def test_the_previous_english_as_a_translation_is_not_stored(project: Project) -> None:
    project.translate("guide", "two drawers", BENCH)
    project.sync("v2")
    assert project.entry("guide", "three drawers").msgstr == BENCH
    assert "#. same: as the previous English" in project.text("guide")
    clone_of(project, "v2")


def test_one_changed_translation_is_one_changed_entry(project: Project) -> None:
    before = project.trees[1]
    project.translate("guide", "Glue", "胶水")
    project.sync("v1")
    after = project.trees[1]
    assert [name for name in after if after[name] != before[name]] == ["guide.po"]
    changed = set(after["guide.po"].split(b"\n")) ^ set(before["guide.po"].split(b"\n"))
    texts = ("胶水", chinese(Entry(msgid=GLUE)))
    assert changed == {f'msgstr "{text}"'.encode() for text in texts}


def test_a_page_that_an_upgrade_leaves_alone_keeps_its_file(project: Project, origin: Path) -> None:
    before = project.text("intro/start")
    project.sync("v2")
    assert project.text("intro/start") == before
    assert git(origin, "rev-parse", "v1") in before


def test_a_second_run_writes_nothing(project: Project) -> None:
    for ref in ("v1", "v2", "v3"):
        project.sync(ref)
        before = snapshot(project.root)
        assert project.sync(ref).changes == []
        assert snapshot(project.root) == before


# P10


def test_a_clone_gets_them_back_after_two_upgrades_with_fuzzy_entries(
    project: Project, origin: Path
) -> None:
    project.sync("v2")
    assert project.entry("guide", "three drawers").fuzzy
    clone_of(project, "v2")
    project.sync("v3")
    bench = project.entry("guide", "big workshop")
    assert (bench.fuzzy, bench.previous) == (True, BENCH)
    seen = f"#. previous seen: {git(origin, 'rev-parse', 'v1')} guide"
    assert seen in project.text("guide")
    clone_of(project, "v3")


@pytest.mark.slow
def test_a_clone_at_a_newer_ref_gets_the_same(project: Project, tmp_path: Path) -> None:
    other = project.copy(tmp_path / "other")
    other.clone()
    for ref in ("v3", "v2", "v1", "v3"):  # also down again
        assert project.sync(ref).codes == other.sync(ref).codes == []
        assert project.trees == other.trees
        clone_of(other, ref)


def test_comments_contexts_flags_and_team_headers_come_back(project: Project) -> None:
    catalog = project.read("guide")
    first, second, *rest = catalog.entries
    entries = (
        replace(first, context="verb", msgstr="带领"),
        replace(first, context="noun", msgstr="指南", comments=("see the glossary",)),
        replace(second, flags=("no-wrap",)),
        *rest,
    )
    header = {**catalog.header, **LI} | {
        "Language-Team": "Team <team@example.org>",
        "X-Generator": "Poedit 3.4",
        "X-Poedit-Bookmarks": "-1",
    }
    comment = ("For the workshop.",)
    project.rewrite("guide", header=header, comment=comment, entries=entries)
    project.sync("v1")
    assert "2026-01-02 03:04+0800, Poedit 3.4" in project.text("guide")
    clone_of(project, "v1")
    assert project.read("guide").header["X-Generator"] == "Poedit 3.4"


def test_the_header_names_who_touched_an_entry_last(project: Project) -> None:
    project.translate("guide", "Glue", "胶水", header=HAN)
    project.sync("v1")
    text = project.text("guide")
    assert text.count("translator: Han Meimei") == 1
    assert text.count("translator: Li Lei") == 4
    clone_of(project, "v1")
    assert project.read("guide").header["Last-Translator"] == HAN["Last-Translator"]


def test_the_update_is_no_translator(project: Project) -> None:
    releases = {"v1": FIRST, "v2": FIRST | {"copy.md": FIRST["guide.md"]}}
    other = project.moved_to("copied", releases)
    other.sync("v2")
    assert "carried over: the same text in guide" in other.text("copy")
    assert "translator:" not in other.text("copy")
    clone_of(other, "v2")


def test_a_page_renamed_upstream_takes_its_memory_along(project: Project) -> None:
    renamed = FIRST | {"manual.md": FIRST["guide.md"]}
    del renamed["guide.md"]
    other = project.moved_to("renamed", {"v1": FIRST, "v2": renamed})
    other.sync("v2")
    assert not other.memory("guide").exists()
    assert other.text("manual").count("translator: Li Lei") == 5
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
    project: Project, refs: tuple[str, str]
) -> None:
    joined = FIRST["guide.md"].replace("small tools.\n\nThe saw", "small tools. The saw")
    again = joined.replace("else has come in.", "else has come in. Ask first.")
    pages = {"v2": FIRST | {"guide.md": joined}, "v3": FIRST | {"guide.md": again}}
    other = project.moved_to("joined", {"v1": FIRST, **pages})
    for ref in refs:
        other.sync(ref)
        saw = other.entry("guide", "The saw")
        assert (saw.fuzzy, saw.previous) == (True, f"{BENCH} {SAW}")
        clone_of(other, ref)
    # A translator throws away what is obsolete: the sources are still known.
    live = tuple(one for one in other.read("guide").entries if not one.obsolete)
    other.rewrite("guide", entries=live)
    before = other.text("guide")
    other.sync(refs[1])
    assert other.text("guide") == before


def test_a_change_that_was_followed_comes_back_with_its_note(project: Project) -> None:
    link = "Plans for all of the benches hang on the wall, and [on paper]({}) in the office.\n"
    old, new = "http://bench.example.org/plans", "https://bench.example.org/plans"
    pages = {
        ref: FIRST | {"plans.md": link.format(url)} for ref, url in {"v2": old, "v3": new}.items()
    }
    other = project.moved_to("followed", {"v1": FIRST, **pages})
    other.sync("v2")
    msgstr = "所有工作台的图纸都挂在墙上，办公室里也有[纸质版]({})。"
    other.translate("plans", "Plans", msgstr.format(old))
    other.sync("v2")
    other.sync("v3")
    entry = other.entry("plans", "Plans")
    assert (entry.is_translated, entry.msgstr) == (True, msgstr.format(new))
    assert entry.notes[-1].startswith("carried over: ")
    assert "[-" in entry.notes[-1]
    assert "office" not in other.text("plans")
    clone_of(other, "v3")
    other.edit(
        "plans",
        lambda one: replace(one, msgid="Another text.") if one.obsolete else one,
    )
    other.memory("plans").unlink()
    other.sync("v3")
    # Whose change it was is not known any more.
    assert re.search(r"^#\. carried over: [a-z -]+$", other.text("plans"), re.MULTILINE)


def test_a_date_that_is_none_does_not_win(project: Project) -> None:
    header = {**HAN, "PO-Revision-Date": "2026-13-41 99:99+0800"}
    project.translate("guide", "Glue", "胶水", header=header)
    project.sync("v1")
    assert "2026-13-41" in project.text("guide")
    project.clone()
    project.sync("v1")
    assert project.read("guide").header["Last-Translator"] == LI["Last-Translator"]


# Upstream's history


@pytest.mark.slow
def test_a_lost_commit_is_reported_and_its_translations_stay(project: Project) -> None:
    project.sync("v2")
    before = _strings(project.trees[1]["guide.po"])
    releases = {"v2": SECOND | {"new.md": "# Another history\n"}}
    other = project.moved_to("rewritten", releases)
    other.clone()
    run = other.sync("v2")
    assert run.codes == ["memory-not-recovered"]
    (finding,) = run.findings("guide")
    assert re.search(r"of \d+ translations is unavailable.*'[0-9a-f]{40}'", finding.text)
    assert finding.where.startswith("translations/memory/zh_CN/docs/guide.po:")
    assert other.entry("guide", "Glue").is_translated
    drawers = other.entry("guide", "three drawers")
    assert (drawers.fuzzy, drawers.previous) == (True, None)
    assert _strings(other.trees[1]["guide.po"]) == before
    codes = [one.code for one in other.verify()]
    assert codes == ["memory-not-recovered"] * len(run.locale.findings)
    # the history is back: so is everything else
    project.clone()
    assert project.sync("v2").codes == []
    assert project.entry("guide", "three drawers").previous is not None


def test_a_plain_folder_has_no_history_but_exact_texts(
    project: Project, origin: Path, tmp_path: Path
) -> None:
    git(origin, "worktree", "add", "-q", "--detach", str(tmp_path / "plain"), "v2")
    (tmp_path / "plain" / ".git").unlink()
    git(origin, "worktree", "prune")
    other = replace(project, url=str(tmp_path / "plain"))
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
    clone_of(replace(project, url=str(tmp_path / "all.bundle")), "v3")


@pytest.mark.slow
def test_a_ref_older_than_the_docs_folder_and_one_where_half_of_the_pages_are_gone(
    project: Project,
) -> None:
    half = {"intro/start.md": FIRST["intro/start.md"]}
    other = project.moved_to("odd", {"v1": FIRST, "v0": {}, "half": half})
    before = _strings(*project.trees[0].values())
    with pytest.raises(UpstreamError, match="has no folder 'docs'"):
        other.sync("v0")
    other.sync("half")
    assert _strings(*other.trees[0].values()) >= before
    clone_of(other, "half")
    other.sync("v1")
    entries = (*other.read("guide").entries, *other.read("faq").entries)
    assert all(entry.is_translated for entry in entries)
    text = re.sub(
        r"(X-Upstream-Commit: )[0-9a-f]{40}",
        rf"\g<1>{git(Path(other.url), 'rev-parse', 'v0')}",
        other.text("faq"),
    )
    text = re.sub(r"(X-Upstream-Page: )[0-9a-f]{32}", rf"\g<1>{'0' * 32}", text)
    other.memory("faq").write_text(text, encoding="utf-8")
    other.clone()
    assert other.sync("v1").codes == []  # all of it stands word for word at the pin
    assert all(entry.is_translated for entry in other.read("faq").entries)


def _strings(*files: bytes) -> set[bytes]:
    """Return the translations in the files of catalogues or of the memory."""
    return {text for data in files for text in re.findall(rb'msgstr "(.+)"', data)}


# Work that comes in with the memory


@pytest.fixture
def teammate(project: Project, tmp_path: Path) -> Project:
    """Another working copy that starts from the same memory."""
    return project.copy(tmp_path / "teammate")


def test_a_teammates_translation_comes_in(project: Project, teammate: Project) -> None:
    teammate.translate("guide", "Glue", "胶水，队友译", header=HAN)
    teammate.sync("v1")
    project.take_memory(teammate)
    header = {**LI, "PO-Revision-Date": "2026-02-01 00:00+0800"}
    project.translate("guide", "drill", "钻头，自己译", header=header)
    assert project.sync("v1").codes == []
    assert project.entry("guide", "Glue").msgstr == "胶水，队友译"
    assert project.entry("guide", "drill").msgstr == "钻头，自己译"
    for who, msgid in (
        ("Han Meimei <han@example.org>, 2026-03-04 05:06", GLUE),
        ("Li Lei <li@example.org>, 2026-02-01 00:00", DRILL),
    ):
        assert f'{who}+0800\nmsgid "{digest(msgid)}' in project.text("guide")
    clone_of(project, "v1")


def test_two_translations_of_one_message_are_told_and_the_own_one_stays(
    project: Project, teammate: Project
) -> None:
    teammate.translate("guide", "Glue", "队友的")
    teammate.translate("guide", "drill", "也是队友的")
    teammate.sync("v1")
    project.take_memory(teammate)
    project.translate("guide", "Glue", "自己的")
    (finding,) = project.sync("v1").findings("guide")
    assert finding.code == "memory-conflict"
    glue = project.entry("guide", "Glue")
    assert finding.where == f"translations/zh_CN/docs/guide.po:{glue.line}"
    told = r"translations/memory/zh_CN/docs/guide.po:\d+; the translation here is kept"
    assert re.search(told, finding.text)
    assert (glue.msgstr, glue.comments) == ("自己的", ())
    assert project.entry("guide", "drill").msgstr == "也是队友的"
    assert "自己的" in project.text("guide")
    assert '"队友的"' not in project.text("guide")
    assert "build/zh_CN/docs/set-aside/guide.po" in finding.hint
    (other,) = project.kept("set-aside", "guide")
    assert (other.context, other.msgstr) == ("someone else wrote", "队友的")
    assert other.msgid == glue.msgid
    assert project.sync("v1").codes == []


def test_without_a_common_start_finished_work_stays_and_unfinished_gives_way(
    project: Project, teammate: Project
) -> None:
    for words in ("Glue", "drill", "saw"):
        teammate.translate("guide", words, f"队友：{words}")
    teammate.translate("guide", "a lamp", "")
    teammate.sync("v1")
    project.take_memory(teammate)
    project.paths.memory_state(LOCALE).unlink()
    project.translate("guide", "Glue", "自己的")
    project.translate("guide", "drill", "")
    project.change("guide", "saw", fuzzy=True, previous=SAW)
    run = project.sync("v1")
    assert [one.code for one in run.findings("guide")] == ["memory-conflict"]
    bench = chinese(Entry(msgid=BENCH))
    for words, msgstr in {
        "Glue": "自己的",
        "drill": "队友：drill",
        "saw": "队友：saw",
        "a lamp": bench,
    }.items():
        assert project.entry("guide", words).msgstr == msgstr


def test_a_teammates_upgrade_comes_in(project: Project, teammate: Project) -> None:
    teammate.sync("v2")
    teammate.translate("guide", "varnish", "清漆")
    teammate.sync("v2")
    project.take_memory(teammate)
    project.translate("guide", "Glue", "自己的胶水")
    project.translate("guide", "Whoever breaks", "自己的钻头")
    assert project.sync("v2").codes == []
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


def test_what_a_damaged_catalogue_lost_comes_back(project: Project) -> None:
    before = project.catalog("guide").read_bytes()
    # cut short by an editor
    cut = b"\n\n".join(before.split(b"\n\n")[:3]) + b"\n"
    project.catalog("guide").write_bytes(cut)
    assert project.sync("v1").codes == []
    assert project.catalog("guide").read_bytes() == before
    assert project.verify() == ()


def test_pages_outside_the_run_are_opened_and_stored_too(project: Project) -> None:
    project.translate("faq", "Questions", "问题")
    project.sync("v1", only="guide")
    assert "问题" in project.text("faq")
    project.clone()
    project.sync("v1", only="guide")
    assert project.pages() == ["faq", "guide", "intro/start"]
    project.sync("v2", only="help")
    assert project.verify() == ()


def test_an_unreadable_document_leaves_its_memory_alone(project: Project) -> None:
    releases = {"v1": FIRST, "v2": FIRST | {"faq.ipynb": "{"}}
    before = project.text("faq")
    project.moved_to("bad", releases).sync("v2")
    assert project.text("faq") == before


def test_a_dry_run_writes_nothing_and_tells_what_it_would(project: Project) -> None:
    expected = project.trees[0]
    project.translate("guide", "Glue", "胶水")
    lock = read_pulled(project.run)
    run = project.sync("v1")
    changed = project.text("guide").replace("胶水", "干")
    project.memory("guide").write_text(changed, "utf-8")
    shutil.rmtree(project.paths.catalogs(LOCALE))
    before = read_tree(project.root)
    locale = Locale(replace(project.run, dry=True), LOCALE)
    update(locale, run.pages, lock)
    assert read_tree(project.root) == before
    assert [*locale.changes] == [f"translations/zh_CN/docs/{name}" for name in expected]
    opened = locale.shown_catalog("guide")
    assert {entry.msgstr for entry in opened.entries} >= {"干"}


# Bad input

NO_DIGEST = (r'msgid "([0-9a-f]{31})[0-9a-f]"', r'msgid "\1F"')
BAD = {
    "upper case": (NO_DIGEST, "is not a digest"),
    "conflict": ((r"(msgstr .*\n\n)", r"<<<<<<< ours\n\1"), "unresolved merge conflict"),
    "cut short": ((r'(?s)"\n\Z', ""), "string without its quotes"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_an_unreadable_memory_file_is_left_alone(project: Project, name: str) -> None:
    (pattern, replacement), expected = BAD[name]
    broken = re.sub(pattern, replacement, project.text("guide"), count=1)
    assert broken != project.text("guide")
    project.memory("guide").write_text(broken, encoding="utf-8")
    catalog = project.catalog("guide").read_bytes()
    project.translate("faq", "Questions", "问题")
    (finding,) = project.sync("v1").findings("guide")
    assert (finding.code, finding.exit_code) == ("input-error", 4)
    assert re.match(r"translations/memory/zh_CN/docs/guide.po:\d+$", finding.where)
    assert expected in finding.text
    assert finding.hint
    assert project.text("guide") == broken
    assert project.catalog("guide").read_bytes() == catalog
    assert "问题" in project.text("faq")
    assert [one.text for one in project.verify()] == [finding.text]


def test_an_unknown_digest_is_told_and_stays(project: Project) -> None:
    with project.memory("guide").open("a", encoding="utf-8") as file:
        file.write(f'\nmsgid "{"a" * 32}"\nmsgstr "不知道是谁的"\n')
    (finding,) = project.sync("v1").findings("guide")
    assert finding.code == "memory-not-recovered"
    assert "1 of 6 translations" in finding.text
    assert "do not have it" in finding.text
    assert "不知道是谁的" in project.text("guide")
    assert project.sync("v1").codes == ["memory-not-recovered"]
    assert [one.code for one in project.verify()] == ["memory-not-recovered"]


def test_a_catalogue_that_cannot_be_read_keeps_its_memory(project: Project) -> None:
    before = project.text("guide")
    project.catalog("guide").write_text("<<<<<<< ours\n", encoding="utf-8")
    project.sync("v1")
    assert project.text("guide") == before
    assert project.catalog("guide").read_text(encoding="utf-8") == "<<<<<<< ours\n"
    assert [one.code for one in project.verify()] == ["input-error"]


def test_a_catalogue_deleted_before_it_is_stored_comes_back(project: Project) -> None:
    """A run that was killed has opened the memory, and has not stored the edit."""
    run = project.sync("v1")
    project.translate("guide", "Glue", "胶水")
    open_memory(Locale(project.run, LOCALE), {}, run.lock)
    project.catalog("guide").unlink()
    project.sync("v1")
    assert project.entry("guide", "The saw").is_translated


@pytest.mark.parametrize(
    ("kind", "code"), [("catalog", "catalogue-edited"), ("memory", "changed-meanwhile")]
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
    assert "胶水" in project.text("guide")
    assert ("钻头" in project.text("guide")) is (kind == "catalog")


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
    assert project.trees == teammate.trees


@pytest.mark.parametrize("state", ["{", "[]", '{"guide": 1}', '{"guide": ["<<<", "x"]}'])
def test_a_damaged_state_file_is_no_matter(project: Project, state: str) -> None:
    before = project.trees
    project.paths.memory_state(LOCALE).write_text(state, encoding="utf-8")
    assert project.sync("v1").codes == []
    assert project.trees == before


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
    entries = project.read("guide").entries
    extra = Entry(msgid="Never upstream's", msgstr="多出来的", obsolete=True)
    project.rewrite("guide", entries=(*entries, extra))
    assert [one.code for one in project.verify()] == ["memory-differs"]
    project.rewrite("guide", entries=entries[:-1])
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
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "memory")
    git(repository, "checkout", "-q", "-b", "upgrade")
    teammate.sync("v2")
    shutil.copy(teammate.memory("guide"), repository / "guide.po")
    assert "\n#~ msgid" in teammate.text("guide").partition(END.msgid)[2]
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


def test_one_side_of_a_conflict_taken_whole_loses_nothing(project: Project) -> None:
    project.translate("guide", "Glue", "胶水")
    project.translate("guide", "drill", "")
    project.sync("v1")
    without = project.text("guide")
    project.translate("guide", "drill", "钻头")
    project.sync("v1")
    project.memory("guide").write_text(without, "utf-8")
    (finding,) = project.sync("v1").findings("guide")
    assert finding.code == "memory-taken-back"
    entry = project.entry("guide", "drill")
    assert (entry.msgstr, entry.comments) == ("", ())
    assert finding.where == f"translations/zh_CN/docs/guide.po:{entry.line}"
    assert "build/zh_CN/docs/set-aside/guide.po" in finding.hint
    (kept,) = project.kept("set-aside", "guide")
    assert (kept.context, kept.msgid) == ("gone from the memory", entry.msgid)
    assert kept.msgstr == "钻头"
    assert "钻头" not in project.text("guide")
    assert project.sync("v1").codes == []


@pytest.mark.realdocs
def test_a_clone_gets_its_catalogues_back_after_two_upgrades_of_the_real_docs(
    jax_docs_upstream: str, tmp_path: Path
) -> None:
    (tmp_path / "project").mkdir()
    project = Project(tmp_path / "project", jax_docs_upstream)
    most = "[!pn]*"  # without the largest, for the time it takes
    run = project.sync("jax-v0.8.0", only=most)
    project.translate_all(project.pages()[::2])
    project.translate_pages(run.lock, run.pages)
    for ref in ("jax-v0.9.2", "jax-v0.10.2"):
        run = project.sync(ref, only=most)
        assert run.codes == []
    catalogs = run.locale.readable_catalogs().values()
    entries = [entry for catalog in catalogs for entry in catalog.entries]
    assert sum(entry.fuzzy and not entry.obsolete for entry in entries) > 20
    assert sum(entry.obsolete for entry in entries) > 20
    expected = project.trees
    shutil.rmtree(project.paths.catalogs(LOCALE))
    project.paths.memory_state(LOCALE).unlink()
    opened = project.translate_pages(run.lock, run.pages)
    assert project.trees == expected
    assert opened.codes == []
    texts = re.sub(rb"#[^\n]*", b"", b"".join(expected[1].values()))
    assert not re.search(rb"(?:[A-Za-z]{3,} ){5}", texts)
