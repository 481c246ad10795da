"""M6: the ``.po`` file itself.

The adapter that reads a file says what is odd about it; here each remark gets the code of a check.
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.core.checks.base import Rule
from pipeline.entries import Catalog
from pipeline.findings import Severity

UNREADABLE = Rule(
    code="M601", name="a file that cannot be read", severity=Severity.ERROR
)
HEADER = Rule(
    code="M602", name="a header that is not complete", severity=Severity.WARNING
)
REPEATED = Rule(code="M603", name="an entry given twice", severity=Severity.WARNING)
CUT = Rule(
    code="M604", name="a file that may have been cut short", severity=Severity.WARNING
)
LAYOUT = Rule(
    code="M605", name="a layout that differs from ours", severity=Severity.NOTE
)
SILENCED = Rule(
    code="M606",
    name="a comment that silences nothing, or gives no reason",
    severity=Severity.WARNING,
)
PLACEHOLDER = Rule(
    code="M607",
    name="a placeholder of the memory that does not fit",
    severity=Severity.ERROR,
)
RULES = (UNREADABLE, HEADER, REPEATED, CUT, LAYOUT, SILENCED, PLACEHOLDER)

# The rule for each remark of the reader, by the code of the remark; all others are about layout.
OF_READING = {"po-header": HEADER, "po-duplicate": REPEATED, "po-cut": CUT}


def header_problem(catalog: Catalog, wanted: Mapping[str, str]) -> str:
    """What is wrong with a header that should have the fields of ``wanted``; empty if nothing.

    All fields must be there. Of two the value matters too:
    ``the header says Language: zh, but this is zh_CN``.
    """
    missing = [name for name in wanted if name not in catalog.header]
    if missing:
        return f"the header lacks {', '.join(missing)}"
    language = catalog.header.get("Language")
    if language != wanted.get("Language"):
        return f"the header says Language: {language}, but this is {wanted['Language']}"
    plural = catalog.header.get("Plural-Forms")
    if plural != wanted.get("Plural-Forms"):
        return f"the header says Plural-Forms: {plural}, but prose has one form"
    return ""
