"""Marks around the messages of a page, to find the messages in the rendered HTML.

There is a mark before a message and another one after it. A mark is a few punctuation characters.
They have no meaning in Markdown and reST, so renderers copy them, and they do not change the anchor
of a heading. In the HTML, a pair of marks becomes an element::

    Use **all** of it.   →   ⁂‡⁅Use **all** of it.⁆‡⁂
    …                    →   <span data-block="1">Use <strong>all</strong> of it.</span>

A few messages cannot be marked. They have no element, so users cannot click on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from pipeline.core.document.message import Kind, Markup, Message
from pipeline.core.document.splice import Edit, splice

ATTRIBUTE = "data-block"

_DIGITS = "†‡"  # binary digits
_TO_DIGITS = str.maketrans("01", _DIGITS)
_FROM_DIGITS = str.maketrans(_DIGITS, "01")
_MARK = re.compile(rf"⁂(?P<start>[{_DIGITS}]+)⁅|⁆(?P<end>[{_DIGITS}]+)⁂")
# A comment, a tag (its quoted values may contain any character), or a mark outside of both.
_TOKEN = re.compile(
    r"""<!--.*?-->|<(?P<close>/?)(?P<name>[A-Za-z][\w:-]*)(?:[^<>"']|"[^"]*"|'[^']*')*>"""
    rf"|{_MARK.pattern}",
    re.DOTALL,
)
# An HTML block that is a single element, whose content can be marked.
_ELEMENT = re.compile(r"(?P<open>\s*<(?P<name>\w+)[^<>]*>).*(?P<close></(?P=name)>\s*)", re.DOTALL)
# Elements without an end tag.
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


class MarkedHtml(Struct, frozen=True, kw_only=True):
    """Rendered page with an element for each message."""

    html: str
    # HTML of each message, by number. A message that is the alternative text of an image is missing
    # here: its element is the image itself, which has no content.
    inner: Mapping[int, str]


def marked_text(text: str, messages: Sequence[Message], *, first: int = 0) -> str:
    """Return ``text`` with marks around ``messages``, numbered from ``first``."""
    edits: list[Edit] = []
    for number, message in enumerate(messages, start=first):
        place = _place(text, message)
        if place is None:
            continue
        start, end = place
        digits = _digits(number)
        begin, finish = f"⁂{digits}⁅", f"⁆{digits}⁂"
        edits += [Edit(start, start, begin), Edit(end, end, finish)]
        edits += _for_title(text, message, len(begin) + len(finish))
    # Put the target of a title (see ``_for_title``) before the mark at the same position.
    edits.sort(key=lambda edit: (edit.start, not edit.text.startswith("..")))
    return splice(text, edits)


def without_marks(text: str) -> str:
    """Return ``text`` without marks."""
    return _MARK.sub("", text)


def read_marks(html: str) -> MarkedHtml:
    """Return the HTML of a marked text with an element instead of each pair of marks.

    Marks that do not enclose complete elements are removed. If the marks are in a tag, as in
    ``<img alt="⁂†⁅A tree⁆†⁂">``, no element is added: this tag gets the attribute ``data-block``.
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
    for number, (first, last) in spans.items():
        # The content may contain marks of other messages, such as the text of an image.
        inner[number] = read_marks(html[first.end() : last.start()]).html
    return MarkedHtml(html=result, inner=inner)


_Marks = tuple[re.Match[str], re.Match[str]]  # the marks before and after a message


# A mark outside of tags, and the positions of the elements around it, outermost first.
_Found = tuple[re.Match[str], tuple[int, ...]]


def _spans(html: str) -> dict[int, _Marks]:
    """Return the messages whose two marks are in the same element, by number."""
    starts: dict[str, _Found] = {}
    spans: dict[int, _Marks] = {}
    for mark, path in _marks_outside_of_tags(html):
        if mark["start"]:
            starts.setdefault(mark["start"], (mark, path))
            continue
        first, first_path = starts.get(mark["end"], (mark, None))
        number = _number(mark["end"])
        # The page itself may contain the characters of a mark. Take the first pair only.
        if first_path == path and number not in spans:
            spans[number] = first, mark
    return spans


def _marks_outside_of_tags(html: str) -> Iterator[_Found]:
    path: list[int] = []
    for token in _TOKEN.finditer(html):
        if token["start"] or token["end"]:
            yield token, tuple(path)
        elif token["close"]:
            del path[-1:]
        elif _opens(token):
            path.append(token.start())  # the offset identifies the element


def _opens(tag: re.Match[str]) -> bool:
    """Return whether a tag is the start tag of an element that has an end tag."""
    name = tag["name"] or ""  # a comment has none
    return bool(name) and name.lower() not in _VOID and not tag[0].endswith("/>")


def _element(mark: re.Match[str], spans: Mapping[int, _Marks]) -> str:
    """Return the replacement of a mark: the start or end tag of an element, or ""."""
    number = _number(mark["start"] or mark["end"])
    places = [known.span() for known in spans.get(number, ())]
    if mark.span() not in places:
        return ""
    return f'<span {ATTRIBUTE}="{number}">' if mark["start"] else "</span>"


def _with_attribute(tag: re.Match[str], number: int) -> str:
    """Return a tag without marks, and with the number of the message as attribute."""
    head = tag.end("name") - tag.start()
    return f'{tag[0][:head]} {ATTRIBUTE}="{number}"{without_marks(tag[0][head:])}'


def _place(text: str, message: Message) -> tuple[int, int] | None:
    """Return the positions for the marks of a message; None if marks would change the page."""
    if message.markup is Markup.RST and message.kind is Kind.TABLE_CELL:
        return None  # marks would break the shape of a table drawn with characters
    if message.kind in (Kind.PAGE_TITLE, Kind.FRONT_MATTER):
        return None  # marks would change the YAML of the front matter
    if message.kind is not Kind.HTML:
        # In reST, "::" at the end of a paragraph ("as follows::") announces code. Put the mark
        # before it, because "::" must stay at the end.
        words = text[message.start : message.end]
        announced = len(words.rstrip(":")) if message.mark else len(words)
        return message.start, message.start + announced
    element = _ELEMENT.fullmatch(text, message.start, message.end)
    if element is None:
        return None
    return element.end("open"), element.start("close")


def _for_title(text: str, message: Message, length: int) -> Iterator[Edit]:
    """Yield the edits that keep a reST title intact when marks add ``length`` characters to it.

    The lines of punctuation below (and above) a title must be at least as long as the title. Links
    to the title by its name need an explicit target, because the marks change its name.
    """
    if message.markup is not Markup.RST or not message.rules:
        return
    for start, end in message.rules:
        # Use twice the length, because wide characters take two columns.
        yield Edit(end, end, text[start] * length * 2)
    if re.search(re.escape(message.msgid) + "`?_", text, re.IGNORECASE):
        top = min(message.start, message.rules[0][0])
        yield Edit(top, top, f".. _`{message.msgid}`:\n\n")


def _digits(number: int) -> str:
    """Return a number in base 2, with punctuation as digits: 6 → ``‡‡†``."""
    return f"{number:b}".translate(_TO_DIGITS)


def _number(digits: str) -> int:
    return int(digits.translate(_FROM_DIGITS), 2)
