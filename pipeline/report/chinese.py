"""Messages in Chinese, for people: findings of checks and of runs, tables, summaries.

The table ``core/checks/chinese.toml`` stands beside the rules; the guide for translators is made
from it as well. ``chinese.toml`` beside this module has what runs say. What the two have no words
for stays English, and so does all that programs read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from pipeline.findings import Finding, Severity
from pipeline.report.findings import ENGLISH as ENGLISH_LABELS
from pipeline.report.findings import Labels

# As gettext reads them: the first one that is set counts, and LANGUAGE only beside another locale.
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_PLAIN = ("", "C", "POSIX", "C.UTF-8", "C.utf8")
_SIMPLIFIED = re.compile(r"zh(?:_CN|_SG|_MY|_Hans.*)?(?:[.@].*)?", re.IGNORECASE)
_QUOTED = r"“[^”]*”|``.*?``|`[^`]*`|\$[^$]*\$"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Names and explanations by code, and what English sentences and words become."""

    rules: Mapping[str, Mapping[str, str]]
    texts: tuple[tuple[re.Pattern[str], str], ...]
    words: Mapping[str, str]  # for things that sentences name
    headings: Mapping[str, str]  # of the columns of tables
    pieces: re.Pattern[str]  # finds those words, and quotations, in which they stay


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How text for people says what a finding and a sentence say in English."""

    labels: Labels
    finding: Callable[[Finding], Finding]
    sentence: Callable[[str], str]
    heading: Callable[[str], str]  # of a column


def is_chinese_wanted(environ: Mapping[str, str]) -> bool:
    """Whether messages of programs are to be in Simplified Chinese, by the locale."""
    values = (environ.get(name, "") for name in _VARIABLES)
    locale = next(filter(None, values), "")
    if locale in _PLAIN:
        return False
    wanted = environ.get("LANGUAGE", "").split(":")[0] or locale
    return bool(_SIMPLIFIED.fullmatch(wanted))


def in_chinese(finding: Finding) -> Finding:
    """``finding`` in Chinese, as far as there are words for it. Its code and place stay."""
    text = sentence_in_chinese(finding.text)
    rule = _table().rules.get(finding.code)
    if rule is None:
        return replace(finding, text=text, hint=sentence_in_chinese(finding.hint))
    # What to do here comes before what holds of every finding of this code.
    remedy = _matched(finding.hint) or ""
    return replace(
        finding, name=rule["title"], text=text, hint=f"{remedy}{rule['explain']}"
    )


class Piece(str):
    """What a sentence quotes: ``{1}`` has it as it stands, ``{1:zh}`` in Chinese."""

    def __format__(self, how: str) -> str:
        """The piece, or its words in Chinese: a sentence if it is one, else the names of things."""
        if how != "zh":
            return str(self)
        whole = _table().words.get(str(self)) or _matched(str(self))
        return _table().pieces.sub(_word, str(self)) if whole is None else whole


def sentence_in_chinese(text: str) -> str:
    """A sentence in Chinese, with what it quotes; one that no pattern fits stays English."""
    return _matched(text) or text


def heading_in_chinese(heading: str) -> str:
    """The heading of a column in Chinese."""
    return _table().headings.get(heading, heading)


def _matched(text: str) -> str | None:
    """A sentence in Chinese by the first pattern that fits it; None if none does."""
    for pattern, chinese in _table().texts:
        match = pattern.fullmatch(text)
        if match:
            return chinese.format(text, *map(Piece, match.groups("")))
    return None


def _word(match: re.Match[str]) -> str:
    """A known word for a thing in Chinese; all else, and what is quoted, as it is."""
    word = match[0].rstrip(" ")
    chinese = _table().words.get(word)
    # Between Chinese words there is no space, before a quotation there may be one.
    return match[0] if chinese is None else f"{chinese} " if chinese else ""


@cache
def _table() -> _Table:
    """Both tables as one, which is read once. Sentences of runs come first: they hold others."""
    rules, runs = _read("pipeline.core.checks"), _read("pipeline.report")
    texts = runs["texts"] | rules.pop("texts")
    words = rules.pop("words")
    patterns = (
        (re.compile(pattern, re.DOTALL), chinese) for pattern, chinese in texts.items()
    )
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    pieces = re.compile(rf"{_QUOTED}|(?<!\w)(?:{'|'.join(longest_first)})(?!\w) ?")
    return _Table(
        rules=rules,
        texts=tuple(patterns),
        words=words,
        headings=runs["headings"],
        pieces=pieces,
    )


def _read(package: str) -> dict[str, Any]:
    """The table of Chinese words in the folder of ``package``."""
    path = resources.files(package) / "chinese.toml"
    return tomllib.loads(path.read_text("utf-8"))


ENGLISH = Language(
    labels=ENGLISH_LABELS,
    finding=lambda finding: finding,
    sentence=lambda text: text,
    heading=lambda text: text,
)
CHINESE = Language(
    labels=Labels(
        severities={
            Severity.ERROR: "错误",
            Severity.WARNING: "警告",
            Severity.NOTE: "建议",
        },
        fixed="  --fix 会改成：",
    ),
    finding=in_chinese,
    sentence=sentence_in_chinese,
    heading=heading_in_chinese,
)
