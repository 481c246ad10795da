"""What is wrong with the code of a copy: what was changed, what cannot be read, what is gone.

Nothing is run: a copy is a stranger's. Code is compared with upstream's, parsed, and its names are
looked up in the reference pages of the docs.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
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
# Of these only what is of the package that the docs are of counts.
_IMPORT = re.compile(r"\bimport\s+([\w.]+)(?:\s+as\s+(\w+))?")
_FROM = re.compile(r"\bfrom\s+([\w.]+)\s+import\s+\(?([\w,\s]+?)(?:\)|\n|$|;)")
_DIFF_HEAD = 2  # lines of a unified diff that name its files
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
        """Whether the copy has changed upstream's code.

        A comment that was translated counts, white space does not.
        """
        return bool(self.diff)

    @property
    def fails(self) -> bool:
        """Whether it cannot run today, whatever it does.

        Python cannot read it, or it uses what upstream has dropped. Nothing is run for that.
        """
        return bool(self.broken or self.gone)


def documented_names(pages: Iterable[str]) -> frozenset[str]:
    """The names that reference pages in reST list, with their modules.

    ``.. autosummary::`` below ``.. currentmodule:: jax.numpy`` with ``dot`` → ``jax.numpy.dot``
    """
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
            yield _in_full(entry, module)


def _in_full(name: str, module: str) -> str:
    """A name as a page lists it, with its module.

    ``dot`` below ``jax.numpy`` is ``jax.numpy.dot``; ``jax.jit`` is whole on any page.
    """
    if not module or name.startswith(f"{_package(module)}."):
        return name
    return f"{module}.{name}"


def names_used(code: str, *, package: str, usual: Mapping[str, str]) -> frozenset[str]:
    """The names of a package that a piece of code uses: ``jnp.dot`` → ``jax.numpy.dot``.

    They come in full. ``usual`` is what people call parts of the package, whatever they import:
    ``{"jnp": "jax.numpy"}``. Without a ``package`` there are none.
    """
    if not package:
        return frozenset()
    meanings = {package: package, **usual, **_imported(code, package)}
    names = (name.partition(".") for name in _DOTTED.findall(code))
    return frozenset(
        f"{meanings[first]}{dot}{rest}"
        for first, dot, rest in names
        if first in meanings
    )


def _imported(code: str, package: str) -> dict[str, str]:
    """What names stand for by the imports of a package in a piece of code.

    ``from jax import lax as l`` → ``l`` is ``jax.lax``; ``import jax.numpy`` → ``jax`` is ``jax``
    """
    meanings: dict[str, str] = {}
    for module, alias in _IMPORT.findall(code):
        if _package(module) == package:
            meanings[alias or package] = module if alias else package
    for module, names in _FROM.findall(code):
        if _package(module) != package:
            continue
        for name in filter(str.strip, names.split(",")):
            words = name.split()  # "name", or "name as alias"
            meanings[words[-1]] = f"{module}.{words[0]}"
    return meanings


def _package(name: str) -> str:
    """What a name in full begins with: ``jax.numpy.dot`` → ``jax``."""
    return name.partition(".")[0]


def audit_code(
    english: Sequence[Block],
    copy: Sequence[Block],
    pairs: Sequence[Pair],
    *,
    then: frozenset[str],
    now: frozenset[str],
    package: str,
    usual: Mapping[str, str],
) -> tuple[CodeCell, ...]:
    """Look at every piece of code of a copy. ``then`` and ``now`` are the documented names.

    ``package`` is what code imports, and ``usual`` what people call its parts; perhaps nothing.
    """
    whole = _code_of(block for block in copy if block.kind is BlockKind.CODE)
    # Imports stand in the first cells, and count for those behind them.
    imports = "\n".join(line for line in whole.split("\n") if "import" in line)
    gone = _gone(names_used(whole, package=package, usual=usual), then, now)
    cells: list[CodeCell] = []
    for pair in pairs:
        theirs = [copy[number] for number in pair.copy]
        if not theirs or theirs[0].kind is not BlockKind.CODE:
            continue
        code = _code_of(theirs)
        used = names_used(f"{imports}\n{code}", package=package, usual=usual)
        cell = CodeCell(
            place=theirs[0].place,
            source=code,
            is_strange=not pair.english,
            gone=_names_in(code, used & gone),
        )
        if pair.english:
            ours = _code_of(english[number] for number in pair.english)
            cell = _compared(cell, ours)
        cells.append(cell)
    return tuple(cells)


def _code_of(blocks: Iterable[Block]) -> str:
    """The source of some blocks as one piece.

    A copy may have split or merged cells: then several of them are what one was.
    """
    return "\n".join(block.text for block in blocks)


def _names_in(code: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of ``names`` whose last part stands in the code itself, and not in an import above.

    Sorted, so that two reports of one copy are the same.
    """
    return tuple(sorted(name for name in names if name.rpartition(".")[2] in code))


def _compared(cell: CodeCell, ours: str) -> CodeCell:
    """A cell with what the copy has made of upstream's code ``ours``.

    What upstream shows may be no Python either: a jaxpr, a shell. Then the copy's is not said to be
    broken.
    """
    diff = tuple(_diff(ours, cell.source))
    if _broken(ours):
        return replace(cell, diff=diff)
    return replace(cell, diff=diff, broken=_broken(cell.source))


def _gone(
    used: frozenset[str], then: frozenset[str], now: frozenset[str]
) -> frozenset[str]:
    """The names that were documented then and are not now, nor is anything in them.

    What was never documented says nothing: upstream's reference pages leave out a lot.
    """
    return (_with_modules(used) & then) - _with_modules(now)


def _with_modules(names: Iterable[str]) -> frozenset[str]:
    """Names and all that they are in, but packages: ``jax.numpy.dot`` → that and ``jax.numpy``.

    A module stands for as long as any name in it does.
    """
    found: set[str] = set()
    for name in names:
        parts = name.split(".")
        found.update(".".join(parts[:count]) for count in range(2, len(parts) + 1))
    return frozenset(found)


def _diff(ours: str, theirs: str) -> Iterator[str]:
    """What the copy made of a piece of code; nothing if only white space differs.

    Lines of a unified diff, without the two that name files.
    """
    is_same = "".join(ours.split()) == "".join(theirs.split())
    if is_same or code_likeness(ours, theirs) == 1.0:
        return
    before, after = _lines(ours), _lines(theirs)
    lines = difflib.unified_diff(before, after, lineterm="", n=2)
    yield from islice(lines, _DIFF_HEAD, None)


def _lines(code: str) -> list[str]:
    """The lines of a piece of code, without those around it that are empty.

    Its indent goes too: a copy may have code within a list.
    """
    return dedent(code).strip("\n").split("\n")


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
