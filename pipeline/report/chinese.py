"""Messages in Chinese for people: findings of checks and runs, tables, summaries.

``core/checks/chinese.toml`` has the texts of the checks; the guide for translators is generated
from it as well. ``chinese.toml`` in this folder has the texts of runs. A message without a
translation stays English, and so does all output for programs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from pipeline.findings import Finding, Severity
from pipeline.report.value import Language

# In gettext's order: the first variable that is set wins. LANGUAGE overrides it, unless
# that locale is "C".
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_PLAIN = ("", "C", "POSIX", "C.UTF-8", "C.utf8")
_SIMPLIFIED = re.compile(r"zh(?:_CN|_SG|_MY|_Hans.*)?(?:[.@].*)?", re.IGNORECASE)
_QUOTED = r"“[^”]*”|``.*?``|`[^`]*`|\$[^$]*\$"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Names and explanations by code, and the translations of sentences and words."""

    rules: Mapping[str, Mapping[str, str]]
    texts: tuple[tuple[re.Pattern[str], str], ...]
    words: Mapping[str, str]  # names of things that occur in sentences
    headings: Mapping[str, str]  # of the columns of tables
    pieces: re.Pattern[str]  # matches these words, and quotations, which are kept


def is_chinese_wanted(environ: Mapping[str, str]) -> bool:
    """Return whether the locale asks for messages in Simplified Chinese."""
    values = (environ.get(name, "") for name in _VARIABLES)
    locale = next(filter(None, values), "")
    if locale in _PLAIN:
        return False
    wanted = environ.get("LANGUAGE", "").split(":")[0] or locale
    return bool(_SIMPLIFIED.fullmatch(wanted))


def in_chinese(finding: Finding) -> Finding:
    """Return ``finding`` in Chinese, as far as it has a translation; code and place are kept."""
    text = sentence_in_chinese(finding.text)
    rule = _table().rules.get(finding.code)
    if rule is None:
        return replace(finding, text=text, hint=sentence_in_chinese(finding.hint))
    # The specific remedy precedes the general explanation of the code.
    remedy = _matched(finding.hint) or ""
    return replace(
        finding, name=rule["title"], text=text, hint=f"{remedy}{rule['explain']}"
    )


class Piece(str):
    """A part captured from a sentence: ``{1}`` inserts it as it is, ``{1:zh}`` in Chinese."""

    def __format__(self, how: str) -> str:
        """Return the piece; for ``zh`` translate it as a whole, or otherwise word by word."""
        if how != "zh":
            return str(self)
        whole = _table().words.get(str(self)) or _matched(str(self))
        return _table().pieces.sub(_word, str(self)) if whole is None else whole


def sentence_in_chinese(text: str) -> str:
    """Return a sentence in Chinese, or unchanged if no pattern matches."""
    return _matched(text) or text


def _matched(text: str) -> str | None:
    """Return a sentence in Chinese by the first pattern that matches, or None."""
    for pattern, chinese in _table().texts:
        match = pattern.fullmatch(text)
        if match:
            return chinese.format(text, *map(Piece, match.groups("")))
    return None


def _word(match: re.Match[str]) -> str:
    """Return a known word in Chinese; other words and quotations are unchanged."""
    chinese = _table().words.get(match[0].rstrip(" "))
    if chinese is None:
        return match[0]
    # An empty translation removes the word together with its space.
    if not chinese:
        return ""
    # A space separates a translation from the quotation or number after it.
    has_space = match[0].endswith(" ") and not _is_chinese_next(match)
    return f"{chinese} " if has_space else chinese


def _is_chinese_next(match: re.Match[str]) -> bool:
    """Return whether a word that becomes Chinese follows, as in ``bold and the link``."""
    following = _table().pieces.match(match.string, match.end())
    if following is None:
        return False
    chinese = _table().words.get(following[0].rstrip(" "))
    # Words without a translation vanish: the word after them counts.
    return _is_chinese_next(following) if chinese == "" else chinese is not None


@cache
def _table() -> _Table:
    """Return both tables as one. Sentences of runs come first, because they contain others."""
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
    """Return the table of translations in the folder of ``package``."""
    path = resources.files(package) / "chinese.toml"
    return tomllib.loads(path.read_text("utf-8"))


CHINESE = Language(
    severities={
        Severity.ERROR: "错误",
        Severity.WARNING: "警告",
        Severity.NOTE: "建议",
    },
    fixed="  --fix 会改成：",
    finding=in_chinese,
    sentence=sentence_in_chinese,
    # Headings without a translation stay as they are.
    heading=lambda heading: _table().headings.get(heading, heading),
)
