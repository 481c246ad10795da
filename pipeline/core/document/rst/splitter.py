"""Split a text of reStructuredText into messages, by position.

docutils tells where blocks are; nothing is ever rendered again. See
:mod:`pipeline.core.document.rst.placement` for the way back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from docutils import ApplicationError, nodes

from pipeline.core.document import limits
from pipeline.core.document.message import (
    NOT_WRITABLE,
    UNWRITABLE,
    Kind,
    Markup,
    Message,
    Signature,
    Split,
)
from pipeline.core.document.rst.blocks import (
    Where,
    ancestors,
    attributes,
    code_of,
    has_words,
    is_caption,
    is_image_text,
    metadata,
)
from pipeline.core.document.rst.parser import longest_line, read
from pipeline.core.document.rst.positions import Finder, Lines, Place, Words
from pipeline.errors import InputError

# From this level on, a message of docutils' that quotes source stands in its place.
_SOURCE_LOST = 3
# An image may be described by a file name, which nobody translates; a listing is named by one.
_IS_WORTH = {Kind.CAPTION: is_caption, Kind.IMAGE: is_image_text}
_FOLDED = re.compile(r"[ \t]*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")
_LITERAL = "::"
_INDENTED = "Unexpected indentation."  # docutils' message


def split_rst(text: str) -> Split:
    """Find the messages of a whole document. Raises InputError where docutils itself fails.

    Offsets are characters of ``text``. ``"Title\\n=====\\n\\n* two\\n  lines\\n"`` has the heading
    ``Title`` at [0, 5), with its underline as a rule, and the list item ``two lines``.
    """
    lines = Lines(text)
    limit = longest_line()
    for number, line in enumerate(lines.shown, 1):
        if len(line) > limit:
            raise InputError(
                f"line {number} is longer than docutils reads",
                hint="Break it upstream, or exclude the page.",
            )
    try:
        document, finder = read(lines)
        splitter = _Splitter(text, finder)
        splitter.walk(document, 0, Where(), 0)
    except RecursionError:
        return limits.unread(text, limits.TOO_DEEP)
    except (*limits.PARSER_ERRORS, ApplicationError) as error:
        raise InputError(
            f"docutils fails on it ({type(error).__name__}: {error})",
            hint="Report the page upstream, or exclude it.",
        ) from error
    return splitter.result()


class _Splitter:
    """Walks the tree of one document and collects messages with their offsets."""

    def __init__(self, text: str, finder: Finder) -> None:
        """``finder`` has read the text: it knows its lines, and which titles have overlines."""
        self.text = text
        self.finder = finder
        self.lines = finder.lines
        self.messages: list[Message] = []
        self.skeleton: list[tuple[int, Signature]] = []
        self.code: list[str] = []
        self.headings: list[tuple[int, str]] = []
        self.tables: list[tuple[int, int]] = []
        self.unsafe: list[tuple[int, str]] = []
        self.title_end: int | None = None

    def result(self) -> Split:
        """What was collected.

        Messages are sorted: the options of a directive are read before its content, in no order.
        """
        return Split(
            text=self.text,
            messages=tuple(sorted(self.messages, key=lambda message: message.start)),
            skeleton=tuple(self.skeleton),
            code=tuple(self.code),
            headings=tuple(self.headings),
            title_end=self.title_end,
            tables=tuple(self.tables),
            unsafe=tuple(sorted(self.unsafe)),
        )

    def walk(self, node: nodes.Element, depth: int, where: Where, offset: int) -> None:
        """Read the blocks in ``node``.

        ``offset`` is where ``node`` stands; a block that docutils gives no place begins there.
        """
        fields = metadata(node)
        for child in node.children:
            if isinstance(child, nodes.system_message):
                self._lost(child, depth, offset)
            elif isinstance(child, nodes.Element):
                inner = where.within(child)
                if child is fields:
                    inner = replace(inner, is_opaque=True)
                self._block(child, depth, inner, offset)

    def _block(
        self, node: nodes.Element, depth: int, where: Where, offset: int
    ) -> None:
        """One block with all that stands in it. docutils may not tell where it is itself.

        Note its signature and its code, the words in it as messages, and whatever a person
        should know to stay English.
        """
        offset = self._offset(node, offset)
        leaves = [child for child in node.children if isinstance(child, nodes.Text)]
        texts = [self._text(leaf, node, where) for leaf in leaves]
        # The depth is a part of it: a list that has moved into another one is another list.
        self.skeleton.append(
            (offset, (str(depth), node.tagname, *attributes(node), *texts))
        )
        code = code_of(node)
        if code is not None:
            self.code.append(code)
        # The first part of a signature is the directive's name; behind it stands what is lost.
        if "lost" in node and has_words("\n".join(node["signature"][1:])):
            self.unsafe.append((node["first"] + 1, node["lost"]))
        count = len(self.messages)
        self.walk(node, depth + 1, where, offset)
        # A table without messages is never redrawn.
        if "lines" in node and len(self.messages) > count:
            first, last = node["lines"]
            self.tables.append((self.lines.starts[first], self.lines.end(last)))

    def _offset(self, node: nodes.Element, default: int) -> int:
        """Where a block begins; ``default`` if docutils tells of nothing in it."""
        # A list stands where its first item does: the outermost block that is told decides.
        offsets = map(self._offset_told, node.findall(nodes.Element))
        return next((offset for offset in offsets if offset is not None), default)

    def _offset_told(self, node: nodes.Element) -> int | None:
        """Where a block begins by its own words or line, whatever stands in it.

        Of a heading and a paragraph docutils tells the words, of a directive the line. Of a list
        it tells nothing.
        """
        for child in node.children:
            if isinstance(child, Words) and child.place:
                return child.place.pieces[0][0]
        # The line of a section is not that of its title, and the title tells where it is.
        if node.line is None or isinstance(node, nodes.section):
            return None
        # docutils counts from 1, and may name the line behind the last one.
        line = min(max(node.line, 1), len(self.lines.starts))
        return self.lines.starts[line - 1]

    def _lost(self, message: nodes.system_message, depth: int, offset: int) -> None:
        """A message of docutils' that stands in the place of source that it could not read.

        It quotes that source: a table with a column too few, a directive without its argument.
        """
        quoted = message.findall(nodes.literal_block)
        sources = [block.astext() for block in quoted]
        if not sources or message["level"] < _SOURCE_LOST:
            return  # a warning beside source that it has read
        self.skeleton.append((offset, (str(depth), "lost", *sources)))
        reason = message[0].astext().replace("\n", " ")
        self.unsafe.append((message.get("line") or 1, reason))

    def _text(self, text: nodes.Text, node: nodes.Element, where: Where) -> str:
        """Make a message of an inline text.

        Returns what of it must be the same in the end: nothing if it is a message now, or all.
        """
        if not isinstance(text, Words):
            return text.astext()  # it comes from docutils and from no line of the page
        headings = self.headings
        if where.kind is Kind.HEADING:
            headings = self._enter_section(text, node, where)
        if len(text) > limits.MESSAGE_LENGTH and not where.is_opaque:
            self.unsafe.append((text.first + 1, limits.too_long(len(text))))
            return text.astext()
        is_worth = _IS_WORTH.get(where.kind, has_words)
        if where.is_opaque or not is_worth(text):
            return text.astext()
        reason = text.reason or _danger(text, node)
        if reason or text.place is None:
            # A person should know that these words cannot be translated.
            self.unsafe.append((text.first + 1, reason))
            return text.astext()
        self._message(text, text.place, where, headings)
        return ""

    def _enter_section(
        self, words: Words, title: nodes.Element, where: Where
    ) -> list[tuple[int, str]]:
        """Note the section that a title opens; return those around it, as (level, title)."""
        level = sum(isinstance(above, nodes.section) for above in ancestors(title))
        # Sections of this level, or further in, end here.
        outer = [heading for heading in self.headings if heading[0] < level]
        shown = self._msgid(words.place) if words.place else words.astext()
        self.headings = [*outer, (level, shown[: limits.TITLE_LENGTH])]
        # The title of the page ends with its underline.
        if where.is_top and self.title_end is None:
            self.title_end = self.lines.end(words.first + 1)
        return outer

    def _message(
        self,
        words: Words,
        place: Place,
        where: Where,
        headings: Sequence[tuple[int, str]],
    ) -> None:
        """Make a message of words whose place is known.

        ``headings`` are the sections around it: for a title, those around its own.
        """
        first = words.first
        last = first + len(place.pieces) - 1
        rules: tuple[int, ...] = ()
        if where.kind is Kind.HEADING:
            # A title is one line, between its rules or above its only one.
            last = first + 1
            rules = (last,)
            if first in self.finder.overlined:
                rules = (first - 1, last)
        start, end = place.pieces[0][0], place.pieces[-1][1]
        self.messages.append(
            Message(
                msgid=self._msgid(place),
                kind=where.kind,
                start=start,
                end=end,
                line=first + 1,
                last_line=self.lines.number(end) + 1,
                headings=tuple(title for _, title in headings),
                prefix=place.quote,
                is_top_level=where.is_top,
                block_end=self.lines.end(last),
                markup=Markup.RST,
                pieces=place.pieces if place.is_boxed else (),
                rules=tuple(
                    (self.lines.starts[line], self.lines.end(line)) for line in rules
                ),
                mark=place.mark,
            )
        )

    def _msgid(self, place: Place) -> str:
        """The words at a place, on one line.

        "two\\n  lines"            two lines
        "as here::"               as here:        with the mark "::"
        "as here ::"              as here         with the mark " ::"
        '"a ""b"", c"'            a "b", c        a field of CSV
        """
        parts = [self.text[start:end] for start, end in place.pieces]
        if place.mark:
            parts[-1] = parts[-1].removesuffix(place.mark)
            # Of "words::" one colon is shown and belongs to the words; "words ::" shows none.
            if place.mark == _LITERAL:
                parts[-1] += ":"
        text = "\n".join(parts)
        # A field of CSV may stand without quotation marks.
        if place.quote and text.startswith(place.quote):
            text = text[1:-1].replace(place.quote * 2, place.quote)
        return _FOLDED.sub(" ", text).strip()


def _danger(words: Words, node: nodes.Element) -> str:
    """Why a text that has been found must stay as it is; empty if it may be a message.

    Two lines of a paragraph become one. These would become something else:

        Some words
        and more
           indented
    """
    if UNWRITABLE.search(words):
        return NOT_WRITABLE
    if "\n" not in words:
        return ""
    after = node.next_node(descend=False, siblings=True)
    if isinstance(after, nodes.system_message) and after.astext().endswith(_INDENTED):
        # On one line, it would be a term with its definition.
        return "an indented line follows without a blank line"
    return ""
