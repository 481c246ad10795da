"""Reader of upstream documents: decodes a document and splits it into units with messages.

A unit is a text that is split on its own: a page, or one Markdown cell of a notebook. The offsets
of a message refer to the text of its unit. ``Document.raw`` has the complete decoded text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import chain, pairwise

from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.message import Kind, Message, Split, unsplit
from pipeline.core.document.notebook_json import Notebook, reject_pointer, scan_notebook
from pipeline.core.pin.lock import DOCSTRING_SUFFIX, Page, page_name
from pipeline.errors import InputError, check_limit
from pipeline.findings import Finding
from pipeline.limits import NOTEBOOK_BYTES, why_not_read
from pipeline.reading import MYST, Reading

_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_FRONT = frozenset((Kind.PAGE_TITLE, Kind.FRONT_MATTER))
_FIRST_LEVEL = ("heading_open", "h1")
_NOTEBOOK_KEY = re.compile(r"^(?:jupytext|kernelspec)\s*:", re.MULTILINE)


class Format(StrEnum):
    """The format of a document."""

    NOTEBOOK = "notebook"
    MYST_NOTEBOOK = "MyST notebook"
    MYST = "MyST page"
    RST = "reST page"
    DOCSTRING = "docstring"


class Unit(Struct, frozen=True, kw_only=True):
    """A text that is split on its own: a page, or one Markdown cell of a notebook."""

    split: Split
    cell: int | None = None  # 0-based number among all cells; None for a page


class Document(Struct, frozen=True, kw_only=True):
    """An upstream document: a page, a notebook or a docstring."""

    path: str
    format: Format
    units: tuple[Unit, ...]
    notebook: Notebook | None = None  # raw JSON; None for a text file
    reading: Reading = MYST  # upstream's dialect of Markdown

    @property
    def raw(self) -> str:
        """Return the complete decoded text. Encoded as UTF-8, it equals the original bytes."""
        if self.notebook is None:
            return self.units[0].split.text
        return self.notebook.raw

    @property
    def is_notebook(self) -> bool:
        """Return whether the document is a notebook, whose code cells can be executed."""
        return self.format in (Format.NOTEBOOK, Format.MYST_NOTEBOOK)

    @property
    def code(self) -> tuple[str, ...]:
        """Return the source of every code cell in order; for a text page, of its code blocks."""
        if self.notebook is None:
            return self.units[0].split.code
        cells = self.notebook.cells
        return tuple(cell.source for cell in cells if cell.kind == "code")

    def messages(self) -> Iterator[tuple[Unit, Message]]:
        """Yield every message with its unit, in document order."""
        for unit in self.units:
            for message in unit.split.messages:
                yield unit, message

    def place(self, unit: Unit, message: Message) -> str:
        """Return the position of a message for reports: ``path, cell N:line`` or ``path:line``.

        N is 1-based and counts cells of all kinds. (Reports of executed code count only code cells,
        as "code cell N".)
        """
        return self.line_place(unit, message.line)

    def line_place(self, unit: Unit, line: int) -> str:
        """Return the position of a line of a unit for reports, in the form of :meth:`place`."""
        if unit.cell is None:
            return f"{self.path}:{line}"
        return f"{self.path}, cell {unit.cell + 1}:{line}"


class SplitPage(Struct, frozen=True, kw_only=True):
    """A page with the documents that could be read, and findings about those that could not.

    Most pages have one document. A jupytext pair has two: a notebook and the same page as text. A
    page of the API reference has one for each docstring.
    """

    page: Page
    documents: tuple[Document, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Return whether every document of the page could be read."""
        return len(self.documents) == len(self.page.files)

    @property
    def title(self) -> str:
        """Return the title of the page in its own markup, or the name of the page if it has none.

        The title is the first heading. A title in the front matter takes precedence if no heading
        is of level 1.
        """
        messages = list(chain.from_iterable(document.messages() for document in self.documents))
        if title := self._front_title(messages):
            return title
        # If there is a title, the first message after the front matter is the title itself, or is
        # in the section of the title.
        in_text = (message for _, message in messages if message.kind not in _FRONT)
        first = next(in_text, None)
        if first is None:
            return self.page.name
        if first.headings:
            return first.headings[0]
        if first.kind is Kind.HEADING:
            return first.msgid
        return self.page.name

    def _front_title(self, messages: list[tuple[Unit, Message]]) -> str:
        """Return the title in the front matter.

        Return an empty string if the front matter has no title, or the page has a level-1 heading.
        """
        # The front matter precedes all other messages, so the first PAGE_TITLE is that of the page.
        kinds = [message.kind for _, message in messages]
        if Kind.PAGE_TITLE not in kinds:
            return ""
        unit, title = messages[kinds.index(Kind.PAGE_TITLE)]
        if any(signature[:2] == _FIRST_LEVEL for _, signature in unit.split.skeleton):
            return ""
        return title.msgid


