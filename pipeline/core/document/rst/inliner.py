"""Inline text as docutils reads it: nodes, nothing registered, nothing resolved, nothing told."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any

from docutils import frontend, nodes
from docutils.languages import get_language
from docutils.parsers.rst import Parser, states
from docutils.utils import Reporter, unescape

_NEVER = 5  # above every level of docutils' messages
# Sphinx' form of a role with a title of its own: "title <target>". docutils writes escapes as NUL.
_TITLED = re.compile(r"(.+?)\s*(?<!\x00)<([^<]*?)>", re.DOTALL)


def _interpreted(
    rawsource: str, text: str, role: str, _: int
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Takes every role for one: what it would do is not asked."""
    titled = _TITLED.fullmatch(text)
    shown, target = titled.groups() if titled else (text, text)
    node = nodes.inline(
        rawsource,
        unescape(shown),
        role=role or "",
        content=unescape(text, True),
        target=unescape(target),
    )
    return [node], []


@lru_cache(maxsize=1 << 12)
def read_inline(text: str) -> tuple[nodes.Node, ...]:
    """The nodes of a piece of text.

    A role is an ``inline`` with the attributes ``role`` (empty: the default one), ``content`` (as
    it is written) and ``target``; its text is what a reader sees of it.
    """
    reporter = Reporter("", _NEVER, _NEVER, stream=False)  # False: no output
    inliner, language = _inliner()
    document = nodes.document(inliner.settings, reporter)
    memo = SimpleNamespace(reporter=reporter, document=document, language=language)
    found, _ = inliner.parse(text, 1, memo, document)
    return tuple(found)


def shown_text(text: str) -> str:
    """What a reader sees of a piece of text."""
    return "".join(node.astext() for node in read_inline(text))


@cache
def _inliner() -> tuple[Any, Any]:
    """docutils' reader of inline text, and the language whose roles it knows. Made only once."""
    inliner: Any = states.Inliner()
    # No subclass: docutils looks into the class itself for parts of its patterns.
    inliner.interpreted = _interpreted
    inliner.settings = frontend.get_default_settings(Parser)
    inliner.init_customizations(inliner.settings)
    return inliner, get_language("en", None)
