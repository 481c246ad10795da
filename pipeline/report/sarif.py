"""What ``check`` found as SARIF 2.1.0, which GitHub's code scanning and editors read.

A result goes in, a plain value for JSON comes out. A finding keeps its fingerprint when lines are
added above it, so that GitHub does not tell of it again.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from pipeline.findings import Finding, Severity
from pipeline.report.result import CheckResult

GUIDE = "docs/translating.zh.md"  # explains every code
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_WEIGHT = {severity: number for number, severity in enumerate(Severity)}
# The middle of a link, behind backslashes that come in pairs: another one escapes it.
_LINK = re.compile(r"(?<!\\)((?:\\\\)*)\]\(")
_PROPERTIES = ("page", "section", "msgid", "msgstr", "fixed")


def to_sarif(result: CheckResult, *, home: str = "") -> dict[str, Any]:
    """A SARIF log. Paths are relative to ``%SRCROOT%``, the folder that ``check`` ran in.

    ``home`` is the URL of the folder that holds ``docs``, for links to what a code means. SARIF
    wants it absolute: without it there are no links, only the name of the page.
    """
    rules = _rules(result.findings, home)
    indices = {code: index for index, code in enumerate(rules)}
    seen: Counter[str] = Counter()
    results = []
    for finding in result.findings:
        identity = _identity(finding)
        seen[identity] += 1
        # Two findings may be alike in all that identifies them: they are numbered.
        fingerprint = _digest(f"{identity}\0{seen[identity]}")
        results.append(_result(finding, indices[finding.code], fingerprint))
    run = {
        "tool": {"driver": {"name": "jax-docs-zh", "rules": list(rules.values())}},
        "columnKind": "unicodeCodePoints",  # SARIF would count in UTF-16 by default
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules(findings: Iterable[Finding], home: str) -> dict[str, dict[str, Any]]:
    """A rule for each code, by code. It weighs what the worst of its findings weighs."""
    # A check may find both errors and notes: GitHub shows the rule by what it can be.
    worst_last = sorted(findings, key=lambda finding: _WEIGHT[finding.severity])
    worst = {finding.code: finding for finding in worst_last}
    return {code: _rule(worst[code], home) for code in sorted(worst)}


def _rule(finding: Finding, home: str) -> dict[str, Any]:
    """What a code means, and where that is explained."""
    page = f"{GUIDE}#{finding.code.lower()}"
    words = re.findall(r"\w+", finding.name)
    rule: dict[str, Any] = {
        "id": finding.code,
        "name": "".join(word.capitalize() for word in words),
        "shortDescription": {"text": finding.name[:1].upper() + finding.name[1:]},
        "help": {"text": f"See {page}"},
    }
    if home:
        link = f"{home.rstrip('/')}/{page}"
        rule["help"]["markdown"] = f"See [{page}]({link})"
        rule["helpUri"] = link
    rule["defaultConfiguration"] = {"level": finding.severity.value}
    return rule


def _result(finding: Finding, index: int, fingerprint: str) -> dict[str, Any]:
    """One finding; ``index`` is that of its rule."""
    text = f"{finding.text}. {finding.hint}".rstrip()
    place = {
        "artifactLocation": {
            # A name of a file may be no UTF-8: its bytes are quoted as they are.
            "uri": quote(finding.file, errors="surrogateescape"),
            "uriBaseId": "%SRCROOT%",
        },
        "region": {"startLine": max(1, finding.line)},  # 0 is no line in SARIF
    }
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.severity.value,
        # SARIF reads "[text](target)" as a link: one of a msgstr must not become one of ours.
        "message": {"text": _LINK.sub(r"\1\\](", text)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"entry/v1": fingerprint},
        "properties": {name: getattr(finding, name) for name in _PROPERTIES},
    }


def _identity(finding: Finding) -> str:
    """What stays when lines are added above: file, code, English, and the words that are wrong."""
    # Not the spans themselves: they move when a word is put in before them.
    words = [finding.msgstr[start:end] for start, end in finding.spans]
    return "\0".join((finding.file, finding.code, finding.msgid, *words))


def _digest(text: str) -> str:
    """32 hex digits that tell texts apart."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]
