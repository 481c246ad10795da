"""A style sheet without the rules that no page can use. The theme's is 370 kB, for icons and components that are not on the site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_WORD = re.compile(r"[A-Za-z_][\w-]*")
_CLASS = re.compile(
    r"\\.|[.#](-?[A-Za-z_](?:[\w-]|\\.)*)"
)  # what is escaped outside a name is skipped
_LITERAL = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\\."
_SPARE = re.compile(
    rf"({_LITERAL}|/\*!.*?\*/)|/\*.*?\*/|(\s+)", re.DOTALL
)  # a comment with ! is a licence: it stays
_TOKEN = re.compile(rf"/\*.*?\*/|{_LITERAL}|[{{}};]", re.DOTALL)
_ATTRIBUTE = re.compile(r"\b(?:class|id)=(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))")
_PIECE = re.compile(r"\[class\*=[\"']?([\w-]+)[\"']?\]")  # asks for a class with this in it
_BRACKETS = re.compile(r"\[[^\]]*\]")
_NOT = re.compile(r":not\((?:[^()]|\([^()]*\))*\)")
_LISTED = re.compile(r":(?:is|where|matches|any)\(((?:[^()]|\([^()]*\))*)\)")
_NESTING = ("@media", "@supports", "@layer", "@container", "@scope")


def words_in_html(html: str) -> frozenset[str]:
    """The classes and ids of ``html``."""
    return frozenset(
        word for found in _ATTRIBUTE.findall(html) for value in found for word in value.split()
    )


def words_in_script(script: str) -> frozenset[str]:
    """Everything in ``script`` that might be a class or an id."""
    return frozenset(_WORD.findall(script))


def prune(css: str, words: frozenset[str]) -> str:
    """``css`` without comments and indents, and without rules that need a class or an id that is not among ``words``.

    Licences stay, and what is not understood: unpruned is heavier, never wrong.
    """
    short = _SPARE.sub(lambda found: found.group(1) or (" " if found.group(2) else ""), css)
    return "".join(_kept(short, words))


def _kept(css: str, words: frozenset[str]) -> Iterator[str]:
    for prelude, block in _statements(css):
        head = prelude.strip()
        if block is None:
            yield head
        elif head.startswith(_NESTING):
            inner = "".join(_kept(block, words)).strip()
            if inner:
                yield f"{head}{{{inner}}}"
        elif head.startswith("@"):
            yield f"{head}{{{block.strip()}}}"
        else:
            selectors = [selector for selector in _parts(head) if can_match(selector, words)]
            if selectors:
                yield f"{','.join(selectors)}{{{block.strip()}}}"


def can_match(selector: str, words: frozenset[str]) -> bool:
    """Whether ``selector`` asks for ``words`` only. What stands in ``:not()`` is not asked for; of a list in ``:is()``, one is enough."""
    plain = _BRACKETS.sub(lambda found: found[0] if _PIECE.fullmatch(found[0]) else "*", selector)
    outside = _NOT.sub("*", plain)  # so that of :is(:not(.a)) something is left
    choices, outside = _LISTED.findall(outside), _LISTED.sub("*", outside)
    if not all(any(can_match(one, words) for one in _parts(choice)) for choice in choices):
        return False
    names = (
        re.sub(r"\\(.)", r"\1", match[1])
        for match in _CLASS.finditer(_PIECE.sub("*", outside))
        if match[1]
    )
    return all(name in words for name in names) and all(
        piece in _joined(words) for piece in _PIECE.findall(outside)
    )


@lru_cache(maxsize=1)
def _joined(words: frozenset[str]) -> str:
    return " ".join(words)


def _statements(css: str) -> Iterator[tuple[str, str | None]]:
    """What stands before each outermost block, and the block; None where there is none: a statement, a licence, a broken end."""
    depth, start, opened, prelude = 0, 0, 0, ""
    for match in _TOKEN.finditer(css):
        sign = match.group()
        if sign == "{":
            if depth == 0:
                prelude, opened = css[start : match.start()], match.end()
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
            if depth == 0:
                yield prelude, css[opened : match.start()]
                start = match.end()
        elif sign == ";" and depth == 0:
            yield css[start : match.end()], None
            start = match.end()
        elif depth == 0 and sign.startswith("/*") and not css[start : match.start()].strip():
            yield sign, None
            start = match.end()
    if css[start:].strip():
        yield css[start:], None


def _parts(selectors: str) -> list[str]:
    """``selectors`` at the commas that are not in brackets."""
    parts, depth, start = [], 0, 0
    for match in re.finditer(r"\\.|[(\[)\],]", selectors):
        sign = match.group()
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append(selectors[start : match.start()])
            start = match.end()
    return [part.strip() for part in (*parts, selectors[start:]) if part.strip()]


def union(words: Iterable[frozenset[str]]) -> frozenset[str]:
    """All of ``words``."""
    return frozenset().union(*words)
