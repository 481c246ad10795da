"""Splitter of reST texts into messages with positions.

docutils finds the blocks. A block with words becomes a message: a part of the source, with its
offsets. The inverse is :mod:`pipeline.core.document.rst.placement`, which puts translations at
these offsets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docutils import ApplicationError, nodes
from msgspec.structs import replace

from pipeline import limits
from pipeline.core.document.message import (
    PARSER_ERRORS,
    UNWRITABLE,
    UNWRITABLE_REASON,
    Kind,
    Markup,
    Message,
    Signature,
    Split,
    unsplit,
)
from pipeline.core.document.rst import blocks
from pipeline.core.document.rst.directive_nodes import directive_node
from pipeline.core.document.rst.docstring import DocstringLines
from pipeline.core.document.rst.parser import longest_line, read
from pipeline.core.document.rst.positions import Finder, Lines, Place, Words
from pipeline.errors import InputError

# A docutils message of at least this severity replaces source that docutils could not parse.
_SOURCE_LOST = 3
# Functions that decide whether a text of this kind should be translated. A file name, for example,
# should not. For other kinds, `has_words` decides.
_IS_WORTH = {Kind.CAPTION: blocks.is_caption, Kind.IMAGE: blocks.is_image_text}
_FOLDED = re.compile(r"[ \t]*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")
_LITERAL = "::"
_INDENTED = "Unexpected indentation."  # docutils' message


def split_rst(text: str, *, is_docstring: bool = False) -> Split:
    """Split a reST page or docstring into messages. Raises InputError if docutils fails.

    The text ``"Title\\n=====\\n\\n* two\\n  lines\\n"`` gives the heading ``Title`` at the offsets
    [0, 5), whose ``rules`` have the underline, and the list item ``two lines``.
    """
    lines = DocstringLines(text) if is_docstring else Lines(text)
    limit = longest_line()
    for number, line in enumerate(lines.shown, 1):
        if len(line) > limit:
            raise InputError(
                f"line {number} is longer than docutils reads",
                hint="Break the line upstream, or exclude the page.",
            )
    try:
        document, finder = read(lines)
        splitter = _Splitter(text, finder, has_metadata=not is_docstring)
        splitter.walk(document, 0, blocks.Context(), 0)
    except RecursionError:
        return unsplit(text, limits.TOO_DEEP)
    except (*PARSER_ERRORS, ApplicationError) as error:
        raise InputError(
            f"docutils fails on it ({type(error).__name__}: {error})",
            hint="Report the page upstream, or exclude it.",
        ) from error
    return splitter.result()


class _Splitter:
    """Walker over the tree of one document, which collects messages and the skeleton.

    The skeleton has the signature of each block: all parts of it that a merge must not change.
    """

    def __init__(self, text: str, finder: Finder, *, has_metadata: bool) -> None:
        """Start without messages. ``finder`` is the result of parsing ``text``.

        ``has_metadata`` means that fields at the start of the text are for programs only.
        """
        self.text = text
        self.has_metadata = has_metadata
        self.finder = finder
        self.lines = finder.lines
        self.messages: list[Message] = []
        self.skeleton: list[tuple[int, Signature]] = []
        self.code: list[str] = []
        self.headings: list[tuple[int, str]] = []
        self.tables: list[tuple[int, int]] = []
        self.left_in_english: list[tuple[int, str]] = []
        self.title_end: int | None = None

    def result(self) -> Split:
        """Return the collected messages as a split.

        Sort them by position, because the options of a directive are read in arbitrary order.
        """
        return Split(
            text=self.text,
            messages=tuple(sorted(self.messages, key=lambda message: message.start)),
            skeleton=tuple(self.skeleton),
            code=tuple(self.code),
            headings=tuple(self.headings),
            title_end=self.title_end,
            tables=tuple(self.tables),
            left_in_english=tuple(sorted(self.left_in_english)),
        )

    def walk(self, node: nodes.Element, depth: int, context: blocks.Context, offset: int) -> None:
        """Collect the blocks in ``node``.

        ``offset`` is the position of ``node``. Blocks without a position of their own get this
        offset.
        """
        fields = blocks.metadata(node) if self.has_metadata else None
        for child in node.children:
            if isinstance(child, nodes.system_message):
                self._record_unparsed(child, depth, offset)
            elif isinstance(child, nodes.Element):
                inner = context.within(child)
                if child is fields:
                    inner = replace(inner, is_opaque=True)
                self._block(child, depth, inner, offset)

    def _block(self, node: nodes.Element, depth: int, context: blocks.Context, offset: int) -> None:
        """Record a block: its signature, code and messages, and why parts of it stay English.

        ``offset`` is the position of the block if docutils gives none for anything in it.
        """
        offset = self._offset(node, offset)
        leaves = [child for child in node.children if isinstance(child, nodes.Text)]
        texts = [self._text(leaf, node, context) for leaf in leaves]
        # The signature includes the depth, so that the guard notices a list that moves into another
        # list.
        self.skeleton.append((offset, (str(depth), node.tagname, *blocks.attributes(node), *texts)))
        code = blocks.code_of(node)
        if code is not None:
            self.code.append(code)
        # signature[0] is the name of the directive; the other parts are its unparsed content.
        if "lost" in node and blocks.has_words("\n".join(node["signature"][1:])):
            self.left_in_english.append((node["first"] + 1, node["lost"]))
        # In a docstring, fields are named after parameters and types, so do not report their names.
        reason = blocks.why_not_offered(node) if self.has_metadata else ""
        if reason:
            self.left_in_english.append((self.lines.number(offset + 1) + 1, reason))
        count = len(self.messages)
        self.walk(node, depth + 1, context, offset)
        # A merge does not edit a table without messages, so record only tables with messages.
        if "lines" in node and len(self.messages) > count:
            first, last = node["lines"]
            self.tables.append((self.lines.starts[first], self.lines.end(last)))

    def _offset(self, node: nodes.Element, default: int) -> int:
        """Return the offset of a block, or ``default`` if nothing in it has a position."""
        # docutils gives no position for a list, so the first node in it with a position decides.
        offsets = map(self._own_offset, node.findall(nodes.Element))
        return next((offset for offset in offsets if offset is not None), default)

    def _own_offset(self, node: nodes.Element) -> int | None:
        """Return the offset of a node itself, or None. Ignore its descendants.

        Headings and paragraphs have words with a place, directives have a line number, and lists
        have neither.
        """
        for child in node.children:
            if isinstance(child, Words) and child.place:
                return child.place.pieces[0][0]
        # A section has another line number than its title, so use the position of the title.
        if node.line is None or isinstance(node, nodes.section):
            return None
        # docutils counts from 1, and may report the line after the last one.
        line = min(max(node.line, 1), len(self.lines.starts))
        return self.lines.starts[line - 1]

    def _record_unparsed(self, message: nodes.system_message, depth: int, offset: int) -> None:
        """Record source that docutils could not parse, such as a malformed table.

        docutils replaces such source by a message that quotes it.
        """
        quoted = message.findall(nodes.literal_block)
        sources = [block.astext() for block in quoted]
        if not sources or message["level"] < _SOURCE_LOST:
            return  # the message is a warning, and the source is in the tree
        self.skeleton.append((offset, (str(depth), "lost", *sources)))
        reason = message[0].astext().replace("\n", " ")
        self.left_in_english.append((message.get("line") or 1, reason))

    def _text(self, text: nodes.Text, node: nodes.Element, context: blocks.Context) -> str:
        """Add a message for an inline text, if it should be translated.

        Return the part of the text that a merge must keep: nothing if it became a message,
        otherwise all of it.
        """
        if not isinstance(text, Words):
            return text.astext()  # docutils generated the text; the page lacks it
        headings = self.headings
        if context.kind is Kind.HEADING:
            headings = self._enter_section(text, node, context)
        if len(text) > limits.MESSAGE_LENGTH and not context.is_opaque:
            self.left_in_english.append((text.first + 1, limits.too_long_reason(len(text))))
            return text.astext()
        is_worth = _IS_WORTH.get(context.kind, blocks.has_words)
        if context.is_opaque or not is_worth(text):
            return text.astext()
        reason = text.reason or _why_unsafe(text, node)
        if reason or text.place is None:
            # Report words that should be translated, but cannot become a message.
            self.left_in_english.append((text.first + 1, reason))
            return text.astext()
        is_glossary_term = context.kind is Kind.TERM and isinstance(
            node.parent.parent, directive_node
        )
        self._message(text, text.place, context, headings, is_glossary_term=is_glossary_term)
        return ""

    def _enter_section(
        self, words: Words, title: nodes.Element, context: blocks.Context
    ) -> list[tuple[int, str]]:
        """Record the section that a title begins; return the sections around it."""
        level = sum(isinstance(above, nodes.section) for above in blocks.ancestors(title))
        # The title ends the sections of the same level and of deeper levels.
        outer = [heading for heading in self.headings if heading[0] < level]
        shown = self._msgid(words.place) if words.place else words.astext()
        self.headings = [*outer, (level, shown[: limits.TITLE_LENGTH])]
        # The title of the page ends with its underline.
        if context.is_top and self.title_end is None:
            self.title_end = self.lines.end(words.first + 1)
        return outer

    def _message(
        self,
        words: Words,
        place: Place,
        context: blocks.Context,
        headings: Sequence[tuple[int, str]],
        *,
        is_glossary_term: bool,
    ) -> None:
        """Append a message with words whose place is known.

        ``headings`` are the sections around it. A title is not in its own section.
        """
        first = words.first
        last = first + len(place.pieces) - 1
        rules: tuple[int, ...] = ()
        if context.kind is Kind.HEADING:
            # A title has one line and an underline, and may have an overline.
            last = first + 1
            rules = (last,)
            if first in self.finder.overlined:
                rules = (first - 1, last)
        start, end = place.pieces[0][0], place.pieces[-1][1]
        self.messages.append(
            Message(
                msgid=self._msgid(place),
                kind=context.kind,
                start=start,
                end=end,
                line=first + 1,
                last_line=self.lines.number(end) + 1,
                headings=tuple(title for _, title in headings),
                prefix=place.quote,
                is_top_level=context.is_top,
                block_end=self.lines.end(last),
                markup=Markup.RST,
                is_glossary_term=is_glossary_term,
                pieces=place.pieces if place.is_boxed else (),
                rules=tuple((self.lines.starts[line], self.lines.end(line)) for line in rules),
                mark=place.mark,
            )
        )

    def _msgid(self, place: Place) -> str:
        """Return the words at a place, joined to one line.

        "two\\n  lines"            two lines
        "as here::"               as here:        with the mark "::"
        "as here ::"              as here         with the mark " ::"
        '"a ""b"", c"'            a "b", c        a CSV field
        """
        parts = [self.text[start:end] for start, end in place.pieces]
        if place.mark:
            parts[-1] = parts[-1].removesuffix(place.mark)
            # docutils renders "words::" with one colon, which belongs to the words. It renders
            # "words ::" without a colon.
            if place.mark == _LITERAL:
                parts[-1] += ":"
        text = "\n".join(parts)
        # The quotation marks of a CSV field are optional.
        if place.quote and text.startswith(place.quote):
            text = text[1:-1].replace(place.quote * 2, place.quote)
        return _FOLDED.sub(" ", text).strip()


def _why_unsafe(words: Words, node: nodes.Element) -> str:
    """Return why a text with a known place must stay English, or "" if it can be translated.

    A merge writes the lines of a paragraph as one line. In this text, that would change the
    structure:

        Some words
        and more
           indented
    """
    if UNWRITABLE.search(words):
        return UNWRITABLE_REASON
    if "\n" not in words:
        return ""
    after = node.next_node(descend=False, siblings=True)
    if isinstance(after, nodes.system_message) and after.astext().endswith(_INDENTED):
        # A single line above an indented block is a term with its definition.
        return "an indented line follows without a blank line"
    return ""
