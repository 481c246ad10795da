"""Comparison of the outputs in upstream's notebooks with the outputs of our run.

Only text is compared: stdout, results that have no other form than text, and the types of
exceptions. Numbers may differ within a tolerance. Parts that vary between machines and runs are
ignored: addresses, durations, file paths, device names, the order of sets, colours, and white space
(NumPy wraps lines by the width of numbers). Everything else counts, including dtypes and brackets.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from msgspec import Struct

from pipeline.core.execution.code_cells import (
    RAISES,
    Cell,
    Notebook,
    code_cells,
    tags_of,
)
from pipeline.core.execution.result import without_colours
from pipeline.tables import read_table

# Relative tolerance. float32 sums that are computed in another order differ by about this much
# after a few hundred training steps.
TOLERANCE = 1e-3
ABSOLUTE = 1e-6  # absolute tolerance, for results that would be zero without rounding
WIDTH = 100  # maximum number of characters of a line in a finding

_PATTERNS = read_table(__name__, "comparison")
# Lines that %timeit and %time print.
TIMING = re.compile(_PATTERNS["timing"], re.MULTILINE | re.VERBOSE)
# Position in the code: a notebook cell or a Python file, with the line.
PLACE = re.compile(_PATTERNS["place"], re.VERBOSE)
ADDRESS = re.compile(_PATTERNS["address"], re.VERBOSE)
DURATION = re.compile(r"(?<![\w.])\d+(?:\.\d+)?\s?(?:ns|[uµμ]s|ms|s|secs?|seconds?|min|minutes?)\b")
# Varying parts and their replacements. Findings show the replacements, because reports of two runs
# must be equal.
ALIKE = ((TIMING, ""), (PLACE, "<file>"), (ADDRESS, "0x…"), (DURATION, "… s"))
# Tokens of a text. The first alternative that matches is taken. White space is no token.
TOKEN = re.compile(_PATTERNS["token"], re.VERBOSE)
_FRACTION = re.compile(r"[.eE]")  # characters that only floating-point numbers have


class Difference(Struct, frozen=True, kw_only=True):
    """First difference in the output of a code cell."""

    cell: int  # number of the code cell, from 1
    docs: str  # line in upstream's notebook; "" if upstream's output has ended
    here: str  # line of our run; "" if our output has ended


class _Token(Struct, frozen=True):
    """Word, number or sign of an output; the unit of comparison."""

    kind: str  # name of the token's group in ``TOKEN``
    text: str  # normalized
    start: int  # position in the text

    @property
    def is_result(self) -> bool:
        """Return whether the token is a floating-point number, which may be rounded differently."""
        return self.kind == "number" and _FRACTION.search(self.text) is not None


def compare_outputs(stored: Notebook, outputs: Notebook) -> tuple[Difference, ...]:
    """Return the differences between upstream's ``stored`` outputs and the ``outputs`` of a run.

    There is at most one difference for each cell. Cells without stored text, and cells that did not
    run, are skipped. For cells tagged ``raises-exception``, only the type of the exception is
    compared.
    """
    stored_cells = [stored["cells"][index] for index in code_cells(stored)]
    differences: list[Difference] = []
    # ``outputs`` has fewer cells if the page ran in part.
    pairs = zip(stored_cells, outputs["cells"], strict=False)
    for number, (docs, here) in enumerate(pairs, start=1):
        if here.get("execution_count") is None:
            continue  # the cell did not run
        difference = _difference(number, docs, here)
        if difference:
            differences.append(difference)
    return tuple(differences)


def _difference(number: int, stored: Cell, ran: Cell) -> Difference | None:
    """Return the first difference between the outputs of code cell ``number``, or None.

    If upstream stored no text, there is no difference.
    """
    # A cell that raises may print a traceback, which depends on the machine. So compare only the
    # types of its exceptions.
    text_of = _exception_of if RAISES in tags_of(ran) else _text_of
    docs, here = text_of(stored), text_of(ran)
    if not docs.strip() or docs == here:
        return None
    # The texts differ, but perhaps only in white space or within the tolerance.
    for docs_token, here_token in zip_longest(_tokens(docs), _tokens(here)):
        if not _is_same(docs_token, here_token):
            return Difference(
                cell=number, docs=_line(docs, docs_token), here=_line(here, here_token)
            )
    return None


def _outputs_of(cell: Cell) -> list[Mapping[str, Any]]:
    """Return the outputs of a cell that are JSON objects. Upstream's file may have others."""
    outputs = cell.get("outputs")
    if not isinstance(outputs, list):
        return []
    return [output for output in outputs if isinstance(output, dict)]


