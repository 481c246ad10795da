"""Heading anchors: links to a heading go on working when its title is translated.

Source of the rule: MyST-Parser's ``myst_heading_anchors`` gives a heading the slug of its title,
as GitHub does, and numbers the ones that occur again.
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
    """The fragments that links point to, by page.

    ``texts`` pairs the name of a page with its Markdown or reST. ``[see](../b.md#a-title)`` on
    ``d/a`` gives ``{"b": {"a-title"}}``; links to other sites do not count.
    """
    found: dict[str, set[str]] = {}
    for page, text in texts:
        # No link goes on in a next line, and few lines have one: they are found in no time. The
        # first one may begin where its line does.
        lines = [line for line in text.split("\n") if "#" in line]
        for target, fragment in _LINK.findall("\n".join(["", *lines])):
            if ":" in target:
                continue  # another site
            path = _linked_page(page, target)
            found.setdefault(path, set()).add(fragment)
    return {page: frozenset(fragments) for page, fragments in found.items()}


def _linked_page(page: str, target: str) -> str:
    """The page that a link on ``page`` leads to: ``d/a`` and ``../b.md`` make ``b``."""
    path = page
    if target:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    return _PAGE_SUFFIX.sub("", path)


def slug(title: str) -> str:
    """The anchor that a heading with this Markdown gets, before numbers for duplicates.

    ``"Using `jit`: a *first* look"`` has ``using-jit-a-first-look``.
    """
    return _NOT_IN_SLUGS.sub("", _plain(title).lower()).strip().replace(" ", "-")


def plan_targets(
    splits: Sequence[Split], linked: frozenset[str]
) -> dict[tuple[int, int], str]:
    """The anchor that must be written above a heading once it is translated.

    By number of the split and index of the message. Only for headings that something links to by
    their English anchor, and that have no such target already.
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
        # A line above a heading in a list or a quote would end that.
        if not name or not heading.is_top_level:
            continue
        if not _has_target(splits, name):
            plan[number, index] = name
    return plan


def target_edit(text: str, message: Message, name: str, *, notebook: bool) -> Edit:
    """A target line above the heading.

    MyST's form on pages; HTML in notebooks, where the former would show.
    """
    start = line_start_of(text, message.start)
    end = line_end_of(text)
    if not notebook:
        return Edit(start, start, f"({name})={end}")
    before = text[:start]
    # HTML right below a paragraph would belong to that.
    gap = end
    if not before.strip() or before.endswith(end * 2):
        gap = ""
    return Edit(start, start, f'{gap}<a id="{name}"></a>{end}{end}')


def plain_title(title: str) -> str:
    """A heading's Markdown as text: ``A `b`` and ``A [b](c.md)`` are ``A b``."""
    return _plain(title).strip()


def _headings(splits: Sequence[Split]) -> Iterator[tuple[int, int, Message]]:
    """Every heading with the number of its split and its index there, in page order."""
    for number, split in enumerate(splits):
        for index, message in enumerate(split.messages):
            if message.kind is Kind.HEADING:
                yield number, index, message


def _linked_name(heading: Message, anchor: str, linked: frozenset[str]) -> str:
    """The name by which something links to the heading; empty if nothing does.

    ``anchor`` is its slug, with the number of a duplicate.
    """
    # Jupyter's own anchors keep case and punctuation: "Pure-functions!".
    for name in (anchor, plain_title(heading.msgid).replace(" ", "-")):
        if name in linked and _SAFE.fullmatch(name):
            return name
    return ""


def _has_target(splits: Sequence[Split], name: str) -> bool:
    """Whether a target of this name is written anywhere on the page, in any of three forms.

    Upstream has written it then, and it stays where it is.
    """
    forms = (f"({name})=", f'id="{name}"', f'name="{name}"')
    return any(form in split.text for split in splits for form in forms)


def _plain(title: str) -> str:
    """The words of a heading without the marks around them; white space stays."""
    return _MARKUP.sub(_words_of, title)


def _words_of(match: re.Match[str]) -> str:
    """What is left of a piece of markup: the text of code, the words of a link, or nothing.

    Of a role that is its content; of a tag and of the marks of emphasis there is nothing. What is
    escaped shows as it is: ``\\<img\\>`` is ``<img>``.
    """
    return match[2] or match[3] or match[4] or unescape(match[5] or "")
