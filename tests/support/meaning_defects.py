"""Mistakes that change the meaning of a Chinese sentence.

A defect has pairs of a pattern and its replacement, and each mistake is one replacement. Only prose
is changed: matches are found in text without atoms.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.core.checks.masked import OTHER, WORD
from pipeline.core.checks.meaning.untranslated import count_han
from pipeline.core.checks.model import Subject

_ATOMS = re.compile(f"[{WORD}-{OTHER}]")
_CLAUSE = re.compile(r"[^，；：。！？（）\n]+[，；：。！？]")
_SHORTEST_CLAUSE = 6  # characters


@dataclass(frozen=True, kw_only=True)
class Defect:
    """Class of mistakes, and the share of them that checks must detect at least."""

    name: str
    least: float
    changes: tuple[tuple[str, str], ...]
    # Whoever drops a word cannot be told unless the English has it.
    english: str = ""


def _each_for_the_other(words: str) -> tuple[tuple[str, str], ...]:
    """Return pairs of opposites, which white space separates, in both directions."""
    changes: list[tuple[str, str]] = []
    for pair in words.split():
        first, second = pair.split("/")
        changes += ((first, second), (second, first))
    return tuple(changes)


DEFECTS = (
    Defect(
        name="a negation lost",
        least=0.55,
        changes=(
            ("不会", "会"),
            ("不能", "能"),
            ("不是", "是"),
            ("没有", "有"),
            ("无法", "可以"),
            ("不需要", "需要"),
            ("不要", "要"),
            ("不支持", "支持"),
            ("不应", "应"),
            ("不再", "再"),
            ("并不", ""),
            ("无需", "需要"),
            ("尚未", "已"),
            ("不(?=[^过仅但断管论妨久得止少同])", ""),
        ),
    ),
    Defect(
        name="a negation added",
        least=0.6,
        changes=(
            ("(?<!不)会(?!议|话)", "不会"),
            ("(?<![可不功性只才])能(?![力够量否不])", "不能"),
            ("(?<![不而只就都也还可要总若或])是(?![否因不])", "不是"),
            ("(?<!不)需要", "不需要"),
            ("(?<![没具含所只带])有(?![关些时没])", "没有"),
            ("可以", "无法"),
            ("(?<!不)支持", "不支持"),
        ),
    ),
    Defect(
        name="“only” lost",
        least=0.8,
        changes=(("(?<!不)只(?![要读需]|不过)", ""), ("(?<!不)仅(?!仅)", "")),
        english=r"\b(?:only|solely|exclusively)\b",
    ),
    Defect(
        name="“must” turned into “can”, or lost",
        least=0.8,
        changes=(("必须", "可以"), ("必须", "")),
        english=r"\bmust\b",
    ),
    Defect(
        name="“can” turned into “must”",
        least=0.8,
        changes=(("可以", "必须"), ("可能", "必须"), ("能够", "必须")),
        english=r"\b(?:can|may|might|could)\b",
    ),
    Defect(
        name="a condition lost",
        least=0.8,
        changes=(("如果", ""), ("若(?!干)", "")),
        english=r"\bif\b",
    ),
    Defect(
        name="“for example” lost",
        least=0.8,
        changes=(("例如", ""), ("比如", "")),
        english=r"\b(?:e\.g|for example|for instance)\b",
    ),
    Defect(
        name="“that is” lost",
        least=0.8,
        changes=(("也就是说，?", ""), ("换句话说，?", ""), ("即(?![将使可便时])", "")),
        english=r"\b(?:i\.e|in other words)\b",
    ),
    Defect(
        name="input for output",
        least=0.9,
        changes=_each_for_the_other("输入/输出"),
    ),
    Defect(
        name="row for column",
        least=0.8,
        changes=(
            *_each_for_the_other(
                "逐行/逐列 每行/每列 按行/按列 行数/列数 行向量/列向量"
            ),
            ("一行(?!代码)", "一列"),
            ("行主序", "列主序"),
            (r"第(.{0,3})行", r"第\1列"),
        ),
        english=r"\b(?:rows?|columns?|cols?)\b",
    ),
    Defect(
        name="forward for reverse",
        least=0.9,
        changes=_each_for_the_other("前向/反向 正向/反向"),
    ),
    Defect(
        name="more for less",
        least=0.7,
        changes=_each_for_the_other(
            "更多/更少 大于/小于 更大/更小 增加/减少 至少/至多 最大/最小 更高/更低 更快/更慢"
        ),
    ),
    Defect(
        name="other opposites",
        least=0.8,
        changes=_each_for_the_other(
            "主机/设备 静态/动态 显式/隐式 局部/全局 本地/全局 启用/禁用 已知/未知 左/右"
        ),
    ),
    Defect(
        name="a slip of the keyboard",
        least=1.0,
        changes=(
            ("函数", "涵数"),
            ("阈值", "阀值"),
            ("即使", "既使"),
            ("应该", "因该"),
            ("已经", "己经"),
            ("再次", "在次"),
            ("矩阵", "距阵"),
            ("输入", "输人"),
            ("覆盖", "复盖"),
        ),
    ),
)


def damage(subject: Subject, defect: Defect, chance: random.Random) -> Subject | None:
    """Return the entry with one mistake of this class, or None if none is possible."""
    if defect.english and not re.search(defect.english, subject.masked_english.lower()):
        return None
    changed = list(_changed(subject, defect.changes))
    return _with(subject, chance.choice(changed)) if changed else None


def _changed(subject: Subject, changes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the msgstr with each possible single change."""
    msgstr = subject.msgstr
    for pattern, replacement in changes:
        for match in re.finditer(pattern, subject.masked_chinese):
            new = match.expand(replacement)
            yield msgstr[: match.start()] + new + msgstr[match.end() :]


def drop_clause(subject: Subject, chance: random.Random) -> Subject | None:
    """Return the entry without one of its clauses.

    Clauses with code are kept, because the checks M2… report lost code anyway.
    """
    text = subject.masked_chinese
    clauses = list(_CLAUSE.finditer(text))
    plain = [
        clause
        for clause in clauses
        if count_han(clause[0]) >= _SHORTEST_CLAUSE and not _ATOMS.search(clause[0])
    ]
    if len(clauses) < 2 or not plain:
        return None
    clause = chance.choice(plain)
    msgstr = subject.msgstr
    return _with(subject, msgstr[: clause.start()] + msgstr[clause.end() :])


def _with(subject: Subject, msgstr: str) -> Subject:
    return Subject(replace(subject.entry, msgstr=msgstr), subject.page)
