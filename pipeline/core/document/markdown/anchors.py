"""Heading anchors: keeps links to a heading working after its title is translated.

The rule is MyST-Parser's ``myst_heading_anchors``. A heading gets the slug of its title, as on
GitHub, and repeated slugs are numbered.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
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
    """Return the fragments that links point to, by page name.

    ``texts`` pairs page names with Markdown or reST. ``[see](../b.md#a-title)`` on ``d/a`` gives
    ``{"b": {"a-title"}}``. Links to other sites are ignored.
    """
    found: dict[str, set[str]] = {}
    for page, text in texts:
        # Links do not span lines, and few lines have a "#", so filtering lines is fast. The leading
        # empty line lets reST links match at the start of the first line.
        lines = [line for line in text.split("\n") if "#" in line]
        for target, fragment in _LINK.findall("\n".join(["", *lines])):
            if ":" in target:
                continue  # another site
            path = _linked_page(page, target)
            found.setdefault(path, set()).add(fragment)
    return {page: frozenset(fragments) for page, fragments in found.items()}


def _linked_page(page: str, target: str) -> str:
    """Return the page that a link on ``page`` leads to: ``../b.md`` on ``d/a`` leads to ``b``."""
    path = page
    if target:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    return _PAGE_SUFFIX.sub("", path)


def slug(title: str) -> str:
    """Return the anchor of a heading, before duplicates are numbered.

    ``"Using `jit`: a *first* look"`` gives ``using-jit-a-first-look``.
    """
    return _NOT_IN_SLUGS.sub("", _plain(title).lower()).strip().replace(" ", "-")


def plan_targets(
    splits: Sequence[Split], linked: frozenset[str]
) -> dict[tuple[int, int], str]:
    """Return the link targets to insert above translated headings.

    Keys are (number of the split, index of the message). A heading needs a target only if a link
    uses its English anchor and the page does not define that target already.
    """
    plan: dict[tuple[int, int], str] = {}
    if not linked:
        return plan
    seen: dict[str, int] = {}
    for number, index, heading in _headings(splits):
        anchor = slug(heading.msgid)
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        if count:
            anchor = f"{anchor}-{count}"
        name = _linked_name(heading, anchor, linked)
        # A line above a heading inside a list or a quote would end the container.
        if not name or not heading.is_top_level:
            continue
        if not _has_target(splits, name):
            plan[number, index] = name
    return plan


def target_edit(text: str, message: Message, name: str, *, notebook: bool) -> Edit:
    """Return the insertion of a target line above a heading.

    Pages use MyST's form. Notebooks use HTML, because Jupyter would show the MyST form as text.
    """
    start = line_start_of(text, message.start)
    end = line_end_of(text)
    if not notebook:
        return Edit(start, start, f"({name})={end}")
    before = text[:start]
    # HTML right below a paragraph would be part of it.
    gap = end
    if not before.strip() or before.endswith(end * 2):
        gap = ""
    return Edit(start, start, f'{gap}<a id="{name}"></a>{end}{end}')


def plain_title(title: str) -> str:
    """Return a heading's text without its markup: ``A b`` for ``A `b`` and ``A [b](c.md)``."""
    return _plain(title).strip()


def _headings(splits: Sequence[Split]) -> Iterator[tuple[int, int, Message]]:
    """Yield every heading with the number of its split and its index there, in page order."""
    for number, split in enumerate(splits):
        for index, message in enumerate(split.messages):
            if message.kind is Kind.HEADING:
                yield number, index, message


def _linked_name(heading: Message, anchor: str, linked: frozenset[str]) -> str:
    """Return the fragment by which a link points to the heading; empty if none does.

    ``anchor`` is the heading's slug, numbered if it is a duplicate.
    """
    # Jupyter's own anchors keep case and punctuation: "Pure-functions!".
    for name in (anchor, plain_title(heading.msgid).replace(" ", "-")):
        if name in linked and _SAFE.fullmatch(name):
            return name
    return ""


def _has_target(splits: Sequence[Split], name: str) -> bool:
    """Return whether upstream already defines a target of this name on the page."""
    forms = (f"({name})=", f'id="{name}"', f'name="{name}"')
    return any(form in split.text for split in splits for form in forms)


def _plain(title: str) -> str:
    """Return a heading's text with its markup resolved, and its white space unchanged."""
    return _MARKUP.sub(_words_of, title)


def _words_of(match: re.Match[str]) -> str:
    """Return the text that remains of a piece of markup.

    It is the content of code or a role, the words of a link, or an escaped character: ``\\<img\\>``
    is ``<img>``. Tags and emphasis marks leave nothing.
    """
    return match[2] or match[3] or match[4] or unescape(match[5] or "")
