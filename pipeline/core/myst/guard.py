"""Nothing but prose can change: what a translation may not do, and the proof that it did not.

``refusal`` looks at one translation alone and says in words what is wrong with it. ``read_back`` parses
the result afresh and compares it with upstream; it trusts nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

from markdown_it.token import Token

from pipeline.core.document import splice
from pipeline.core.document.message import Kind, Message
from pipeline.core.document.splice import Placed
from pipeline.core.myst import split as markdown
from pipeline.core.myst.inline import inline_tokens
from pipeline.core.myst.split import Split
from pipeline.errors import InputError

# Also what turns the direction of text around or cannot be seen: a reader would see something else than stands there.
CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ACTIVE = re.compile(r"[<\[{\\:&]|//|www\.", re.IGNORECASE)
_PARSED = re.compile(
    r"[<\[{]"
)  # without any of these there is no HTML, link, image, role or footnote mark
# Code, formulas and emphasis begin no block.
_BLOCK_START = re.compile(r"[#>\-+=|~:<%(\d\[]|```|\$\$|[*_](?![*_]?[^\s*_])")
# Renderers differ (marked and MathJax read a notebook, MyST-Parser a page), so these are compared as they
# are written, wherever they stand.
WRITTEN = {
    "HTML": re.compile(
        r"\{[\w+:-]+\}`[^`<>\n]*<[^`<>\s]*>`|(<[A-Za-z/!?][^\s<>]*)"
    ),  # a role's target is none
    "link target": re.compile(r"\]\(\s*<?([^\s()<>]*)"),
    "URL": re.compile(
        r"(?:[a-z][a-z0-9+.-]*://|www\.|(?<![^\s<(])//(?=\w))[\w/?#&=%~:@+-]+(?:[.,;!][\w/?#&=%~:@+-]+)*",
        re.IGNORECASE | re.ASCII,
    ),
    "payload": re.compile(r"data:#\d+"),
    "scheme": re.compile(
        r"(?:java|vb)script:|https?:(?=[\w/])|\bdata:(?=[\w#;,])|file:(?=/)",
        re.IGNORECASE | re.ASCII,
    ),
    "substitution": re.compile(r"\{\{|\{%"),
    "math macro": re.compile(
        r"\\(?:(?:href|url)\s*\{[^{}]*|require|mmlToken|cssId|class|style|bbox|unicode|html\w*|data|includegraphics|global|[gex]?def|(?:future)?let"
        r"|(?:re|provide)?(?:new)?command|(?:re)?newenvironment|DeclareMathOperator)(?![A-Za-z])"
    ),
}
# What stands in whatever these find, in lower case: most texts have none of it.
_MAYBE_WRITTEN = re.compile(r"<|\]\(|//|www\.|data:|script:|https?:|file:|\{\{|\{%|\\")
_COUNTED = frozenset(
    ("HTML", "payload")
)  # no more of them than in the English; others may be named again
_ESCAPE = re.compile(r"\\([:/.&;#])")
_IMAGE_MARKS = frozenset("\\`<>[]$")
_CELLS = ("{code-cell}", "{raw-cell}")
# Parsing takes time that grows faster than the text; no honest translation is that much longer.
LEAST_LIMIT, TIMES_AS_LONG = 1000, 10
_BEHIND_A_MARK = frozenset((Kind.HEADING, Kind.TABLE_CELL, Kind.TITLE))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a translation is not used: a stable code, what is wrong, what to do."""

    code: str
    text: str
    hint: str


def refusal(message: Message, msgstr: str) -> Refusal | None:
    """What a translation does that none may do; None if nothing is found."""
    return _refusal(message.msgid, message.kind, msgstr)


@lru_cache(maxsize=1 << 14)
def _refusal(msgid: str, kind: Kind, msgstr: str) -> Refusal | None:
    # Cached for the twins of a jupytext pair, which hold the same messages.
    if found := CONTROL.search(msgstr):
        return Refusal(
            "G101",
            f"has the control character U+{ord(found[0]):04X}",
            "Delete it, or type the text again.",
        )
    if len(msgstr) > LEAST_LIMIT + TIMES_AS_LONG * len(msgid):
        return Refusal(
            "G106",
            f"has {len(msgstr)} characters where the English has {len(msgid)}",
            "Shorten it.",
        )
    lines = splice.translation_lines(msgstr)
    if len(lines) > msgid.count("\n") + 1:
        return Refusal(
            "G102",
            f"has {len(lines) - 1} line breaks where the English has {msgid.count(chr(10))}",
            "Write it on one line, or break it only where the English does (\\n).",
        )
    if len(lines) > 1 and not all(line.strip() for line in lines):
        return Refusal("G102", "has an empty line", "Delete it: a message is one block.")
    if written := _written_refusal(msgid, msgstr):
        return written
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
        fresh = markdown.split_text(placed.text, page=page)
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
    """All that jupytext, which runs a MyST notebook, sees in it besides prose, by a grammar that knows no more than its own."""
    md = markdown.plain_parser()
    tokens: list[Token] = []
    md.block.parse(re.sub(r"\r\n?", "\n", text), md, {}, tokens)
    return tuple(
        (token.info, token.content)
        for token in tokens
        if token.type in ("front_matter", "myst_block_break")
        or (token.type == "fence" and token.info.startswith(_CELLS))
    )


