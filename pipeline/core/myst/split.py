"""Split a text of MyST Markdown into messages, by position.

The parser tells where blocks are and nothing else: no text is ever rendered again. Inline markup is not
parsed here at all. See :mod:`pipeline.core.document.splice` for the way back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from pipeline.core.document import prose
from pipeline.core.document.message import Kind, Message
from pipeline.core.myst import directives
from pipeline.errors import InputError

_LINE_END = re.compile(r"\r\n?|\n")
_MARKERS = re.compile(
    r"(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[\^[^\]\s]+\]:|[:~](?=[ \t])))*[ \t]*(?=\|)"
)
_TASK = re.compile(r"\[[ xX]\][ \t]+")
_HARD_BREAK = re.compile(r"(?: {2,}|(?<!\\)(?:\\\\)*(\\))$")
_IMAGE = re.compile(r"(?<!\[)!\[([^\[\]]+)\]\(")
_HTML_IMAGE = re.compile(r'<img\b[^<>]*?\salt="([^"<>]*)', re.IGNORECASE)
_HTML_OPAQUE = re.compile(r"<[!?]|<(?:script|pre|style|textarea)\b", re.IGNORECASE)
_HTML_CODE = re.compile(r"<(?:script|pre|style|textarea|svg|iframe|object)\b", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"<!--.*?-->|<[^<>\"']*(?:\"[^\"]*\"[^<>\"']*|'[^']*'[^<>\"']*)*>", re.DOTALL
)
_CONTAINERS = {
    "list_item": Kind.LIST_ITEM,
    "blockquote": Kind.QUOTE,
    "footnote_reference": Kind.FOOTNOTE,
    "dt": Kind.TERM,
    "dd": Kind.DEFINITION,
    "heading": Kind.HEADING,
    "th": Kind.TABLE_CELL,
    "td": Kind.TABLE_CELL,
}
_OPAQUE = frozenset(
    "fence colon_fence code_block math_block math_block_label html_block front_matter hr "
    "myst_target myst_line_comment myst_block_break".split()
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_SENTENCE = re.compile(rf"\s|[{prose.CJK}]")
_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.IGNORECASE)
_BLANK = " \t\x0b\x0c"
_BYTE_ORDER_MARK = "\ufeff"
_MAX_DEPTH = 8  # directives in directives; deeper ones stay upstream's

# One block of the page: its type with whatever must be equal after a merge.
Signature = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A text, its messages in order of position, and its block skeleton.

    The gaps are what lies between the messages. ``skeleton`` pairs each block's start offset with its
    signature. ``code`` holds the content of every ``{code-cell}``.
    """

    text: str
    messages: tuple[Message, ...]
    skeleton: tuple[tuple[int, Signature], ...]
    code: tuple[str, ...] = ()
    headings: tuple[tuple[int, str], ...] = ()  # (level, title) of the sections open at the end
    title_end: int | None = None  # offset behind the first heading that stands in no container
    tables: tuple[
        tuple[int, int], ...
    ] = ()  # of reStructuredText: where tables lie that are drawn with characters
    unsafe: tuple[tuple[int, str], ...] = ()  # line, and why its block is left as it is


class _Parser(MarkdownIt):
    """Takes every link target for one: what a renderer may refuse is still no prose, and the guard wants to see it."""

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


@cache
def parser(*, page: bool = False) -> MarkdownIt:
    """MyST's grammar as upstream's site reads it. ``page`` also reads front matter."""
    md = _Parser("commonmark").enable(["table", "strikethrough"])
    md.use(dollarmath_plugin).use(myst_block_plugin).use(myst_role_plugin).use(
        colon_fence_plugin
    ).use(deflist_plugin)
    md.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
    return md.use(front_matter_plugin) if page else md


@cache
def plain_parser() -> MarkdownIt:
    """The grammar that jupytext reads MyST notebooks with: no definition lists, footnotes, colon fences or math."""
    md = _Parser("commonmark").enable("table")
    return md.use(front_matter_plugin).use(myst_block_plugin).use(myst_role_plugin)


