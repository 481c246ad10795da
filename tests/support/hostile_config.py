"""Configuration in which every string that is shown as text is a payload for HTML and terminals.

``KEYS`` has every key of the configuration by its table's record, and the kind of its value. A test
compares it with the keys that the pipeline accepts, so new keys must be added here.
"""

from __future__ import annotations

import json
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
from live_html import PAYLOAD


class May(StrEnum):
    """Kind of the strings under a key."""

    WORDS = "words"  # anything: it is shown as words
    ADDRESS = "address"  # of the web: a payload is refused
    # Of a file, a page, a package, a mode: what is not there has no effect.
    NAME = "name"
    NO_TEXT = "no text"  # a number, or a table


_TABLE = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
_TABLES = tomllib.loads(_TABLE.replace('"PAYLOAD"', json.dumps(PAYLOAD)))
KEYS = msgspec.convert(_TABLES["keys"], dict[str, dict[str, May]])
# Values of keys that are not words.
_FIXED: dict[str, dict[str, Any]] = _TABLES["fixed"]


def table_of(name: str) -> dict[str, Any]:
    """Return the values of a table: a payload for each key whose value is shown as text."""
    words = [key for key, may in KEYS[name].items() if may is May.WORDS]
    values: dict[str, Any] = dict.fromkeys(words, PAYLOAD)
    if "prose-directives" in values:
        values["prose-directives"] = [PAYLOAD]
    return values | _FIXED.get(name, {})


def configuration() -> dict[str, Any]:
    """Return ``tool.pipeline`` of the hostile project, whose upstream is called ``sample``."""
    parts = {
        "partly": [table_of("PartRule")],
        "skip": [table_of("SkipRule")],
        "run": [table_of("RunTable")],
        "acknowledge": [table_of("Acknowledgement")],
        "site": table_of("SiteTable"),
    }
    return {
        "locales": ["zh_CN"],
        "modes": {"odd": table_of("ModeTable")},
        "upstreams": {"sample": table_of("UpstreamTable") | parts},
        "checks": {"ignore": [table_of("IgnoreRule")]},
    }


def as_toml(values: dict[str, Any]) -> str:
    """Return ``tool.pipeline`` as a TOML file. JSON strings are valid TOML."""
    lines = [f"{key} = {_value(value)}" for key, value in values.items()]
    return "[tool.pipeline]\n" + "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inner = (f"{json.dumps(key)} = {_value(one)}" for key, one in value.items())
        return f"{{ {', '.join(inner)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
