"""Findings of the checks in Chinese, for people: the name, what is wrong, and what to do about it.

The table ``core/checks/chinese.toml`` stands beside the rules; the guide for translators is made
from it as well. What it has no words for stays English, and so does all that programs read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from pipeline.findings import Finding

# As gettext reads them: the first one that is set counts, and LANGUAGE only beside another locale.
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_PLAIN = ("", "C", "POSIX", "C.UTF-8", "C.utf8")
_SIMPLIFIED = re.compile(r"zh(?:_CN|_SG|_MY|_Hans.*)?(?:[.@].*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Names and explanations by code, and what English sentences become."""

    rules: Mapping[str, Mapping[str, str]]
    texts: tuple[tuple[re.Pattern[str], str], ...]


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
    table = _table()
    rule = table.rules.get(finding.code)
    if rule is None:
        return finding
    return replace(
        finding,
        name=rule["title"],
        text=_translated(finding.text, table),
        hint=rule["explain"],
    )


def _translated(text: str, table: _Table) -> str:
    """A sentence in Chinese, with what it quotes; as it is if no pattern is of it."""
    for pattern, chinese in table.texts:
        match = pattern.fullmatch(text)
        if match:
            return chinese.format(text, *match.groups())
    return text


@cache
def _table() -> _Table:
    """The table, which is read once."""
    path = resources.files("pipeline.core.checks") / "chinese.toml"
    rules = tomllib.loads(path.read_text("utf-8"))
    texts = rules.pop("texts")
    patterns = (
        (re.compile(pattern, re.DOTALL), chinese) for pattern, chinese in texts.items()
    )
    return _Table(rules=rules, texts=tuple(patterns))
