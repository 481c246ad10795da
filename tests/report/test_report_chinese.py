"""``check`` in Chinese: every code has words, and what programs read stays English."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from cases import read_tables
from check_tables import CHINESE, TABLES, checks_by_code, problems, subjects
from message_templates import MODULES, MODULES_OF_RUNS, templates

from pipeline.cli import main
from pipeline.core.checks.table import code_names
from pipeline.findings import Finding, Severity
from pipeline.report.chinese import (
    Piece,
    in_chinese,
    is_chinese_wanted,
    sentence_in_chinese,
)

CASES = read_tables(__file__)

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
    assert (told.code, told.place) == (code, "a.po:3")
    assert told.text == "no pattern fits this"


def test_no_words_are_for_a_code_that_does_not_exist() -> None:
    assert set(CHINESE) - {"texts", "words"} == set(code_names())
    assert in_chinese(finding("X999")) == finding("X999")


@pytest.mark.parametrize(("english", "chinese"), CASES["sentences_keep_what_they_quote"])
def test_sentences_keep_what_they_quote(english: str, chinese: str) -> None:
    assert in_chinese(finding("M201", english)).text == chinese


@pytest.mark.parametrize(
    ("english", "chinese"),
    CASES["no_space_follows_chinese_words_at_the_end_or_before_others"],
)
def test_no_space_follows_chinese_words_at_the_end_or_before_others(
    english: str, chinese: str
) -> None:
    assert f"{Piece(english):zh}" == chinese


# What may stand in a sentence where a template has {}: each list has one for each of the fields.
SAMPLES = (
    *(["“x”", "“y”", "“z”", "“w”"], ["3", "4", "5", "6"], ["`x`", "`y`", "`z`", "`w`"]),
    *(["a list"], ["bold", "italics"], ["backticks", "two backquotes"], ["M301"]),
    *(
        ["number"],
        ["image"],
        ["much"],
        ["`x` 1× instead of 2×"],
        ["1 entry further up"],
    ),
    *(["[…](x)"], [", with a space before <"], ["is"], ["a is"], ["it"]),
    *(["2 translations were"],),
    *(["2 translations of this file are"], ["0123abc"], ["a.po", "b.po", "c.po"]),
    *(["2 passed"], ["2 kept"], ["2 files"], ["3 written"]),
    *(["9 pages"], ["2 files written"], ["9 pages, 1 document"], ["1 block of prose"]),
    *(["v2 → 0123abc"],),
    *(["the translation lacks `x`"],),
)
# Sentences that are made of others, which have templates of their own.
COMPOSED = (
    *("", "{}", "{} {}", "{}, {}, {}", " {}."),
    *("{}: “{}”", "{}; the first is at line {}"),
)
KINDS = {"checks": MODULES, "runs": MODULES_OF_RUNS}


def filled(template: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The template with all samples, and what stands in its fields."""
    pieces = template.split("{}")
    fields = len(pieces) - 1
    several = fields <= 3  # else there would be too many ways
    for kinds in product(SAMPLES if several else SAMPLES[1:2], repeat=fields):
        values = tuple(kind[at % len(kind)] for at, kind in enumerate(kinds))
        words = map("".join, zip(pieces, (*values, ""), strict=True))
        yield "".join(words), values


@cache
def fitting(template: str) -> tuple[str, tuple[str, ...]] | None:
    """A template with samples that Chinese is known for, and those samples."""
    for sentence, values in filled(template):
        if sentence_in_chinese(sentence) != sentence:
            return sentence, values
    return None


@pytest.mark.parametrize("kind", KINDS)
def test_every_sentence_has_chinese_that_says_all_that_it_says(
    kind: str, subtests: pytest.Subtests
) -> None:
    """Each field of a sentence is in the Chinese as well: as it stands, or in Chinese."""
    for template in templates(KINDS[kind]):
        if template.text in COMPOSED:
            continue
        with subtests.test(template.text):
            sentence = fitting(template.text)
            if template.is_said_by_code and not sentence:
                continue
            assert sentence, f"{template.place}: add it to [texts] of chinese.toml"
            chinese = sentence_in_chinese(sentence[0])
            assert HAN.search(chinese)
            for value in sentence[1]:
                assert any(told in chinese for told in told_as(value)), value


def told_as(value: str) -> Iterator[str]:
    """How the Chinese may have what stands in a field: "is" and "it" go, all else stays."""
    yield re.sub(r"\bi[st]$", "", value).strip("“” ")
    yield f"{Piece(value):zh}".strip()
    yield from re.findall(r"\d", value)


def test_the_templates_are_those_of_the_checks() -> None:
    """Else the test above could pass with none of them."""
    found = {one.text for one in templates()}
    assert len(found) > 120
    assert found >= {
        "has {} sentences where the English has {}",
        "an unresolved merge conflict",
        "has an empty line",
    }


# Quotations, code, names of pages, units, and words that are no English words here.
QUOTED = re.compile(
    r"“[^”]*”|``.*?``|(?::math:)?`[^`]*`|\$[^$]*\$|U\+\w+|HTML|reST|fuzzy| guide "
    r"|(?<=单位 )[A-Za-zµ]+，却有 [A-Za-zµ]+|(?<=单位 )[A-Za-zµ]+"
)


@pytest.mark.parametrize(
    ("code", "table"),
    [
        pytest.param(code, record["bad"], id=code)
        for code, record in sorted(TABLES.items())
        if not code.startswith("M6")
    ],
)
def test_what_is_said_of_a_mistake_has_no_english_but_what_it_quotes(
    code: str, table: list[dict[str, Any]]
) -> None:
    check = checks_by_code()[code]
    texts = [problem.text for case in table for problem in problems(check, subjects(case))]
    told = {text: in_chinese(finding(code, text)).text for text in texts}
    assert {text for text in told if not HAN.search(told[text])} == set()
    unquoted = {text: QUOTED.sub("", chinese) for text, chinese in told.items()}
    assert {text for text in told if re.search("[A-Za-z]{2}", unquoted[text])} == set()


@pytest.mark.parametrize(("english", "chinese"), CASES["sums_are_told_in_chinese"])
def test_sums_are_told_in_chinese(english: str, chinese: str) -> None:
    assert sentence_in_chinese(english) == chinese


def test_patterns_take_as_many_groups_as_their_words_name() -> None:
    for pattern, chinese in CHINESE["texts"].items():
        groups = re.compile(pattern).groups
        assert set(re.findall(r"\{(\d)(?::zh)?\}", chinese)) == set(map(str, range(1, groups + 1)))


@pytest.mark.parametrize(("environ", "is_wanted"), CASES["the_locale_decides"])
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
    assert ": 错误 M201 " in chinese
    sum_of_all = chinese.splitlines()[-1].replace("--fix", "").replace("-v", "")
    assert not re.search("[A-Za-z]", sum_of_all)
    assert code_names()["M201"] in english
    assert "M201" in chinese
