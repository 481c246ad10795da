"""``check`` on catalogues of other projects: Sphinx', programs', other languages'."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pipeline.cli import main

OTHERS = Path(__file__).parent / "others"
Speech = pytest.CaptureFixture[str]


@pytest.fixture
def others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without any configuration that holds catalogues of another project."""
    shutil.copytree(OTHERS, tmp_path / "docs")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "docs"


def codes(capsys: Speech, *words: str) -> list[str]:
    """The codes of what ``check`` tells, in order; notes as well."""
    capsys.readouterr()
    main(["check", *words, "--json"])
    found = json.loads(capsys.readouterr().out)["mistakes"]
    return [mistake["code"] for mistake in found]


def test_a_catalogue_of_sphinx_needs_no_configuration(
    others: Path, capsys: Speech
) -> None:
    assert codes(capsys, "docs/zh_CN") == []


def test_the_markup_may_be_told_instead(others: Path, capsys: Speech) -> None:
    path = others / "lamp.po"
    path.write_text(
        'msgid ""\nmsgstr "Language: zh_CN\\n"\n\n'
        'msgid "See ``f`` and `the guide`_."\nmsgstr "见 ``f`` 和 `指南`_。"\n',
        encoding="utf-8",
    )
    assert codes(capsys, "docs/lamp.po") == []
    assert codes(capsys, "docs/lamp.po", "--markup", "rst") == []
    assert "M201" in codes(capsys, "docs/lamp.po", "--markup", "markdown")
    assert main(["check", "docs/lamp.po", "--markup", "html"]) == 2
    assert "'markdown', 'rst'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["po/fr.po", "po/ja.po", "zh_CN/LC_MESSAGES/lamps.po"])
def test_fix_leaves_every_byte_of_what_is_right(
    others: Path, name: str, capsys: Speech
) -> None:
    before = (others / name).read_bytes()
    assert main(["check", "--fix", "--strict", f"docs/{name}"]) == 0
    assert (others / name).read_bytes() == before


def test_fix_changes_one_translation_and_nothing_beside_it(
    others: Path, capsys: Speech
) -> None:
    path = others / "po" / "zh_TW.po"
    before = path.read_bytes().decode()
    assert main(["check", "--fix", "docs/po/zh_TW.po"]) == 0
    old, new = 'msgstr "為什麼\\"燈\\"亮著？"', 'msgstr "為什麼「燈」亮著？"'
    assert before.count(old) == 1
    assert path.read_bytes().decode() == before.replace(old, new)


def test_fix_keeps_line_ends_and_what_is_wrapped(others: Path, capsys: Speech) -> None:
    path = others / "zh_CN" / "LC_MESSAGES" / "lamps.po"
    text = path.read_text(encoding="utf-8")
    wrong = text.replace('msgstr "关键字如下："', 'msgstr ""\n"关键字"\n"如下:"')
    path.write_bytes(wrong.replace("\n", "\r\n").encode())
    assert main(["check", "--fix", str(path)]) == 0
    assert path.read_bytes() == text.replace("\n", "\r\n").encode()


def test_a_mend_that_cannot_be_read_again_is_not_written(
    others: Path, capsys: Speech
) -> None:
    path = others / "po" / "zh_TW.po"
    text = path.read_text(encoding="utf-8")
    # Given twice with one translation, of which only one would be mended.
    path.write_text(text + "\n" + text.rpartition("\n\n")[2], encoding="utf-8")
    before = path.read_bytes()
    main(["check", "--fix", str(path)])
    assert path.read_bytes() == before
    assert "M603" in codes(capsys, str(path))


def test_plural_forms_are_none_of_ours_to_check(others: Path, capsys: Speech) -> None:
    path = others / "po" / "fr.po"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("%d lampes", "`%d` lampes ..."), encoding="utf-8")
    assert codes(capsys, str(path)) == []


def test_a_plural_entry_in_a_catalogue_of_ours_is_still_told(
    project: Path, capsys: Speech
) -> None:
    path = project / "translations" / "zh_CN" / "sample" / "faq.po"
    plural = 'msgid "A"\nmsgid_plural "B"\nmsgstr[0] "甲"\n'
    path.write_text(path.read_text(encoding="utf-8") + "\n" + plural, encoding="utf-8")
    assert main(["check", str(path)]) == 4
    assert "a plural entry" in capsys.readouterr().out


def test_a_header_that_tells_no_language_leaves_it_to_the_path(
    others: Path, capsys: Speech
) -> None:
    path = others / "po" / "zh_TW.po"
    text = path.read_text(encoding="utf-8").replace('"Language: zh_TW\\n"\n', "")
    path.write_text(text, encoding="utf-8")
    assert "M410" not in codes(capsys, str(path))
    # Nothing tells it here: what the team translates into counts.
    path = path.rename(others / "lamps.po")
    assert "M410" in codes(capsys, str(path))


def test_a_header_that_is_not_there_is_told(others: Path, capsys: Speech) -> None:
    path = others / "po" / "fr.po"
    path.write_text('msgid "A lamp"\nmsgstr "Une lampe"\n', encoding="utf-8")
    assert codes(capsys, str(path)) == ["M602"]


def test_a_line_break_is_white_space_to_other_tools(
    others: Path, capsys: Speech
) -> None:
    path = others / "po" / "ja.po"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("呼び、", "呼び、\\n"), encoding="utf-8")
    assert codes(capsys, str(path)) == []
    path.write_text(text.replace("呼び、", "呼び、\\n\\n"), encoding="utf-8")
    assert "G102" in codes(capsys, str(path))


def test_a_catalogue_of_ours_goes_by_its_place(project: Path, capsys: Speech) -> None:
    path = project / "translations" / "zh_CN" / "sample" / "faq.po"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("Language: zh_CN", "Language: fr"), encoding="utf-8")
    assert "M602" in codes(capsys, str(path))
    assert main(["check", "--fix", str(path), "-q"]) == 0
    assert path.read_text(encoding="utf-8") == text
