"""The whole road without kernels, as a user runs it.

That is sync on the sample, and on pages broken on purpose.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from catalog_files import edit_catalog, read_catalog
from folders import snapshot
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.cli import main
from pipeline.entries import Catalog, Entry

Run = Callable[..., int]


@pytest.fixture
def docs(project: Path) -> Path:
    """The sample reduced to one small page, its catalogue fully translated."""
    for path in sorted((project / "upstream" / "sample").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    for path in (project / "translations" / "zh_CN" / "sample").rglob("*.po"):
        path.unlink()
    folder = project / "upstream" / "sample"
    (folder / "page.md").write_text(
        "# A page\n\nIt has one paragraph.\n\n```{code-cell}\nrun(1)\n```\n",
        encoding="utf-8",
    )
    return folder


@pytest.fixture
def sync(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``sync sample --no-execute`` with more arguments; return the exit code."""
    return lambda *arguments: main(["sync", "sample", "--no-execute", *arguments])


def catalog_path(docs: Path, page: str = "page") -> Path:
    return docs.parent.parent / "translations" / "zh_CN" / "sample" / f"{page}.po"


def merged(docs: Path, path: str = "page.md") -> str:
    return (
        docs.parent.parent / "build" / "zh_CN" / "sample" / "merged" / path
    ).read_text(encoding="utf-8")


def translate(docs: Path, translations: dict[str, str], page: str = "page") -> None:
    path = catalog_path(docs, page)
    edit_catalog(
        path,
        lambda entry: replace(
            entry, msgstr=translations.get(entry.msgid, entry.msgstr)
        ),
    )


