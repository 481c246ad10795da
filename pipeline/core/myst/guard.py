"""Nothing but prose can change: what a translation may not do, and the proof that it did not.

``refusal`` looks at one translation alone and says in words what is wrong with it. ``read_back``
parses the result afresh and compares it with upstream; it trusts nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from html import unescape

from markdown_it.token import Token

from pipeline.core.document.message import Kind, Message
from pipeline.core.document.refusal import Refusal, text_refusal
from pipeline.core.document.splice import Placed, translation_lines
from pipeline.core.document.split import Split
from pipeline.core.document.written import WRITTEN, find_written, may_hold_written
from pipeline.core.myst import directives, pieces
from pipeline.core.myst.html import html_tags
from pipeline.core.myst.reading import parser, plain_parser
from pipeline.core.myst.split import split_text
from pipeline.errors import InputError

# Without any of these there is no HTML, link, image, role or footnote mark …
_PARSED = re.compile(r"[<\[{]")
# … and without any of these nothing at all that a renderer could make active.
_ACTIVE = re.compile(r"[<\[{\\:&]|//|www\.", re.IGNORECASE)
# Code, formulas and emphasis begin no block.
_BLOCK_START = re.compile(r"[#>\-+=|~:<%(\d\[]|```|\$\$|[*_](?![*_]?[^\s*_])")
_ESCAPE = re.compile(r"\\([:/.&;#])")
_IMAGE_MARKS = frozenset("\\`<>[]$")
_PARAGRAPH = ["paragraph_open", "inline", "paragraph_close"]
# Block syntax means nothing behind their marks.
_BEHIND_A_MARK = frozenset((Kind.HEADING, Kind.TABLE_CELL, Kind.TITLE))
# Of these a translation may have no more than the English; others may be named again.
_COUNTED = frozenset(("HTML", "payload"))
# The same for what the parser finds. HTML may not go missing either.
_COUNTED_PIECES = frozenset((pieces.HTML, pieces.ROLE))
_LINE_END = re.compile(r"\r\n?")
# What jupytext takes for a cell by the mere start of a fence's info string.
_CELLS = tuple(f"{{{name}}}" for name in directives.CELLS)


def refusal(message: Message, msgstr: str) -> Refusal | None:
    """What a translation does that none may do; None if nothing is found."""
    return _refusal(message.msgid, message.kind, msgstr)


@lru_cache(maxsize=1 << 14)
def _refusal(msgid: str, kind: Kind, msgstr: str) -> Refusal | None:
    """Cached for the twins of a jupytext pair, which hold the same messages."""
    lines = translation_lines(msgstr)
    # The cheap looks come first, and those whose words help a translator most.
    refused = (
        text_refusal(msgid, msgstr)
        or _lines_refusal(msgid, lines)
        or _written_refusal(msgid, msgstr)
    )
    if refused:
        return refused
    if kind is Kind.HTML:
        return _html_refusal(msgid, msgstr)
    if kind is Kind.IMAGE:
        return _image_refusal(msgid, msgstr)
    return _block_refusal(kind, lines) or _inline_refusal(msgid, msgstr)


def read_back(split: Split, placed: Placed, *, page: bool) -> tuple[Message, ...] | None:
    """The messages of the merged text, parsed afresh; what a merge has inserted is left out.

    None unless messages, blocks and code lie where upstream has them.
    """
    try:
        fresh = split_text(placed.text, page=page)
    except InputError:
        return None
    messages = tuple(message for message in fresh.messages if not _is_within(message.start, placed))
    if [(message.start, message.end) for message in messages] != list(placed.spans):
        return None
    if [message.kind for message in messages] != [message.kind for message in split.messages]:
        return None
    skeleton = [signature for start, signature in fresh.skeleton if not _is_within(start, placed)]
    if skeleton != [signature for _, signature in split.skeleton] or fresh.code != split.code:
        return None
    return messages


def executable(text: str) -> tuple[tuple[str, str], ...]:
    """All that jupytext, which runs a MyST notebook, sees in it besides prose.

    By a grammar that knows no more than its own: what is a definition to us may be code to it.
    """
    md = plain_parser()
    tokens: list[Token] = []
    md.block.parse(_LINE_END.sub("\n", text), md, {}, tokens)
    return tuple((token.info, token.content) for token in tokens if _is_executable(token))


def _is_executable(token: Token) -> bool:
    if token.type == "fence":
        return token.info.startswith(_CELLS)
    return token.type in ("front_matter", "myst_block_break")


def _is_within(offset: int, placed: Placed) -> bool:
    return any(start <= offset < end for start, end in placed.inserted)


def _lines_refusal(msgid: str, lines: list[str]) -> Refusal | None:
    """Whether there are more lines than the English has, or blank ones."""
    breaks = msgid.count("\n")
    if len(lines) > breaks + 1:
        return Refusal(
            "G102",
            f"has {len(lines) - 1} line breaks where the English has {breaks}",
            "Write it on one line, or break it only where the English does (\\n).",
        )
    if len(lines) > 1 and not all(line.strip() for line in lines):
        return Refusal("G102", "has an empty line", "Delete it: a message is one block.")
    return None


def _block_refusal(kind: Kind, lines: list[str]) -> Refusal | None:
    """Whether the text, alone, would be something else than one paragraph."""
    if len(lines) == 1 and not _BLOCK_START.match(lines[0]):
        return None
    if kind in _BEHIND_A_MARK:
        return None  # read_back has the last word
    tokens: list[Token] = []
    text = "\n".join(lines)
    md = parser()
    md.block.parse(text, md, {}, tokens)
    types = [token.type for token in tokens]
    if types == _PARAGRAPH and tokens[1].content == text:
        return None
    others = (name for name in types if name not in _PARAGRAPH)
    became = next(others, "something else").removesuffix("_open").replace("_", " ")
    return Refusal(
        "G103",
        f"would turn the {kind} into a {became}",
        f"Reword its start, or put a backslash before {lines[0][:1]!r}.",
    )


def _written_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Whether the text has what some renderer could make active, and the English has not."""
    if not _ACTIVE.search(msgstr):
        return None
    text = _without_escapes(msgstr)
    if not may_hold_written(text):
        return None
    for name in WRITTEN:
        ours = Counter(find_written(name, text))
        if not ours:
            continue
        theirs = Counter(find_written(name, _without_escapes(msgid)))
        if added := _added(ours, theirs, is_counted=name in _COUNTED):
            return _active(name, added, Counter())
    return None


