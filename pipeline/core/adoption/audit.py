"""What is wrong with the code of a copy: what was changed, what cannot be read, what is gone.

Nothing is run: a copy is a stranger's. Code is compared with upstream's, parsed, and its names are
looked up in the reference pages of the docs.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import dedent

from pipeline.core.adoption.alignment import Pair
from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.pairing import code_likeness

_MODULE = re.compile(
    r"^\s*\.\. (?:py:)?(?:currentmodule|automodule|module):: ([\w.]+)", re.MULTILINE
)
_LISTED = re.compile(
    r"^\.\. (?:autosummary|autofunction|autoclass|autodata|autoexception|autoattribute)::[ \t]*"
    r"([^\n]*)\n((?:[ \t]+[^\n]*\n|\n)*)",
    re.MULTILINE,
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_DOTTED_LINE = re.compile(rf"^[ \t]*~?({_DOTTED.pattern})[ \t]*$", re.MULTILINE)
_IMPORT = re.compile(r"\bimport\s+(jax[\w.]*)(?:\s+as\s+(\w+))?")
_FROM = re.compile(r"\bfrom\s+(jax[\w.]*)\s+import\s+\(?([\w,\s]+?)(?:\)|\n|$|;)")
_USUAL = {"jnp": "jax.numpy", "lax": "jax.lax", "jax": "jax"}
_MAGIC = re.compile(r"^\s*(?:%|!|>>>|\.\.\.|In ?\[)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeCell:
    """A piece of a copy's code: how it differs from upstream's, and what fails in it today."""

    place: str
    source: str = ""
    diff: tuple[str, ...] = ()  # lines of a unified diff, without its head
    is_strange: bool = False  # upstream has no such code at that version
    broken: str = ""  # why Python cannot read it
    gone: tuple[str, ...] = ()  # names that the reference does not have any more

    @property
    def is_altered(self) -> bool:
        """Whether the copy has changed upstream's code."""
        return bool(self.diff)

    @property
    def fails(self) -> bool:
        """Whether it cannot run today, whatever it does."""
        return bool(self.broken or self.gone)


def documented_names(pages: Iterable[str]) -> frozenset[str]:
    """The names that reference pages in reST list, with their modules."""
    names: set[str] = set()
    for text in pages:
        names.update(_names_of_page(text))
    return frozenset(names)


def _names_of_page(text: str) -> Iterator[str]:
    """Names count for the module that the last directive above them has named."""
    found = [*_MODULE.finditer(text), *_LISTED.finditer(text)]
    module = ""
    for match in sorted(found, key=lambda match: match.start()):
        if match.re is _MODULE:
            module = match[1]
            yield module
            continue
        for entry in _DOTTED_LINE.findall(f"{match[1]}\n{match[2]}"):
            is_whole = not module or entry.startswith("jax.")
            yield entry if is_whole else f"{module}.{entry}"


def names_used(code: str) -> frozenset[str]:
    """The names of JAX that a piece of code uses, in full: ``jnp.dot`` → ``jax.numpy.dot``."""
    meaning = dict(_USUAL)
    for module, alias in _IMPORT.findall(code):
        meaning[alias or module.partition(".")[0]] = module if alias else "jax"
    for module, names in _FROM.findall(code):
        for part in names.split(","):
            words = part.split()
            if words:
                meaning[words[-1]] = f"{module}.{words[0]}"
    used: set[str] = set()
    for name in _DOTTED.findall(code):
        first, _, rest = name.partition(".")
        if first in meaning:
            used.add(f"{meaning[first]}.{rest}" if rest else meaning[first])
    return frozenset(used)


def audit_code(
    english: Sequence[Block],
    copy: Sequence[Block],
    pairs: Sequence[Pair],
    *,
    then: frozenset[str],
    now: frozenset[str],
) -> tuple[CodeCell, ...]:
    """Look at every piece of code of a copy. ``then`` and ``now`` are the documented names."""
    # Imports stand in the first cells, and count for those behind them.
    whole = "\n".join(block.text for block in copy if block.kind is BlockKind.CODE)
    imports = "\n".join(line for line in whole.split("\n") if "import" in line)
    gone = _gone(names_used(whole), then, now)
    cells: list[CodeCell] = []
    for pair in pairs:
        blocks = [copy[at] for at in pair.copy]
        if not blocks or blocks[0].kind is not BlockKind.CODE:
            continue
        code = "\n".join(block.text for block in blocks)
        used = gone and names_used(f"{imports}\n{code}") & gone
        mine = sorted(name for name in used if name.rpartition(".")[2] in code)
        cell = CodeCell(
            place=blocks[0].place, source=code, is_strange=True, gone=tuple(mine)
        )
        if pair.english:
            ours = "\n".join(english[at].text for at in pair.english)
            # What upstream shows may be no Python either: a jaxpr, a shell.
            broken = "" if _broken(ours) else _broken(code)
            diff = tuple(_diff(ours, code))
            cell = replace(cell, is_strange=False, diff=diff, broken=broken)
        cells.append(cell)
    return tuple(cells)


def _gone(
    used: frozenset[str], then: frozenset[str], now: frozenset[str]
) -> frozenset[str]:
    """The names that were documented then and are not now, nor is anything in them."""
    gone: set[str] = set()
    for name in used:
        parts = name.split(".")
        prefixes = {".".join(parts[:count]) for count in range(2, len(parts) + 1)}
        lost = (prefixes & then) - now
        gone.update(
            prefix
            for prefix in lost
            if not any(other.startswith(f"{prefix}.") for other in now)
        )
    return frozenset(gone)


def _diff(ours: str, theirs: str) -> Iterator[str]:
    """What the copy made of a piece of code; nothing if only white space differs."""
    if (
        "".join(ours.split()) == "".join(theirs.split())
        or code_likeness(ours, theirs) == 1.0
    ):
        return
    before, after = (
        dedent(ours).strip("\n").split("\n"),
        dedent(theirs).strip("\n").split("\n"),
    )
    for number, line in enumerate(
        difflib.unified_diff(before, after, lineterm="", n=2)
    ):
        if number > 1:
            yield line


def _broken(code: str) -> str:
    """Why Python cannot read a piece of code; empty if it can, or if it is no plain Python."""
    if _MAGIC.search(code):
        return ""
    try:
        ast.parse(dedent(code))
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno} of the code)"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error)
    return ""
