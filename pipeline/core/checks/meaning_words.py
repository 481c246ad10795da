"""The words that the checks of meaning compare, from ``meaning.toml``, which explains its keys."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

_NEVER = re.compile(r"(?!)")
_LOOKING_AROUND = re.compile(r"\(\?[^)]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Words that say the same in both languages, and so stand as often in both."""

    what: str
    hint: str
    signs: tuple[str, ...]
    english: re.Pattern[str]
    chinese: re.Pattern[str]
    english_too: re.Pattern[str] = _NEVER
    chinese_too: re.Pattern[str] = _NEVER
    english_of_too: re.Pattern[str] = _NEVER
    idioms: re.Pattern[str] = _NEVER


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposites:
    """Two words that say the contrary of each other, in both languages.

    A Chinese sentence without any of ``signs`` has neither.
    """

    signs: tuple[str, ...]
    english: tuple[re.Pattern[str], re.Pattern[str]]
    chinese: tuple[re.Pattern[str], re.Pattern[str]]


def _shared(table: dict[str, Any]) -> Shared:
    """Compile a table of ``shared``."""
    prefixed = table.pop("prefixed", {}).items()
    stems = (_with_prefix(prefix, stems) for prefix, stems in prefixed)
    table["english"] = " ".join((table["english"], *stems))
    patterns = {
        key: _english(words) if key.startswith("english") else _chinese(words)
        for key, words in table.items()
        if key not in ("what", "hint", "signs")
    }
    return Shared(
        what=table["what"],
        hint=table["hint"],
        signs=tuple(table["signs"]),
        **patterns,
    )


def _opposites(table: dict[str, Any]) -> Opposites:
    """Compile a table of ``opposites``."""
    english, contrary_english = map(_english, table["english"])
    chinese, contrary_chinese = map(_chinese, table["chinese"])
    return Opposites(
        signs=tuple(_LOOKING_AROUND.sub("", " ".join(table["chinese"])).split()),
        english=(english, contrary_english),
        chinese=(chinese, contrary_chinese),
    )


def _english(words: str) -> re.Pattern[str]:
    """Return a pattern of any of ``words``, or of anything if there are none."""
    if not words:
        return re.compile("")
    alternatives = "|".join(words.split()).replace("_", r"\s+")
    return re.compile(rf"\b(?:{alternatives})(?![a-z])")


def _with_prefix(prefix: str, stems: str) -> str:
    """Return a word for each of ``stems``, with any ending: ``unable``."""
    return rf"{prefix}(?:{'|'.join(stems.split())})\w*"


def _chinese(words: str) -> re.Pattern[str]:
    """Return a pattern of any of ``words``."""
    return re.compile("|".join(words.split()))


_TABLES = tomllib.loads(
    resources.files(__package__).joinpath("meaning.toml").read_text("utf-8")
)
_SHARED = {name: _shared(table) for name, table in _TABLES["shared"].items()}
NEGATION = _SHARED["negation"]
ONLY = _SHARED["only"]
MUST = _SHARED["must"]
IF = _SHARED["if"]
EXAMPLE = _SHARED["example"]
THAT_IS = _SHARED["that_is"]
OPPOSITES = tuple(map(_opposites, _TABLES["opposites"]))
