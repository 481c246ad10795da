"""Nothing but prose can change: what a translation may not do, and the proof that it did not.

``refusal`` looks at one translation alone and says in words what is wrong with it. ``read_back``
parses the result afresh and compares it with upstream; it trusts nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it.token import Token

from pipeline.core.document.guard import Refusal, merged_messages, text_refusal
from pipeline.core.document.markdown import active_markup, directives, front_matter
from pipeline.core.document.markdown.parser import parser, plain_parser
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.splice import Placed, translation_lines
from pipeline.errors import InputError
from pipeline.reading import MYST, Dialect, Reading

# Code, formulas and emphasis begin no block.
_BLOCK_START = re.compile(r"[#>\-+=|~:<%(\d\[]|```|\$\$|[*_](?![*_]?[^\s*_])")
_PARAGRAPH = ["paragraph_open", "inline", "paragraph_close"]
# Block syntax means nothing behind their marks.
_BEHIND_A_MARK = frozenset(
    (Kind.HEADING, Kind.TABLE_CELL, Kind.TITLE, *front_matter.KINDS)
)
_LINE_END = re.compile(r"\r\n?")
# What jupytext takes for a cell by the mere start of a fence's info string.
_CELLS = tuple(f"{{{name}}}" for name in directives.CELLS)


def refusal(message: Message, msgstr: str) -> Refusal | None:
    """What a translation does that none may do; None if nothing is found.

    It is looked at alone: whether the page stays intact with it, :func:`read_back` says.
    """
    return _refusal(message.msgid, message.kind, msgstr)


@lru_cache(maxsize=1 << 14)
def _refusal(msgid: str, kind: Kind, msgstr: str) -> Refusal | None:
    """The same for any message of this kind.

    Cached for the twins of a jupytext pair, which hold the same messages, and for the checks,
    which ask again.
    """
    lines = translation_lines(msgstr)
    # The cheap looks come first, and those whose words help a translator most.
    refused = text_refusal(msgid, msgstr) or _lines_refusal(msgid, lines)
    if not refused and kind is Kind.HTML:
        refused = active_markup.html_refusal(msgid, msgstr)
    refused = refused or active_markup.written_refusal(msgid, msgstr)
    if refused:
        return refused
    if kind is Kind.IMAGE:
        refused = active_markup.image_refusal(msgid, msgstr)
    elif kind is not Kind.HTML:
        refused = _block_refusal(kind, lines)
    # A renderer may read formulas in HTML and in the text of images as well.
    return refused or active_markup.inline_refusal(msgid, msgstr)


def read_back(
    split: Split,
    placed: Placed,
    *,
    page: bool,
    is_run: bool = False,
    reading: Reading = MYST,
) -> tuple[Message, ...] | None:
    """The messages of the merged text, parsed afresh; what a merge has inserted is left out.

    None unless messages, blocks and code lie where upstream has them.
    """
    # What is prose to us may be code to jupytext, where upstream has left a fence open.
    dialect = reading.dialect
    if is_run and executable(placed.text, dialect) != executable(split.text, dialect):
        return None
    try:
        fresh = split_text(placed.text, page=page, reading=reading)
    except InputError:
        return None
    added: set[int] = set()
    for start, end in placed.inserted:
        added.update(range(start, end))
    return merged_messages(split, fresh, placed, added)


# Upstream's text is asked for at each try, and the last result once more.
@lru_cache(maxsize=4)
def executable(
    text: str, dialect: Dialect = Dialect.MYST
) -> tuple[tuple[str, str], ...]:
    """All that jupytext, which runs a MyST notebook, sees in it besides prose.

    By a grammar that knows no more than its own: what is a definition to us may be code to it.
    """
    md = plain_parser()
    tokens: list[Token] = []
    md.block.parse(_LINE_END.sub("\n", text), md, {}, tokens)
    return tuple(
        (token.info, _fixed(token, dialect))
        for token in tokens
        if _is_executable(token)
    )


def _fixed(token: Token, dialect: Dialect) -> str:
    """What of a block must stay: of front matter not what may be translated."""
    if token.type == "front_matter":
        return front_matter.without_words(token.content, dialect)
    return token.content


def _is_executable(token: Token) -> bool:
    """Whether jupytext makes more of a block than a part of a Markdown cell."""
    if token.type == "fence":
        return token.info.startswith(_CELLS)
    return token.type in ("front_matter", "myst_block_break")


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
        return Refusal(
            "G102", "has an empty line", "Delete it: a message is one block."
        )
    return None


def _block_refusal(kind: Kind, lines: list[str]) -> Refusal | None:
    """Whether the text, alone, would be something else than one paragraph.

    ``"- 文字"`` is a list, ``"[a]: b"`` the definition of a link, ``"文字\\n===="`` a heading.
    """
    if len(lines) == 1 and not _BLOCK_START.match(lines[0]):
        return None
    if kind in _BEHIND_A_MARK:
        return None  # read_back has the last word
    # Ask the parser, alone and at the left margin: a container around it changes nothing.
    tokens: list[Token] = []
    text = "\n".join(lines)
    md = parser()
    md.block.parse(text, md, {}, tokens)
    types = [token.type for token in tokens]
    # A definition of a link vanishes from the content of the paragraph.
    if types == _PARAGRAPH and tokens[1].content == text:
        return None
    others = (name for name in types if name not in _PARAGRAPH)
    became = next(others, "something else").removesuffix("_open").replace("_", " ")
    return Refusal(
        "G103",
        f"would turn the {kind} into a {became}",
        f"Reword its start, or put a backslash before {lines[0][:1]!r}.",
    )