def split_text(text: str, *, page: bool = False, headings: Sequence[tuple[int, str]] = ()) -> Split:
    """Find the messages of ``text``: a whole document if ``page``, else the source of a notebook cell.

    ``headings`` are the sections that are open where the text starts. Raises InputError where the
    Markdown parser itself fails.
    """
    splitter = _Splitter(text, list(headings))
    first = splitter.lines[0][1:] if text.startswith(_BYTE_ORDER_MARK) else splitter.lines[0]
    try:
        splitter.walk([first, *splitter.lines[1:]], 0, base=None, depth=0, page=page)
    except (
        ValueError,
        IndexError,
        KeyError,
        AttributeError,
        TypeError,
        AssertionError,
        RecursionError,
    ) as error:
        raise InputError(
            f"the Markdown parser fails on it ({type(error).__name__}: {error})",
            hint="Report the page upstream, or exclude it.",
        ) from error
    return Split(
        text=text,
        messages=tuple(splitter.messages),
        skeleton=tuple(splitter.skeleton),
        code=tuple(splitter.code),
        headings=tuple(splitter.headings),
        title_end=splitter.title_end,
    )


def html_tags(text: str) -> tuple[str, ...]:
    """Every tag and comment of a piece of HTML, in order."""
    return tuple(_HTML_TAG.findall(text))


