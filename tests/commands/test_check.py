"""``check`` as people run it, and what it keeps out of pages.

It runs on the sample, on single files, on the memory with and without English, and on catalogues of
other projects (Sphinx', programs', other languages') in folders without any configuration.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from catalog_files import edit_catalog, read_catalog
from in_process import command
from msgspec.structs import replace
from places import ROOT

from pipeline.adapters import po
from pipeline.adapters.files import replace_if_unchanged
from pipeline.commands.check import files as stage
from pipeline.commands.check.checker import check
from pipeline.commands.check.files import CatalogFile
from pipeline.config.settings import Settings
from pipeline.entries import Catalog, Entry
from pipeline.log import QUIET, Log

OTHERS = Path(__file__).parent / "others"
CATALOG = "translations/zh_CN/sample/faq.po"
MEMORY = "translations/memory/zh_CN/sample/faq.po"
BOLD = Entry(
    msgid="**Note:** keep it.",
    msgstr="**注意：**不要丢掉。",
    notes=("paragraph · Lamps › Care",),
)
GOOD = Entry(msgid="A lamp.", msgstr="一盏灯。", notes=("paragraph · Lamps",))


def write(path: Path, *entries: Entry) -> Path:
    header = po.standard_header(project="docs", page=path.stem, locale="zh_CN", date="")
    path.write_bytes(po.format_catalog(Catalog(header=header, entries=entries)))
    return path


def texts(path: Path) -> list[str]:
    return [entry.msgstr for entry in read_catalog(path).entries]


def mistakes(line: str, *words: str | Path) -> list[dict[str, Any]]:
    """Return the mistakes that ``check`` reports, but for notes."""
    told = command(f"check {line} --json", *words, code=None).json
    return [one for one in told["mistakes"] if one["severity"] != "note"]


def codes(line: str, *words: str | Path) -> list[str]:
    return [mistake["code"] for mistake in mistakes(line, *words)]


def spoil(path: Path | str, old: str, new: str) -> int:
    """Replace a piece of a catalogue once. Return the line of its entry."""
    text = Path(path).read_text("utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new, 1), "utf-8")
    msgid = text[: text.index(old)].rfind("\nmsgid ") + 1
    return text.count("\n", 0, msgid) + 1


@pytest.fixture
def lamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue in a folder without any configuration, with one mistake in it."""
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "lamps.po", GOOD, BOLD)


# Catalogues of ours


def test_the_sample_is_without_mistakes(project: Path) -> None:
    told = command("check sample --strict --json").json
    assert (told["files"], told["entries"], told["silenced"]) == (11, 292, 0)
    assert mistakes("sample") == []


def test_a_mistake_is_told_with_its_place_and_mended_once(lamps: Path) -> None:
    told = command("check lamps.po", code=1).out
    line = next(entry.line for entry in read_catalog(lamps).entries if entry.msgid == BOLD.msgid)
    for words in (f"lamps.po:{line}: error M1", "Lamps › Care", "**注意**：不要丢掉。"):
        assert words in told
    assert '+msgstr "**注意**：不要丢掉。"' in command("check lamps.po --fix").out
    assert texts(lamps) == ["一盏灯。", "**注意**：不要丢掉。"]
    before = lamps.stat().st_mtime_ns
    command("check lamps.po --fix")
    assert lamps.stat().st_mtime_ns == before


def test_fix_undoes_the_layout_of_another_tool(project: Path) -> None:
    catalog = project / CATALOG
    before = catalog.read_bytes()
    wrapped = before.replace(b'\nmsgstr "', b'\nmsgstr ""\n"').replace(b"\n", b"\r\n")
    # The language is that of the folder.
    catalog.write_bytes(wrapped.replace(b"Language: zh_CN", b"Language: fr"))
    assert "M602" in codes(CATALOG)
    command("check --fix -q", catalog)
    assert catalog.read_bytes() == before


