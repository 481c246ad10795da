"""Messages of a page, found again in its HTML: marked before it is rendered, elements after that.

A mark is a few characters of punctuation on either side of a message, which mean nothing in
Markdown nor in reStructuredText, and from which no anchor of a heading is made::

    Use **all** of it.   →   ⁂†‡⁅Use **all** of it.⁆†‡⁂
    …                    →   <span data-block="1">Use <strong>all</strong> of it.</span>

What cannot be marked is rendered as it is: it has no element, and nobody can click on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.document.message import Kind, Markup, Message
from pipeline.core.document.splice import Edit, splice

ATTRIBUTE = "data-block"

_DIGITS = "†‡•‣"
_MARK = re.compile(rf"⁂(?P<start>[{_DIGITS}]+)⁅|⁆(?P<end>[{_DIGITS}]+)⁂")
# A comment, a tag (a value in quotes may hold any character), or a mark outside of both.
_TOKEN = re.compile(
    r"""<!--.*?-->|<(?P<close>/?)(?P<name>[A-Za-z][\w:-]*)(?:[^<>"']|"[^"]*"|'[^']*')*>"""
    rf"|{_MARK.pattern}",
    re.DOTALL,
)
# The one element that an HTML block consists of: what stands in it can be marked.
_ELEMENT = re.compile(
    r"(?P<open>\s*<(?P<name>\w+)[^<>]*>).*(?P<close></(?P=name)>\s*)", re.DOTALL
)
# Elements that have no end.
_VOID = frozenset(
    "area base br col embed hr img input link meta source track wbr".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedHtml:
    """A page as HTML. ``inner`` has what stands in the element of each message that has one.

    That of an image text is the image itself, in which nothing stands.
    """

    html: str
    inner: Mapping[int, str]


def marked_text(text: str, messages: Sequence[Message], *, first: int = 0) -> str:
    """``text`` with marks around ``messages``, which are numbered from ``first`` on."""
    edits: list[Edit] = []
    for number, message in enumerate(messages, start=first):
        place = _place(text, message)
        if place is None:
            continue
        start, end = place
        begin, finish = _marks(number)
        edits += [Edit(start, start, begin), Edit(end, end, finish)]
        edits += _for_title(text, message, len(begin) + len(finish))
    # A target stands before the mark of its title.
    edits.sort(key=lambda edit: (edit.start, not edit.text.startswith("..")))
    return splice(text, edits)


def without_marks(text: str) -> str:
    """``text`` without the marks that are left in it."""
    return _MARK.sub("", text)


def read_marks(html: str) -> MarkedHtml:
    """Return HTML of a marked text, with an element for each message in place of its marks.

    Where only a part of an element is marked, the marks are removed. A mark within a tag makes the
    tag's element that of the message: ``<img alt="⁂†⁅A tree⁆†⁂">``.
    """
    spans = _spans(html)

    def read(token: re.Match[str]) -> str:
        if token["start"] or token["end"]:
            return _element(token, spans)
        mark = _MARK.search(token[0])
        if mark is None:
            return token[0]
        if not token["name"] or not mark["start"]:
            return without_marks(token[0])
        return _with_attribute(token, _number(mark["start"]))

    result = _TOKEN.sub(read, html)
    inner: dict[int, str] = {}
    for number, span in spans.items():
        inner[number] = read_marks(html[span.inner_start : span.inner_end]).html
    return MarkedHtml(html=result, inner=inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """A message in HTML: where its first mark begins and ends, and its second."""

    start: int
    inner_start: int
    inner_end: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A mark outside of tags, and the element that it stands in, as a path of numbers."""

    mark: re.Match[str]
    path: tuple[int, ...]


def _spans(html: str) -> dict[int, _Span]:
    """Return the messages whose two marks stand in the same element, by number."""
    starts: dict[str, _Found] = {}
    spans: dict[int, _Span] = {}
    for found in _marks_outside_of_tags(html):
        mark = found.mark
        if mark["start"]:
            starts.setdefault(mark["start"], found)
            continue
        first = starts.get(mark["end"])
        number = _number(mark["end"])
        # A page may quote the marks: the first pair is ours.
        if first is None or first.path != found.path or number in spans:
            continue
        spans[number] = _Span(
            start=first.mark.start(),
            inner_start=first.mark.end(),
            inner_end=mark.start(),
            end=mark.end(),
        )
    return spans


def _marks_outside_of_tags(html: str) -> Iterator[_Found]:
    path: list[int] = []
    for token in _TOKEN.finditer(html):
        if token["start"] or token["end"]:
            yield _Found(mark=token, path=tuple(path))
        elif token["close"]:
            del path[-1:]
        elif _opens(token):
            path.append(token.start())  # so that no two elements are the same


def _opens(tag: re.Match[str]) -> bool:
    """Return whether a tag begins an element, which another one ends."""
    name = tag["name"] or ""  # a comment has none
    return bool(name) and name.lower() not in _VOID and not tag[0].endswith("/>")


def _element(mark: re.Match[str], spans: Mapping[int, _Span]) -> str:
    """Return what takes the place of a mark: the begin or the end of an element, or nothing."""
    number = _number(mark["start"] or mark["end"])
    span = spans.get(number)
    if span is not None and mark.start() == span.start:
        return f'<span {ATTRIBUTE}="{number}">'
    if span is not None and mark.end() == span.end:
        return "</span>"
    return ""


def _with_attribute(tag: re.Match[str], number: int) -> str:
    """Return a tag without the marks in it, and with the number of the message that they are of."""
    head = tag.end("name") - tag.start()
    return f'{tag[0][:head]} {ATTRIBUTE}="{number}"{without_marks(tag[0][head:])}'


def _place(text: str, message: Message) -> tuple[int, int] | None:
    """Return where the marks of a message go; None if marks would change what the text means."""
    if message.markup is Markup.RST and message.kind is Kind.TABLE_CELL:
        return None  # a table that is drawn with characters would lose its shape
    if message.kind in (Kind.PAGE_TITLE, Kind.FRONT_MATTER):
        return None  # front matter would be other YAML
    if message.kind is not Kind.HTML:
        # "as follows::" announces code by its last two characters, which must stay together.
        words = text[message.start : message.end]
        announced = len(words.rstrip(":")) if message.mark else len(words)
        return message.start, message.start + announced
    element = _ELEMENT.fullmatch(text, message.start, message.end)
    if element is None:
        return None
    return element.end("open"), element.start("close")


def _for_title(text: str, message: Message, length: int) -> Iterator[Edit]:
    """Yield what a title of reST needs, to be the same title with ``length`` more characters.

    The lines above and below must be as long as it is, and links by its name need a target.
    """
    if message.markup is not Markup.RST or not message.rules:
        return
    for start, end in message.rules:
        yield Edit(end, end, text[start] * length * 2)  # wide characters count twice
    if re.search(re.escape(message.msgid) + "`?_", text, re.IGNORECASE):
        top = min(message.start, message.rules[0][0])
        yield Edit(top, top, f".. _`{message.msgid}`:\n\n")


def _marks(number: int) -> tuple[str, str]:
    digits = _digits(number)
    return f"⁂{digits}⁅", f"⁆{digits}⁂"


def _digits(number: int) -> str:
    """Return a number in base 4, of characters that are punctuation: 6 → ``‡•``."""
    digits = ""
    while True:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
        if not number:
            return digits


def _number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    return number
