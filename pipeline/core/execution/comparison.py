"""What upstream's notebooks say that a cell prints, against what it printed here.

Compared are texts only: streams to stdout, results that are nothing but text, and the types of
exceptions; numbers within a tolerance. What differs on every machine and every run is not told:
addresses, times, places of files, names of devices, the order of sets, colours, white space (NumPy
breaks lines where the width of a number puts them). Everything else is, dtypes and brackets
included.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from pipeline.core.execution.notebook import RAISES, Cell, Notebook, code_cells, tags_of
from pipeline.core.execution.result import without_colours

# Relative: float32 sums in another order, over a few hundred steps of training.
TOLERANCE = 1e-3
ABSOLUTE = 1e-6  # what is zero but for rounding
WIDTH = 100  # characters of a line that are shown

# What %timeit and %time print, whatever its lines are.
TIMING = re.compile(
    r"""
      ^[^\n]* (?: \bper\ loop\b | \bslowest\ run\ took\b ) [^\n]*$
    | ^(?: CPU\ times: | Wall\ time: ) [^\n]*$
    """,
    re.MULTILINE | re.VERBOSE,
)
# A cell of a notebook, or a file of Python, and the line in it.
PLACE = re.compile(
    r"""
    (?: <ipython-input-[\w-]+>
      | \bCell\ In\ ?\[\d+\]
      | (?:\b[A-Za-z]:|~)? [\w./\\@+-]{0,200} [/\\] [\w.-]{1,100}\.py\b
    )
    (?: :\d+ | ,\ line\ \d+ )*
    """,
    re.VERBOSE,
)
ADDRESS = re.compile(
    r"""
      \b0x[0-9a-fA-F]{6,}\b
    | (?<![\w.]) 1[34]\d{13} (?![\w.])  # as id() gives it
    """,
    re.VERBOSE,
)
DURATION = re.compile(
    r"(?<![\w.])\d+(?:\.\d+)?\s?(?:ns|[uµμ]s|ms|s|secs?|seconds?|min|minutes?)\b"
)
# The same everywhere, also where a line is shown: a report must not change from run to run.
ALIKE = ((TIMING, ""), (PLACE, "<file>"), (ADDRESS, "0x…"), (DURATION, "… s"))
# "CpuDevice(id=0)" and "TFRT_CPU_0 (…)": what stands in brackets may hold one more pair.
_IN_BRACKETS = r"(?:[^()]|\([^()]{0,100}\)){0,200}"
# The first that fits wins. All that is not matched is white space.
TOKEN = re.compile(
    rf"""
      (?P<device>
          \b\w*(?:CPU|GPU|TPU|cpu|gpu|tpu|cuda)[_:](?P<id1>\d+)\b (?:\({_IN_BRACKETS}\))?
        | \b\w*(?:Cpu|Cuda|Gpu|Rocm|Tpu)Device\(id=(?P<id2>\d+){_IN_BRACKETS}\)
      )
    | (?P<platform> \b(?:[CGT]PU|[cgt]pu|cuda)\b )
    | (?P<set>      \{{ [^{{}}:;=\n]* \}} )
    | (?P<word>     [^\W\d]\w* )
    | (?P<number>   [-+]? (?:\d+(?:\.\d*)?|\.\d+) (?:[eE][-+]?\d+)? )
    | (?P<sign>     \S )
    """,
    re.VERBOSE,
)
_FRACTION = re.compile(r"[.eE]")  # what a number has that is not a whole one


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first place where a code cell (from 1) prints something else.

    An empty line: nothing (more) is printed there.
    """

    cell: int
    docs: str  # the line that upstream stored
    here: str


@dataclass(frozen=True, slots=True)
class _Token:
    """One thing in a text that counts: ``kind`` is the name of its group in ``TOKEN``."""

    kind: str
    text: str  # as it is compared
    start: int  # position in the text

    @property
    def is_result(self) -> bool:
        """Whether it is a number with a point or an exponent: one that may be rounded."""
        return self.kind == "number" and _FRACTION.search(self.text) is not None


def compare_outputs(stored: Notebook, outputs: Notebook) -> tuple[Difference, ...]:
    """Return where the outputs in upstream's notebook and those of a run of its code differ.

    There is one difference for each cell. Not compared are cells without stored text, and cells
    that did not run. Of cells tagged to raise only the type of the exception is.
    """
    stored_cells = [stored["cells"][index] for index in code_cells(stored)]
    differences: list[Difference] = []
    # Upstream may have fewer cells: what was run in part is compared in part.
    pairs = zip(stored_cells, outputs["cells"], strict=False)
    for number, (docs, here) in enumerate(pairs, start=1):
        if here.get("execution_count") is None:
            continue  # it did not run
        difference = _difference(number, docs, here)
        if difference:
            differences.append(difference)
    return tuple(differences)


