"""What is wrong with the code of a copy: what was changed, what cannot be read, what is gone.

Nothing is run: a copy is a stranger's. Code is compared with upstream's, parsed, and its names are
looked up in the reference pages of the docs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent

from pipeline.core.adoption.alignment import Pair
from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.pairing import code_likeness

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
# A module that the lines below it are of, or a name alone on its line or behind its directive.
_MODULE = re.compile(r"\s*\.\. (?:py:)?(?:currentmodule|automodule|module):: ([\w.]+)")
_LISTED = re.compile(rf"\s*(?:\.\. auto\w+::\s*)?~?({_DOTTED.pattern})\s*")
_IMPORT = re.compile(r"\bimport\s+([\w.]+)(?:\s+as\s+(\w+))?")
_FROM = re.compile(r"\bfrom\s+([\w.]+)\s+import\s+\(?([\w,\s]+?)(?:\)|\n|$|;)")
_NO_PYTHON = re.compile(r"^\s*(?:%|!|>>>|\.\.\.|In ?\[)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeCell:
    """A piece of a copy's code: whether it is upstream's, and what fails in it today."""

    place: str
    is_altered: bool = False  # a translated comment or white space does not count
    is_strange: bool = False  # upstream has no such code at that version
    broken: str = ""  # why Python cannot read it
    gone: tuple[str, ...] = ()  # names that the reference does not have any more

    @property
    def fails(self) -> bool:
        """Whether it cannot run today, whatever it does."""
        return bool(self.broken or self.gone)


def documented_names(pages: Iterable[str]) -> frozenset[str]:
    """Return the names that reference pages in reST list, with their modules.

    ``dot`` in a list below ``.. currentmodule:: jax.numpy`` → ``jax.numpy.dot``
    """
    names: set[str] = set()
    for text in pages:
        module = ""
        for line in text.split("\n"):
            if of_module := _MODULE.match(line):
                module = of_module[1]
                names.add(module)
            elif listed := _LISTED.fullmatch(line):
                package = module.partition(".")[0]
                is_whole = not module or listed[1].startswith(f"{package}.")
                names.add(listed[1] if is_whole else f"{module}.{listed[1]}")
    return frozenset(names)


def names_used(code: str, *, package: str, usual: Mapping[str, str]) -> frozenset[str]:
    """Return the names of a package that code uses, in full: ``jnp.dot`` → ``jax.numpy.dot``.

    ``usual`` is what people call parts of the package, whatever they import:
    ``{"jnp": "jax.numpy"}``. Without a ``package`` there are none.
    """
    if not package:
        return frozenset()
    meanings = {package: package, **usual, **dict(_imported(code, package))}
    names: set[str] = set()
    for name in _DOTTED.findall(code):
        first, dot, rest = name.partition(".")
        if first in meanings:
            names.add(f"{meanings[first]}{dot}{rest}")
    return frozenset(names)


def _imported(code: str, package: str) -> Iterator[tuple[str, str]]:
    """Yield what names stand for by the imports of a package.

    ``from jax import lax as l`` → ``l`` is ``jax.lax``
    """
    for module, alias in _IMPORT.findall(code):
        if alias and module.partition(".")[0] == package:
            yield alias, module
    for module, names in _FROM.findall(code):
        if module.partition(".")[0] == package:
            for name in filter(str.strip, names.split(",")):
                words = name.split()  # "name", or "name as alias"
                yield words[-1], f"{module}.{words[0]}"


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
    # What was never documented says nothing: upstream's reference pages leave out a lot.
    gone = then - _with_modules(now)
    # Imports stand in the first cells, and count for those behind them.
    lines = _code_of(block for block in copy if block.kind is BlockKind.CODE)
    imports = "\n".join(line for line in lines.split("\n") if "import" in line)
    cells: list[CodeCell] = []
    for pair in pairs:
        theirs = [copy[number] for number in pair.copy]
        if not theirs or theirs[0].kind is not BlockKind.CODE:
            continue
        code = _code_of(theirs)
        ours = _code_of(english[number] for number in pair.english)
        used = names_used(f"{imports}\n{code}", package=package, usual=usual)
        names = sorted(_with_modules(used) & gone)
        cells.append(
            CodeCell(
                place=theirs[0].place,
                is_strange=not pair.english,
                is_altered=bool(ours) and code_likeness(ours, code) < 1.0,
                # What upstream shows may be no Python either: a jaxpr, a shell.
                broken=_broken(code) if ours and not _broken(ours) else "",
                gone=tuple(name for name in names if name.rpartition(".")[2] in code),
            )
        )
    return tuple(cells)


def _code_of(blocks: Iterable[Block]) -> str:
    """Return the source of some blocks as one piece."""
    return "\n".join(block.text for block in blocks)


def _with_modules(names: Iterable[str]) -> frozenset[str]:
    """Return names and all that they are in, but packages: a module stands while a name in it does.

    ``jax.numpy.dot`` → that and ``jax.numpy``
    """
    found: set[str] = set()
    for name in names:
        parts = name.split(".")
        found.update(".".join(parts[:count]) for count in range(2, len(parts) + 1))
    return frozenset(found)


def _broken(code: str) -> str:
    """Return why Python cannot read a piece of code; empty if it can, or for other code."""
    if _NO_PYTHON.search(code):
        return ""
    try:
        ast.parse(dedent(code))
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno} of the code)"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error)
    return ""