def _without_escapes(text: str) -> str:
    """``text`` with its character references and backslash escapes resolved.

    That is what a link target is in the end: ``java&#115;cript\\:x`` is ``javascript:x``.
    """
    return _ESCAPE.sub(r"\1", unescape(text))


def _added(ours: Counter[str], theirs: Counter[str], *, is_counted: bool) -> Counter[str]:
    """What we have and the English has not: at all, or not as often if it ``is_counted``."""
    if is_counted:
        return ours - theirs
    return Counter(piece for piece in ours if piece not in theirs)


def _image_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """An image's text stands inside the image's markup.

    No mark may come or go that could close that or swallow it.
    """
    theirs = Counter(character for character in msgid if character in _IMAGE_MARKS)
    ours = Counter(character for character in msgstr if character in _IMAGE_MARKS)
    return None if theirs == ours else _active("mark", ours - theirs, theirs - ours)


def _html_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Whether a block of HTML has other tags, or the start of one more."""
    theirs, ours = Counter(html_tags(msgid)), Counter(html_tags(msgstr))
    rest = msgstr
    for tag in ours:
        rest = rest.replace(tag, "")
    if theirs == ours and "<" not in rest:
        return None
    return _active("HTML", ours - theirs, theirs - ours)


def _inline_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Whether it brings in anything active that the English has not: HTML, targets, roles."""
    if not _PARSED.search(msgstr) and "<" not in msgid:
        return None
    theirs, ours = pieces.pieces_of(msgid), pieces.pieces_of(msgstr)
    for name in pieces.NAMES:
        if ours[name] == theirs[name]:
            continue
        added = _added(ours[name], theirs[name], is_counted=name in _COUNTED_PIECES)
        # Without its closing tag, <b> goes on to the end of the page.
        missing = theirs[name] - ours[name] if name == pieces.HTML else Counter[str]()
        if added or missing:
            return _active(name, added, missing)
    return None


def _active(name: str, added: Counter[str], missing: Counter[str]) -> Refusal:
    parts = [f"adds {name} {_quote(piece)}" for piece in added]
    parts += [f"lacks {name} {_quote(piece)}" for piece in missing]
    text = "; ".join(parts[:3]) or f"has other {name} than the English"
    return Refusal("G104", text, "Keep exactly what the English has, letter by letter.")


def _quote(piece: str) -> str:
    return f"“{piece[:60]}…”" if len(piece) > 60 else f"“{piece}”"