def test_fix_yields_to_a_save(lamps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = CatalogFile(path=lamps, name="lamps.po", page="lamps", locale="zh_CN")

    def saved_before(path: Path, data: bytes, *, before: bytes | None) -> bool:
        write(lamps, GOOD)
        return replace_if_unchanged(path, data, before=before)

    monkeypatch.setattr(stage, "replace_if_unchanged", saved_before)
    result = check([file], Settings.bare(lamps.parent), log=Log(QUIET), fix=True)
    assert (result.written, result.diffs) == ((), "")
    assert texts(lamps) == [GOOD.msgstr]


def test_unfinished_entries_are_not_looked_at(lamps: Path) -> None:
    write(
        lamps,
        replace(BOLD, fuzzy=True, previous="**Note:** keep."),
        replace(BOLD, msgid="**Old:** one.", obsolete=True),
        replace(BOLD, msgid="**New:** one.", msgstr=""),
    )
    command("check lamps.po --strict")


def test_exit_codes(lamps: Path) -> None:
    jax = replace(GOOD, msgid="A JAX lamp.", msgstr="一盏JAX灯。")
    spaced = write(lamps.with_name("spaced.po"), jax)
    command("check spaced.po")
    command("check spaced.po --strict", code=1)
    spaced.write_bytes(b'msgid "unfinished\n')
    command("check .", code=4)
    told = command("check missing.po", code=2).err
    assert "missing.po: there is no such file" in told
    lamps.rename("lamps.txt")
    assert "lamps.txt: is no catalogue" in command("check lamps.txt", code=2).err


def test_without_catalogues_the_way_to_get_some_is_told(project: Path) -> None:
    assert "Run: nox -s sync" in command("check jax", code=2).err
    assert "matches 'nowhere'" in command("check --pages nowhere", code=2).err


def test_a_comment_silences_a_check_for_its_entry(lamps: Path) -> None:
    silenced = sorted(set(codes("lamps.po")))
    comment = f"pipeline: ignore={', '.join(silenced)} 原文如此"
    write(lamps, GOOD, replace(BOLD, comments=(comment,)))
    told = command("check lamps.po --json --strict").json
    assert (told["mistakes"], told["silenced"]) == ([], len(silenced))


@pytest.mark.parametrize(
    ("msgid", "msgstr", "code"),
    [
        ("A lamp.", "一盏[灯](javascript:alert)。", "G104"),
        ("A lamp of $x$ watts.", "一盏灯。", "M203"),
    ],
)
def test_no_comment_silences_what_is_for_safety(
    lamps: Path, msgid: str, msgstr: str, code: str
) -> None:
    comment = f"pipeline: ignore={code} 就要这样"
    write(lamps, replace(GOOD, msgid=msgid, msgstr=msgstr, comments=(comment,)))
    assert set(codes("lamps.po")) == {code, "M606"}


def configure(project: Path, rule: str) -> None:
    path = project / "pyproject.toml"
    rules = f"\n[[tool.pipeline.checks.ignore]]\n{rule}\n"
    path.write_text(path.read_text("utf-8") + rules, "utf-8")


@pytest.mark.slow
def test_an_error_keeps_its_message_in_english(project: Path) -> None:
    sync = "sync sample --no-execute --json"
    command(sync)
    catalog, merged = project / CATALOG, project / "build/zh_CN/sample/merged/faq.md"
    bold = next(entry for entry in read_catalog(catalog).entries if entry.msgid.count("**") == 2)
    unseen = replace(bold, msgstr=f"说明**{bold.msgid.split('**')[1]}。**如此")
    edit_catalog(catalog, lambda entry: unseen if entry == bold else entry)
    pages = command(sync, code=1).json["locales"]["zh_CN"]["pages"]
    (page,) = (page for page in pages if page["page"] == "faq")
    (finding,) = page["findings"]
    assert finding["where"] == f"{CATALOG}:{bold.line}"
    assert finding["code"].startswith("M1")
    assert "left in English" in finding["text"]
    assert page["translated"] == page["messages"] - 1
    assert bold.msgid.split(" ")[0] in merged.read_text("utf-8")
    assert "如此" not in merged.read_text("utf-8")
    assert finding["code"] in codes(CATALOG)
    rule = f'codes = ["{finding["code"]}"]\npages = ["f*"]\nreason = "only a test"'
    configure(project, rule)
    command(sync)
    assert "如此" in merged.read_text("utf-8")
    assert finding["code"] not in codes(CATALOG)


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        ('codes = ["M109999"]\nreason = "x"', "M109999 is not the code of a check"),
        ('codes = ["G104"]\nreason = "x"', "G104 cannot be ignored"),
        ('codes = ["M401"]', "checks.ignore[0].reason is missing"),
        ('code = ["M401"]\nreason = "x"', "Did you mean 'codes'"),
    ],
)
def test_rules_without_meaning_are_refused(project: Path, rule: str, what: str) -> None:
    configure(project, rule)
    assert what in command("check sample", code=2).err


