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


def translated(
    document: Document, translate: Callable[[str], str] = pseudo
) -> dict[str, str]:
    """Return a translation of each message of a document."""
    return {msgid: translate(msgid) for msgid in msgids(document)}


def documents_of(
    repository: Repository, pages: Sequence[tuple[str, str]]
) -> Iterator[Document]:
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
        for message in unit.split.messages:
            assert at <= message.start < message.end, document.place(unit, message)
            at = message.end
        count += len(unit.split.messages)
        edits[unit.cell if unit.cell is not None else index] = own = [
            Edit(message.start, message.end, text[message.start : message.end])
            for message in unit.split.messages
        ]
        assert splice(text, own) == text
    if document.notebook:
        theirs, ours = (
            json.loads(raw, parse_constant=str)
            for raw in (document.raw, edit_cells(document.notebook, edits))
        )
        for cell in (*theirs["cells"], *ours["cells"]):
            cell["source"] = "".join(cell["source"])
        assert ours == theirs
        assert [cell.source for cell in document.notebook.cells] == [
            cell["source"] for cell in theirs["cells"]
        ]
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
    if prose_free_fences(document.raw) != prose_free_fences(text):
        raise AssertionError(f"{document.path}: a fenced block has changed")
    code = (
        jupytext_code(document.raw) if document.format is Format.MYST_NOTEBOOK else None
    )
    if code is not None and code != jupytext_code(text):
        raise AssertionError(f"{document.path}: jupytext reads other code cells")


def _assert_notebook(document: Document, text: str) -> None:
    theirs, ours = (json.loads(raw, parse_constant=str) for raw in (document.raw, text))
    if len(theirs["cells"]) != len(ours["cells"]):
        raise AssertionError(f"{document.path}: another number of cells")
    units = {unit.cell: unit for unit in document.units}
    for number, (their, our) in enumerate(
        zip(theirs["cells"], ours["cells"], strict=True)
    ):
        if number in units:
            _assert_gaps(units[number], _source(their), _source(our))
            assert isinstance(their["source"], list) == isinstance(
                our["source"], list
            ), f"{document.path}: the source is of another type"
            our["source"] = their["source"]
    if json.dumps(theirs) != json.dumps(ours):
        raise AssertionError(
            f"{document.path}: differs outside the sources of Markdown cells"
        )


def _source(cell: Mapping[str, Any]) -> str:
    source: str | list[str] = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _assert_gaps(unit: Unit, theirs: str, ours: str) -> None:
    """Assert that ``ours`` contains every gap between messages, in order.

    The first gap must be at the start of the text, the last gap at its end.
    """
    messages = unit.split.messages
    cuts = [
        0,
        *(cut for message in messages for cut in (message.start, message.end)),
        len(theirs),
    ]
    gaps = [
        theirs[cuts[number] : cuts[number + 1]] for number in range(0, len(cuts), 2)
    ]
    if not ours.startswith(gaps[0]):
        raise AssertionError(
            f"what stands before the first message has changed: {gaps[0]!r}"
        )
    at = len(gaps[0])
    for gap in gaps[1:-1]:
        found = ours.find(gap, at)
        if found < 0:
            raise AssertionError(f"a gap is gone: {gap!r}")
        at = found + len(gap)
    if len(ours) - len(gaps[-1]) < at - (
        len(gaps[0]) if len(gaps) == 1 else 0
    ) or not ours.endswith(gaps[-1]):
        raise AssertionError(
            f"what stands behind the last message has changed: {gaps[-1]!r}"
        )


def rendered(text: str) -> str:
    """Return the HTML of a text, without white space."""
    md = (
        MarkdownIt("commonmark")
        .enable(["table", "strikethrough"])
        .use(front_matter_plugin)
        .use(dollarmath_plugin)
        .use(deflist_plugin)
    )
    return re.sub(
        r"\s+", "", md.use(footnote_plugin).use(myst_role_plugin).render(text)
    )


_PROSE = re.compile(
    r"\{(?!code|raw|math|eval-rst|toctree|include|mermaid|list-table)[^{}]*\}"
)
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
