"""``build``, ``sync`` and ``status`` in Chinese: what people read has no English of ours in it."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from cases import read_tables
from msgspec.structs import replace
from report_results import LOCK, result_of, run_text, status_text

from pipeline import limits
from pipeline.cli import main
from pipeline.core.catalog.commit_diff import Comparison, PageChange
from pipeline.core.execution.result import Execution, Status
from pipeline.core.results import PageResult
from pipeline.errors import InputError, check_limit
from pipeline.findings import Finding, Severity
from pipeline.limits import Limit
from pipeline.log import Log
from pipeline.report.chinese import CHINESE, in_chinese, sentence_in_chinese
from pipeline.report.run import UpstreamRow, overview_report, row_of
from pipeline.report.terminal import to_text
from pipeline.report.value import Screen

CASES = read_tables(__file__)

Speech = pytest.CaptureFixture[str]
# Names and commands, which are the same in every language.
NAMES = re.compile(
    r"\[[\w-]+\]|nox -s [\w -]+|-v|--every-page|zh_CN|docs|v2|JAX|build/report.json|%|blame.*"
    r"|mark-up|rewording|ababababab|index|begun|(?<=：)a\.po:7|COMMIT|sample|html|url"
)
LATIN = re.compile("[A-Za-z]{2,}")


def english_in(text: str) -> list[str]:
    """The words that are neither names nor commands."""
    return LATIN.findall(NAMES.sub("", text))


def page(name: str, *, translated: int = 2, **fields: object) -> PageResult:
    return PageResult(page=name, messages=2, translated=translated, **fields)  # type: ignore[arg-type] # any field


PARTIAL = Execution(page="begun", status=Status.PARTIAL, reason="", cells=2, total=6, cached=True)
INDEX = page("index")
BEGUN = page("begun", translated=1, words=9, translated_words=4, execution=PARTIAL)


def test_a_run_is_told_in_chinese() -> None:
    finding = Finding(
        code="outside",
        severity=Severity.WARNING,
        where="index",
        text="../x.png is outside of the docs folder, so it is left out",
        hint="Name a file of the docs folder.",
    )
    result = result_of(replace(INDEX, findings=(finding,)), BEGUN, findings=())
    text = run_text(result, Screen(width=140, language=CHINESE))
    assert "警告 [outside] index: ../x.png 在文档文件夹之外，已略过" in text
    assert "    请写文档文件夹里的文件。" in text
    assert "zh_CN：2 个页面，4 条，已译 75 %，1 个部分运行" in text
    assert "部分运行，6 格中的 2 格（沿用上次的结果）" in text
    assert "运行了的代码格：部分运行 2/6" in text
    assert english_in(text.replace("../x.png", "")) == []


def test_what_comes_next_is_told_in_chinese() -> None:
    classes = {"mark-up": 1, "draft": 3}
    waiting = page("index", translated=1, fuzzy=1, classes=classes)
    change = PageChange(page="begun", changed=1, added=2, code_changed=True)
    comparison = Comparison(before=LOCK, after=LOCK, pages=(change,), commits=(3, 1))
    result = result_of(INDEX, BEGUN, waiting, findings=(), comparison=comparison)
    text = status_text(result, Screen(width=200, language=CHINESE))
    assert "还有 2 个页面要译，读者最需要的在前" in text
    assert "  待确认的草稿：3（index 3）" in text
    assert "  待改（mark-up）：1（index 1）" in text
    assert "落后于 v2：3 次提交，另有 1 次只在锁定的版本里" in text
    assert "代码有变的页面：1（begun）" in text
    assert english_in(text) == []


@pytest.mark.parametrize(("english", "chinese"), CASES["lines_of_a_run"])
def test_lines_of_a_run(english: str, chinese: str) -> None:
    assert sentence_in_chinese(english) == chinese


@pytest.mark.parametrize(
    ("code", "hint", "chinese"), CASES["the_remedy_comes_before_what_holds_of_the_code"]
)
def test_the_remedy_comes_before_what_holds_of_the_code(code: str, hint: str, chinese: str) -> None:
    finding = Finding(code=code, severity=Severity.WARNING, text="", hint=hint)
    general = in_chinese(replace(finding, hint="")).hint
    assert in_chinese(finding).hint == f"{chinese}{general}"


def test_a_log_speaks_the_language_of_the_reader_but_not_to_github() -> None:
    stream = io.StringIO()
    log = Log(stream=stream, environ={}, sentence=CHINESE.sentence)
    with log.step("memory") as step:
        step.result = "nothing to open"
    log.warn("a.md: a submodule, left out")
    lines = stream.getvalue().split("\n")
    assert lines[0].startswith("memory     没有要打开的  [")
    assert lines[1] == "警告：a.md：是子模块，已略过"
    stream = io.StringIO()
    on_github = {"GITHUB_ACTIONS": "true"}
    log = Log(stream=stream, environ=on_github, sentence=CHINESE.sentence)
    log.warn("a.md: a submodule, left out")
    assert stream.getvalue() == "::warning::a.md: a submodule, left out\n"


def test_status_and_build_speak_chinese_where_the_terminal_does(
    project: Path, capsys: Speech, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    spoken = {}
    for words in (["pull", "sample"], ["merge", "sample"], ["status", "sample"]):
        assert main(words) == 0
        output = capsys.readouterr()
        text = re.sub(r"(?m)^ [\w/]+ .*$|\S+/\S*", "", f"{output.err}{output.out}")
        text = re.sub(r"(?m)^(pull|split|memory|update|merge) ", "", text)
        text = re.sub(r"\b[0-9a-f]{7,}\b", "", text)  # commits
        text = text.replace("API 参考", "")
        spoken[words[0]] = english_in(text)
    assert spoken == {"pull": [], "merge": [], "status": []}
    main(["status", "sample", "--json"])
    assert '"locales"' in capsys.readouterr().out


def test_the_table_of_all_upstreams_is_told_in_chinese() -> None:
    rows = [
        row_of(result_of(INDEX, BEGUN, findings=())),
        UpstreamRow(name="b", exit_code=3),
    ]
    report = overview_report(rows, ["zh_CN"])
    text = to_text(report, Screen(width=200, language=CHINESE))
    assert "退出码 3" in text
    assert "2 个上游，有问题的：b (3)" in text
    assert english_in(text) == []


@pytest.mark.parametrize(("words", "told"), CASES["an_error_is_told_in_chinese"])
def test_an_error_is_told_in_chinese(
    words: list[str],
    told: str,
    project: Path,
    capsys: Speech,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert main(words) in (2, 3)
    assert capsys.readouterr().err == told


# Each bound, including those by the kind of file.
LIMITS = {
    name: limit for name, limit in vars(limits).items() if isinstance(limit, Limit)
} | limits.FILE_BYTES


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_every_refusal_of_too_much_is_in_chinese(limit: Limit) -> None:
    with pytest.raises(InputError) as refused:
        check_limit(limit.most + 1, limit, where="a")
    assert refused.value.hint
    for sentence in (refused.value.what, refused.value.hint):
        assert not LATIN.search(sentence_in_chinese(sentence))
