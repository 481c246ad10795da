"""The page for translators: what is generated is up to date, what is written by hand is true."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml
from check_tables import TABLES
from folders import write_tree
from markdown_it import MarkdownIt
from places import ROOT
from translators_page import BEGIN, END, PAGE, RULES, insert, render

from pipeline.adapters.po import format_catalog, standard_header
from pipeline.cli import main, parse
from pipeline.config.reader import read_settings
from pipeline.core.catalog.change_class import ChangeClass
from pipeline.core.checks.table import code_names
from pipeline.core.glossary.rows import COLUMNS, WORDS
from pipeline.entries import Catalog, Entry

PYPROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
TEXT = PAGE.read_text(encoding="utf-8")
HANDWRITTEN = TEXT.partition(BEGIN)[0]


def blocks(language: str) -> list[str]:
    """The fenced code blocks of ``language`` that are written by hand."""
    return [
        token.content
        for token in MarkdownIt().parse(HANDWRITTEN)
        if token.type == "fence" and token.info == language
    ]


# --- the generated part --------------------------------------------------------------------------


def test_the_page_is_up_to_date() -> None:
    assert insert(TEXT, render(TABLES, RULES)) == TEXT, "run: nox -s docs"


def test_every_check_is_explained_and_can_be_linked_to() -> None:
    assert set(re.findall(r'^<a id="(\w\d+)"></a>$', TEXT, re.M)) == {
        code.lower() for code in code_names()
    }


def test_what_is_generated_stands_between_two_comments() -> None:
    page = insert(f"a\n{BEGIN}\nold\n{END}\nb\n", "new\n")
    assert page == f"a\n{BEGIN}\n\nnew\n\n{END}\nb\n"
    with pytest.raises(ValueError, match="has lost"):
        insert(f"a\n{END}\n{BEGIN}", "new")


def test_every_example_is_a_code_block_of_its_own() -> None:
    part = TEXT.partition(BEGIN)[2].partition(END)[0]
    fences = [token for token in MarkdownIt().parse(part) if token.type == "fence"]
    assert len(fences) == len(re.findall(r"(?m)^`{3,}text$", part))
    assert len(fences) >= 2 * len(code_names())


# --- the rest ------------------------------------------------------------------------------------


def test_what_check_prints_is_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shown,) = (block for block in blocks("text") if "error" in block)
    entry = Entry(
        msgid="**Note:** do not change a leaf.",
        msgstr="**注意：**不要修改叶子。",
        notes=("paragraph · Pytrees › Custom pytrees",),
        references=("pytrees",),
    )
    header = standard_header(project="jax docs", page="pytrees", locale="zh_CN", date="")
    catalog = Catalog(header=header, entries=(entry,))
    path = "translations/zh_CN/jax/pytrees.po"
    write_tree(tmp_path, {path: format_catalog(catalog)})
    monkeypatch.chdir(tmp_path)
    assert main(["check", path]) == 1
    assert shown in capsys.readouterr().out


def test_configuration_is_read(tmp_path: Path) -> None:
    (block,) = blocks("toml")
    path = tmp_path / "pyproject.toml"
    path.write_text(f"{PYPROJECT}\n{block}", encoding="utf-8")
    rule = read_settings(path, environ={}).ignore[-1]
    (code,) = rule.codes
    assert code in code_names()
    assert f'reason = "{rule.reason}"' in block


def test_kinds_of_change_and_words_of_the_glossary_are_all_explained() -> None:
    assert [kind for kind in ChangeClass if f"| `{kind}` |" not in HANDWRITTEN] == []
    assert [word for word in (*COLUMNS, *WORDS) if f"`{word}`" not in HANDWRITTEN] == []


def test_chinese_is_set_as_the_checks_want_it() -> None:
    markup = r"(?ms)^ *```.*?^ *```|`+[^`\n]+`+|<[^>\n]*>|\]\([^)\n]*\)"
    no_space = r"[\u4e00-\u9fff][A-Za-z0-9][^\n]{0,9}|[^\n]{0,9}[A-Za-z0-9][\u4e00-\u9fff]"
    wrong = rf"{no_space}|(?<!“)您|[\u4e00-\u9fff][,;:?!]"
    assert re.findall(wrong, re.sub(markup, "§", HANDWRITTEN)) == []


# --- hooks for other repositories ----------------------------------------------------------------


def test_hooks_are_commands_that_exist() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    programs = tomllib.loads(PYPROJECT)["project"]["scripts"]
    assert [hook["id"] for hook in hooks] == ["check-catalogs", "fix-catalogs"]
    for hook in hooks:
        program, *arguments = shlex.split(hook["entry"])
        assert program in programs
        parse([*arguments, "translations/zh_CN/sample/faq.po"])
        assert re.search(hook["files"], "translations/zh_CN/sample/faq.po")
        assert f"id: {hook['id']}" in HANDWRITTEN
