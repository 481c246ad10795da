"""Output of ``check``: text for people, JSON, SARIF 2.1.0, or annotations for GitHub.

``render`` selects the format. SARIF is for code scanning and editors. An annotation is a line that
GitHub's runner shows beside the code: ``::error file=a.po,line=7,title=M102 bold …::text``. Its
parts are escaped, because text from a catalogue must not start another command of the runner.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any
from urllib.parse import quote

from pipeline.findings import Finding, Severity
from pipeline.log import NORMAL, QUIET, VERBOSE, command_message
from pipeline.report.counts import counted
from pipeline.report.findings import entry_lines, on_one_line
from pipeline.report.json import check_json, json_bytes
from pipeline.report.result import CheckResult
from pipeline.report.terminal import drawn_lines
from pipeline.report.value import Line, Screen

# Colours of a diff, by the first character of the line.
_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def render(result: CheckResult, form: str, screen: Screen, *, level: int = NORMAL) -> str:
    """Return ``result`` in the format ``form``, which is one of ``commands.check.FORMATS``.

    ``level`` is the log's level; it affects text and annotations. ``screen`` affects only the text
    for people.
    """
    match form:
        case "json":
            return check_json(result).decode("utf-8")
        case "sarif":
            return json_bytes(to_sarif(result)).decode("utf-8")
        case "github":
            return to_github(result, verbose=level >= VERBOSE)
        case _:
            return check_text(result, screen, level=level)


def check_text(result: CheckResult, screen: Screen, *, level: int = NORMAL) -> str:
    """Return the text for people: applied fixes, a block for each finding, a summary line.

    Notes are listed only at level ``VERBOSE``. ``QUIET`` omits everything except errors and
    warnings.
    """
    language = screen.language
    is_quiet, is_verbose = level <= QUIET, level >= VERBOSE
    lines: list[Line] = []
    # Print fixes first: people look at the end of the output for what they must correct.
    if not is_quiet:
        lines += _diff_lines(result.diffs)
    shown = map(language.finding, _shown(result, verbose=is_verbose))
    for _, of_entry in groupby(shown, key=_entry_of):
        lines += entry_lines(list(of_entry), screen)
        lines.append([])  # an empty line between blocks
    if not is_quiet:
        summary = summary_line(result, verbose=is_verbose)
        lines.append([(language.sentence(summary), "bold")])
    return drawn_lines(lines, screen)


def summary_line(result: CheckResult, *, verbose: bool = False) -> str:
    """Return the summary: counts of findings, entries and files, and options that help.

    ``2 errors, 1 note in 40 entries of 3 catalogues; --fix corrects 1; -v shows the notes``
    """
    counts = Counter(finding.severity for finding in result.findings)
    worst_first = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    found = [counted(counts[level], level.value) for level in worst_first if counts[level]]
    entries = counted(result.entries, "entry", "entries")
    catalogs = counted(result.files, "catalogue")
    fixable = sum(finding.fixed is not None for finding in result.findings)
    written = counted(len(result.written), "file")
    # Pairs: whether to show a part of the line, and the text of the part.
    parts = (
        (True, f"{', '.join(found) or 'no mistakes'} in {entries} of {catalogs}"),
        (fixable, f"--fix corrects {fixable}"),
        (result.written, f"{written} corrected"),
        (result.silenced, f"{result.silenced} silenced"),
        (counts[Severity.NOTE] and not verbose, "-v shows the notes"),
    )
    return "; ".join(text for is_included, text in parts if is_included)


def _entry_of(finding: Finding) -> tuple[str, int, str, str]:
    """Return a key for the entry of a finding, to group findings."""
    return finding.file, finding.line, finding.msgid, finding.msgstr


def _diff_lines(diffs: str) -> Iterator[Line]:
    """Yield the changes by ``--fix``, followed by an empty line."""
    if not diffs:
        return
    # Escape the lines: they have texts of catalogues, which may contain control characters.
    for row in diffs.removesuffix("\n").split("\n"):
        yield [(on_one_line(row), _DIFF_COLOURS.get(row[:1], ""))]
    yield []


def to_github(result: CheckResult, *, verbose: bool = False) -> str:
    """Return a workflow command for each finding; notes are included only if ``verbose``."""
    return "".join(map(_annotation, _shown(result, verbose=verbose)))


def _shown(result: CheckResult, *, verbose: bool) -> list[Finding]:
    """Return the findings to show: notes appear only on request."""
    return [
        finding for finding in result.findings if verbose or finding.severity is not Severity.NOTE
    ]


def _annotation(finding: Finding) -> str:
    """Return the command, with a newline, that makes GitHub show ``finding`` beside its line.

    ``::error file=a.po,line=7,title=M201 code lost or changed::…``
    """
    properties = (
        f"file={_property(finding.file)}",
        # A header may have line 0, which GitHub does not accept.
        f"line={max(1, finding.line)}",
        f"title={_property(f'{finding.code} {finding.name}')}",
    )
    lines = [finding.section, finding.text]
    if finding.hint:
        lines.append(f"→ {finding.hint}")
    message = command_message("\n".join(filter(None, lines)))
    command = "notice" if finding.severity is Severity.NOTE else finding.severity
    return f"::{command} {','.join(properties)}::{message}\n"


def _property(text: str) -> str:
    """Return ``text`` as the value of a property, with colons and commas escaped."""
    return command_message(text).replace(":", "%3A").replace(",", "%2C")


GUIDE = "docs/translating.zh.md"  # describes every code
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_WEIGHT = {severity: number for number, severity in enumerate(Severity)}
# The middle of a Markdown link, "](", if an even number of backslashes is before it. After an odd
# number, "]" is escaped, so there is no link.
_LINK = re.compile(r"(?<!\\)((?:\\\\)*)\]\(")
_PROPERTIES = ("page", "section", "msgid", "msgstr", "fixed")


def to_sarif(result: CheckResult) -> dict[str, Any]:
    """Return a SARIF log. Its paths are relative to ``%SRCROOT%``, the working directory.

    Each rule names the page of the docs that describes its code. SARIF allows only absolute URLs as
    links, so the name is plain text.
    """
    rules = _sarif_rules(result.findings)
    indices = {code: index for index, code in enumerate(rules)}
    seen: Counter[str] = Counter()
    results = []
    for finding in result.findings:
        identity = _identity(finding)
        seen[identity] += 1
        # Number findings with the same identity, because fingerprints must be unique.
        fingerprint = _digest(f"{identity}\0{seen[identity]}")
        results.append(_sarif_result(finding, indices[finding.code], fingerprint))
    run = {
        "tool": {"driver": {"name": "jax-docs-zh", "rules": list(rules.values())}},
        "columnKind": "unicodeCodePoints",  # the default of SARIF is UTF-16 code units
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_rules(findings: Iterable[Finding]) -> dict[str, dict[str, Any]]:
    """Return a rule for each code, with the severity of its worst finding."""
    # GitHub shows the severity of the rule for all its findings. If a check has reported errors and
    # notes, use the worst severity.
    worst_last = sorted(findings, key=lambda finding: _WEIGHT[finding.severity])
    worst = {finding.code: finding for finding in worst_last}
    return {code: _sarif_rule(worst[code]) for code in sorted(worst)}


def _sarif_rule(finding: Finding) -> dict[str, Any]:
    """Return the SARIF rule of a finding: its code, its name, and a reference to the docs."""
    words = re.findall(r"\w+", finding.name)
    return {
        "id": finding.code,
        "name": "".join(word.capitalize() for word in words),
        "shortDescription": {"text": finding.name[:1].upper() + finding.name[1:]},
        "help": {"text": f"See {GUIDE}#{finding.code.lower()}"},
        "defaultConfiguration": {"level": finding.severity.value},
    }


def _sarif_result(finding: Finding, index: int, fingerprint: str) -> dict[str, Any]:
    """Return one finding as a SARIF result; ``index`` is the position of its rule."""
    text = f"{finding.text}. {finding.hint}".rstrip()
    place = {
        "artifactLocation": {
            # The name of a file may be invalid UTF-8; its bytes are quoted unchanged.
            "uri": quote(finding.file, errors="surrogateescape"),
            "uriBaseId": "%SRCROOT%",
        },
        "region": {"startLine": max(1, finding.line)},  # SARIF has no line 0
    }
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.severity.value,
        # SARIF renders "[text](target)" as a link. Text from a msgstr must not become
        # one.
        "message": {"text": _LINK.sub(r"\1\\](", text)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"entry/v1": fingerprint},
        "properties": {name: getattr(finding, name) for name in _PROPERTIES},
    }


def _identity(finding: Finding) -> str:
    """Return an identity of a finding that does not change if lines are added to the file.

    It consists of file, code, English and the wrong words.
    """
    # Use the words and not their positions, which change when a word is inserted before them.
    words = [finding.msgstr[start:end] for start, end in finding.spans]
    return "\0".join((finding.file, finding.code, finding.msgid, *words))


def _digest(text: str) -> str:
    """Return a digest of 32 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]
