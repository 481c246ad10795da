"""Heading anchors: links to a heading go on working when its title is translated.

Source of the rule: MyST-Parser's ``myst_heading_anchors`` gives a heading the slug of its title, as GitHub does,
and numbers the ones that occur again.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from pipeline.core.document.message import Kind, Message
from pipeline.core.document.splice import Edit, line_end_of
from pipeline.core.myst.split import Split

_LINK = re.compile(
    r"""(?:\]\(<?|\]:[ \t]*<?|href=["']|\s<(?=[^<>\s]+>`_))([^()\s<>"'#]*)#([^()\s<>"']+)"""
)
_MARKUP = re.compile(
    r"(?:\{[\w+:-]+\})?(`+)(.+?)\1|!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])?|<[^<>]+>|[*~]|(?<!\w)_|_(?!\w)"
)
_SAFE = re.compile(r"[\w.:-]+")


def linked_anchors(texts: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """The fragments that links point to, by page. ``texts`` pairs the name of a page with its Markdown."""
    found: dict[str, set[str]] = {}
    for page, text in texts:
        if "#" not in text:
            continue
        for target, fragment in _LINK.findall(text):
            if ":" not in target:  # a page of this site
                path = (
                    posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
                    if target
                    else page
                )
                found.setdefault(re.sub(r"\.(?:md|rst|ipynb|html)$", "", path), set()).add(fragment)
    return {page: frozenset(fragments) for page, fragments in found.items()}


def slug(title: str) -> str:
    """The anchor that a heading with this Markdown gets, before numbers for duplicates."""
    return re.sub(r"[^\w\- ]", "", _plain(title).lower()).strip().replace(" ", "-")


def plan_anchors(splits: Sequence[Split], linked: frozenset[str]) -> dict[tuple[int, int], str]:
    """The anchor that must be written above a heading once it is translated, by split and message.

    Only for headings that something links to by their English anchor, and that have no such target already.
    """
    plan: dict[tuple[int, int], str] = {}
    if not linked:
        return plan
    seen: dict[str, int] = {}
    for number, split in enumerate(splits):
        for index, message in enumerate(split.messages):
            if message.kind is not Kind.HEADING:
                continue
            own = slug(message.msgid)
            count = seen[own] = seen.get(own, -1) + 1
            names = (
                f"{own}-{count}" if count else own,
                _plain(message.msgid).strip().replace(" ", "-"),
            )
            name = next((name for name in names if name in linked and _SAFE.fullmatch(name)), "")
            if (
                name
                and message.is_top_level
                and not any(_has_target(one.text, name) for one in splits)
            ):
                plan[number, index] = name
    return plan


def insertion(text: str, message: Message, name: str, *, notebook: bool) -> Edit:
    """A target line above the heading: MyST's form on pages, HTML in notebooks, where the former would show."""
    start = max(text.rfind("\n", 0, message.start), text.rfind("\r", 0, message.start)) + 1
    end = line_end_of(text)
    if not notebook:
        return Edit(start, start, f"({name})={end}")
    before = text[:start]
    gap = "" if not before.strip() or before.endswith(end * 2) else end
    return Edit(start, start, f'{gap}<a id="{name}"></a>{end}{end}')


def plain_title(title: str) -> str:
    """A heading's Markdown as text."""
    return _plain(title).strip()


def _has_target(text: str, name: str) -> bool:
    return f"({name})=" in text or f'id="{name}"' in text or f'name="{name}"' in text


def _plain(title: str) -> str:
    return _MARKUP.sub(lambda match: match[2] or match[3] or "", title)
