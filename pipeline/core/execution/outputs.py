"""What upstream's notebooks say that a cell prints, against what it printed here: text only, numbers within a tolerance.

Compared are streams to stdout, results that are nothing but text, and the types of exceptions. What differs on every
machine and every run is not told: addresses, times, places of files, names of devices, the order of sets, colours,
white space (NumPy breaks lines where the width of a number puts them). Everything else is, dtypes and brackets included.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from pipeline.core.execution.notebook import RAISES, Notebook, code_cells, tags_of, without_colours

TOLERANCE = 1e-3  # relative: float32 sums in another order, over a few hundred steps of training
ABSOLUTE = 1e-6  # what is zero but for rounding
WIDTH = 100  # characters of a line that are shown

# What %timeit and %time print, whatever its lines are.
TIMING = re.compile(
    r"^[^\n]*(?:\bper loop\b|\bslowest run took\b)[^\n]*$|^(?:CPU times:|Wall time:)[^\n]*$", re.M
)
# A cell of a notebook, or a file of Python, and the line in it.
PLACE = re.compile(
    r"(?:<ipython-input-[\w-]+>|\bCell In ?\[\d+\]|(?:\b[A-Za-z]:|~)?[\w./\\@+-]{0,200}[/\\][\w.-]{1,100}\.py\b)"
    r"(?::\d+|, line \d+)*"
)
ADDRESS = re.compile(
    r"\b0x[0-9a-fA-F]{6,}\b|(?<![\w.])1[34]\d{13}(?![\w.])"
)  # also as id() gives it
DURATION = re.compile(r"(?<![\w.])\d+(?:\.\d+)?\s?(?:ns|[uµμ]s|ms|s|secs?|seconds?|min|minutes?)\b")
# The same everywhere, also where a line is shown: a report must not change from run to run.
ALIKE = ((TIMING, ""), (PLACE, "<file>"), (ADDRESS, "0x…"), (DURATION, "… s"))
# The first that fits wins. All that is not matched is white space.
TOKEN = re.compile(
    r"""
      (?P<device>   \b\w*(?:CPU|GPU|TPU|cpu|gpu|tpu|cuda)[_:](?P<id1>\d+)\b (?:\((?:[^()]|\([^()]{0,100}\)){0,200}\))?
                  | \b\w*(?:Cpu|Cuda|Gpu|Rocm|Tpu)Device\(id=(?P<id2>\d+)(?:[^()]|\([^()]{0,100}\)){0,200}\) )
    | (?P<platform> \b(?:[CGT]PU|[cgt]pu|cuda)\b )
    | (?P<set>      \{ [^{}:;=\n]* \} )
    | (?P<word>     [^\W\d]\w* )
    | (?P<number>   [-+]? (?:\d+(?:\.\d*)?|\.\d+) (?:[eE][-+]?\d+)? )
    | (?P<sign>     \S )
    """,
    re.X,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first place where a code cell (from 1) prints something else. An empty line: nothing (more) is printed there."""

    cell: int
    docs: str  # the line that upstream stored
    here: str


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


def compare_outputs(
    stored: Notebook, outputs: Notebook, *, tolerance: float = TOLERANCE, absolute: float = ABSOLUTE
) -> tuple[Difference, ...]:
    """Where the outputs in upstream's notebook ``stored`` and those of a run of the same code differ, one for each cell.

    Not compared: cells without stored text, and cells that did not run. Of cells tagged to raise only the type of the exception is.
    ``tolerance`` (relative) and ``absolute`` are for numbers with a point or an exponent; whole ones must be equal.
    """
    pairs = zip(
        (stored["cells"][index] for index in code_cells(stored)), outputs["cells"], strict=False
    )
    found = (
        _difference(number, docs, here, tolerance=tolerance, absolute=absolute)
        for number, (docs, here) in enumerate(pairs, start=1)
        if here.get("execution_count") is not None
    )
    return tuple(difference for difference in found if difference is not None)


def _difference(
    number: int,
    stored: Mapping[str, Any],
    ran: Mapping[str, Any],
    *,
    tolerance: float,
    absolute: float,
) -> Difference | None:
    text_of = _exception_of if RAISES in tags_of(ran) else _text_of
    docs, here = text_of(stored), text_of(ran)
    if not docs.strip() or docs == here:
        return None
    for one, other in zip_longest(_tokens(docs), _tokens(here)):
        if not _is_same(one, other, tolerance=tolerance, absolute=absolute):
            return Difference(cell=number, docs=_line(docs, one), here=_line(here, other))
    return None


def _outputs_of(cell: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    outputs = cell.get("outputs")
    yield from (
        output
        for output in (outputs if isinstance(outputs, list) else ())
        if isinstance(output, dict)
    )


def _exception_of(cell: Mapping[str, Any]) -> str:
    """The types of the exceptions that a cell shows, without their modules."""
    raised = (
        str(output.get("ename", ""))
        for output in _outputs_of(cell)
        if output.get("output_type") == "error"
    )
    return "\n".join(name.rpartition(".")[2] for name in raised)


def _text_of(cell: Mapping[str, Any]) -> str:
    """All that a reader of the cell's outputs reads as plain text. A figure's or a table's text is only its substitute."""
    parts: list[str] = []
    for output in _outputs_of(cell):
        if output.get("output_type") == "stream" and output.get("name", "stdout") == "stdout":
            parts.append(_joined(output.get("text", "")))
        elif isinstance(data := output.get("data"), dict) and set(data) == {"text/plain"}:
            parts.append(f"{_joined(data['text/plain'])}\n")
    text = without_colours("".join([*parts, _exception_of(cell)]))
    for noise, name in ALIKE:
        text = noise.sub(name, text)
    return text


def _joined(text: Any) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


def _tokens(text: str) -> Iterator[_Token]:
    """What counts in ``text``, one after another."""
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or ""
        yield _Token(kind, _canonical(kind, match), match.start())


def _canonical(kind: str, match: re.Match[str]) -> str:
    if kind == "platform":
        return ""
    if kind == "device":
        return match["id1"] or match["id2"]
    if kind == "set":
        return ",".join(sorted("".join(item.split()) for item in match[0][1:-1].split(",")))
    return match[0]


def _is_same(
    one: _Token | None, other: _Token | None, *, tolerance: float, absolute: float
) -> bool:
    if one is None or other is None or one.kind != other.kind:
        return False
    if one.kind != "number" or _is_whole(one.text) or _is_whole(other.text):
        return one.text == other.text
    return math.isclose(float(one.text), float(other.text), rel_tol=tolerance, abs_tol=absolute)


def _is_whole(number: str) -> bool:
    return not re.search(r"[.eE]", number)


def _line(text: str, token: _Token | None) -> str:
    """The line of ``text`` with ``token`` in it, cut to the part around it if it is long."""
    if token is None:
        return ""
    start = text.rfind("\n", 0, token.start) + 1
    line = text[start:].partition("\n")[0].rstrip()
    if len(line) <= WIDTH:
        return line.strip()
    first = max(0, min(token.start - start - WIDTH // 3, len(line) - WIDTH))
    return f"{'…' if first else ''}{line[first : first + WIDTH].strip()}{'…' if first + WIDTH < len(line) else ''}"