class _Splitter:
    """Walks the block tokens of one text and collects messages with their offsets."""

    def __init__(self, text: str, headings: list[tuple[int, str]]) -> None:
        self.headings = headings
        self.messages: list[Message] = []
        self.skeleton: list[tuple[int, Signature]] = []
        self.code: list[str] = []
        self.title_end: int | None = None
        self.starts = [0]
        lines: list[str] = []
        for match in _LINE_END.finditer(text):
            lines.append(text[self.starts[-1] : match.start()])
            self.starts.append(match.end())
        lines.append(text[self.starts[-1] :])
        if text.startswith(_BYTE_ORDER_MARK):
            lines[0] = (
                f" {lines[0][1:]}"  # belongs to the file, not to the first line: the parser does not get it at all
            )
        self.lines = [line.replace("\0", "\ufffd") for line in lines]

    def walk(
        self, lines: list[str], first: int, *, base: Kind | None, depth: int, page: bool = False
    ) -> None:
        """Read ``lines``, of which the first is line ``first`` of the text, inside a container of kind ``base``."""
        md = parser(page=page)
        tokens: list[Token] = []
        md.block.parse("\n".join(lines), md, {}, tokens)
        containers = [] if base is None else [base]
        cells: Iterator[tuple[int, int] | None] = iter(())
        opener = tokens[0] if tokens else None
        for index, token in enumerate(tokens):
            name = token.type
            if token.map is not None:
                line = first + token.map[0]
            if name == "inline":
                if containers and containers[-1] is Kind.TABLE_CELL:
                    self._table_cell(next(cells, None), token.content, line)
                elif token.content:
                    assert opener is not None
                    self._block(
                        token.content,
                        line,
                        containers,
                        heading=opener if opener.type == "heading_open" else None,
                    )
                continue
            if name in _OPAQUE:
                self._opaque(token, line, containers, depth)
                continue
            self.skeleton.append(
                (
                    self.starts[min(line, len(self.starts) - 1)],
                    (name, token.tag, token.markup, *_attributes(token)),
                )
            )
            if token.nesting > 0:
                opener = token
            if name == "tr_open":
                cells = iter(
                    _cell_spans(self.lines[line], is_header=tokens[index - 1].type == "thead_open")
                )
            kind = _CONTAINERS.get(name.rpartition("_")[0])
            if kind is not None and kind is not Kind.HEADING:
                if token.nesting > 0:
                    containers.append(kind)
                else:
                    containers.pop()

    def _block(
        self, content: str, line: int, containers: Sequence[Kind], heading: Token | None
    ) -> None:
        """A heading, or a paragraph in whatever container."""
        while content.partition("\n")[0].strip(_BLANK) not in self.lines[line]:
            line += 1  # the parser strips whole lines from a block's start if they hold but U+00A0 and the like
        spans = self._locate(content, line)
        kind = Kind.HEADING if heading else containers[-1] if containers else Kind.PARAGRAPH
        if kind is Kind.LIST_ITEM and (task := _TASK.match(self.lines[line], spans[0][0])):
            spans[0] = (task.end(), spans[0][1])
        msgid, breaks = self._fold(line, spans)
        if heading:
            self._enter_section(int(heading.tag[1]), msgid)
        last = line + len(spans) - 1
        if heading and heading.markup in ("=", "-"):
            last += 1  # the underline
        block_end = self.starts[last] + len(self.lines[last])
        if heading and not containers and self.title_end is None:
            self.title_end = block_end
        if not prose.has_words(msgid) or msgid.startswith(
            "\n"
        ):  # gettext keeps a line end at the start for itself
            self._image_texts(line, spans)
            return
        prefix = self._prefix(line, spans)
        self._add(
            msgid,
            kind,
            line,
            spans,
            prefix=prefix,
            breaks=breaks,
            is_top_level=not containers,
            block_end=block_end,
        )

    def _enter_section(self, level: int, title: str) -> None:
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, title))

    def _locate(self, content: str, line: int) -> list[tuple[int, int]]:
        """Columns of each line of a block: the end of its source line, but for white space and a heading's closing marks."""
        spans = []
        for number, piece in enumerate(content.split("\n"), line):
            body = piece.strip(_BLANK)
            start = self.lines[number].rindex(body)
            spans.append((start, start + len(body)))
        return spans

    def _fold(self, line: int, spans: Sequence[tuple[int, int]]) -> tuple[str, tuple[str, ...]]:
        """The msgid of a block, and the marks of its hard breaks."""
        if len(spans) == 1:
            return self.lines[line][spans[0][0] : spans[0][1]], ()
        parts: list[str] = []
        breaks: list[str] = []
        for number, (start, _) in enumerate(spans[:-1], line):
            rest = self.lines[number][start:]
            if found := _HARD_BREAK.search(rest):
                breaks.append(found[1] or found[0])
                parts.append(rest[: -len(breaks[-1])].rstrip(" \t") + "\n")
            else:
                parts.append(rest.rstrip(" \t") + " ")
        start, end = spans[-1]
        parts.append(self.lines[line + len(spans) - 1][start:end])
        return "".join(parts), tuple(breaks)

    def _table_cell(self, span: tuple[int, int] | None, content: str, line: int) -> None:
        if span is None or not content:
            return
        text = self.lines[line][span[0] : span[1]]
        if text.replace("\\|", "|") == content.strip() and prose.has_words(text):
            self._add(text, Kind.TABLE_CELL, line, [span])

    def _html_images(self, token: Token, line: int) -> tuple[str, ...]:
        """Add the texts of ``<img>`` tags of HTML that is opaque otherwise; return it without them."""
        if _HTML_OPAQUE.match(token.content.strip()):
            return (token.content,)
        for number in range(line, line + len(token.content.rstrip("\n").split("\n"))):
            for match in _HTML_IMAGE.finditer(self.lines[number]):
                self._image_text(match, number)
        return (
            _HTML_IMAGE.sub(
                lambda match: match[0][: match.start(1) - match.start()], token.content
            ),
        )

    def _image_text(self, match: re.Match[str], line: int) -> None:
        text = match[1].strip()
        if prose.has_words(text) and _SENTENCE.search(text) and not _FILE_NAME.search(text):
            column = match.start(1) + match[1].index(text)
            self._add(text, Kind.IMAGE, line, [(column, column + len(text))])

    def _image_texts(self, line: int, spans: Sequence[tuple[int, int]]) -> None:
        """The texts of images that stand alone; file names and the images of links (badges) are none."""
        for number, (start, end) in enumerate(spans, line):
            for match in _IMAGE.finditer(self.lines[number], start, end):
                self._image_text(match, number)

    def _opaque(self, token: Token, line: int, containers: Sequence[Kind], depth: int) -> None:
        """A block that is taken whole, unless it is a directive with prose in it or HTML with visible text."""
        start = self.starts[line]
        if token.type in ("fence", "colon_fence"):
            name, argument = directives.parse_info(token.info)
            kind = directives.body_kind(name)
            if kind is not None and depth < _MAX_DEPTH:
                self.skeleton.append((start, (token.type, token.markup, name)))
                self._directive(name, argument, token, line, kind, depth)
                return
            if name == "code-cell":
                self.code.append(token.content)
        if token.type == "html_block":
            tags = self._html(token, line, containers) or self._html_images(token, line)
            self.skeleton.append((start, ("html_block", *tags)))
            return
        self.skeleton.append((start, (token.type, token.markup, token.info, token.content)))

    def _directive(
        self, name: str, argument: str, token: Token, line: int, kind: Kind, depth: int
    ) -> None:
        argument_kind = directives.argument_kind(name)
        if argument_kind and prose.has_words(argument):
            end = len(self.lines[line].rstrip())
            self._add(argument, argument_kind, line, [(end - len(argument), end)])
        body = token.content.removesuffix("\n").split("\n")
        skipped = directives.count_option_lines(body)
        signature = tuple(body[:skipped]) if argument_kind else (argument, *body[:skipped])
        self.skeleton.append((self.starts[line], ("options", *signature)))
        self.walk(body[skipped:], line + 1 + skipped, base=kind, depth=depth + 1)
        self.skeleton.append((self.starts[line], ("end of directive",)))

    def _html(self, token: Token, line: int, containers: Sequence[Kind]) -> tuple[str, ...]:
        """Add an HTML block with visible text as a message and return its tags; none if it stays upstream's."""
        html = token.content.strip()
        if _HTML_OPAQUE.match(html) or _HTML_CODE.search(html) or not prose.has_words(html):
            return ()
        spans: list[tuple[int, int]] = []
        for number, piece in enumerate(token.content.rstrip("\n \t").split("\n"), line):
            source = self.lines[number]
            body = piece.lstrip(" \t") if number == line else piece
            body = body.rstrip(" \t")
            stripped = source.rstrip(" \t")
            if not stripped.endswith(body):
                return ()
            spans.append((len(stripped) - len(body), len(stripped)))
        text = "\n".join(
            self.lines[number][start:end] for number, (start, end) in enumerate(spans, line)
        )
        if any(tag.startswith("<!--") and prose.has_words(tag[4:-3]) for tag in html_tags(text)):
            return ()  # a comment never enters a catalogue
        last = line + len(spans) - 1
        block_end = self.starts[last] + len(self.lines[last])
        self._add(
            text,
            Kind.HTML,
            line,
            spans,
            prefix=self._prefix(line, spans),
            is_top_level=not containers,
            block_end=block_end,
        )
        return html_tags(text)

    def _add(
        self,
        msgid: str,
        kind: Kind,
        line: int,
        spans: Sequence[tuple[int, int]],
        *,
        prefix: str = "",
        breaks: tuple[str, ...] = (),
        is_top_level: bool = False,
        block_end: int = 0,
    ) -> None:
        if not msgid.isascii() and _SURROGATE.search(msgid):
            return  # a lone surrogate cannot be written to a catalogue: the block stays upstream's
        msgid, payloads = prose.hide_payloads(msgid)
        last = line + len(spans) - 1
        titles = self.headings[:-1] if kind is Kind.HEADING else self.headings
        self.messages.append(
            Message(
                msgid=msgid,
                kind=kind,
                start=self.starts[line] + spans[0][0],
                end=self.starts[last] + spans[-1][1],
                line=line + 1,
                last_line=last + 1,
                headings=tuple(title for _, title in titles),
                prefix=prefix,
                breaks=breaks,
                payloads=payloads,
                is_top_level=is_top_level,
                block_end=block_end,
            )
        )

    def _prefix(self, line: int, spans: Sequence[tuple[int, int]]) -> str:
        """What stands before the text on a continuation line of this block."""
        if len(spans) > 1:
            return self.lines[line + 1][: spans[1][0]]
        return re.sub(r"[^\s>]", " ", self.lines[line][: spans[0][0]])


def _attributes(token: Token) -> tuple[str, ...]:
    return tuple(f"{key}={value}" for key, value in token.attrs.items()) if token.attrs else ()


def _cell_spans(line: str, *, is_header: bool) -> list[tuple[int, int]]:
    """Columns of the cells of a table row, as markdown-it's table rule cuts them."""
    # Only a row that opens with a pipe can stand behind a list marker: without, the marker is part of the cell.
    markers = _MARKERS.match(line) if is_header else None
    start = markers.end() if markers else len(line) - len(line.lstrip(" \t>"))
    row = line[start:].rstrip()
    cuts = [-1]
    cuts += [
        at
        for at, character in enumerate(row)
        if character == "|" and (at == 0 or row[at - 1] != "\\")
    ]
    cuts.append(len(row))
    spans = [(begin + 1, end) for begin, end in pairwise(cuts)]
    if spans and spans[0][0] == spans[0][1]:
        spans.pop(0)
    if spans and spans[-1][0] == spans[-1][1]:
        spans.pop()
    result = []
    for begin, end in spans:
        text = row[begin:end]
        body = text.strip()
        offset = start + begin + (text.index(body) if body else 0)
        result.append((offset, offset + len(body)))
    return result
