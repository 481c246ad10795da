"""Generator of the part of ``docs/translating.zh.md`` that explains every check.

The part is made from the tables that test the checks, and is between two comments of the page.
``nox -s docs`` runs this module. The rest of the page is written by hand.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from check_tables import TABLES
from places import ROOT

from pipeline.adapters.files import write_if_changed
from pipeline.core.checks import table
from pipeline.core.checks.model import Rule
from pipeline.findings import Severity

PAGE = ROOT / "docs" / "translating.zh.md"
BEGIN, END = (
    "<!-- 检查：由 nox -s docs 生成，请勿手改 -->",
    "<!-- 检查：生成的部分到此为止 -->",
)
_NAMES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
GROUPS: dict[str, str] = _NAMES["groups"]
KINDS: dict[str, str] = _NAMES["kinds"]
SEVERITIES = {Severity.ERROR: "错误", Severity.WARNING: "警告", Severity.NOTE: "建议"}

Case = Mapping[str, Any]


RULES = {rule.code: rule for rule in table.RULES}


def render(tables: Mapping[str, Mapping[str, Any]], rules: Mapping[str, Rule]) -> str:
    """Return Markdown: a table of all codes, then a section for each code.

    The codes of the guard come last, because translators meet them least.
    """
    codes = sorted(tables, key=lambda code: (code.startswith("G"), code))
    lines = ["| 代号 | 问题 | 级别 | `--fix` |", "| --- | --- | --- | --- |"]
    for code in codes:
        link, fix = f"[{code}](#{code.lower()})", _fix(tables[code])
        title = _plain(tables[code]["title"])
        lines.append(f"| {link} | {title} | {_level(rules[code])} | {fix} |")
    group = ""
    for code in codes:
        if code[:2] != group:
            group = code[:2]
            lines += ["", f"### {group}：{GROUPS[group]}"]
        lines += ["", *_section(code, tables[code], rules[code])]
    return "\n".join(lines) + "\n"


def insert(page: str, part: str) -> str:
    """Return ``page`` with ``part`` between the two comments."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} has lost one of its comments: {BEGIN} {END}")
    return f"{before}{BEGIN}\n\n{part}\n{END}{after}"


def main() -> None:
    """Write the page, if its content changes."""
    page = insert(PAGE.read_text(encoding="utf-8"), render(TABLES, RULES))
    write_if_changed(PAGE, page.encode("utf-8"))


def _section(code: str, table: Mapping[str, Any], rule: Rule) -> Iterator[str]:
    bad, good = table["bad"][0], table["good"][0]
    fix = f"，`--fix` {_fix(table)}" if _fix(table) else ""
    yield from (f'<a id="{code.lower()}"></a>', "")
    yield from (f"#### {code} {_plain(table['title'])}", "")
    yield f"**{_level(rule)}**{fix}。{_plain(table['explain'].strip())}"
    wanted = [good.get("msgid"), good.get("msgstr")]
    if "fixed" in bad and [bad["msgid"], bad["fixed"]] == wanted:
        yield from _example(f"不好{_place(bad)}：", bad)
        yield from _example("好，`--fix` 会改成这样：", good)
    else:
        yield from _bad_example(bad)
        yield from _example(f"好{_place(good)}：", good)
    if "rst" in table:
        # The first bad case that is reST.
        bad = next(case for case in table["bad"] if case.get("markup") == "reST")
        yield from ("", f"**reST 页面**：{table['rst']}")
        yield from _bad_example(bad)


def _bad_example(bad: Case) -> Iterator[str]:
    yield from _example(f"不好{_place(bad)}：", bad)
    if "fixed" in bad:
        yield from _fenced("`--fix` 改成：", _labelled("msgstr", bad["fixed"]))


def _plain(text: str) -> str:
    """Return text from a table as Markdown in which markup is shown literally.

    Code spans remain code, and so do roles.
    """
    parts = re.split(r"(\{\w+\}`[^`]+`|`[^`]+`)", text)
    for at, part in enumerate(parts):
        if at % 2 == 0:
            parts[at] = re.sub(r"[\\*_\[\]<>&${}^|~#]", r"\\\g<0>", part)
        elif part.startswith("{"):
            parts[at] = f"`` {part} ``"
    return "".join(parts)


def _level(rule: Rule) -> str:
    return SEVERITIES[rule.severity]


def _fix(table: Mapping[str, Any]) -> str:
    """Return whether ``--fix`` corrects the mistake: always, sometimes, or never."""
    fixable = ["fixed" in case for case in table["bad"]]
    return "能改" if all(fixable) else "有时能改" if any(fixable) else ""


def _place(case: Case) -> str:
    words = [KINDS.get(case.get("kind", "paragraph"), ""), case.get("markup", "")]
    return f"（{'，'.join(filter(None, words))}）" if any(words) else ""


def _example(label: str, case: Case) -> Iterator[str]:
    if "po" in case:
        cut = "" if case["po"].endswith("\n") else "  ← 末尾没有换行符"
        rows = (case["po"].strip("\n") + cut).split("\n")
        return _fenced(label, list(map(_visible, rows)))
    rows = []
    pairs = case.get("entries") or [[case["msgid"], case["msgstr"]]]
    for number, (msgid, msgstr) in enumerate(pairs):
        rows += [""] if rows else []
        rows += _labelled("#| msgid", case["previous"]) if "previous" in case else []
        note = "  ← 这里" if number in case.get("at", ()) else ""
        if "times" in case:
            note = f"（重复 {case['times']} 遍）"
        rows += [*_labelled("msgid", msgid), *_labelled("msgstr", msgstr, note)]
    return _fenced(label, rows)


def _labelled(label: str, text: str, note: str = "") -> list[str]:
    """Return the lines of a text, the first one after a label. Invisible characters are escaped."""
    first, *rest = (_visible(row) for row in text.split("\n"))
    return [f"{label:<8} {first}{note}", *(f"{'':<8} {row}" for row in rest)]


def _fenced(label: str, rows: Sequence[str]) -> Iterator[str]:
    runs = re.findall("`+", "\n".join(rows))
    fence = "`" * max(3, *(len(run) + 1 for run in ["", *runs]))
    yield from ("", label, "", f"{fence}text", *rows, fence)


def _visible(row: str) -> str:
    shown = (one if one.isprintable() else ascii(one)[1:-1] for one in row)
    return "".join(shown)


if __name__ == "__main__":
    main()
