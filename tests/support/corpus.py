"""Pages for the tests of the core: samples, translations of all sorts, and assertions.

Some translations are pseudo-translations, others are hostile. The assertions share no code with the
pipeline's guard, so they find mistakes of the guard.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from places import ROOT
from repositories import Repository

from pipeline.core.document.merge import merge
from pipeline.core.document.notebook_json import edit_cells
from pipeline.core.document.reader import Document, Format, Unit, read_document
from pipeline.core.document.splice import Edit, splice
from pipeline.reading import MYST, Reading

SAMPLE = ROOT / "upstream" / "sample"

# Everything that a translator leaves as it is. Written apart from pipeline.core.document.prose on
# purpose.
_KEPT = re.compile(
    r"""
    (?:\{[^{}\s`]+\})?(?P<fence>`+)(?!`)[\s\S]*?[^`](?P=fence)(?!`)  # code span or role
    | \$\$[\s\S]+?\$\$ | \$[^$]+\$ | \\begin\{(\w+\*?)\}[\s\S]*?\\end\{\2\} | \\[A-Za-z]+
    | <!--[\s\S]*?--> | <[^<>]*>
    | \]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?=[)\s]) | \]\[[^\]]*\] | \[\^[^\]]*\]
    | (?:https?://|www\.)[^\s<>)]+ | &\#?\w+; | \{\{.*?\}\} | data:\#\d+ | \bdata:\S+
    """,
    re.VERBOSE,
)
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def pseudo(msgid: str) -> str:
    """Return a pseudo-translation of a message, which the guard should accept.

    Every word outside code, math, markup and link targets is replaced by Chinese.
    """
    parts: list[str] = []
    at = 0
    for kept in _KEPT.finditer(msgid):
        parts += [_WORDS.sub("译文", msgid[at : kept.start()]), kept[0]]
        at = kept.end()
    return "".join((*parts, _WORDS.sub("译文", msgid[at:])))


def page(text: str, reading: Reading = MYST, *, path: str = "a.md") -> Document:
    """Return the document of a page with this text."""
    return read_document(path, text.encode(), reading)


def msgids(document: Document) -> list[str]:
    """Return the msgids of a document, in the order of its messages."""
    return [message.msgid for _, message in document.messages()]


def translated(document: Document, translate: Callable[[str], str] = pseudo) -> dict[str, str]:
    """Return a translation of each message of a document."""
    return {msgid: translate(msgid) for msgid in msgids(document)}


def documents_of(repository: Repository, pages: Sequence[tuple[str, str]]) -> Iterator[Document]:
    """Yield the documents of pages of the real docs, each given by its path and its blob."""
    contents = repository.read([blob for _, blob in pages])
    for (path, _), (_, data) in zip(pages, contents, strict=True):
        yield read_document(path, data)


# What each kind of hostile translation says; ``…`` stands for the English message.
HOSTILE: Mapping[str, str] = tomllib.loads(
    Path(__file__).with_name("hostile.toml").read_text(encoding="utf-8")
) | {
    "a thousand lines": "文字\n" * 1000,
    "a thousand empty lines": "\n" * 1000 + "文字" + "\n" * 1000,
    "lone surrogate": "文字\ud800",
    "huge": "文字" * 20000,
    "huge brackets": "[" * 3000,
    "many brackets": "[" * 150,
    "many backticks": "` " * 150,
}


def hostile(kind: str, msgid: str) -> str:
    """Return the hostile translation of a given kind for a message."""
    return HOSTILE[kind].replace("…", msgid)


def assert_joins(document: Document, data: bytes) -> int:
    """Assert that a document can be split and joined. Return the number of its messages.

    Gaps and messages together must be the text, and the text the file (P1). Replacing each message
    by itself must change nothing (P2).
    """
    assert document.raw.encode() == data
    assert merge(document, {}).data == data
    edits: dict[int, list[Edit]] = {}
    count = 0
    for index, unit in enumerate(document.units):
        text, at = unit.split.text, 0
        own: list[Edit] = []
        for message in unit.split.messages:
            start, end = message.start, message.end
            assert at <= start < end, document.place(unit, message)
            at = end
            own.append(Edit(start, end, text[start:end]))
        assert splice(text, own) == text
        count += len(own)
        edits[index if unit.cell is None else unit.cell] = own
    if document.notebook:
        theirs = json.loads(document.raw, parse_constant=str)
        edited = edit_cells(document.notebook, edits)
        ours = json.loads(edited, parse_constant=str)
        for cell in (*theirs["cells"], *ours["cells"]):
            cell["source"] = "".join(cell["source"])
        assert ours == theirs
        sources = [cell.source for cell in document.notebook.cells]
        assert sources == [cell["source"] for cell in theirs["cells"]]
    return count


def assert_only_prose_changed(document: Document, merged: bytes) -> None:
    """Assert that ``merged`` differs from ``document`` only in its messages.

    The comparison shares no code with the guard.
    """
    text = merged.decode()
    if document.format is Format.NOTEBOOK:
        _assert_notebook(document, text)
        return
    unit = document.units[0]
    _assert_gaps(unit, document.raw, text)
    is_same = prose_free_fences(document.raw) == prose_free_fences(text)
    assert is_same, f"{document.path}: a fenced block has changed"
    if document.format is Format.MYST_NOTEBOOK:
        code = jupytext_code(document.raw)
        is_same = code is None or code == jupytext_code(text)
        assert is_same, f"{document.path}: jupytext reads other code cells"


def _assert_notebook(document: Document, text: str) -> None:
    theirs, ours = (json.loads(raw, parse_constant=str) for raw in (document.raw, text))
    units = {unit.cell: unit for unit in document.units}
    pairs = zip(theirs["cells"], ours["cells"], strict=True)
    for number, (their, our) in enumerate(pairs):
        if number in units:
            _assert_gaps(units[number], _source(their), _source(our))
            is_same = type(their["source"]) is type(our["source"])
            assert is_same, f"{document.path}: the source is of another type"
            our["source"] = their["source"]
    # In this order: keys may not move.
    is_same = json.dumps(theirs) == json.dumps(ours)
    assert is_same, f"{document.path}: differs outside the sources of Markdown cells"


def _source(cell: Mapping[str, Any]) -> str:
    source: str | list[str] = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _assert_gaps(unit: Unit, theirs: str, ours: str) -> None:
    """Assert that ``ours`` contains every gap between messages, in order.

    The first gap must be at the start of the text, the last gap at its end.
    """
    at = end = 0
    for message in unit.split.messages:
        gap = theirs[end : message.start]
        found = ours.find(gap, at)
        assert found >= 0, f"a gap is gone: {gap!r}"
        assert end or not found, f"something stands before {gap!r}"
        at, end = found + len(gap), message.end
    last = theirs[end:]
    is_last = ours.endswith(last) and len(ours) - len(last) >= at
    assert is_last, f"what stands behind the last message has changed: {last!r}"
    assert end or ours == theirs


def rendered(text: str) -> str:
    """Return the HTML of a text, without white space."""
    md = (
        MarkdownIt("commonmark")
        .enable(["table", "strikethrough"])
        .use(front_matter_plugin)
        .use(dollarmath_plugin)
        .use(deflist_plugin)
    )
    html = md.use(footnote_plugin).use(myst_role_plugin).render(text)
    return re.sub(r"\s+", "", html)


_PROSE = re.compile(r"\{(?!code|raw|math|eval-rst|toctree|include|mermaid|list-table)[^{}]*\}")
_CAPTION = re.compile(r"^([ \t]*:?caption:).*", re.MULTILINE)


def prose_free_fences(text: str) -> list[tuple[str, str]]:
    """Return info string and content of every fenced block without prose.

    The blocks are found by a plain CommonMark parser that also knows front matter and ``+++``.
    """
    parser = (
        MarkdownIt("commonmark")
        .enable("table")
        .use(front_matter_plugin)
        .use(myst_block_plugin)
        .disable("inline", ignoreInvalid=True)
    )
    kinds = ("fence", "myst_block_break", "front_matter")
    return [
        (token.info, _CAPTION.sub(r"\1", token.content))
        for token in parser.parse(text)
        if token.type in kinds and not _PROSE.match(token.info.strip())
    ]


def jupytext_code(text: str) -> list[tuple[str, str, dict[str, Any]]] | None:
    """Return the code cells of a MyST notebook, as jupytext reads them.

    Return None if jupytext cannot read it.
    """
    import jupytext
    import yaml
    from jupytext.myst import MystMetadataParsingError

    try:
        notebook = jupytext.reads(text.removeprefix("\ufeff"), fmt="md:myst")
    except (yaml.YAMLError, MystMetadataParsingError):
        return None
    return [
        (cell.cell_type, cell.source, dict(cell.metadata))
        for cell in notebook.cells
        if cell.cell_type != "markdown"
    ]
