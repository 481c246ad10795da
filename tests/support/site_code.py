"""Code of upstream's documents, as a site should show it.

Cells and fenced blocks are in order, without the parts that are meant for tools.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from textwrap import indent

from msgspec import Struct

from pipeline.core.document.reader import Document, Format, Unit, read_document
from pipeline.core.pin.lock import is_reference, pages_of, parse_lock
from pipeline.paths import Paths

_BLOCKS = ("fence", "colon_fence", "code_block")
_SHOWN = ("{code-cell}", "{code-block}", "{code}", "{sourcecode}")
_HIDDEN = re.compile(r"\b(?:remove-cell|remove-input|remove_cell|remove_input)\b")
# Sphinx leaves them out, upstream's own site too.
_FOR_DOCTEST = re.compile(r"[ \t]*#[ \t]*doctest:.+$", re.MULTILINE)
_FILE = re.compile(r"[\w./-]+\.(?:py|md|rst|txt|sh|json)\b")
_OPTIONS = re.compile(r"(?ms)(?:---\n.*?^---\n|(?::[\w-]+:[^\n]*\n)+)")


class Code(Struct, frozen=True):
    """Code that a page should show, in order.

    The page may also show ``texts``: diagrams, and parts of other files.
    """

    blocks: Sequence[str]
    texts: Sequence[str]

    def differences(self, shown: Iterable[str]) -> Iterator[str]:
        """Yield the blocks in ``shown`` that upstream does not have.

        Also yield upstream's blocks that are missing in ``shown``.
        """
        waiting = deque(self.blocks)
        for block in map(as_shown, shown):
            if waiting and block == waiting[0]:
                waiting.popleft()
            elif not self._quotes(block):
                yield f"not upstream's: {block}"
        yield from (f"not shown: {block}" for block in waiting)

    def _quotes(self, block: str) -> bool:
        forms = [indent(block, " " * width) for width in range(13)]
        return any(form in text for text, form in product(self.texts, forms))


def upstream_code(root: Path, name: str) -> Mapping[str, Code]:
    """Return, by page, the code of the document that the site of upstream ``name`` shows.

    ``root`` is the project's root.
    """
    paths = Paths(root, name)
    lock = parse_lock(paths.lock.read_bytes(), where=str(paths.lock))
    return {
        page.name: _read(paths.docs, page.files[0].path)
        for page in pages_of(lock.files)
        if not is_reference(page.name)
    }


def _read(docs: Path, path: str) -> Code:
    document = read_document(path, (docs / path).read_bytes())
    named = {(docs / path).parent / file for file in _FILE.findall(document.raw)}
    files = filter(Path.is_file, sorted(named))
    others = (file.read_text(encoding="utf-8") for file in files)
    return Code(code_of(document), (document.raw, *others))


def code_of(document: Document) -> list[str]:
    """Return the pieces of code that ``document`` shows."""
    return [text for text in map(as_shown, _code(document)) if text]


def as_shown(code: str) -> str:
    """Return ``code`` without the parts that readers do not see.

    These are empty lines at its ends, and comments for doctest in console sessions.
    """
    return (_FOR_DOCTEST.sub("", code) if ">>>" in code else code).strip("\n")


def _code(document: Document) -> Iterator[str]:
    if document.format is Format.RST:
        yield from document.code
    elif document.notebook is None:
        yield from _fences(document.units[0])
    else:
        prose = {unit.cell: unit for unit in document.units}
        values = json.loads(document.raw)["cells"]
        for number, cell in enumerate(document.notebook.cells):
            tags = values[number].get("metadata", {}).get("tags", ())
            if number in prose:
                yield from _fences(prose[number])
            elif cell.kind == "code" and not _HIDDEN.search(" ".join(tags)):
                yield cell.source


def _fences(unit: Unit) -> Iterator[str]:
    for _, (kind, *rest) in unit.split.skeleton:
        if kind not in _BLOCKS or len(rest) < 3:
            continue
        _, info, content = rest
        name = info.split()[0] if info.split() else ""
        if not name.startswith("{"):
            yield content
        elif name in _SHOWN:
            options = _OPTIONS.match(content)
            if not (options and _HIDDEN.search(options[0])):
                yield content[options.end() :] if options else content
