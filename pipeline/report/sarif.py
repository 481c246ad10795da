"""What ``check`` found as SARIF 2.1.0, which GitHub's code scanning and editors read."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import Any
from urllib.parse import quote

from pipeline.findings import CheckResult, Mistake, Severity

GUIDE = "docs/translating.zh.md"  # explains every code
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(result: CheckResult, *, home: str = "") -> dict[str, Any]:
    """A SARIF log, to be written as JSON. Paths are relative to ``%SRCROOT%``, the folder that ``check`` ran in.

    ``home`` is the URL of the folder that holds ``docs``, for links to what a code means. SARIF wants it absolute: without it there
    are no links, only the name of the page.
    """
    by_weight = sorted(
        result.mistakes, key=lambda mistake: (mistake.code, list(Severity).index(mistake.severity))
    )
    known = {
        mistake.code: _rule(mistake, home) for mistake in by_weight
    }  # a check's worst says how much it weighs
    places = {code: index for index, code in enumerate(known)}
    seen: Counter[str] = Counter()
    results = []
    for mistake in result.mistakes:
        seen[identity := _identity(mistake)] += 1
        fingerprint = hashlib.sha256(
            f"{identity}\0{seen[identity]}".encode("utf-8", "backslashreplace")
        ).hexdigest()[:32]
        results.append(_sarif_result(mistake, places[mistake.code], fingerprint))
    run = {
        "tool": {"driver": {"name": "jax-docs-zh", "rules": list(known.values())}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(mistake: Mistake, home: str) -> dict[str, Any]:
    page = f"{GUIDE}#{mistake.code.lower()}"
    link = f"{home.rstrip('/')}/{page}" if home else ""
    return {
        "id": mistake.code,
        "name": "".join(word.capitalize() for word in re.findall(r"\w+", mistake.name)),
        "shortDescription": {"text": mistake.name[:1].upper() + mistake.name[1:]},
        "help": {"text": f"See {page}", **({"markdown": f"See [{page}]({link})"} if link else {})},
        **({"helpUri": link} if link else {}),
        "defaultConfiguration": {"level": mistake.severity.value},
    }


def _sarif_result(mistake: Mistake, index: int, fingerprint: str) -> dict[str, Any]:
    text = f"{mistake.text}. {mistake.hint}".rstrip()
    place = {
        "artifactLocation": {
            "uri": quote(mistake.file, errors="surrogateescape"),
            "uriBaseId": "%SRCROOT%",
        },
        "region": {"startLine": max(1, mistake.line)},
    }
    return {
        "ruleId": mistake.code,
        "ruleIndex": index,
        "level": mistake.severity.value,
        "message": {
            "text": text.replace("](", "\\](")
        },  # else a link of the msgstr would be one of the message
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"entry/v1": fingerprint},
        "properties": {
            name: getattr(mistake, name) for name in ("page", "section", "msgid", "msgstr", "fixed")
        },
    }


def _identity(mistake: Mistake) -> str:
    """What stays when lines are added above: file, code, English, and the words that are wrong."""
    return "\0".join(
        (
            mistake.file,
            mistake.code,
            mistake.msgid,
            *(mistake.msgstr[slice(*span)] for span in mistake.spans),
        )
    )
