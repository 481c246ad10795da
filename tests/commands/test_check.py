"""``check`` as people run it, and what it keeps out of pages.

It runs on the sample, on single files, in folders that are no project of ours.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from catalog_files import edit_catalog, read_catalog
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.adapters.files import replace_if_unchanged
from pipeline.cli import main
from pipeline.commands.check import files as stage
from pipeline.commands.check.checker import check
from pipeline.commands.check.files import CatalogFile
from pipeline.config.settings import Settings
from pipeline.entries import Catalog, Entry
from pipeline.log import QUIET, Log

Speech = pytest.CaptureFixture[str]
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


def read(path: Path) -> list[Entry]:
    return list(read_catalog(path).entries)


def found(capsys: Speech) -> list[tuple[str, int]]:
    """Code and line of each mistake, from what was printed as JSON."""
    return [
        (mistake["code"], mistake["line"])
        for mistake in json.loads(capsys.readouterr().out)["mistakes"]
    ]


@pytest.fixture
def lamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue in a folder without any configuration, with one mistake in it."""
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "lamps.po", GOOD, BOLD)


def test_the_sample_is_without_mistakes(project: Path, capsys: Speech) -> None:
    assert main(["check", "sample", "--strict", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [
        mistake for mistake in result["mistakes"] if mistake["severity"] != "note"
    ] == []
    assert (result["files"], result["entries"], result["silenced"]) == (11, 292, 0)


def test_a_mistake_is_told_with_its_place(lamps: Path, capsys: Speech) -> None:
    assert main(["check", "lamps.po"]) == 1
    said = capsys.readouterr().out
    line = next(entry.line for entry in read(lamps) if entry.msgid == BOLD.msgid)
    assert f"lamps.po:{line}: error M1" in said
    assert "Lamps › Care" in said
    assert "**注意**：不要丢掉。" in said


def test_fix_mends_the_file_once_and_shows_what_it_did(
    lamps: Path, capsys: Speech
) -> None:
    assert main(["check", "lamps.po", "--fix"]) == 0
    assert '+msgstr "**注意**：不要丢掉。"' in capsys.readouterr().out
    assert [entry.msgstr for entry in read(lamps)] == [
        "一盏灯。",
        "**注意**：不要丢掉。",
    ]
    before = lamps.stat().st_mtime_ns
    assert main(["check", "lamps.po", "--fix"]) == 0
    assert lamps.stat().st_mtime_ns == before


def test_fix_gives_back_the_bytes_that_another_tool_laid_out_anew(
    project: Path,
) -> None:
    catalog = project / "translations" / "zh_CN" / "sample" / "grad.po"
    before = catalog.read_bytes()
    wrapped = before.replace(b'\nmsgstr "', b'\nmsgstr ""\n"').replace(b"\n", b"\r\n")
    assert wrapped != before
    catalog.write_bytes(wrapped)
    assert main(["check", str(catalog), "--fix", "-q"]) == 0
    assert catalog.read_bytes() == before


def test_fix_leaves_a_file_alone_that_is_saved_meanwhile(
    lamps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = CatalogFile(path=lamps, name="lamps.po", page="lamps", locale="zh_CN")

    def saved_before(path: Path, data: bytes, *, before: bytes | None) -> bool:
        write(lamps, GOOD)
        return replace_if_unchanged(path, data, before=before)

    monkeypatch.setattr(stage, "replace_if_unchanged", saved_before)
    result = check([file], Settings.bare(lamps.parent), log=Log(QUIET), fix=True)
    assert result.written == ()
    assert result.diffs == ""
    assert read(lamps) == read(write(lamps, GOOD))


def test_unfinished_entries_are_not_looked_at(lamps: Path, capsys: Speech) -> None:
    fuzzy = replace(BOLD, fuzzy=True, previous="**Note:** keep.")
    write(
        lamps,
        fuzzy,
        replace(BOLD, msgid="**Old:** one.", obsolete=True),
        replace(BOLD, msgid="**New:** one.", msgstr=""),
    )
    assert main(["check", str(lamps), "--json"]) == 0
    assert found(capsys) == []


def test_exit_codes_follow_mistakes_strictness_and_unreadable_files(
    lamps: Path, capsys: Speech
) -> None:
    spaced = write(
        lamps.with_name("spaced.po"),
        replace(GOOD, msgid="A JAX lamp.", msgstr="一盏JAX灯。"),
    )
    assert main(["check", "spaced.po"]) == 0
    assert main(["check", "spaced.po", "--strict"]) == 1
    spaced.write_bytes(b'msgid "unfinished\n')
    assert main(["check", "."]) == 4
    capsys.readouterr()
    assert main(["check", "missing.po"]) == 2
    assert "missing.po: there is no such file" in capsys.readouterr().err
    lamps.rename("lamps.txt")
    assert main(["check", "lamps.txt"]) == 2
    assert "lamps.txt: is no catalogue" in capsys.readouterr().err


def test_without_catalogues_the_way_to_get_some_is_told(
    project: Path, capsys: Speech
) -> None:
    assert main(["check", "jax"]) == 2
    assert "Run: nox -s sync" in capsys.readouterr().err
    assert main(["check", "--pages", "nowhere"]) == 2
    assert "matches 'nowhere'" in capsys.readouterr().err


def test_a_comment_silences_a_check_for_its_entry(lamps: Path, capsys: Speech) -> None:
    assert main(["check", "lamps.po", "--json"]) == 1
    codes = {code for code, _ in found(capsys)}
    write(
        lamps,
        GOOD,
        replace(
            BOLD, comments=(f"pipeline: ignore={', '.join(sorted(codes))} 原文如此",)
        ),
    )
    assert main(["check", "lamps.po", "--json", "--strict"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["mistakes"], result["silenced"]) == ([], len(codes))


def test_nothing_silences_the_guard(lamps: Path, capsys: Speech) -> None:
    inject = Entry(
        msgid="A lamp.", msgstr="一盏[灯](javascript:alert)。", notes=("paragraph",)
    )
    write(lamps, inject)
    assert main(["check", "lamps.po", "--json"]) == 1
    codes = {code for code, _ in found(capsys)}
    comment = f"pipeline: ignore={','.join(sorted(codes | {'G104'}))} 就要这样"
    write(lamps, replace(inject, comments=(comment,)))
    assert main(["check", "lamps.po", "--json"]) == 1
    assert {code for code, _ in found(capsys)} == {"G104", "M606"}


def test_a_comment_silences_no_check_of_formulas(lamps: Path, capsys: Speech) -> None:
    comment = "pipeline: ignore=M203 就要这样"
    write(
        lamps,
        Entry(
            msgid="A lamp of $x$ watts.",
            msgstr="一盏灯。",
            notes=("paragraph",),
            comments=(comment,),
        ),
    )
    assert main(["check", "lamps.po", "--json"]) == 1
    assert {code for code, _ in found(capsys)} == {"M203", "M606"}


def configure(project: Path, rule: str) -> None:
    path = project / "pyproject.toml"
    path.write_text(
        path.read_text(encoding="utf-8")
        + f"\n[[tool.pipeline.checks.ignore]]\n{rule}\n",
        encoding="utf-8",
    )


def break_bold(project: Path) -> tuple[Path, str]:
    """Add bold that does not show to a translation of the sample; its catalogue and msgid."""
    catalog = project / "translations" / "zh_CN" / "sample" / "faq.po"
    entry = next(
        entry
        for entry in read(catalog)
        if "**" in entry.msgid and entry.msgid.count("**") == 2
    )
    inside = entry.msgid.split("**")[1]
    changed = replace(entry, msgstr=f"说明**{inside}。**如此")
    edit_catalog(catalog, lambda one: changed if one == entry else one)
    return catalog, entry.msgid


@pytest.mark.slow
def test_an_error_keeps_its_message_in_english_until_it_is_mended_or_silenced(
    project: Path, capsys: Speech
) -> None:
    build = ["sync", "sample", "--no-execute", "--json"]
    assert main(build) == 0
    catalog, msgid = break_bold(project)
    capsys.readouterr()
    assert main(build) == 1
    report = json.loads(capsys.readouterr().out)
    page = next(
        page for page in report["locales"]["zh_CN"]["pages"] if page["page"] == "faq"
    )
    line = next(entry.line for entry in read(catalog) if entry.msgid == msgid)
    (finding,) = page["findings"]
    assert finding["where"] == f"translations/zh_CN/sample/faq.po:{line}"
    assert finding["code"].startswith("M1")
    assert "left in English" in finding["text"]
    assert page["translated"] == page["messages"] - 1
    merged = (project / "build" / "zh_CN" / "sample" / "merged" / "faq.md").read_text(
        encoding="utf-8"
    )
    assert msgid.split(" ")[0] in merged
    assert "如此" not in merged
    configure(
        project,
        f'codes = ["{finding["code"]}"]\npages = ["f*"]\nreason = "only a test"',
    )
    assert main(build) == 0
    assert "如此" in (
        project / "build" / "zh_CN" / "sample" / "merged" / "faq.md"
    ).read_text(encoding="utf-8")


def test_the_configuration_silences_codes_by_page(
    project: Path, capsys: Speech
) -> None:
    catalog, _ = break_bold(project)
    assert main(["check", str(catalog), "--json"]) == 1
    code = next(code for code, _ in found(capsys) if code.startswith("M1"))
    configure(project, f'codes = ["{code}"]\npages = ["f*"]\nreason = "only a test"')
    main(["check", str(catalog), "--json"])
    assert code not in {code for code, _ in found(capsys)}


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        ('codes = ["M109999"]\nreason = "x"', "M109999 is not the code of a check"),
        ('codes = ["G104"]\nreason = "x"', "G104 cannot be ignored"),
        ('codes = ["M401"]', "checks.ignore[0].reason is missing"),
        ('code = ["M401"]\nreason = "x"', "Did you mean 'codes'"),
    ],
)
def test_rules_that_mean_nothing_are_refused(
    project: Path, rule: str, what: str, capsys: Speech
) -> None:
    configure(project, rule)
    assert main(["check", "sample"]) == 2
    assert what in capsys.readouterr().err


def test_a_damaged_glossary_is_told_with_its_line(
    project: Path, capsys: Speech
) -> None:
    path = project / "translations" / "glossary" / "zh_CN.csv"
    path.write_bytes(path.read_bytes() + b'"unfinished\n')
    assert main(["check", "sample"]) == 4
    assert "zh_CN.csv:" in capsys.readouterr().err
