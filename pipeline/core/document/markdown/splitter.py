"""Splitter of Markdown texts into messages with positions.

The parser finds the blocks. A block with words becomes a message: a part of the source, with its
offsets. Inline markup such as ``**`` remains in the message and is not parsed here. The inverse is
:mod:`pipeline.core.document.markdown.placement`, which puts translations at these offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token
from msgspec.structs import replace

from pipeline import limits
from pipeline.core.document import message, prose
from pipeline.core.document.directives import QUOTE, Body, Directive, Field
from pipeline.core.document.markdown import directives, front_matter
from pipeline.core.document.markdown.parser import (
    CONTAINERS,
    FENCES,
    HTML_CODE,
    HTML_IMAGE,
    OPAQUE,
    RAW_HTML,
    html_tags,
    is_paragraph,
    opaque_signature,
    parser,
    signature,
)
from pipeline.core.document.markdown.positions import (
    Lines,
    Place,
    Words,
    cell_spans,
    line_prefix,
    locate,
    without_task_mark,
    words_at,
    words_in_line,
)
from pipeline.core.document.markdown.template_syntax import find_evaluated
from pipeline.core.document.message import Kind, Message, Signature, Split
from pipeline.errors import InputError
from pipeline.reading import MYST, Reading

_IMAGE = re.compile(r"(?<!\[)!\[([^\[\]]+)\]\(")
# A toctree entry with a title: "Some title <page>".
_ENTRY = re.compile(r"\s*(?P<title>\S.*?)\s*(?<!\\)<[^<]*?>\s*")
# Functions that decide whether a text of this kind should be translated. For other kinds,
# `has_words` decides.
_IS_WORTH = {Kind.CAPTION: prose.is_caption, Kind.IMAGE: prose.is_image_text}
_NO_DIRECTIVE = (
    'a fence of colons without a directive; if the docs are of mkdocs, set markdown = "mkdocs"'
)
# Types of tokens that may contain the syntax of another program, such as Jinja.
_EVALUATED = frozenset(("inline", "html_block"))
_CSV_DIALECT = "its dialect of CSV is not supported"
_CSV_FIELD = "a field of its CSV is not a single line of words"
_QUOTED = re.compile(r'"([^"]+)"')  # the title of an MkDocs admonition
_UNDERLINES = ("=", "-")


def split_text(
    text: str,
    *,
    page: bool = False,
    headings: Sequence[tuple[int, str]] = (),
    reading: Reading = MYST,
) -> Split:
    """Split ``text``, a whole page if ``page`` is true or a Markdown cell, into messages.

    ``headings`` are the (level, title) pairs of the sections that are open at the start of the
    text. Text that exceeds the limits in :mod:`pipeline.limits` does not become a message; the
    result lists it in ``left_in_english``. Raises InputError if the Markdown parser fails.
    """
    splitter = _Splitter(text, list(headings), reading)
    try:
        splitter.walk(splitter.lines.to_parse(), 0, page=page)
    except RecursionError:
        return message.unsplit(text, limits.TOO_DEEP)
    except message.PARSER_ERRORS as error:
        raise InputError(
            f"the Markdown parser fails on it ({type(error).__name__}: {error})",
            hint="Report the page upstream, or exclude it.",
        ) from error
    if splitter.refused:
        line, reason = splitter.refused
        return replace(message.unsplit(text, reason, line), code=tuple(splitter.code))
    return Split(
        text=text,
        messages=tuple(splitter.messages),
        skeleton=tuple(splitter.skeleton),
        code=tuple(splitter.code),
        headings=tuple(splitter.headings),
        title_end=splitter.title_end,
        left_in_english=tuple(splitter.left_in_english),
    )


class _Splitter:
    """Walker over the block tokens of one text, which collects messages and the skeleton.

    The skeleton has the signature of each block: all parts of it that a merge must not change.
    """

    def __init__(self, text: str, headings: list[tuple[int, str]], reading: Reading) -> None:
        """Start without messages. ``headings`` are the open sections as (level, title)."""
        self.lines = Lines(text)
        self.reading = reading
        self.headings = headings
        self.messages: list[Message] = []
        self.skeleton: list[tuple[int, Signature]] = []
        self.code: list[str] = []
        self.left_in_english: list[tuple[int, str]] = []
        self.title_end: int | None = None
        self.refused: tuple[int, str] | None = None  # (line, reason)

    def walk(
        self,
        lines: list[str],
        first: int,
        *,
        directive: Directive | None = None,
        depth: int = 0,
        page: bool = False,
    ) -> None:
        """Collect the messages of ``lines``, which begin at the 0-based line ``first`` of the text.

        If the lines are the body of a ``directive``, ``depth`` is the number of directives around
        them.
        """
        md = parser(page=page, dialect=self.reading.dialect)
        tokens: list[Token] = []
        md.block.parse("\n".join(lines), md, {}, tokens)
        containers = [directive.paragraphs] if directive else []
        cells: Iterator[tuple[int, int]] = iter(())
        # The token of the current heading, or None.
        heading: Token | None = None
        line = first
        starts = self.lines.starts
        for index, token in enumerate(tokens):
            if token.map is not None:
                line = first + token.map[0]
            if token.type in _EVALUATED and not self.refused:
                self._refuse_evaluated(token, line)
            if token.type in OPAQUE:
                self._opaque(token, line, containers, depth)
            elif token.type != "inline":
                # An empty block at the end may start after the last line.
                start = starts[min(line, len(starts) - 1)]
                self.skeleton.append((start, signature(token)))
                if token.type == "tr_open":
                    is_header = tokens[index - 1].type == "thead_open"
                    cells = iter(cell_spans(self.lines.shown[line], is_header=is_header))
                if token.nesting > 0:
                    heading = token if token.type == "heading_open" else None
                    if token.level + 1 >= limits.NESTING:
                        self.left_in_english.append((line + 1, limits.TOO_DEEP))
                if kind := CONTAINERS.get(token.type):
                    _enter_or_leave(token, kind, containers)
            elif containers and containers[-1] is Kind.TABLE_CELL:
                self._table_cell(next(cells, None), token.content, line)
            elif token.content:
                self._block(token.content, line, containers, heading)

    def _block(
        self, content: str, line: int, containers: Sequence[Kind], heading: Token | None
    ) -> None:
        """Add the message of a heading, or of a paragraph in any container.

        ``content`` is the text as the parser returns it. It begins on line ``line`` or below.
        """
        kind = [Kind.PARAGRAPH, *containers][-1]
        if heading:
            kind = Kind.HEADING  # also inside a quote or a list
        place = locate(self.lines, content, line)
        if kind is Kind.LIST_ITEM:
            place = without_task_mark(self.lines, place)
        words = words_at(self.lines, place)
        block_end = self.lines.end(place.last)
        if heading:
            block_end = self._heading(heading, words, is_top_level=not containers)
        if self._is_too_long(words.text, place.line):
            return
        # A msgid must not begin with a line end, because gettext would require the same of msgstr.
        has_words = prose.has_words(words.text)
        if not has_words or words.text.startswith("\n"):
            self._image_texts(place)
        else:
            self._add(words, kind, is_top_level=not containers, block_end=block_end)

    def _is_too_long(self, text: str, line: int) -> bool:
        """Return whether the text on ``line`` is too long for a message; if so, record it."""
        if len(text) <= limits.MESSAGE_LENGTH:
            return False
        # The data of inline images does not count.
        length = len(prose.hide_payloads(text)[0])
        if length <= limits.MESSAGE_LENGTH:
            return False
        self.left_in_english.append((line + 1, limits.too_long_reason(length)))
        # A merge must not change the skipped text, so add it to the skeleton.
        self.skeleton.append((self.lines.starts[line], ("too long", text)))
        return True

    def _heading(self, heading: Token, words: Words, *, is_top_level: bool) -> int:
        """Record the section that a heading begins; return the end offset of the heading."""
        self._enter_section(int(heading.tag[1]), words.text)
        last = words.place.last
        if heading.markup in _UNDERLINES:
            last += 1
        end = self.lines.end(last)
        # The first heading outside all containers is the page's title.
        if is_top_level and self.title_end is None:
            self.title_end = end
        return end

    def _enter_section(self, level: int, title: str) -> None:
        """Close the sections that a heading of this level ends, and open its own section."""
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, title[: limits.TITLE_LENGTH]))

    def _table_cell(self, span: tuple[int, int] | None, content: str, line: int) -> None:
        """Add the table cell at the columns ``span``, which is None if the row lacks the cell."""
        if span is None or not content:
            return
        words = words_in_line(self.lines, line, *span)
        if self._is_too_long(words.text, line):
            return
        # Check that the text at these columns is the cell that the parser found.
        read = self.lines.shown[line][slice(*span)]
        is_same = read.replace("\\|", "|") == content.strip()
        if is_same and prose.has_words(words.text):
            self._add(words, Kind.TABLE_CELL)

    def _image_texts(self, place: Place) -> None:
        """Add the texts of images in a block without other words: ``![some words](a.png)``.

        Skip file names, and badges (images inside of links).
        """
        for number, (start, end) in enumerate(place.spans, place.line):
            for match in _IMAGE.finditer(self.lines.shown[number], start, end):
                self._image_text(match, number)

    def _image_text(self, match: re.Match[str], line: int, group: int = 1) -> None:
        """Add an image's text, a ``group`` of ``match``, if it should be translated."""
        text = match[group].strip()
        if not self._is_too_long(text, line) and prose.is_image_text(text):
            column = match.start(group) + match[group].index(text)
            words = words_in_line(self.lines, line, column, column + len(text))
            self._add(words, Kind.IMAGE)

    def _opaque(self, token: Token, line: int, containers: Sequence[Kind], depth: int) -> None:
        """Add the signature of a leaf block, and the messages inside of it, if any."""
        start = self.lines.starts[line]
        if token.type == "html_block":
            self.skeleton.append((start, ("html_block", *self._html(token, line, containers))))
            return
        if token.type == "mkdocs_block":
            self._mkdocs_block(token, line, depth)
        elif token.type == "front_matter":
            self._front_matter(token, line)
        elif token.type in FENCES:
            self._fence(token, line, depth)
        else:
            self.skeleton.append((start, opaque_signature(token)))

    def _fence(self, token: Token, line: int, depth: int) -> None:
        """Add a fence: a code block, or a directive with the messages in it."""
        start = self.lines.starts[line]
        info = directives.parse_info(token.info)
        directive = directives.directive_of(info.name, self.reading.prose)
        if directive.body is Body.CODE and directive.is_cell:
            self.code.append(token.content)
        if token.type == "colon_fence" and not info.name:
            # In MyST the block extends to the closing fence, in MkDocs it is a single line.
            if prose.has_words(token.content):
                self.left_in_english.append((line + 1, _NO_DIRECTIVE))
        elif reason := _why_untranslated(info, directive, token.content, depth):
            self.left_in_english.append((line + 1, reason))
        elif directive.holds_words:
            self.skeleton.append((start, (token.type, token.markup, info.name)))
            self._directive(directive, info.argument, token, line, depth)
            return
        self.skeleton.append((start, opaque_signature(token)))

    def _front_matter(self, token: Token, line: int) -> None:
        """Add the messages in the front matter: the title, and other values that readers see."""
        source = front_matter.yaml_of(token, self.lines.shown)
        fixed: list[str] = []
        at = 0
        for value in front_matter.front_values(source, self.reading.dialect):
            first = line + 1 + source.count("\n", 0, value.start)
            if value.problem:
                self.left_in_english.append((first + 1, value.problem))
                continue
            is_long = self._is_too_long(value.text, first)
            if is_long or not prose.has_words(value.text):
                continue
            place = self._place_in(source, value.start, value.end, line + 1)
            words = Words(text=value.text, place=place, prefix=value.quote)
            self._add(words, value.kind)
            fixed.append(source[at : value.start])
            at = value.end
        start = self.lines.starts[line]
        if not fixed:
            self.skeleton.append((start, opaque_signature(token)))
            return
        # Add the YAML between the values to the skeleton, so that a merge cannot change other keys.
        fixed.append(source[at:])
        self.skeleton.append((start, (token.type, token.markup, *fixed)))

    def _place_in(self, block: str, start: int, end: int, line: int) -> Place:
        """Return the place of ``[start, end)`` of ``block``, which begins on line ``line``."""
        first = line + block.count("\n", 0, start)
        column = start - block.rfind("\n", 0, start) - 1
        spans: list[tuple[int, int]] = []
        for piece in block[start:end].split("\n"):
            spans.append((column, column + len(piece)))
            column = 0
        return Place(first, tuple(spans))

    def _mkdocs_block(self, token: Token, line: int, depth: int) -> None:
        """Add a block of MkDocs, such as an admonition: a quoted title and an indented body."""
        start = self.lines.starts[line]
        if depth >= limits.DIRECTIVES:
            self.left_in_english.append((line + 1, limits.TOO_MANY_DIRECTIVES))
            self.skeleton.append((start, opaque_signature(token)))
            return
        fixed = token.info
        # The title is the only part of the first line that a translation may change.
        title = _QUOTED.search(token.info)
        if title and prose.has_words(title[1]) and not self._is_too_long(title[1], line):
            # The info string is the end of its line, except for trailing spaces.
            shown = self.lines.shown[line]
            begin = shown.rindex(token.info.rstrip()) + title.start(1)
            words = words_in_line(self.lines, line, begin, begin + len(title[1]))
            self._add(words, Kind.TITLE)
            fixed = token.info[: title.start(1)] + token.info[title.end(1) :]
        self.skeleton.append((start, (token.type, token.markup, fixed)))
        body = token.content.split("\n")
        self.walk(body, line + 1, directive=directives.TITLED, depth=depth + 1)
        self.skeleton.append((start, ("end of block",)))

    def _refuse_evaluated(self, token: Token, line: int) -> None:
        """Record the page as refused if a block has syntax that another program evaluates."""
        is_html = token.type == "html_block"
        if found := find_evaluated(token.content, self.reading, is_html=is_html):
            self.refused = (line + found[0] + 1, found[1])

    def _directive(
        self, directive: Directive, argument: str, token: Token, line: int, depth: int
    ) -> None:
        """Add the messages in a directive: its argument, the values of options, and its body."""
        fixed: list[str] = []
        if (
            directive.argument
            and not self._is_too_long(argument, line)
            and prose.has_words(argument)
        ):
            end = len(self.lines.shown[line].rstrip())
            words = words_in_line(self.lines, line, end - len(argument), end)
            self._add(words, directive.argument)
        else:
            fixed.append(argument)
        # Collect the other parts for the skeleton, so that a translation cannot change them.
        body = token.content.removesuffix("\n").split("\n")
        skipped = directives.count_option_lines(body)
        fixed += self._options(directive, body[:skipped], line + 1)
        content, first = body[skipped:], line + 1 + skipped
        if directive.body is Body.TOCTREE:
            fixed += self._entries(content, first)
        elif directive.body is Body.CSV_TABLE:
            fixed += self._fields(content, first, body[:skipped], prefix=QUOTE)
        elif directive.body not in (Body.PROSE, Body.GLOSSARY):
            fixed += content
        start = self.lines.starts[line]
        self.skeleton.append((start, ("options", *fixed)))
        if directive.body is Body.PROSE:
            self.walk(content, first, directive=directive, depth=depth + 1)
        elif directive.body is Body.GLOSSARY:
            self._glossary(content, first, depth)
        # With this entry, the guard notices if a block after the directive moves into the
        # directive.
        self.skeleton.append((start, ("end of directive",)))

    def _options(self, directive: Directive, lines: list[str], first: int) -> Iterator[str]:
        """Add the option values with words; yield the fixed part of every option line.

        :alt: Some words        ":alt: "
        """
        values = {value.line: value for value in directives.option_values(lines, directive.options)}
        for number, line in enumerate(lines):
            value = values.get(number)
            if value is None:
                yield line
                continue
            kind = directive.options[value.key]
            if value.columns is None:
                reason = f'the syntax of the option "{value.key}" is not supported'
                self.left_in_english.append((first + number + 1, reason))
                yield line
            elif kind is Kind.TABLE_CELL:  # the header of a table of CSV
                start, end = value.columns
                yield line[:start]
                # Add no prefix: quotation marks here would belong to YAML, not to CSV.
                yield from self._fields([line[start:end]], first + number, lines, prefix="")
            else:
                yield self._without_words(line, first + number, value.columns, kind)

    def _entries(self, lines: list[str], first: int) -> Iterator[str]:
        """Add the titles of toctree entries; yield the fixed part of every line.

        Some title <page>       " <page>"
        """
        for number, line in enumerate(lines, first):
            entry = _ENTRY.fullmatch(line)
            if entry is None:
                yield line
            else:
                yield self._without_words(line, number, entry.span("title"), Kind.TITLE)

    def _glossary(self, lines: list[str], first: int, depth: int) -> None:
        """Add the terms and definitions of a glossary; ``lines`` begin at line ``first``."""
        at = 0
        for entry in directives.glossary_entries(lines):
            # These lines belong to no entry: lines before the first entry, and comments.
            fixed = lines[at : entry.line]
            below = entry.line + 1
            at = below + len(entry.definition)
            number = first + entry.line
            term = self._without_words(lines[entry.line], number, (0, entry.end), Kind.TERM)
            self.skeleton.append((self.lines.starts[number], ("term", *fixed, term)))
            if any(map(str.strip, entry.definition)):
                self.walk(
                    list(entry.definition),
                    first + below,
                    directive=directives.DEFINITION,
                    depth=depth + 1,
                )
                # With this entry, the guard notices if a block moves to another definition.
                start = self.lines.starts[first + below]
                self.skeleton.append((start, ("end of definition",)))
        if at < len(lines):
            self.skeleton.append((self.lines.starts[first], ("comment", *lines[at:])))

    def _fields(
        self, lines: list[str], first: int, options: Sequence[str], *, prefix: str
    ) -> Iterator[str]:
        """Add the fields of CSV that have words; yield the parts that a merge must keep.

        The parts of a row are "row", then for each field "" if the field has words, otherwise its
        text. If ``prefix`` is a quotation mark, a merge puts the translations in quotation marks.
        """
        rows = directives.csv_rows(lines, options)
        if rows is None:
            self.left_in_english.append((first + 1, _CSV_DIALECT))
            yield from lines
            return
        for row in rows:
            yield "row"
            for field in row:
                yield self._field(field, lines, first, prefix)

    def _field(self, field: Field, lines: list[str], first: int, prefix: str) -> str:
        """Add the words of a field of ``lines``; return the part that a merge must keep.

        If the field becomes a message, return "". Otherwise return its whole text.
        """
        (at, start), (last, end) = field.start, field.end
        if not prose.has_words(field.text) or self._is_too_long(field.text, first + at):
            return field.text
        content, shown = lines[at], self.lines.shown[first + at]
        offset = shown.rfind(content)
        is_read = at == last and offset >= 0 and is_paragraph(field.text)
        is_plain = content[start:end] == field.text
        if not is_read or not (prefix or is_plain):
            self.left_in_english.append((first + at + 1, _CSV_FIELD))
            return field.text
        words = words_in_line(self.lines, first + at, offset + start, offset + end)
        self._add(replace(words, text=field.text, prefix=prefix), Kind.TABLE_CELL)
        return ""

    def _without_words(self, content: str, line: int, columns: tuple[int, int], kind: Kind) -> str:
        """Add the words in a column range of ``content``, if any; return ``content`` without them.

        ``content`` is the line ``line`` without the prefixes of its containers.
        """
        text = content[slice(*columns)]
        shown = self.lines.shown[line]
        is_worth = _IS_WORTH.get(kind, prose.has_words)
        # If the prefix of a container ends within a tab, the parser replaces the rest of the tab by
        # spaces. The content is then not the end of the source line.
        if not is_worth(text) or not shown.endswith(content):
            return content
        if self._is_too_long(text, line):
            return content
        start, end = columns
        offset = len(shown) - len(content)
        words = words_in_line(self.lines, line, offset + start, offset + end)
        self._add(words, kind, is_glossary_term=kind is Kind.TERM)
        return content[:start] + content[end:]

    def _html(self, token: Token, line: int, containers: Sequence[Kind]) -> tuple[str, ...]:
        """Add the messages of an HTML block; return the parts that a merge must keep.

        If the text of the block became a message, return its tags. If not, return the whole block
        without the texts of images.
        """
        block = token.content.strip()
        if RAW_HTML.match(block):
            return (token.content,)
        if (
            not HTML_CODE.search(block)
            and not self._is_too_long(block, line)
            and prose.has_words(block)
        ):
            words = self._html_words(token.content, line)
            if words is not None:
                self._add(
                    words,
                    Kind.HTML,
                    is_top_level=not containers,
                    block_end=self.lines.end(words.place.last),
                )
                # If there are no tags, continue as for a block without words.
                if tags := html_tags(words.text):
                    return tags
        return self._html_images(token.content, line)

    def _html_words(self, content: str, line: int) -> Words | None:
        """Return the text of an HTML block, including tags, or None if it cannot be a message."""
        spans: list[tuple[int, int]] = []
        pieces: list[str] = []
        for number, raw in enumerate(content.rstrip("\n \t").split("\n"), line):
            # The text includes the indentation of all lines except the first one.
            piece = (raw.lstrip(" \t") if number == line else raw).rstrip(" \t")
            source = self.lines.shown[number].rstrip(" \t")
            if not source.endswith(piece):
                return None
            start, end = len(source) - len(piece), len(source)
            spans.append((start, end))
            pieces.append(self.lines.shown[number][start:end])
        text = "\n".join(pieces)
        for tag in html_tags(text):
            if tag.startswith("<!--") and prose.has_words(tag[4:-3]):
                # Readers do not see comments, so their words are not translated.
                return None
        place = Place(line, tuple(spans))
        return Words(text=text, place=place, prefix=line_prefix(self.lines, place))

    def _html_images(self, content: str, line: int) -> tuple[str, ...]:
        """Add the alt texts of ``<img>`` tags in a block; return the other parts of the block."""
        count = content.rstrip("\n").count("\n") + 1
        # Search each line on its own, because a message of this kind must be on a single line.
        for number in range(line, line + count):
            for match in HTML_IMAGE.finditer(self.lines.shown[number]):
                self._image_text(match, number, group=2)
        return (HTML_IMAGE.sub(r"\1", content),)

    def _add(
        self,
        words: Words,
        kind: Kind,
        *,
        is_top_level: bool = False,
        block_end: int = 0,
        is_glossary_term: bool = False,
    ) -> None:
        """Append a message with these words, unless a PO file cannot contain them."""
        if message.UNWRITABLE.search(words.text):
            self.left_in_english.append((words.place.line + 1, message.UNWRITABLE_REASON))
            return
        msgid, payloads = prose.hide_payloads(words.text)
        start, end = self.lines.offsets(words.place)
        # A heading is in the sections above it, but not in its own section.
        titles = self.headings[:-1] if kind is Kind.HEADING else self.headings
        self.messages.append(
            Message(
                msgid=msgid,
                kind=kind,
                start=start,
                end=end,
                line=words.place.line + 1,
                last_line=words.place.last + 1,
                headings=tuple(title for _, title in titles),
                prefix=words.prefix,
                breaks=words.breaks,
                payloads=payloads,
                is_top_level=is_top_level,
                block_end=block_end,
                is_glossary_term=is_glossary_term,
            )
        )


def _why_untranslated(info: directives.Info, directive: Directive, content: str, depth: int) -> str:
    """Return why a directive stays in English, or "" if it is translated.

    ``depth`` is the number of directives around it. A fence without a name is a code block.
    """
    if not info.name:
        return ""
    if directive.body is Body.UNKNOWN:
        return f'the content of the directive "{info.name}" is unknown'
    if directive.body is Body.RAW:
        return prose.why_raw(info.argument, content)
    if directive.body is Body.RST:
        return "it is reStructuredText within Markdown"
    if directive.body in (Body.PROSE, Body.GLOSSARY) and depth >= limits.DIRECTIVES:
        return limits.TOO_MANY_DIRECTIVES
    return ""


def _enter_or_leave(token: Token, kind: Kind, containers: list[Kind]) -> None:
    """Update the stack of containers at a token that opens or closes one."""
    if token.nesting > 0:
        containers.append(kind)
    else:
        containers.pop()
