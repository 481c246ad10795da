"""Heading anchors: link targets that keep links to a heading valid after its translation.

An anchor is the fragment of a URL that leads to a heading: ``page.md#a-title``. MyST-Parser derives
it from the title (``myst_heading_anchors``): the anchor is the slug of the title, as on GitHub. If
a title is repeated, its anchor also has a number. A translated title has another slug. Therefore a
merge inserts a target with the English anchor above the heading, if links use this anchor.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html import unescape

from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.splice import Edit, line_end_of, line_start_of

_LINK = re.compile(
    r"""
    (?: \]\(<?                          # [words](page.md#fragment)
      | \]:[ \t]*<?                     # [label]: page.md#fragment
      | href=["']
      | \s<(?=[^<>\s]+>`_)              # reST: `words <page.html#fragment>`_
    )
    ([^()\s<>"'#]*) \# ([^()\s<>"']+)
    """,
    re.VERBOSE,
)
_MARKUP = re.compile(
    r"""
      (?:\{[\w+:-]+\})? (`+) (.+?) \1                       # code or a role: its text, group 2
    | !?\[([^\[\]]*)\] (?: \([^()]*\) | \[[^\[\]]*\] )?      # link or image: its words, group 3
    | <[^<>]+>
    | \\([!-/:-@\[-`{-~]) | (&\#?\w+;)                       # an escape: what it shows, 4 or 5
    | [*~] | (?<!\w)_ | _(?!\w)                             # emphasis
    """,
    re.VERBOSE,
)
_SAFE = re.compile(r"[\w.:-]+")
_NOT_IN_SLUGS = re.compile(r"[^\w\- ]")
_PAGE_SUFFIX = re.compile(r"\.(?:md|rst|ipynb|html)$")


def linked_anchors(texts: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Return the fragments that links point to, by the name of the page with the target.

    ``texts`` has pairs of a page name and the Markdown or reST of the page. The link
    ``[see](../b.md#a-title)`` on the page ``d/a`` gives ``{"b": {"a-title"}}``. Ignore links to
    other sites.
    """
    found: dict[str, set[str]] = {}
    for page, text in texts:
        # Search only lines with "#". Few lines have one, and links do not span lines. The pattern
        # needs the empty line before them to find a reST link at the start of a text.
        lines = [line for line in text.split("\n") if "#" in line]
        for target, fragment in _LINK.findall("\n".join(["", *lines])):
            if ":" in target:
                continue  # another site
            path = _linked_page(page, target)
            found.setdefault(path, set()).add(fragment)
    return {page: frozenset(fragments) for page, fragments in found.items()}


def _linked_page(page: str, target: str) -> str:
    """Return the name of a link's page: ``../b.md`` on the page ``d/a`` leads to ``b``.

    An empty ``target`` leads to ``page`` itself.
    """
    path = page
    if target:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    return _PAGE_SUFFIX.sub("", path)


def slug(title: str) -> str:
    """Return the slug of a title. The anchor of a repeated title also has a number at its end.

    "Using `jit`: a *first* look" gives ``using-jit-a-first-look``.
    """
    return _NOT_IN_SLUGS.sub("", _plain(title).lower()).strip().replace(" ", "-")


def plan_targets(splits: Sequence[Split], linked: frozenset[str]) -> dict[tuple[int, int], str]:
    """Return the names of the link targets to insert above translated headings.

    The keys are (number of the split, index of the message). ``linked`` are the fragments that
    links to this page use. A heading needs a target if ``linked`` has its English anchor, unless
    the page already defines this target.
    """
    plan: dict[tuple[int, int], str] = {}
    if not linked:
        return plan
    seen: Counter[str] = Counter()
    for number, split in enumerate(splits):
        for index, heading in enumerate(split.messages):
            if heading.kind is not Kind.HEADING:
                continue
            anchor = slug(heading.msgid)
            count = seen[anchor]
            seen[anchor] += 1
            if count:
                anchor = f"{anchor}-{count}"
            name = _linked_name(heading, anchor, linked)
            # A line before a heading in a list or a quote would end the list or the quote.
            if name and heading.is_top_level and not _has_target(splits, name):
                plan[number, index] = name
    return plan


def target_edit(text: str, message: Message, name: str, *, notebook: bool) -> Edit:
    """Return the insertion of a target above a heading.

    Use MyST's ``(name)=`` on pages. Use HTML in notebooks, because Jupyter shows ``(name)=`` as
    text.
    """
    start = line_start_of(text, message.start)
    end = line_end_of(text)
    if not notebook:
        return Edit(start, start, f"({name})={end}")
    before = text[:start]
    # Without a blank line, the HTML would be part of a paragraph above it.
    gap = end
    if not before.strip() or before.endswith(end * 2):
        gap = ""
    return Edit(start, start, f'{gap}<a id="{name}"></a>{end}{end}')


def plain_title(title: str) -> str:
    """Return a title without its markup: ``A `b``` and ``A [b](c.md)`` both give ``A b``."""
    return _plain(title).strip()


def _linked_name(heading: Message, anchor: str, linked: frozenset[str]) -> str:
    """Return the fragment in ``linked`` that leads to a heading, or "" if there is none.

    ``anchor`` is the anchor that MyST-Parser derives from the title.
    """
    # The anchors of Jupyter keep case and punctuation: "Pure-functions!".
    for name in (anchor, plain_title(heading.msgid).replace(" ", "-")):
        if name in linked and _SAFE.fullmatch(name):
            return name
    return ""


def _has_target(splits: Sequence[Split], name: str) -> bool:
    """Return whether upstream already defines a target of this name on the page."""
    forms = (f"({name})=", f'id="{name}"', f'name="{name}"')
    return any(form in split.text for split in splits for form in forms)


def _plain(title: str) -> str:
    """Return a title without its markup; the white space is unchanged."""
    return _MARKUP.sub(_words_of, title)


def _words_of(match: re.Match[str]) -> str:
    """Return the visible text of a piece of markup.

    That is the content of code or a role, the words of a link, or an escaped character:
    ``\\<img\\>`` is ``<img>``. For tags and emphasis marks, it is empty.
    """
    return match[2] or match[3] or match[4] or unescape(match[5] or "")
