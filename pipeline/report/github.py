"""What ``check`` found as annotations, which GitHub shows at the lines of a change.

Each is a workflow command: ``::error file=a.po,line=7,title=M102 bold …::text``. What stands in
catalogues is escaped, so that it can neither end a command nor begin another one.
"""

from __future__ import annotations

from pipeline.findings import Finding, Severity
from pipeline.log import command_message
from pipeline.report.result import CheckResult

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def to_github(result: CheckResult, *, verbose: bool = False) -> str:
    """A workflow command for each finding; for notes only if ``verbose``."""
    shown = set(Severity)
    if not verbose:
        # Notes are told to who asks for them, as on a terminal.
        shown.remove(Severity.NOTE)
    findings = [finding for finding in result.findings if finding.severity in shown]
    return "".join(map(_annotation, findings))


def _annotation(finding: Finding) -> str:
    """The workflow command that shows ``finding`` beside its line.

    ``::error file=a.po,line=7,title=M201 code lost or changed::…``, with its newline.
    """
    properties = (
        f"file={_property(finding.file)}",
        # GitHub knows no line 0, where a header may stand.
        f"line={max(1, finding.line)}",
        f"title={_property(f'{finding.code} {finding.name}')}",
    )
    lines = [finding.section, finding.text]
    if finding.hint:
        lines.append(f"→ {finding.hint}")
    message = command_message("\n".join(filter(None, lines)))
    return f"::{_COMMANDS[finding.severity]} {','.join(properties)}::{message}\n"


def _property(text: str) -> str:
    """``text`` as the value of a property, in which a colon or a comma would end it."""
    return command_message(text).replace(":", "%3A").replace(",", "%2C")