def _difference(number: int, stored: Cell, ran: Cell) -> Difference | None:
    """Return the first difference between the outputs of a cell, or None.

    ``number`` is that of the code cell. A cell for which upstream stored nothing has none.
    """
    # What is printed on the way to an exception holds traces of the machine.
    text_of = _exception_of if RAISES in tags_of(ran) else _text_of
    docs, here = text_of(stored), text_of(ran)
    if not docs.strip() or docs == here:
        return None
    for docs_token, here_token in zip_longest(_tokens(docs), _tokens(here)):
        if not _is_same(docs_token, here_token):
            return Difference(
                cell=number, docs=_line(docs, docs_token), here=_line(here, here_token)
            )
    return None


def _outputs_of(cell: Cell) -> list[Mapping[str, Any]]:
    """Return the outputs of a cell that have the shape of one.

    Those that upstream stored may be of any shape: nothing has checked them.
    """
    outputs = cell.get("outputs")
    if not isinstance(outputs, list):
        return []
    return [output for output in outputs if isinstance(output, dict)]


def _exception_of(cell: Cell) -> str:
    """Return the types of the exceptions that a cell shows, one a line, without their modules.

    ``jax.errors.TracerBoolConversionError`` → ``TracerBoolConversionError``: upstream may
    move a type to another module.
    """
    errors = [
        output for output in _outputs_of(cell) if output.get("output_type") == "error"
    ]
    return "\n".join(str(error.get("ename", "")).rpartition(".")[2] for error in errors)


def _text_of(cell: Cell) -> str:
    """Return all plain text that a reader of the outputs reads, without what never agrees.

    ``"done in 3.2 s"`` → ``"done in … s"`` (see ``ALIKE``).
    """
    parts = [*map(_printed, _outputs_of(cell)), _exception_of(cell)]
    text = without_colours("".join(parts))
    for noise, name in ALIKE:
        text = noise.sub(name, text)
    return text


def _printed(output: Mapping[str, Any]) -> str:
    """Return what one output shows as plain text; nothing if that is not what a reader reads.

    A figure's or a table's text is only its substitute, so it does not count. Warnings on
    stderr differ from machine to machine.
    """
    # A stream that does not say which one it is counts as stdout.
    stream = output.get("output_type"), output.get("name", "stdout")
    if stream == ("stream", "stdout"):
        return _joined(output.get("text", ""))
    data = output.get("data")
    if isinstance(data, dict) and set(data) == {"text/plain"}:
        return f"{_joined(data['text/plain'])}\n"
    return ""


def _joined(text: Any) -> str:
    """Return a text that nbformat may store as a list of lines, each with its line break."""
    if isinstance(text, list):
        return "".join(map(str, text))
    return str(text)


def _tokens(text: str) -> Iterator[_Token]:
    """Yield what counts in ``text``, one after another: ``"x: 3.0"`` has ``x``, ``:``, ``3.0``."""
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or ""
        yield _Token(kind, _canonical(kind, match), match.start())


def _canonical(kind: str, match: re.Match[str]) -> str:
    """Return a token as it is compared: what differs from machine to machine is left out.

    ``CpuDevice(id=0)`` → ``0``, ``{b, a}`` → ``a,b``, ``GPU`` → nothing; else as it is.
    """
    text = match[0]
    match kind:
        case "platform":
            return ""
        case "device":
            return match["id1"] or match["id2"]
        case "set":
            # White space within an item is where NumPy breaks lines.
            items = re.sub(r"\s", "", text[1:-1]).split(",")
            return ",".join(sorted(items))
        case _:
            return text


def _is_same(docs: _Token | None, here: _Token | None) -> bool:
    """Return whether two tokens in the same place say the same; one is None where a text has ended.

    ``0.30000001`` is ``0.3``; ``3`` is not ``3.0``, because it is a count or a shape.
    """
    if docs is None or here is None or docs.kind != here.kind:
        return False
    if not docs.is_result or not here.is_result:
        return docs.text == here.text
    numbers = float(docs.text), float(here.text)
    return math.isclose(*numbers, rel_tol=TOLERANCE, abs_tol=ABSOLUTE)


def _line(text: str, token: _Token | None) -> str:
    """Return the line of ``text`` with ``token`` in it, cut to the part around it if it is long.

    Empty without a token: there is nothing (more) printed.
    """
    if token is None:
        return ""
    start = text.rfind("\n", 0, token.start) + 1
    line = text[start:].partition("\n")[0].rstrip()
    if len(line) <= WIDTH:
        return line.strip()
    # A third of what is shown stands before the token, more only at the end of the line.
    first = max(0, min(token.start - start - WIDTH // 3, len(line) - WIDTH))
    shown = line[first : first + WIDTH].strip()
    before = "…" if first else ""
    behind = "…" if first + WIDTH < len(line) else ""
    return f"{before}{shown}{behind}"