def test_a_damaged_glossary_is_told_with_its_line(project: Path) -> None:
    path = project / "translations" / "glossary" / "zh_CN.csv"
    path.write_bytes(path.read_bytes() + b'"unfinished\n')
    assert "zh_CN.csv:" in command("check sample", code=4).err


# The memory


def without_english(project: Path) -> None:
    """Take away whatever the English of the sample could be found in."""
    shutil.rmtree(project / "upstream" / "sample")
    shutil.rmtree(project / "translations" / "zh_CN" / "sample")


def test_the_memory_of_the_sample_is_without_mistakes(project: Path) -> None:
    for take_away in (lambda _: None, without_english):
        take_away(project)
        told = command("check translations/memory --strict --json").json
        assert (told["files"], told["entries"]) == (11, 292)


@pytest.mark.parametrize("taken", ["build", "upstream/sample", "translations/zh_CN"])
def test_english_comes_from_docs_or_catalogue(project: Path, taken: str) -> None:
    shutil.rmtree(project / taken, ignore_errors=True)
    line = spoil(MEMORY, "`float32`", "`float23`")
    (mistake,) = (one for one in mistakes(MEMORY) if one["severity"] == "error")
    assert (mistake["code"], mistake["file"]) == ("M201", MEMORY)
    assert (mistake["line"], mistake["fixed"]) == (line, None)
    assert "`float32`" in mistake["msgid"]


def test_without_english_only_the_text_is_looked_at(project: Path) -> None:
    without_english(project)
    spoil(MEMORY, "`float32`", "`float23`")
    assert codes(MEMORY) == []
    line = spoil(MEMORY, "。", ".")
    before = Path(MEMORY).read_bytes()
    (mistake,) = mistakes(f"{MEMORY} --fix")
    assert (mistake["code"], mistake["line"], mistake["msgid"]) == ("M402", line, "")
    # It is for ``build`` to mend.
    assert Path(MEMORY).read_bytes() == before


def test_a_placeholder_that_does_not_fit_is_told(project: Path) -> None:
    line = spoil(MEMORY, "。", "⟦7⟧。")
    (mistake,) = mistakes(MEMORY)
    assert (mistake["code"], mistake["line"]) == ("M607", line)


def test_what_a_catalogue_tells_is_not_told_of_its_memory_again(project: Path) -> None:
    for path in (MEMORY, CATALOG):
        spoil(path, "`float32`", "`float23`")
    assert codes("translations").count("M201") == 1
    assert codes(MEMORY).count("M201") == 1


def test_a_broken_catalogue_or_page_is_no_help_and_no_harm(project: Path) -> None:
    Path(CATALOG).write_bytes(b'msgid "')
    Path("upstream/sample/faq.md").write_bytes(b"\xff\xfe")
    assert codes(MEMORY) == []
    Path(MEMORY).write_bytes(b'msgid "unfinished\n')
    assert "M601" in command("check", MEMORY, code=4).out