def test_the_sample_is_complete_and_a_second_run_writes_nothing(
    project: Path, sync: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sync("--json") == 0
    totals = json.loads(capsys.readouterr().out)["locales"]["zh_CN"]["totals"]
    assert totals["pages"] == 9
    assert totals["translated"] == totals["messages"] > 200
    assert totals["findings"] == 0
    before = snapshot(project)
    time.sleep(0.01)
    assert sync() == 0
    assert "nothing to write" in capsys.readouterr().err
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
def test_state_that_makes_no_sense_is_made_again(
    docs: Path, sync: Run, state: bytes
) -> None:
    assert sync() == 0
    root = docs.parent.parent
    files = [root / "build" / "report.json"]
    files += (root / "build" / "zh_CN" / "sample").rglob("*.json")
    before = {path: without_stamps(path) for path in files}
    for path in files:
        path.write_bytes(state)
    assert sync() == 0
    assert {path: without_stamps(path) for path in files} == before


def without_stamps(path: Path) -> bytes:
    """Return the content of a file without digests of times, which a memo may have."""
    return re.sub(rb'"stamps":"\w+"', b"", path.read_bytes())


def test_check_tells_what_would_change_and_writes_nothing(
    docs: Path, sync: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sync() == 0
    before = snapshot(docs.parent.parent)
    assert sync("--check") == 0
    (docs / "page.md").write_text(
        "# A page\n\nIt has another paragraph now.\n", encoding="utf-8"
    )
    before = snapshot(docs.parent.parent)
    assert sync("--check") == 1
    assert "would be written: upstream/sample.lock\n" in capsys.readouterr().err
    assert snapshot(docs.parent.parent) == before


def test_without_translations_the_merged_page_is_upstreams(
    docs: Path, sync: Run
) -> None:
    assert sync() == 0
    assert merged(docs) == (docs / "page.md").read_text(encoding="utf-8")


def test_a_translated_page_is_attributed_under_its_title(docs: Path, sync: Run) -> None:
    assert sync() == 0
    translate(docs, {"A page": "一个页面"})
    assert sync() == 0
    title, _, attribution, _, paragraph, *rest = merged(docs).split("\n")
    assert (title, paragraph) == ("# 一个页面", "It has one paragraph.")
    assert attribution.startswith("> ")
    assert all(part in attribution for part in ("page.md", "JAX", "Apache-2.0"))
    assert rest == ["", "```{code-cell}", "run(1)", "```", ""]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("msgstr", "code"),
    [
        ("```{code-cell}\nrun(2)\n```", "M101"),
        ("+++", "M101"),
        ("# 标题", "M101"),
        ("看<script>alert(1)</script>这里", "G104"),
        ("[点这里](javascript:alert(1))", "G104"),
        ("一\n" * 1000 + "完", "G106"),
        ("响铃\a。", "G101"),
    ],
)
def test_a_hostile_translation_is_left_in_english_and_reported(
    docs: Path, sync: Run, capsys: pytest.CaptureFixture[str], msgstr: str, code: str
) -> None:
    assert sync() == 0
    translate(docs, {"It has one paragraph.": msgstr, "A page": "一个页面"})
    capsys.readouterr()
    assert sync() == 1
    out = capsys.readouterr().out
    assert code in out
    # What readers see in English is work to do.
    assert "2 messages, 50 % translated" in out
    line = (
        catalog_path(docs)
        .read_text(encoding="utf-8")
        .split("\n")
        .index('msgid "It has one paragraph."')
        + 1
    )
    assert f"translations/zh_CN/sample/page.po:{line}" in out
    assert "It has one paragraph." in merged(docs)
    assert "# 一个页面" in merged(docs)
    assert merged(docs).endswith("```{code-cell}\nrun(1)\n```\n")


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
@pytest.mark.parametrize("data", BROKEN_CATALOGS.values(), ids=BROKEN_CATALOGS.keys())
def test_a_catalogue_that_cannot_be_read_is_named_and_left_alone(
    docs: Path, sync: Run, capsys: pytest.CaptureFixture[str], data: bytes
) -> None:
    (docs / "other.md").write_text("# Another page\n", encoding="utf-8")
    assert sync() == 0
    catalog_path(docs).write_bytes(data)
    translate(docs, {"Another page": "另一个页面"}, page="other")
    assert sync() == 4
    assert "translations/zh_CN/sample/page.po:" in capsys.readouterr().out
    assert catalog_path(docs).read_bytes() == data
    assert merged(docs) == (docs / "page.md").read_text(encoding="utf-8")
    assert "另一个页面" in merged(docs, "other.md")
    assert main(["check", "sample"]) == 4
    assert main(["check", str(catalog_path(docs, "other"))]) == 0


def test_newer_gettexts_lines_and_line_separators_are_read(
    docs: Path, sync: Run
) -> None:
    text = (
        '#= fuzzy\n#, no-wrap\nmsgid "A page"\nmsgstr "页\u2028面"\n\n'
        'msgid "It has one paragraph."\nmsgstr "它有一段。"\n'
    )
    catalog_path(docs).parent.mkdir(parents=True, exist_ok=True)
    catalog_path(docs).write_text(text, encoding="utf-8")
    assert sync() == 0
    assert "页\u2028面" in catalog_path(docs).read_text(encoding="utf-8")
    assert "它有一段。" in merged(docs)


BROKEN_NOTEBOOKS = {
    "invalid JSON": b'{"cells": [,]}',
    "no notebook": b'{"name": "something"}',
    "a list": b"[1, 2]",
    "nbformat 3": b'{"nbformat": 3, "worksheets": [], "metadata": {}}',
    "byte order mark": b'\xef\xbb\xbf{"cells": [], "metadata": {}, "nbformat": 4}',
    "not UTF-8": b'{"cells": [], "metadata": {"x": "\xff"}, "nbformat": 4}',
    "a key twice": b'{"cells": [], "cells": [], "metadata": {}, "nbformat": 4}',
}


@pytest.mark.parametrize("data", BROKEN_NOTEBOOKS.values(), ids=BROKEN_NOTEBOOKS.keys())
def test_a_notebook_that_is_none_is_named_and_the_others_go_on(
    docs: Path, sync: Run, capsys: pytest.CaptureFixture[str], data: bytes
) -> None:
    (docs / "broken.ipynb").write_bytes(data)
    assert sync() == 4
    out = capsys.readouterr().out
    assert "broken.ipynb" in out
    assert "A page" in merged(docs)
    assert not catalog_path(docs, "broken").exists()


def test_a_page_that_breaks_keeps_its_catalogue(docs: Path, sync: Run) -> None:
    notebook = {
        "cells": [{"cell_type": "markdown", "metadata": {}, "source": "Some text."}],
        "metadata": {},
        "nbformat": 4,
    }
    (docs / "book.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assert sync() == 0
    translate(docs, {"Some text.": "一些文字。"}, page="book")
    before = catalog_path(docs, "book").read_bytes()
    (docs / "book.ipynb").write_text("{", encoding="utf-8")
    assert sync() == 4
    assert catalog_path(docs, "book").read_bytes() == before


def test_a_notebook_without_metadata_is_translated_with_a_warning(
    docs: Path, sync: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = {
        "cells": [
            {"cell_type": "markdown", "source": "Some text.\ud800"},
            {"cell_type": "markdown", "source": "More text."},
        ],
        "nbformat": 4,
    }
    (docs / "book.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assert sync() == 0
    assert "metadata" in capsys.readouterr().out
    translate(docs, {"More text.": "更多文字。"}, page="book")
    assert sync() == 0
    cells = json.loads(merged(docs, "book.ipynb"))["cells"]
    assert "更多文字。" in cells[1]["source"]
    assert cells[0]["source"] == "Some text.\ud800"


def test_a_page_that_upstream_renamed_takes_its_translations_along(
    docs: Path, sync: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = "This sentence moves from one page to another."
    (docs / "old.md").write_text(f"# Old\n\n{sentence}\n", encoding="utf-8")
    assert sync() == 0
    translate(docs, {sentence: "这句话从一页搬到另一页。"}, page="old")
    assert sync() == 0
    build = docs.parent.parent / "build" / "zh_CN" / "sample"
    for name in ("executed/old.ipynb", "html/old.html"):
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        (build / name).write_bytes(b"from an earlier run")
    (docs / "old.md").unlink()
    (docs / "new.md").write_text(f"# New\n\n{sentence}\n", encoding="utf-8")
    assert sync() == 0
    assert "这句话从一页搬到另一页。" in merged(docs, "new.md")
    assert not catalog_path(docs, "old").exists()
    assert not any(
        (build / name).exists()
        for name in ("merged/old.md", "executed/old.ipynb", "html/old.html")
    )


def test_a_page_that_upstream_dropped_leaves_its_catalogue(
    docs: Path, sync: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    (docs / "old.md").write_text(
        "# Old\n\nNobody will ever say this again.\n", encoding="utf-8"
    )
    assert sync() == 0
    translate(
        docs, {"Nobody will ever say this again.": "再也没有人会这么说了。"}, page="old"
    )
    (docs / "old.md").unlink()
    assert sync() == 0
    assert "old.po" in capsys.readouterr().out
    assert "再也没有人会这么说了。" in catalog_path(docs, "old").read_text(
        encoding="utf-8"
    )


def test_the_same_findings_are_told_again_when_nothing_changed(
    docs: Path, sync: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sync() == 0
    translate(docs, {"It has one paragraph.": "+++"})
    capsys.readouterr()
    assert sync() == 1
    first = capsys.readouterr().out
    assert sync() == 1
    assert capsys.readouterr().out == first


def test_a_changed_merged_file_is_made_again(docs: Path, sync: Run) -> None:
    assert sync() == 0
    (
        docs.parent.parent / "build" / "zh_CN" / "sample" / "merged" / "page.md"
    ).write_text("edited", encoding="utf-8")
    assert sync() == 0
    assert merged(docs) == (docs / "page.md").read_text(encoding="utf-8")


def test_a_selection_of_pages_leaves_the_others_alone(
    docs: Path, sync: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    (docs / "other.md").write_text("# Another page\n", encoding="utf-8")
    assert sync("--pages", "oth*") == 0
    assert catalog_path(docs, "other").exists()
    assert not catalog_path(docs).exists()
    assert sync("--pages", "nothing*") == 2
    assert "Pages are named by their path" in capsys.readouterr().err


def test_a_run_of_one_page_keeps_the_anchors_that_other_pages_link_to(
    docs: Path, sync: Run
) -> None:
    (docs / "page.md").write_text("# A page\n\n## Its end\n", encoding="utf-8")
    (docs / "other.md").write_text("See [it](page.md#its-end).\n", encoding="utf-8")
    assert sync() == 0
    translate(docs, {"Its end": "它的结尾"})
    assert sync() == 0
    whole = merged(docs)
    assert "(its-end)=" in whole
    translate(docs, {"A page": "一页"})
    assert sync("--pages", "page") == 0
    assert merged(docs) == whole.replace("# A page", "# 一页")
    # Once nothing links there, the next run of all pages finds out.
    (docs / "other.md").unlink()
    assert sync() == 0
    assert "(its-end)=" not in merged(docs)


def test_a_folder_that_cannot_be_written_is_named(
    docs: Path, sync: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sync() == 0
    catalog = catalog_path(docs).read_bytes()
    (docs / "page.md").write_text("# A page\n\nIt has new text.\n", encoding="utf-8")
    target = docs.parent.parent / "build" / "zh_CN" / "sample" / "merged"
    (target / "page.md").unlink()
    target.rmdir()
    target.write_text("a file in the way of the folder", encoding="utf-8")
    assert sync() == 70
    err = capsys.readouterr().err
    assert "cannot be written" in err
    assert "merged" in err
    target.unlink()
    assert sync() == 0
    assert catalog != catalog_path(docs).read_bytes()


def test_a_second_split_does_nothing_and_a_merge_after_it_does_all(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pull", "sample"]) == 0
    assert main(["split", "sample"]) == 0
    before = snapshot(docs.parent.parent)
    capsys.readouterr()
    assert main(["split", "sample"]) == 0
    assert "nothing changed for zh_CN" in capsys.readouterr().err
    assert snapshot(docs.parent.parent) == before
    assert main(["merge", "sample"]) == 0
    assert merged(docs) == (docs / "page.md").read_text(encoding="utf-8")
    translate(docs, {"A page": "一个页面"})
    assert main(["split", "sample"]) == 0
    assert main(["split", "sample"]) == 0
    assert main(["merge", "sample"]) == 0
    assert "# 一个页面" in merged(docs)


def test_a_split_reads_only_the_pages_that_upstream_changed(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (docs / "other.md").write_text(
        "# Another page\n\nWith one sentence of its own.\n", encoding="utf-8"
    )
    assert main(["pull", "sample"]) == 0
    assert main(["split", "sample"]) == 0
    translate(docs, {"A page": "一个页面"})
    assert main(["split", "sample"]) == 0
    (docs / "other.md").write_text(
        "# Another page\n\nWith one new sentence of its own.\n", encoding="utf-8"
    )
    assert main(["pull", "sample"]) == 0
    capsys.readouterr()
    assert main(["split", "sample", "--json"]) == 0
    said = capsys.readouterr()
    assert "1 page, 1 document," in said.err
    totals = json.loads(said.out)["locales"]["zh_CN"]["totals"]
    assert (totals["pages"], totals["messages"], totals["translated"]) == (2, 4, 1)
    assert "With one new sentence" in catalog_path(docs, "other").read_text(
        encoding="utf-8"
    )
    before = snapshot(docs.parent.parent / "translations")
    (
        docs.parent.parent / "build" / "zh_CN" / "sample" / "memo" / "updated.json"
    ).unlink()
    assert main(["split", "sample"]) == 0
    assert snapshot(docs.parent.parent / "translations") == before
    (docs / "other.md").unlink()
    assert main(["pull", "sample"]) == 0
    capsys.readouterr()
    assert main(["split", "sample", "--json"]) == 0
    assert (
        json.loads(capsys.readouterr().out)["locales"]["zh_CN"]["totals"]["pages"] == 1
    )


def test_catalogue_of_unknown_entries_is_not_lost(docs: Path, sync: Run) -> None:
    catalog_path(docs).parent.mkdir(parents=True, exist_ok=True)
    lost = Entry(msgid="Something that stands nowhere.", msgstr="哪里都没有的东西。")
    catalog_path(docs).write_bytes(
        po.format_catalog(Catalog(header={"Language": "zh_CN"}, entries=(lost,)))
    )
    assert sync() == 0
    entries = read_catalog(catalog_path(docs)).entries
    assert [entry.msgstr for entry in entries if entry.obsolete] == [
        "哪里都没有的东西。"
    ]