def _is_within(offset: int, placed: Placed) -> bool:
    return any(start <= offset < end for start, end in placed.inserted)


def _block_refusal(kind: Kind, lines: list[str]) -> Refusal | None:
    """Whether the text, alone, would be something else than one paragraph."""
    if len(lines) == 1 and not _BLOCK_START.match(lines[0]):
        return None
    if kind in _BEHIND_A_MARK:
        return None  # block syntax means nothing there; read_back has the last word
    tokens: list[Token] = []
    text = "\n".join(lines)
    md = markdown.parser()
    md.block.parse(text, md, {}, tokens)
    if [token.type for token in tokens] == [
        "paragraph_open",
        "inline",
        "paragraph_close",
    ] and tokens[1].content == text:
        return None
    became = next(
        (
            token.type
            for token in tokens
            if token.type not in ("paragraph_open", "inline", "paragraph_close")
        ),
        "something else",
    )
    name = became.removesuffix("_open").replace("_", " ")
    return Refusal(
        "G103",
        f"would turn the {kind} into a {name}",
        f"Reword its start, or put a backslash before {lines[0][:1]!r}.",
    )


def _written_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Whether the translation has, as text, anything that some renderer could make active and the English has not."""
    if not _ACTIVE.search(msgstr):
        return None
    text = _without_escapes(msgstr)
    if not _MAYBE_WRITTEN.search(text.lower()):
        return None
    for name, pattern in WRITTEN.items():
        if ours := Counter(filter(None, pattern.findall(text))):
            theirs = Counter(filter(None, pattern.findall(_without_escapes(msgid))))
            if (
                added := ours - theirs
                if name in _COUNTED
                else Counter(piece for piece in ours if piece not in theirs)
            ):
                return _active(name, added, Counter())
    return None


def _without_escapes(text: str) -> str:
    """``text`` with its character references and backslash escapes resolved: what a link target is in the end."""
    return _ESCAPE.sub(r"\1", unescape(text))


def _image_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """An image's text stands inside the image's markup: no mark may come or go that could close or swallow it."""
    theirs, ours = (
        Counter(character for character in text if character in _IMAGE_MARKS)
        for text in (msgid, msgstr)
    )
    return None if theirs == ours else _active("mark", ours - theirs, theirs - ours)


def _html_refusal(msgid: str, msgstr: str) -> Refusal | None:
    tags, own = Counter(markdown.html_tags(msgid)), Counter(markdown.html_tags(msgstr))
    rest = msgstr
    for tag in own:
        rest = rest.replace(tag, "")
    if tags == own and "<" not in rest:
        return None
    return _active("HTML", own - tags, tags - own)


def _inline_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Whether the translation brings in anything active: HTML, targets, roles that the English has not."""
    if not _PARSED.search(msgstr) and "<" not in msgid:
        return None
    theirs, ours = _active_pieces(msgid), _active_pieces(msgstr)
    for name in ("HTML", "link target", "image", "role", "footnote"):
        added = ours.get(name, Counter()) - theirs.get(name, Counter())
        missing = (
            theirs.get(name, Counter()) - ours.get(name, Counter()) if name == "HTML" else Counter()
        )
        if name in ("link target", "image", "footnote"):  # may be named twice, but not invented
            added = Counter(piece for piece in added if piece not in theirs.get(name, ()))
        if added or missing:
            return _active(name, added, missing)
    return None


def _active(name: str, added: Counter[str], missing: Counter[str]) -> Refusal:
    parts = [f"adds {name} {_quote(piece)}" for piece in added] + [
        f"lacks {name} {_quote(piece)}" for piece in missing
    ]
    text = "; ".join(parts[:3]) or f"has other {name} than the English"
    return Refusal("G104", text, "Keep exactly what the English has, letter by letter.")


def _quote(piece: str) -> str:
    return f"“{piece[:60]}…”" if len(piece) > 60 else f"“{piece}”"


def _active_pieces(text: str) -> dict[str, Counter[str]]:
    pieces: dict[str, Counter[str]] = {}

    def add(name: str, piece: object) -> None:
        pieces.setdefault(name, Counter())[str(piece)] += 1

    for token in inline_tokens(text):
        if token.type == "html_inline":
            add("HTML", token.content)
        elif token.type == "link_open":
            add("link target", token.attrGet("href"))
        elif token.type == "image":
            add("image", token.attrGet("src"))
            for child in token.children or ():
                if child.type in ("html_inline", "link_open"):
                    add("HTML", child.content)
        elif token.type == "myst_role":
            name = token.meta["name"]
            add(
                "role", f"{name} {token.content}" if "eval" in name else name
            )  # MyST-NB runs what {eval} holds
        elif token.type == "footnote_ref":
            add("footnote", token.meta["label"])
    return pieces
