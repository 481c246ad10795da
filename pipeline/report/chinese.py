"""Translation of the pipeline's own messages into Chinese: findings, tables, summaries.

The translations are regular expressions for English messages, with a Chinese text for each. For
example, ``(\\d+) pages?`` becomes ``{1} 个页面``. ``core/checks/chinese.toml`` has the messages of
checks; the guide for translators is generated from it as well. ``chinese.toml`` in this folder has
the messages of runs. A message that no pattern matches stays English. Output for programs is never
translated.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pipeline.findings import Finding, Severity
from pipeline.report.value import Language

# Environment variables for the locale, in gettext's order: the first variable that is set counts.
# The variable LANGUAGE overrides this locale, unless the locale is in ``_PLAIN``.
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_PLAIN = ("", "C", "POSIX", "C.UTF-8", "C.utf8")
_SIMPLIFIED = re.compile(r"zh(?:_CN|_SG|_MY|_Hans.*)?(?:[.@].*)?", re.IGNORECASE)
_QUOTED = r"“[^”]*”|``.*?``|`[^`]*`|\$[^$]*\$"


class _Table(Struct, frozen=True, kw_only=True):
    """Contents of both files with translations."""

    rules: Mapping[str, Mapping[str, str]]  # by code of a check: title and explanation
    texts: tuple[tuple[re.Pattern[str], str], ...]  # patterns of sentences, and Chinese
    words: Mapping[str, str]  # names of things that occur in sentences
    headings: Mapping[str, str]  # headings of table columns
    # Matches the ``words``, and quotations, which are left as they are.
    pieces: re.Pattern[str]


def is_chinese_wanted(environ: Mapping[str, str]) -> bool:
    """Return whether the locale asks for messages in Simplified Chinese."""
    values = (environ.get(name, "") for name in _VARIABLES)
    locale = next(filter(None, values), "")
    if locale in _PLAIN:
        return False
    wanted = environ.get("LANGUAGE", "").split(":")[0] or locale
    return bool(_SIMPLIFIED.fullmatch(wanted))


def in_chinese(finding: Finding) -> Finding:
    """Return ``finding`` with its texts in Chinese, as far as they have a translation."""
    text = sentence_in_chinese(finding.text)
    rule = _table().rules.get(finding.code)
    if rule is None:
        return replace(finding, text=text, hint=sentence_in_chinese(finding.hint))
    # The hint has two parts: first that of this finding, then the general explanation of the
    # finding's code.
    remedy = _matched(finding.hint) or ""
    return replace(finding, name=rule["title"], text=text, hint=f"{remedy}{rule['explain']}")


class Piece(str):
    """Part of a sentence that a pattern's group matched.

    In the Chinese text, ``{1}`` inserts the first group as it is, ``{1:zh}`` its translation.
    """

    def __format__(self, how: str) -> str:
        """Return the piece. For ``zh``, translate it as a whole, or word by word if unknown."""
        if how != "zh":
            return str(self)
        whole = _table().words.get(str(self)) or _matched(str(self))
        return _table().pieces.sub(_word, str(self)) if whole is None else whole


def sentence_in_chinese(text: str) -> str:
    """Return a sentence in Chinese, or unchanged if no pattern matches."""
    return _matched(text) or text


def _matched(text: str) -> str | None:
    """Return a sentence in Chinese, by the first pattern that matches, or None."""
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
    # Keep the space before a quotation or a number, but not between two Chinese words.
    has_space = match[0].endswith(" ") and not _is_chinese_next(match)
    return f"{chinese} " if has_space else chinese


def _is_chinese_next(match: re.Match[str]) -> bool:
    """Return whether the next word becomes Chinese. In ``bold and the link``, each word does."""
    following = _table().pieces.match(match.string, match.end())
    if following is None:
        return False
    chinese = _table().words.get(following[0].rstrip(" "))
    # A word with an empty translation vanishes, so look at the word after it.
    return _is_chinese_next(following) if chinese == "" else chinese is not None


@cache
def _table() -> _Table:
    """Return both tables as one.

    Patterns for runs come first. Some of them match sentences that contain sentences of checks.
    """
    rules, runs = _read("pipeline.core.checks"), _read("pipeline.report")
    texts = runs["texts"] | rules.pop("texts")
    words = rules.pop("words")
    patterns = ((re.compile(pattern, re.DOTALL), chinese) for pattern, chinese in texts.items())
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
    severity={
        Severity.ERROR: "错误",
        Severity.WARNING: "警告",
        Severity.NOTE: "建议",
    }.__getitem__,
    fixed="  --fix 会改成：",
    finding=in_chinese,
    sentence=sentence_in_chinese,
    # Headings without a translation stay as they are.
    heading=lambda heading: _table().headings.get(heading, heading),
)
