"""Each command on a page of the sample's API reference, whose documents are docstrings.

``upgrade`` needs several releases of a package: see ``test_upgrade_reference.py``. The site and
``verify-site`` are tested in ``tests/site/test_site_reference.py``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from catalog_files import edit_catalog
from draft_project import LOCALE, DraftProject
from folders import read_tree
from msgspec.structs import replace
from places import ROOT
from repositories import git
from workbench import ask, workbench_of

from pipeline.entries import Entry

PAGE = "_api/_autosummary/tour.height"
DOCUMENT = f"{PAGE}/tour.height.docstring"
SUMMARY = "Return the height of a line at a place."
OTHER_WORDS = "返回直线在给定位置的高度。"


@pytest.fixture(name="sample")
def _in_git(synced: Path) -> DraftProject:
    """The sample after a sync, in git."""
    git(synced, "init", "--quiet")
    (synced / ".gitignore").write_text("/build/\n", encoding="utf-8")
    git(synced, "add", "--all")
    git(synced, "commit", "--quiet", "--message", "The sample")
    return DraftProject(synced)


def translate(sample: DraftProject, msgstr: str) -> None:
    """Change the translation of the summary."""
    edit_catalog(
        sample.path(PAGE),
        lambda entry: (
            replace(entry, msgstr=msgstr) if entry.msgid == SUMMARY else entry
        ),
    )


def _live(sample: DraftProject) -> list[Entry]:
    """Return the entry of the summary."""
    entries = sample.read(PAGE).entries
    return [one for one in entries if one.msgid == SUMMARY and not one.obsolete]


def summary(sample: DraftProject) -> str:
    """Return the translation of the summary."""
    (entry,) = _live(sample)
    return entry.msgstr


def merged(sample: DraftProject) -> str:
    path = sample.root / "build" / LOCALE / "sample" / "merged" / DOCUMENT
    return path.read_text(encoding="utf-8")


def test_sync_merges_a_docstring_and_keeps_its_code(sample: DraftProject) -> None:
    english = sample.root / "upstream" / "sample" / DOCUMENT
    lines = english.read_text(encoding="utf-8").split("\n")
    chinese = merged(sample)
    for line in ("Args:", "Returns:", "  >>> height(2.0, 1.0, 3.0)", "  7.0"):
        assert line in lines
        assert line in chinese.split("\n")
    assert chinese.startswith(summary(sample))
    assert SUMMARY not in chinese


def test_committed_files_are_those_that_a_sync_writes(sample: DraftProject) -> None:
    """Run ``python -m pipeline sync sample`` and commit the result if this fails."""
    for part in ("upstream/sample", f"translations/{LOCALE}/sample"):
        assert read_tree(sample.root / part) == read_tree(ROOT / part), part


def test_status_counts_the_page_apart(sample: DraftProject) -> None:
    translate(sample, "")
    counts = sample.run("status", "sample", "--json").json["locales"][LOCALE]
    guides, reference = counts["totals"], counts["reference"]
    assert PAGE not in [page["page"] for page in counts["pages"]]
    assert guides["translated"] == guides["messages"]
    assert reference["translated"] == reference["messages"] - 1


def test_check_and_its_hook_name_the_entry(sample: DraftProject) -> None:
    translate(sample, "返回 `高度`")
    path = sample.path(PAGE).relative_to(sample.root).as_posix()
    for words in (("sample",), (path,)):
        told = sample.run("check", *words)
        assert told.code == 1
        assert f"{path}:" in told.out + told.err


def test_review_shows_the_message_in_both_languages(sample: DraftProject) -> None:
    translate(sample, OTHER_WORDS)
    assert sample.run("build", "sample", "--no-execute", "-q").code == 0
    told = sample.run("review", "HEAD", "--format", "markdown").out
    assert SUMMARY in told
    assert "返回直线在<del>一个</del>位置的高度。" in told
    assert "返回直线在<ins><b>给定</b></ins>位置的高度。" in told


def test_memory_verify_reads_its_docstrings(sample: DraftProject) -> None:
    assert sample.run("memory", "verify", "sample").code == 0
    path = sample.root / "translations" / "memory" / LOCALE / "sample" / f"{PAGE}.po"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(summary(sample), OTHER_WORDS), encoding="utf-8")
    told = sample.run("memory", "verify", "sample")
    assert told.code == 1
    assert PAGE in told.out + told.err


def test_export_and_import_take_the_page(sample: DraftProject) -> None:
    assert sample.run("export", "sample").code == 0
    exported = sample.root / "build/export/sample" / LOCALE / f"{PAGE}.po"
    text = exported.read_text(encoding="utf-8")
    exported.write_text(text.replace(summary(sample), OTHER_WORDS), encoding="utf-8")
    folder = "build/export/sample"
    assert sample.run("import", "--name", "sample", folder).code == 0
    assert summary(sample) == OTHER_WORDS


def test_adopt_takes_a_translated_docstring(sample: DraftProject) -> None:
    copy = sample.root / "tour.height.docstring"
    chinese = summary(sample)
    copy.write_text(merged(sample), encoding="utf-8")
    translate(sample, "")
    words = ("sample", copy.name, "--author", "A. Copy", "--license", "CC-BY-4.0")
    told = sample.run("adopt", *words, "--page", PAGE)
    assert told.code == 0, told.err
    assert summary(sample) == chinese


def test_draft_fills_the_page(sample: DraftProject) -> None:
    translate(sample, "")
    told = sample.run("draft", "sample", "--stub", "--pages", PAGE)
    assert told.code == 0, told.err
    assert summary(DraftProject(sample.root / "build" / "stub"))
    assert summary(sample) == ""


def test_serve_shows_and_saves_the_page(sample: DraftProject) -> None:
    workbench = workbench_of(sample.root)
    client = workbench.client()
    assert PAGE in [one["page"] for one in ask(client, "pages")]
    blocks = ask(client, "page", page=PAGE)["blocks"]
    (block,) = (one for one in blocks if one["msgid"] == SUMMARY)
    told = ask(client, "save", page=PAGE, seen=block, msgstr=OTHER_WORDS)
    assert told["errors"] == []
    assert summary(sample) == OTHER_WORDS
