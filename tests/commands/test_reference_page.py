"""Each command on a page of the sample's API reference, whose documents are docstrings.

``upgrade`` needs several releases of a package: see ``test_upgrade_reference.py``. The site and
``verify-site`` are tested in ``tests/site/test_site_reference.py``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from catalog_files import edit_catalog, read_catalog
from folders import read_tree
from in_process import command
from msgspec.structs import replace
from places import ROOT
from repositories import git
from workbench import opened, workbench_of

PAGE = "_api/_autosummary/tour.height"
CATALOG = Path(f"translations/zh_CN/sample/{PAGE}.po")
SUMMARY = "Return the height of a line at a place."
OTHER_WORDS = "返回直线在给定位置的高度。"


@pytest.fixture(autouse=True)
def root(synced: Path) -> Path:
    """The sample after a sync, in git. It is the current folder."""
    git(synced, "init", "--quiet")
    (synced / ".gitignore").write_text("/build/\n", encoding="utf-8")
    git(synced, "add", "--all")
    git(synced, "commit", "--quiet", "--message", "The sample")
    return synced


def translate(msgstr: str) -> None:
    """Change the translation of the summary."""
    edit_catalog(
        CATALOG,
        lambda entry: replace(entry, msgstr=msgstr) if entry.msgid == SUMMARY else entry,
    )


def summary(path: Path = CATALOG) -> str:
    """Return the translation of the summary."""
    entries = read_catalog(path).entries
    (entry,) = (one for one in entries if one.msgid == SUMMARY and not one.obsolete)
    return entry.msgstr


def merged() -> str:
    path = Path(f"build/zh_CN/sample/merged/{PAGE}/tour.height.docstring")
    return path.read_text(encoding="utf-8")


def test_sync_merges_a_docstring_and_keeps_its_code() -> None:
    english = Path(f"upstream/sample/{PAGE}/tour.height.docstring")
    code = {"Args:", "Returns:", "  >>> height(2.0, 1.0, 3.0)", "  7.0"}
    assert code <= {*english.read_text(encoding="utf-8").split("\n")}
    assert code <= {*merged().split("\n")}
    assert merged().startswith(summary())
    assert SUMMARY not in merged()


def test_committed_files_are_those_that_a_sync_writes(root: Path) -> None:
    """Run ``python -m pipeline sync sample`` and commit the result if this fails."""
    for part in ("upstream/sample", "translations/zh_CN/sample"):
        assert read_tree(root / part) == read_tree(ROOT / part), part


def test_status_counts_the_page_apart() -> None:
    translate("")
    counts = command("status sample --json").json["locales"]["zh_CN"]
    guides, reference = counts["totals"], counts["reference"]
    assert PAGE not in [page["page"] for page in counts["pages"]]
    assert guides["translated"] == guides["messages"]
    assert reference["translated"] == reference["messages"] - 1


def test_check_and_its_hook_name_the_entry() -> None:
    translate("返回 `高度`")
    for word in ("sample", CATALOG):
        told = command("check", word, code=1)
        assert f"{CATALOG}:" in told.out + told.err


def test_review_shows_the_message_in_both_languages() -> None:
    translate(OTHER_WORDS)
    command("build sample --no-execute -q")
    told = command("review HEAD --format markdown").out
    assert SUMMARY in told
    assert "返回直线在<del>一个</del>位置的高度。" in told
    assert "返回直线在<ins><b>给定</b></ins>位置的高度。" in told


def replace_summary(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(summary(), OTHER_WORDS), encoding="utf-8")


def test_memory_verify_reads_its_docstrings() -> None:
    command("memory verify sample")
    replace_summary(Path(f"translations/memory/zh_CN/sample/{PAGE}.po"))
    told = command("memory verify sample", code=1)
    assert PAGE in told.out + told.err


def test_export_and_import_take_the_page() -> None:
    command("export sample")
    replace_summary(Path(f"build/export/sample/zh_CN/{PAGE}.po"))
    command("import --name sample build/export/sample")
    assert summary() == OTHER_WORDS


def test_adopt_takes_a_translated_docstring() -> None:
    chinese = summary()
    Path("tour.height.docstring").write_text(merged(), encoding="utf-8")
    translate("")
    line = "adopt sample tour.height.docstring --license CC-BY-4.0 --author Us --page"
    command(line, PAGE)
    assert summary() == chinese


def test_draft_fills_the_page() -> None:
    translate("")
    command("draft sample --stub --pages", PAGE)
    assert summary("build/stub" / CATALOG)
    assert summary() == ""


def test_serve_shows_and_saves_the_page(root: Path) -> None:
    with opened(workbench_of(root)) as bench:
        assert PAGE in [one["page"] for one in bench.ask("pages")]
        blocks = bench.ask("page", page=PAGE)["blocks"]
        (block,) = (one for one in blocks if one["msgid"] == SUMMARY)
        assert bench.save(PAGE, block, OTHER_WORDS)["errors"] == []
    assert summary() == OTHER_WORDS