def test_the_hook_of_the_project_runs_on_catalogues_and_memory_files() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"files: (\S+\.po\$)", text)
    for path in (CATALOG, "translations/memory/zh_CN/jax/index.po"):
        assert (ROOT / path).is_file()
        assert re.match(pattern, path)
    assert not re.match(pattern, "tests/commands/others/po/fr.po")


# Catalogues of other projects


@pytest.fixture
def others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without any configuration that holds catalogues of another project."""
    shutil.copytree(OTHERS, tmp_path / "docs")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "docs"


def test_the_markup_may_be_told_instead(others: Path) -> None:
    path = others / "lamp.po"
    path.write_text(
        'msgid ""\nmsgstr "Language: zh_CN\\n"\n\n'
        'msgid "See ``f`` and `the guide`_."\nmsgstr "见 ``f`` 和 `指南`_。"\n',
        encoding="utf-8",
    )
    assert codes("docs/lamp.po") == []
    assert codes("docs/lamp.po --markup rst") == []
    assert "M201" in codes("docs/lamp.po --markup markdown")
    told = command("check docs/lamp.po --markup html", code=2).err
    assert "'markdown', 'rst'" in told


@pytest.mark.parametrize("name", ["po/fr.po", "po/ja.po", "zh_CN/LC_MESSAGES/lamps.po"])
def test_fix_leaves_every_byte_of_what_is_right(others: Path, name: str) -> None:
    before = (others / name).read_bytes()
    told = command("check --fix --strict --json", others / name).json
    assert told["mistakes"] == []
    assert (others / name).read_bytes() == before


def test_fix_keeps_line_ends_and_what_is_wrapped(others: Path) -> None:
    path = others / "zh_CN" / "LC_MESSAGES" / "lamps.po"
    text = path.read_text(encoding="utf-8")
    wrong = text.replace('msgstr "关键字如下："', 'msgstr ""\n"关键字"\n"如下:"')
    path.write_bytes(wrong.replace("\n", "\r\n").encode())
    command("check --fix", path)
    assert path.read_bytes() == text.replace("\n", "\r\n").encode()


def test_a_mend_that_cannot_be_read_again_is_not_written(others: Path) -> None:
    path = others / "po" / "zh_TW.po"
    text = path.read_text(encoding="utf-8")
    # Given twice with one translation, of which only one would be mended.
    path.write_text(text + "\n" + text.rpartition("\n\n")[2], encoding="utf-8")
    before = path.read_bytes()
    assert "M603" in codes("--fix", path)
    assert path.read_bytes() == before


def test_plural_forms_are_none_of_ours_to_check(others: Path) -> None:
    path = others / "po" / "fr.po"
    spoil(path, "%d lampes", "`%d` lampes ...")
    assert command("check --json", path).json["mistakes"] == []


def test_a_plural_entry_in_a_catalogue_of_ours_is_still_told(project: Path) -> None:
    plural = '\nmsgid "A"\nmsgid_plural "B"\nmsgstr[0] "甲"\n'
    with Path(CATALOG).open("a", encoding="utf-8") as file:
        file.write(plural)
    assert "a plural entry" in command("check", CATALOG, code=4).out


def test_a_header_that_tells_no_language_leaves_it_to_the_path(others: Path) -> None:
    path = others / "po" / "zh_TW.po"
    spoil(path, '"Language: zh_TW\\n"\n', "")
    assert "M410" not in codes("", path)
    # Nothing tells it here: what the team translates into counts.
    assert "M410" in codes("", path.rename(others / "lamps.po"))
    path = others / "po" / "fr.po"
    path.write_text('msgid "A lamp"\nmsgstr "Une lampe"\n', encoding="utf-8")
    assert codes("", path) == ["M602"]


def test_a_line_break_is_white_space_to_other_tools(others: Path) -> None:
    path = others / "po" / "ja.po"
    spoil(path, "呼び、", "呼び、\\n")
    assert command("check --json", path).json["mistakes"] == []
    spoil(path, "呼び、\\n", "呼び、\\n\\n")
    assert "G102" in codes("", path)
