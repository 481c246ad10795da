"""``check`` in Chinese: every code has words, and what programs read stays English."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from check_tables import CHINESE

from pipeline.cli import main
from pipeline.core.checks.run import code_names
from pipeline.findings import Finding, Severity
from pipeline.report.chinese import in_chinese, is_chinese_wanted

Speech = pytest.CaptureFixture[str]
HAN = re.compile("[\u4e00-\u9fff]")


def finding(code: str, text: str = "") -> Finding:
    return Finding(
        code=code,
        name="a name",
        severity=Severity.ERROR,
        text=text,
        hint="Do this.",
        file="a.po",
        line=3,
    )


@pytest.mark.parametrize("code", sorted(code_names()))
def test_every_code_has_words(code: str) -> None:
    told = in_chinese(finding(code, "no pattern fits this"))
    assert HAN.search(told.name)
    assert HAN.search(told.hint)
    assert (told.code, told.place, told.text) == (
        code,
        "a.po:3",
        "no pattern fits this",
    )


def test_no_words_are_for_a_code_that_does_not_exist() -> None:
    assert set(CHINESE) - {"texts"} == set(code_names())
    assert in_chinese(finding("X999")) == finding("X999")


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("lacks `a`; has `b` instead", "缺少 `a`，却有 `b`"),
        ("lacks `{0}`", "缺少 `{0}`"),
        ("lacks a space: “用jit”", "缺少空格: “用jit”"),
        (
            "lacks 1 of the 3 line breaks of the English",
            "英文有 3 处换行，这里少了 1 处",
        ),
        ("has `x`, which the English has not", "有 `x`，而英文没有"),
        ("M304 cannot be silenced", "M304 不能忽略"),
    ],
)
def test_sentences_keep_what_they_quote(english: str, chinese: str) -> None:
    assert in_chinese(finding("M201", english)).text == chinese


def test_patterns_take_as_many_groups_as_their_words_name() -> None:
    for pattern, chinese in CHINESE["texts"].items():
        groups = re.compile(pattern).groups
        assert set(re.findall(r"\{(\d)\}", chinese)) == set(
            map(str, range(1, groups + 1))
        )


@pytest.mark.parametrize(
    ("environ", "is_wanted"),
    [
        ({}, False),
        ({"LANG": "zh_CN.UTF-8"}, True),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, False),
        ({"LANG": "C.UTF-8", "LANGUAGE": "zh_CN"}, False),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_CN:en"}, True),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "en"}, False),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN"}, True),
        ({"LANG": "zh_TW.UTF-8"}, False),
        ({"LANG": "de_DE@euro"}, False),
    ],
)
def test_the_locale_decides(environ: dict[str, str], is_wanted: bool) -> None:
    assert is_chinese_wanted(environ) is is_wanted


def test_people_read_chinese_and_programs_english(
    project: Path, capsys: Speech, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project / "translations" / "zh_CN" / "sample" / "faq.po"
    text = path.read_text(encoding="utf-8")
    broken = re.sub('(?m)^(msgstr ".*)`float32`', r"\1`float23`", text)
    assert broken != text
    path.write_text(broken, encoding="utf-8")
    outputs: dict[str, list[str]] = {}
    for locale in ("C", "zh_CN.UTF-8"):
        monkeypatch.setenv("LC_ALL", locale)
        outputs[locale] = []
        for form in ("text", "json", "sarif", "github"):
            main(["check", "sample", "--format", form])
            outputs[locale].append(capsys.readouterr().out)
    (english, *for_programs), (chinese, *same) = outputs.values()
    assert for_programs == same
    names = {mistake["name"] for mistake in json.loads(same[0])["mistakes"]}
    assert code_names()["M201"] in names
    assert CHINESE["M201"]["title"] in chinese
    assert code_names()["M201"] in english
    assert "M201" in chinese
