"""The page for translators: what is generated is up to date, what is written by hand is true."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import translators_page
import yaml
from check_tables import TABLES
from markdown_it import MarkdownIt
from places import ROOT
from translators_page import BEGIN, END, PAGE, RULES, insert, render

from pipeline.adapters.po import format_catalog, standard_header
from pipeline.cli import COMMANDS, main, parse
from pipeline.config import read_settings
from pipeline.core.catalog.change_class import ChangeClass
from pipeline.core.checks.table import code_names
from pipeline.core.glossary.rows import COLUMNS, WORDS
from pipeline.entries import Catalog, Entry

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


def test_links_within_the_page_lead_somewhere() -> None:
    anchors = set(re.findall(r'<a id="(\w+)"></a>', TEXT))
    linked = set(re.findall(r"\]\(#(\w+)\)", TEXT))
    assert len(linked) > 20
    assert linked <= anchors


RULE = {"M102": RULES["M102"]}


def _render(**table: Any) -> str:
    return render({"M102": {"title": "题目", "explain": "说明。", **table}}, RULE)


def test_a_section_shows_one_bad_and_one_good_case() -> None:
    text = _render(
        bad=[
            {
                "msgid": "a\nb",
                "msgstr": "甲`x`\n乙\u200b",
                "fixed": "丙",
                "kind": "heading",
            },
            {"msgid": "never", "msgstr": "never"},
        ],
        good=[
            {"msgid": "c", "msgstr": "``` 丁"},
            {"msgid": "never", "msgstr": "never"},
        ],
    )
    assert "| [M102](#m102) | 题目 | 错误 | 有时能改 |\n" in text
    assert text.endswith(
        '<a id="m102"></a>\n'
        "\n"
        "#### M102 题目\n"
        "\n"
        "**错误**，`--fix` 有时能改。说明。\n"
        "\n"
        "不好（标题）：\n"
        "\n"
        "```text\n"
        "msgid    a\n"
        "         b\n"
        "msgstr   甲`x`\n"
        "         乙\\u200b\n"
        "```\n"
        "\n"
        "`--fix` 改成：\n"
        "\n"
        "```text\n"
        "msgstr   丙\n"
        "```\n"
        "\n"
        "好：\n"
        "\n"
        "````text\n"
        "msgid    c\n"
        "msgstr   ``` 丁\n"
        "````\n"
    )


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("用 `*a*`，不用 *a*。", r"用 `*a*`，不用 \*a\*。"),
        (
            "写成 {角色}`目标`，不是 [甲](乙)。",
            r"写成 `` {角色}`目标` ``，不是 \[甲\](乙)。",
        ),
        (r"<b> 和 \( 与 $x$", r"\<b\> 和 \\( 与 \$x\$"),
    ],
)
def test_words_of_a_table_are_shown_as_they_stand(words: str, shown: str) -> None:
    case = {"msgid": "a", "msgstr": "甲"}
    text = render(
        {"M102": {"title": words, "explain": words, "bad": [case], "good": [case]}},
        RULE,
    )
    assert text.count(shown) == 3


def test_what_fix_makes_of_it_is_not_shown_twice() -> None:
    text = _render(
        bad=[{"msgid": "a", "msgstr": "甲", "fixed": "乙"}],
        good=[{"msgid": "a", "msgstr": "乙"}],
    )
    assert text.endswith(
        "```\n\n好，`--fix` 会改成这样：\n\n```text\nmsgid    a\nmsgstr   乙\n```\n"
    )
    assert text.count("乙") == 1


@pytest.mark.parametrize(
    ("fixed", "told"),
    [
        ([True, True], "，`--fix` 能改。"),
        ([True, False], "，`--fix` 有时能改。"),
        ([False, False], "**。"),
    ],
)
def test_it_says_whether_fix_mends_it(fixed: list[bool], told: str) -> None:
    case = {"msgid": "a", "msgstr": "甲"}
    assert f"{told}说明。" in _render(
        bad=[{**case, **({"fixed": "乙"} if mends else {})} for mends in fixed],
        good=[case],
    )


@pytest.mark.parametrize(
    ("case", "shown"),
    [
        ({"po": '\nmsgid "a"\nmsgstr "甲"\n'}, '```text\nmsgid "a"\nmsgstr "甲"\n```'),
        ({"po": '\nmsgstr "甲"'}, '```text\nmsgstr "甲"  ← 末尾没有换行符\n```'),
        (
            {"entries": [["a", "甲"], ["b", "乙"]], "at": [1]},
            "```text\nmsgid    a\nmsgstr   甲\n\nmsgid    b\nmsgstr   乙  ← 这里\n```",
        ),
        (
            {"msgid": "a", "msgstr": "甲", "times": 99},
            "```text\nmsgid    a\nmsgstr   甲（重复 99 遍）\n```",
        ),
        (
            {"msgid": "a", "msgstr": "甲", "previous": "b"},
            "```text\n#| msgid b\nmsgid    a\nmsgstr   甲\n```",
        ),
    ],
)
def test_cases_of_every_shape(case: dict[str, Any], shown: str) -> None:
    assert f"不好：\n\n{shown}\n" in _render(bad=[case], good=[case])


def test_a_section_says_what_is_otherwise_in_rst() -> None:
    of_rst = {
        "msgid": "c",
        "msgstr": "丁",
        "markup": "reST",
        "kind": "heading",
        "fixed": "戊",
    }
    text = _render(
        bad=[{"msgid": "a", "msgstr": "甲"}, of_rst],
        good=[{"msgid": "a", "msgstr": "乙"}],
        rst="用 ``` ``a`` ```。",
    )
    assert text.endswith(
        "好：\n\n```text\nmsgid    a\nmsgstr   乙\n```\n\n**reST 页面**：用 ``` ``a`` ```。\n\n"
        "不好（标题，reST）：\n\n```text\nmsgid    c\nmsgstr   丁\n```\n\n`--fix` 改成：\n\n"
        "```text\nmsgstr   戊\n```\n"
    )
    del of_rst["fixed"]
    assert "--fix` 改成" not in _render(
        bad=[{"msgid": "a", "msgstr": "甲"}, of_rst],
        good=[{"msgid": "a", "msgstr": "乙"}],
        rst="。",
    )


def test_what_is_generated_stands_between_two_comments() -> None:
    assert (
        insert(f"a\n{BEGIN}\nold\n{END}\nb\n", "new\n")
        == f"a\n{BEGIN}\n\nnew\n\n{END}\nb\n"
    )
    with pytest.raises(ValueError, match="has lost"):
        insert(f"a\n{END}\n{BEGIN}", "new")


def test_every_example_is_a_code_block_of_its_own() -> None:
    part = TEXT.partition(BEGIN)[2].partition(END)[0]
    fences = [token for token in MarkdownIt().parse(part) if token.type == "fence"]
    assert len(fences) == len(re.findall(r"(?m)^`{3,}text$", part))
    assert len(fences) >= 2 * len(code_names())


# --- the rest ------------------------------------------------------------------------------------


def test_commands_are_understood() -> None:
    lines = [
        row.strip().removeprefix("$ ")
        for block in blocks("console")
        for row in block.split("\n")
        if row.strip()
    ]
    runs = [shlex.split(line)[2:] for line in lines if line.startswith("nox ")]
    assert len(runs) > 5
    for session, *rest in runs:
        assert session in COMMANDS
        assert rest[:1] in ([], ["--"])
        parse([session, *rest[1:]])


def test_what_check_prints_is_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shown,) = (block for block in blocks("text") if "error" in block)
    note = "paragraph · Pytrees › Custom pytrees"
    entry = Entry(
        msgid="**Note:** do not change a leaf.",
        msgstr="**注意：**不要修改叶子。",
        notes=(note,),
        references=("pytrees",),
    )
    header = standard_header(
        project="jax docs", page="pytrees", locale="zh_CN", date=""
    )
    file = tmp_path / "translations" / "zh_CN" / "jax" / "pytrees.po"
    file.parent.mkdir(parents=True)
    file.write_bytes(format_catalog(Catalog(header=header, entries=(entry,))))
    monkeypatch.chdir(tmp_path)
    assert main(["check", str(file.relative_to(tmp_path))]) == 1
    assert shown in capsys.readouterr().out


def test_configuration_is_read(tmp_path: Path) -> None:
    (block,) = blocks("toml")
    whole = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(f"{whole}\n{block}", encoding="utf-8")
    rule = read_settings(tmp_path / "pyproject.toml", environ={}).ignore[-1]
    assert [(code in code_names()) for code in rule.codes] == [True]
    assert (
        rule.reason
        == tomllib.loads(block)["tool"]["pipeline"]["checks"]["ignore"][0]["reason"]
    )


def test_kinds_of_change_and_words_of_the_glossary_are_all_explained() -> None:
    assert [kind for kind in ChangeClass if f"| `{kind}` |" not in HANDWRITTEN] == []
    assert [word for word in (*COLUMNS, *WORDS) if f"`{word}`" not in HANDWRITTEN] == []


def test_chinese_is_set_as_the_checks_want_it() -> None:
    plain = re.sub(
        r"(?ms)^ *```.*?^ *```|`+[^`\n]+`+|<[^>\n]*>|\]\([^)\n]*\)", "§", HANDWRITTEN
    )
    assert (
        re.findall(
            r"[\u4e00-\u9fff][A-Za-z0-9][^\n]{0,9}|[^\n]{0,9}[A-Za-z0-9][\u4e00-\u9fff]|(?<!“)您|[\u4e00-\u9fff][,;:?!]",
            plain,
        )
        == []
    )


# --- hooks for other repositories ----------------------------------------------------------------


def test_hooks_are_commands_that_exist() -> None:
    hooks = yaml.safe_load(
        (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    )
    assert [hook["id"] for hook in hooks] == ["check-catalogs", "fix-catalogs"]
    for hook in hooks:
        program, *arguments = shlex.split(hook["entry"])
        assert (
            program
            in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
                "project"
            ]["scripts"]
        )
        parse([*arguments, "translations/zh_CN/sample/faq.po"])
        assert re.search(hook["files"], "translations/zh_CN/sample/faq.po")
        assert f"id: {hook['id']}" in HANDWRITTEN


def test_generating_again_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"上\n{BEGIN}\n{END}\n下\n", encoding="utf-8")
    monkeypatch.setattr(translators_page, "PAGE", page)
    translators_page.main()
    once = page.stat().st_mtime_ns
    assert "#### M601" in page.read_text(encoding="utf-8")
    translators_page.main()
    assert page.stat().st_mtime_ns == once