def _exception_of(cell: Cell) -> str:
    """Return the types of a cell's exceptions, one per line, without their modules.

    ``jax.errors.TracerBoolConversionError`` → ``TracerBoolConversionError``: upstream may move a
    type to another module.
    """
    errors = [output for output in _outputs_of(cell) if output.get("output_type") == "error"]
    return "\n".join(str(error.get("ename", "")).rpartition(".")[2] for error in errors)


def _text_of(cell: Cell) -> str:
    """Return all plain text in a cell's outputs, with varying parts replaced.

    ``"done in 3.2 s"`` → ``"done in … s"`` (see ``ALIKE``).
    """
    parts = [*map(_printed, _outputs_of(cell)), _exception_of(cell)]
    text = without_colours("".join(parts))
    for noise, name in ALIKE:
        text = noise.sub(name, text)
    return text


def _printed(output: Mapping[str, Any]) -> str:
    """Return the plain text of one output, or "" if it must not be compared.

    Figures and tables also have a plain text, but only as a substitute. Warnings on stderr vary
    between machines.
    """
    # A stream without a name is stdout.
    stream = output.get("output_type"), output.get("name", "stdout")
    if stream == ("stream", "stdout"):
        return _joined(output.get("text", ""))
    data = output.get("data")
    if isinstance(data, dict) and set(data) == {"text/plain"}:
        return f"{_joined(data['text/plain'])}\n"
    return ""


def _joined(text: Any) -> str:
    """Return text as one string; a notebook may store it as a list of lines."""
    if isinstance(text, list):
        return "".join(map(str, text))
    return str(text)


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the tokens of ``text``: ``"x: 3.0"`` has ``x``, ``:`` and ``3.0``."""
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or ""
        yield _Token(kind, _canonical(kind, match), match.start())


def _canonical(kind: str, match: re.Match[str]) -> str:
    """Return a token without parts that depend on the machine.

    ``CpuDevice(id=0)`` → ``0``, ``{b, a}`` → ``a,b``, ``GPU`` → "". Other tokens stay the same.
    """
    text = match[0]
    match kind:
        case "platform":
            return ""
        case "device":
            return match["id1"] or match["id2"]
        case "set":
            # NumPy may break a line within an item.
            items = re.sub(r"\s", "", text[1:-1]).split(",")
            return ",".join(sorted(items))
        case _:
            return text


def _is_same(docs: _Token | None, here: _Token | None) -> bool:
    """Return whether two tokens are equal; None is the end of a text.

    ``0.30000001`` equals ``0.3``. Integers are counts or shapes, so they get no tolerance: ``3``
    equals neither ``4`` nor ``3.0``.
    """
    if docs is None or here is None or docs.kind != here.kind:
        return False
    if not docs.is_result or not here.is_result:
        return docs.text == here.text
    numbers = float(docs.text), float(here.text)
    return math.isclose(*numbers, rel_tol=TOLERANCE, abs_tol=ABSOLUTE)


def _line(text: str, token: _Token | None) -> str:
    """Return the line with ``token``, cut to ``WIDTH`` characters around it; "" without a token."""
    if token is None:
        return ""
    start = text.rfind("\n", 0, token.start) + 1
    line = text[start:].partition("\n")[0].rstrip()
    if len(line) <= WIDTH:
        return line.strip()
    # Show a third of the width before the token, and more near the end of the line.
    first = max(0, min(token.start - start - WIDTH // 3, len(line) - WIDTH))
    shown = line[first : first + WIDTH].strip()
    before = "…" if first else ""
    behind = "…" if first + WIDTH < len(line) else ""
    return f"{before}{shown}{behind}"
