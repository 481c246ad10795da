"""Mistakes in translations of reStructuredText. Many are habits from Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from damages import EMPHASIS, HAN, Damage, in_prose, kind, of_han, of_text, sub

from pipeline.core.document.message import Kind, Markup
from pipeline.entries import Entry

CODE = re.compile(r"(?<!`)``([^`\n]+)``(?!`)")
ROLE = re.compile(r":([a-z]+):`([^`\n<>]+)`")
LINK = re.compile(r"`([^`<>]+) <([^`<>]+)>`_(?!_)")
NAMED = re.compile(r"`([^`<>]+)`_(?!_)")
SPACE = re.compile(rf"(?<={HAN}) (?=[`:A-Za-z0-9])|(?<=[`A-Za-z0-9]) (?={HAN})")


def _start(mark: str) -> Callable[[Entry], Entry | None]:
    """Return a damage that puts ``mark`` at the start of a paragraph."""
    return _in_paragraphs(of_text(lambda text: f"{mark} {text}"))


def _in_paragraphs(
    change: Callable[[Entry], Entry | None],
) -> Callable[[Entry], Entry | None]:
    """Return ``change``, limited to messages in which block markup has a meaning.

    Titles and options, for example, are excluded.
    """
    blocks = tuple(
        f"{kind} "
        for kind in (Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.QUOTE, Kind.FOOTNOTE)
    )
    return lambda entry: change(entry) if entry.notes[0].startswith(blocks) else None


def rst_kinds() -> tuple[Damage, ...]:
    """Return all kinds of damage to single entries."""
    found = (
        kind("drop code", sub(CODE, ""), "M209"),
        kind(
            "misspell code",
            sub(CODE, lambda match: f"``{re.sub('[a-z]', '', match[1], count=1)}``"),
            "M202 M209",
        ),
        kind("translate code", sub(CODE, "``代码``"), "M201 M202 M209"),
        kind("code in single backquotes", sub(CODE, r"`\1`"), fixable=True),
        kind("delete a backquote", sub(CODE, r"``\1`"), fixable=True),
        kind("full-width backquotes", sub(CODE, r"｀\1｀"), fixable=True),
        kind("spaces inside the backquotes", sub(CODE, r"`` \1 ``"), fixable=True),
        kind("code without backquotes", sub(CODE, r"\1"), "M209"),
        kind("code within bold", sub(CODE, r"**请用 ``\1`` 吧**")),
        kind("translate a link target", sub(LINK, r"`\1 <页面>`_")),
        kind("drop a link, keep its text", sub(LINK, r"\1")),
        kind("no space before a link target", sub(LINK, r"`\1<\2>`_"), fixable=True),
        kind("full-width brackets of a link", sub(LINK, r"`\1 《\2》`_"), fixable=True),
        kind("no underscore behind a link", sub(LINK, r"`\1 <\2>`"), fixable=True),
        kind("a link of Markdown", sub(LINK, r"[\1](\2)"), fixable=True),
        kind(
            "add a javascript: link",
            _in_paragraphs(of_text(lambda text: f"{text}`点这里 <javascript:alert>`_")),
        ),
        kind("change a URL", sub(r"(https?://[\w.]+)/?", r"\1.cn/")),
        kind("translate the name of a reference", sub(NAMED, "`茶的书`_")),
        kind("no underscore behind a reference", sub(NAMED, r"`\1`"), fixable=True),
        kind("drop a formula", sub(r":math:`[^`]+`", ""), "M209"),
        kind("a formula of Markdown", sub(r":math:`([^`]+)`", r"$\1$")),
        kind("a role of Markdown", sub(ROLE, r"{\1}`\2`"), fixable=True),
        kind("full-width colons of a role", sub(ROLE, r"：\1：`\2`"), fixable=True),
        kind("space behind a role", sub(ROLE, r":\1: `\2`"), fixable=True),
        kind("translate the name of a role", sub(ROLE, r":函数:`\2`"), "M209"),
        kind("translate the target of a role", sub(ROLE, r":\1:`目标`"), "M209"),
        kind("drop a role", sub(ROLE, r"\2"), "M209"),
        kind("drop a substitution", sub(r"\|\w+\|", "")),
        kind("drop a footnote mark", sub(r"\[\w+\]_", "")),
        kind("spaces inside the stars", sub(EMPHASIS, r"\1 \2 \1"), "M103"),
        kind("lose bold or italics", sub(EMPHASIS, r"\2"), "M103"),
        kind("lose a closing star", sub(EMPHASIS, r"\1\2")),
        kind(
            "bold of Markdown",
            sub(r"(?<!\*)\*\*([^*\n]+)\*\*(?!\*)", r"__\1__"),
            fixable=True,
        ),
        kind(
            "bold and italics at once",
            sub(r"(?<!\*)\*\*([^*\n]+)\*\*(?!\*)", r"***\1***"),
            fixable=True,
        ),
        kind("start like a list", _start("-")),
        kind("start like a comment", _start("..")),
        kind("start like verse", _start("|")),
        kind(
            "announce code",
            _in_paragraphs(of_text(lambda text: f"{text.rstrip('。：')}::")),
        ),
        kind("no space beside code or letters", sub(SPACE, ""), "M401", fixable=True),
        kind(
            "change a number",
            in_prose(
                r"(?<![\w.])\d+(?![\w.]*\w)", lambda match: str(int(match[0]) + 7)
            ),
            "M304",
        ),
        kind(
            "double a word",
            in_prose("[的了是在把]", lambda match: match[0] * 2),
            "M311",
        ),
        *of_han(),
    )
    return tuple(
        replace(one, name=f"reST: {one.name}", markup=Markup.RST) for one in found
    )
