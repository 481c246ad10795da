"""A style sheet without the rules that no page can use: text in, text out.

The theme's sheet is 370 kB, for icons and components that are not on the site. What is not
understood stays: a sheet that is not pruned is heavier, never wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_LITERAL = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\\."  # strings, and what is escaped
# Comments and white space, but not within strings. A comment with ! is a licence: it stays.
_SPARE = re.compile(
    rf"(?P<kept>{_LITERAL}|/\*!.*?\*/)|/\*.*?\*/|(?P<space>\s+)", re.DOTALL
)
_TOKEN = re.compile(rf"/\*.*?\*/|{_LITERAL}|[{{}};]", re.DOTALL)
# At-rules whose block holds rules; the block of others (@font-face) holds declarations.
_NESTING = ("@media", "@supports", "@layer", "@container", "@scope")

# .name and #name in a selector; what is escaped outside a name (\2c) is skipped.
_CLASS = re.compile(r"\\.|[.#](-?[A-Za-z_](?:[\w-]|\\.)*)")
_ESCAPE = re.compile(r"\\(.)")
_BRACKETS = re.compile(r"\[[^\]]*\]")
_PIECE = re.compile(r"\[class\*=[\"']?([\w-]+)[\"']?\]")  # any class with this in it
# Arguments may hold one pair of brackets: :not(:nth-child(2))
_ARGUMENTS = r"\((?:[^()]|\([^()]*\))*\)"
_NOT = re.compile(rf":not{_ARGUMENTS}")
_LISTED = re.compile(rf":(?:is|where|matches|any)(?P<list>{_ARGUMENTS})")
_COMMA = re.compile(r"\\.|[(\[)\],]")
# How much deeper one is within brackets, and within blocks, behind such a sign.
_DEEPER_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}
_DEEPER_BLOCKS = {"{": 1, "}": -1}

_WORD = re.compile(r"[A-Za-z_][\w-]*")
_VALUE = r"(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))"
# Each begins with plain letters, so that `re` skips to the next: one for both takes four times as
# long.
_ATTRIBUTES = (
    re.compile(rf"class=(?<!\wclass=){_VALUE}"),
    re.compile(rf"id=(?<!\wid=){_VALUE}"),
)


def words_in_html(html: str) -> frozenset[str]:
    """The classes and ids of ``html``: ``<p id=top class="a b">`` → ``top``, ``a``, ``b``."""
    words: set[str] = set()
    for attribute in _ATTRIBUTES:
        for values in set(attribute.findall(html)):
            # One of the three ways to quote the value has matched; the others are empty.
            words.update("".join(values).split())
    return frozenset(words)


def words_in_script(script: str) -> frozenset[str]:
    """Everything in ``script`` that might be a class or an id."""
    return frozenset(_WORD.findall(script))


def prune(css: str, words: frozenset[str]) -> str:
    """``css`` without what no page uses: comments, indents, rules for classes that it lacks.

    A rule goes if each of its selectors needs a class or an id that is not among ``words``.
    Licences stay.
    """
    return _kept(_SPARE.sub(_shortened, css), words)


def _shortened(match: re.Match[str]) -> str:
    """What stays of a string, a comment or white space: a comment goes, spaces become one."""
    if match["space"]:
        return " "
    return match["kept"] or ""


def _kept(css: str, words: frozenset[str]) -> str:
    """What stays of a sheet, or of a block that holds rules."""
    return "".join(_used(statement, words) for statement in _statements(css))


def _used(statement: _Statement, words: frozenset[str]) -> str:
    """What stays of a statement; empty if no page uses it.

    ``.a, .b {top: 0}`` → ``.a{top: 0}`` where a page has ``a`` and none has ``b``.
    """
    head, block = statement.prelude.strip(), statement.block
    if block is None:
        return head
    if head.startswith(_NESTING):
        inner = _kept(block, words).strip()
        return f"{head}{{{inner}}}" if inner else ""
    # What other at-rules declare (a font) has no selector: it may be used anywhere.
    if not head.startswith("@"):
        selectors = _split_at_commas(head)
        head = ",".join(part for part in selectors if can_match(part, words))
    return f"{head}{{{block.strip()}}}" if head else ""


def can_match(selector: str, words: frozenset[str]) -> bool:
    """Whether ``selector`` asks for ``words`` only.

    What stands in ``:not()`` is not asked for; of a list in ``:is()`` one is enough.
    """
    # A dot in an attribute's value is no class: [href$=".png"]
    plain = _BRACKETS.sub(_without_value, selector)
    # A star where it stood, so that of :is(:not(.a)) something is left.
    plain = _NOT.sub("*", plain)
    for listed in _LISTED.finditer(plain):
        choices = _split_at_commas(listed["list"][1:-1])
        if not any(can_match(choice, words) for choice in choices):
            return False
    plain = _LISTED.sub("*", plain)
    if not all(piece in _joined(words) for piece in _PIECE.findall(plain)):
        return False
    # What is escaped outside a name has matched as well, without a name.
    names = filter(None, _CLASS.findall(_PIECE.sub("*", plain)))
    return words.issuperset(_ESCAPE.sub(r"\1", name) for name in names)


def _without_value(match: re.Match[str]) -> str:
    """A star for the condition on an attribute, unless it asks for a class."""
    if _PIECE.fullmatch(match[0]):
        return match[0]
    return "*"


@lru_cache(maxsize=1)
def _joined(words: frozenset[str]) -> str:
    """All words in one text, for ``[class*=sd-]``, which asks for a part of a word."""
    return " ".join(words)


@dataclass(frozen=True, slots=True)
class _Statement:
    """What stands before an outermost block, and the block.

    ``block`` is None where there is none: a statement, a licence, a broken end.
    """

    prelude: str
    block: str | None


def _statements(css: str) -> Iterator[_Statement]:
    """The outermost statements of a sheet, in order.

    ``@import "a.css"; p {color: red}`` → ``@import "a.css";`` without a block, ``p `` with one.
    """
    start = 0  # of the statement
    tokens = _TOKEN.finditer(css)
    for token in tokens:
        prelude, sign = css[start : token.start()], token[0]
        if sign == "{":
            end = _end_of_block(tokens)
            if end is None:
                break
            yield _Statement(prelude, css[token.end() : end.start()])
            start = end.end()
        elif sign == ";":
            yield _Statement(f"{prelude};", None)
            start = token.end()
        elif sign.startswith("/*") and not prelude.strip():
            # A licence between statements; one within a prelude stays where it is.
            yield _Statement(sign, None)
            start = token.end()
    if css[start:].strip():
        yield _Statement(css[start:], None)


def _end_of_block(tokens: Iterator[re.Match[str]]) -> re.Match[str] | None:
    """The ``}`` of the block whose ``{`` was the last token, past all blocks within it.

    None if the sheet ends before: no token is left then.
    """
    depth = 1
    for token in tokens:
        depth += _DEEPER_BLOCKS.get(token[0], 0)
        if depth == 0:
            return token
    return None


def _split_at_commas(selectors: str) -> list[str]:
    """A list of selectors as its parts; commas in brackets do not count.

    ``a, :is(b, c)`` → ``a`` and ``:is(b, c)``.
    """
    parts: list[str] = []
    depth = 0
    start = 0
    for match in _COMMA.finditer(selectors):
        depth += _DEEPER_BRACKETS.get(match[0], 0)
        if match[0] == "," and depth == 0:
            parts.append(selectors[start : match.start()])
            start = match.end()
    parts.append(selectors[start:])
    return [part.strip() for part in parts if part.strip()]


def union(words: Iterable[frozenset[str]]) -> frozenset[str]:
    """All of ``words``."""
    return frozenset().union(*words)
