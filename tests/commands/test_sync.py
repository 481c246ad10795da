"""The whole road without kernels, as a user runs it.

That is sync on the sample, and on pages broken on purpose.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from catalog_files import edit_catalog
from folders import snapshot, write_tree
from in_process import Told, command
from msgspec.structs import replace

BUILD = Path("build/zh_CN/sample")
PAGE = "# A page\n\nIt has one paragraph.\n\n```{code-cell}\nrun(1)\n```\n"


@pytest.fixture
def docs(project: Path) -> Path:
    """The sample reduced to one small page without a catalogue."""
    write_tree(project / "translations" / "zh_CN" / "sample", {})
    write_tree(project / "upstream" / "sample", {"page.md": PAGE})
    return project / "upstream" / "sample"


def sync(*words: str, code: int = 0) -> Told:
    return command("sync sample --no-execute", *words, code=code)


def catalog_path(page: str = "page") -> Path:
    return Path("translations/zh_CN/sample", f"{page}.po")


def merged(path: str = "page.md") -> str:
    return (BUILD / "merged" / path).read_text(encoding="utf-8")


def translate(page: str, **translations: str) -> None:
    """Translate the entries of a page that begin with a word."""
    edit_catalog(
        catalog_path(page),
        lambda entry: replace(
            entry, msgstr=translations.get(entry.msgid.split(" ")[0], entry.msgstr)
        ),
    )


def test_the_sample_is_complete_and_a_second_run_writes_nothing(project: Path) -> None:
    totals = sync("--json").json["locales"]["zh_CN"]["totals"]
    assert (totals["pages"], totals["findings"]) == (9, 0)
    assert totals["translated"] == totals["messages"] > 200
    before = snapshot(project)
    time.sleep(0.01)
    assert "nothing to write" in sync().err
    assert snapshot(project) == before


STATES = {
    "an array": b"[]",
    "arrays without end": b"[" * 100_000,
    "a number without end": b'{"page": [' + b"9" * 5_000 + b"]}",
    "other types": b'{"page": "a", "b": [1, {}], "inputs": 3, "merged": [null]}',
    "no text": b"\xff\xfe\x00",
    "nothing": b"",
}


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_state_that_makes_no_sense_is_made_again(docs: Path, state: bytes) -> None:
    sync()
    files = [Path("build/report.json"), *BUILD.rglob("*.json")]
    before = {path: without_stamps(path) for path in files}
    for path in files:
        path.write_bytes(state)
    sync()
    assert {path: without_stamps(path) for path in files} == before


def without_stamps(path: Path) -> bytes:
    """Return the content of a file without digests of times, which a memo may have."""
    return re.sub(rb'"stamps":"\w+"', b"", path.read_bytes())


def test_a_dry_run_tells_what_would_change(docs: Path, project: Path) -> None:
    sync()
    sync("--check")
    (docs / "page.md").write_text("# A page\n\nIt has another paragraph now.\n")
    before = snapshot(project)
    told = sync("--check", code=1).err
    assert "would be written: upstream/sample.lock\n" in told
    assert snapshot(project) == before


def test_a_translated_page_is_attributed_under_its_title(docs: Path) -> None:
    sync()
    assert merged() == PAGE
    translate("page", A="一个页面")
    sync()
    title, _, attribution, _, paragraph, *rest = merged().split("\n")
    assert (title, paragraph) == ("# 一个页面", "It has one paragraph.")
    assert attribution.startswith("> ")
    assert all(part in attribution for part in ("page.md", "JAX", "Apache-2.0"))
    assert rest == ["", "```{code-cell}", "run(1)", "```", ""]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("msgstr", "code"),
    [
        ("```{code-cell}\nrun(2)\n```", "M101"),
        ("看<script>alert(1)</script>这里", "G104"),
        ("一\n" * 1000 + "完", "G106"),
    ],
)
def test_a_hostile_translation_is_reported(docs: Path, msgstr: str, code: str) -> None:
    sync()
    translate("page", It=msgstr, A="一个页面")
    told = sync(code=1).out
    assert code in told
    # What readers see in English is work to do.
    assert "2 messages, 50 % translated" in told
    lines = catalog_path().read_text(encoding="utf-8").split("\n")
    line = lines.index('msgid "It has one paragraph."') + 1
    assert f"translations/zh_CN/sample/page.po:{line}" in told
    assert merged().startswith("# 一个页面")
    assert merged().endswith(PAGE.partition("\n\n")[2])
    # A run that has nothing to do reports the same, and restores what was built.
    (BUILD / "merged/page.md").write_text("edited")
    assert sync(code=1).out == told
    assert merged().startswith("# 一个页面")


BROKEN_CATALOGS = {
    "syntax error": b'msgid "It has one paragraph."\nmsgstr "unclosed\n',
    "conflict markers": (
        b'msgid "A page"\n<<<<<<< ours\nmsgstr "a"\n=======\nmsgstr "b"\n>>>>>>> theirs\n'
    ),
    "wrong charset": (
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=GBK\\n"\n\n'
        'msgid "A page"\nmsgstr "页面"\n'
    ).encode("gbk"),
    "two translations": b'msgid "A page"\nmsgstr "x"\n\nmsgid "A page"\nmsgstr "y"\n',
}


@pytest.mark.slow
@pytest.mark.parametrize("data", BROKEN_CATALOGS.values(), ids=BROKEN_CATALOGS)
def test_a_broken_catalogue_is_named_and_left_alone(docs: Path, data: bytes) -> None:
    (docs / "other.md").write_text("# Another page\n")
    sync()
    catalog_path().write_bytes(data)
    translate("other", Another="另一个页面")
    assert "translations/zh_CN/sample/page.po:" in sync(code=4).out
    assert catalog_path().read_bytes() == data
    assert merged() == PAGE
    assert "另一个页面" in merged("other.md")
    command("check sample", code=4)
    command("check", catalog_path("other"))


BROKEN_NOTEBOOKS = {
    "invalid JSON": b'{"cells": [,]}',
    "no notebook": b'{"name": "something"}',
    "a list": b"[1, 2]",
    "nbformat 3": b'{"nbformat": 3, "worksheets": [], "metadata": {}}',
    "byte order mark": b'\xef\xbb\xbf{"cells": [], "metadata": {}, "nbformat": 4}',
    "not UTF-8": b'{"cells": [], "metadata": {"x": "\xff"}, "nbformat": 4}',
    "a key twice": b'{"cells": [], "cells": [], "metadata": {}, "nbformat": 4}',
}


@pytest.mark.parametrize("data", BROKEN_NOTEBOOKS.values(), ids=BROKEN_NOTEBOOKS)
def test_a_broken_notebook_stops_no_other(docs: Path, data: bytes) -> None:
    (docs / "broken.ipynb").write_bytes(data)
    assert "broken.ipynb" in sync(code=4).out
    assert "A page" in merged()
    assert not catalog_path("broken").exists()


def test_a_notebook_without_metadata_is_translated(docs: Path) -> None:
    notebook = {
        "cells": [
            {"cell_type": "markdown", "source": "Some text.\ud800"},
            {"cell_type": "markdown", "source": "More text."},
        ],
        "nbformat": 4,
    }
    (docs / "book.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assert "metadata" in sync().out
    translate("book", More="更多文字。")
    sync()
    cells = json.loads(merged("book.ipynb"))["cells"]
    assert "更多文字。" in cells[1]["source"]
    assert cells[0]["source"] == "Some text.\ud800"
    before = catalog_path("book").read_bytes()
    (docs / "book.ipynb").write_text("{", encoding="utf-8")
    sync(code=4)
    assert catalog_path("book").read_bytes() == before


def test_a_page_that_upstream_renamed_takes_its_translations_along(docs: Path) -> None:
    sentence = "This sentence moves from one page to another."
    (docs / "old.md").write_text(f"# Old\n\n{sentence}\n")
    sync()
    translate("old", This="这句话从一页搬到另一页。")
    sync()
    stale = [BUILD / name for name in ("executed/old.ipynb", "html/old.html")]
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"from an earlier run")
    (docs / "old.md").unlink()
    (docs / "new.md").write_text(f"# New\n\n{sentence}\n")
    sync()
    assert "这句话从一页搬到另一页。" in merged("new.md")
    gone = (catalog_path("old"), BUILD / "merged/old.md", *stale)
    assert [path for path in gone if path.exists()] == []


def test_a_selection_of_pages_leaves_the_others_alone(docs: Path) -> None:
    (docs / "other.md").write_text("# Another page\n")
    sync("--pages", "oth*")
    assert catalog_path("other").exists()
    assert not catalog_path().exists()
    told = sync("--pages", "nothing*", code=2).err
    assert "Pages are named by their path" in told


def test_a_run_of_one_page_keeps_anchors_of_links(docs: Path) -> None:
    (docs / "page.md").write_text("# A page\n\n## Its end\n")
    (docs / "other.md").write_text("See [it](page.md#its-end).\n")
    sync()
    translate("page", Its="它的结尾")
    sync()
    whole = merged()
    assert "(its-end)=" in whole
    translate("page", A="一页")
    sync("--pages", "page")
    assert merged() == whole.replace("# A page", "# 一页")
    # Once nothing links there, the next run of all pages finds out.
    (docs / "other.md").unlink()
    sync()
    assert "(its-end)=" not in merged()


def test_a_folder_that_cannot_be_written_is_named(docs: Path) -> None:
    sync()
    catalog = catalog_path().read_bytes()
    (docs / "page.md").write_text("# A page\n\nIt has new text.\n")
    target = BUILD / "merged"
    (target / "page.md").unlink()
    target.rmdir()
    target.write_text("a file in the way of the folder", encoding="utf-8")
    told = sync(code=70).err
    assert "cannot be written" in told
    assert "merged" in told
    target.unlink()
    sync()
    assert catalog != catalog_path().read_bytes()


def test_a_second_split_leaves_all_to_the_merge(docs: Path, project: Path) -> None:
    command("pull sample")
    command("split sample")
    before = snapshot(project)
    assert "nothing changed for zh_CN" in command("split sample").err
    assert snapshot(project) == before
    command("merge sample")
    assert merged() == PAGE
    translate("page", A="一个页面")
    command("split sample")
    command("split sample")
    command("merge sample")
    assert "# 一个页面" in merged()


def test_a_split_reads_only_changed_pages(docs: Path, project: Path) -> None:
    text = "# Another page\n\nWith one sentence of its own.\n"
    (docs / "other.md").write_text(text)
    command("pull sample")
    command("split sample")
    translate("page", A="一个页面")
    command("split sample")
    (docs / "other.md").write_text(text.replace("one sentence", "one new sentence"))
    command("pull sample")
    told = command("split sample --json")
    assert "1 page, 1 document," in told.err
    totals = told.json["locales"]["zh_CN"]["totals"]
    assert (totals["pages"], totals["messages"], totals["translated"]) == (2, 4, 1)
    assert "With one new sentence" in catalog_path("other").read_text(encoding="utf-8")
    before = snapshot(project / "translations")
    (BUILD / "memo/updated.json").unlink()
    command("split sample")
    assert snapshot(project / "translations") == before
    (docs / "other.md").unlink()
    command("pull sample")
    totals = command("split sample --json").json["locales"]["zh_CN"]["totals"]
    assert totals["pages"] == 1