def read_document(path: str, data: bytes, reading: Reading = MYST) -> Document:
    """Return the document in ``data``: an ``.ipynb``, ``.md``, ``.rst`` or ``.docstring`` file.

    The suffix of ``path`` selects the format, and ``path`` names the document in errors.
    ``reading`` has upstream's dialect of Markdown. Raises InputError with the position of the
    fault.
    """
    reject_pointer(data, where=path)
    if path.endswith(".ipynb"):
        check_limit(len(data), NOTEBOOK_BYTES, where=path)
    try:
        raw = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "is not UTF-8",
            where=f"{path}:{line}",
            hint="Save it as UTF-8, or exclude the page.",
        ) from error
    if path.endswith(".ipynb"):
        notebook = scan_notebook(raw, where=path)
        return Document(
            path=path,
            format=Format.NOTEBOOK,
            units=_units(notebook, path, reading),
            notebook=notebook,
            reading=reading,
        )
    # Some binary files are valid UTF-8. A NUL character reveals them.
    if "\0" in raw:
        line = raw.count("\n", 0, raw.index("\0")) + 1
        raise InputError(
            "has a NUL character",
            where=f"{path}:{line}",
            hint="It is not a text file; exclude the page.",
        )
    text_format = text_format_of(path, raw)
    if reason := why_not_read(len(raw), raw.count("\n")):
        units = (Unit(split=unsplit(raw, reason)),)
        return Document(path=path, format=text_format, units=units, reading=reading)
    try:
        if text_format in (Format.RST, Format.DOCSTRING):
            # Import this module only for reST, because docutils loads slowly.
            from pipeline.core.document.rst.splitter import split_rst

            split = split_rst(raw, is_docstring=text_format is Format.DOCSTRING)
        else:
            split = split_text(raw, page=True, reading=reading)
    except InputError as error:
        raise InputError(error.what, where=path, hint=error.hint) from error
    if count := reading.sections_of(page_name(path)):
        split = first_sections(split, count)
    return Document(
        path=path,
        format=text_format,
        units=(Unit(split=split),),
        reading=reading,
    )


def is_myst_notebook(text: str) -> bool:
    """Return whether a MyST document is a notebook, by its front matter.

    ---
    jupytext:
      text_representation: …
    ---
    """
    header = _FRONT_MATTER.match(text)
    return bool(header and _NOTEBOOK_KEY.search(header[1]))


def text_format_of(path: str, raw: str) -> Format:
    """Return the format of a document that is not an ``.ipynb``."""
    if path.endswith(".rst"):
        return Format.RST
    if path.endswith(DOCSTRING_SUFFIX):
        return Format.DOCSTRING
    if is_myst_notebook(raw):
        return Format.MYST_NOTEBOOK
    return Format.MYST


def _units(notebook: Notebook, path: str, reading: Reading) -> tuple[Unit, ...]:
    """Return the Markdown cells as units.

    If the cells exceed the limits of what is read, return a single unit without messages.
    """
    sources = [
        (index, cell.source) for index, cell in enumerate(notebook.cells) if cell.kind == "markdown"
    ]
    length = sum(len(source) for _, source in sources)
    lines = sum(source.count("\n") for _, source in sources)
    if reason := why_not_read(length, lines):
        index, source = sources[0]
        return (Unit(split=unsplit(source, reason), cell=index),)
    units: list[Unit] = []
    # A section continues from one cell to the next.
    headings: tuple[tuple[int, str], ...] = ()
    for index, source in sources:
        try:
            split = split_text(source, headings=headings, reading=reading)
        except InputError as error:
            raise InputError(
                error.what, where=f"{path}, cell {index + 1}", hint=error.hint
            ) from error
        headings = split.headings
        units.append(Unit(split=split, cell=index))
    return tuple(units)


_FIRST_SECTIONS_ONLY = "only the first {count} sections of the page are translated"


def first_sections(split: Split, count: int) -> Split:
    """Return ``split`` with only the messages of its first ``count`` sections.

    The field ``rest`` of the result has the other messages. Sections are counted at the outermost
    level that has more than one section. For a page with a single title, this is the second level.
    """
    starts = _section_starts(split)
    if len(starts) <= count:
        return split
    end = starts[count]
    line = split.text.count("\n", 0, end) + 1
    reported = [(number, reason) for number, reason in split.left_in_english if number < line]
    return replace(
        split,
        messages=tuple(found for found in split.messages if found.start < end),
        rest=tuple(found for found in split.messages if found.start >= end),
        left_in_english=(*reported, (line, _FIRST_SECTIONS_ONLY.format(count=count))),
    )


def _section_starts(split: Split) -> list[int]:
    """Return the start offsets of the sections at the outermost level that has several."""
    by_level: dict[int, list[int]] = {}
    for start, signature in split.skeleton:
        # In Markdown: ("heading_open", "h2", "##"). In reST: ("1", "section").
        if signature[0] == "heading_open":
            by_level.setdefault(int(signature[1][1:]), []).append(start)
        elif signature[1:2] == ("section",):
            by_level.setdefault(int(signature[0]), []).append(start)
    several = [level for level, starts in by_level.items() if len(starts) > 1]
    return by_level[min(several)] if several else []


_LINES = 3  # maximum number of lines of code shown to translators
_WIDTH = 100  # maximum number of characters shown of a line
# A MyST code cell with its options. A "+++", which ends the previous cell, may precede it.
_CELL = re.compile(
    r"\s*(?:\+\+\+[^\n]*\s+)?(?P<fence>`{3,}|~{3,})\{code-cell\}[^\n]*\n"
    r"(?:---\n.*?\n---\n|(?:[ ]*:[^\n]*\n)*)(?P<code>.*?)\n(?P=fence)",
    re.DOTALL,
)
# Characters that comments of a catalogue must not contain, or that editors show differently.
_UNSEEN = re.compile(r"[^\S\n ]|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def messages_with_code(document: Document) -> Iterator[tuple[Message, tuple[str, ...]]]:
    """Yield every message in document order, with the first lines of the code right below it.

    The code helps translators to understand the message.
    """
    for unit in document.units:
        messages: list[Message | None] = [*unit.split.messages, None]
        for message, following in pairwise(messages):
            assert message
            yield message, _first_lines(_code_after(document, unit, message, following))


def _code_after(document: Document, unit: Unit, message: Message, following: Message | None) -> str:
    """Return the code of the cell right below a message, or "" if there is none.

    ``following`` is the next message of the unit.
    """
    if not message.block_end:
        return ""  # a table cell, an image text or a caption, whose block may continue
    if document.notebook is None:
        match = _CELL.match(document.raw, message.block_end)
        return match["code"] if match else ""
    # In a notebook, the code is in the next cell, if the message is the last text of its own cell.
    source = document.notebook.cells[unit.cell or 0].source
    if following or source[message.block_end :].strip():
        return ""
    for cell in document.notebook.cells[(unit.cell or 0) + 1 :]:
        return cell.source if cell.kind == "code" else ""
    return ""


def _first_lines(code: str) -> tuple[str, ...]:
    """Return the first non-empty lines of code, truncated and without control characters."""
    lines: list[str] = []
    for line in code.split("\n"):
        seen = _UNSEEN.sub(" ", line).rstrip()
        if seen:
            lines.append(seen if len(seen) <= _WIDTH else f"{seen[:_WIDTH]}…")
        if len(lines) == _LINES:
            break
    return tuple(lines)
