"""Active markup in Markdown: what a renderer makes more of than words.

That is tags, targets, images, roles and formulas. A translation may bring in none that its English
does not have. They are looked for twice: as the text is written, since renderers differ, and as
the parser reads it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from html import unescape

from markdown_it.token import Token

from pipeline.core.document import atoms
from pipeline.core.document.atoms import added_formulas, canonical_math
from pipeline.core.document.guard import (
    WRITTEN,
    Refusal,
    change_refusal,
    find_written,
    may_hold_written,
)
from pipeline.core.document.markdown.blocks import html_tags
from pipeline.core.document.markdown.parser import inline_tokens
from pipeline.core.document.markdown.template_syntax import braces_in

HTML, LINK, IMAGE, ROLE, FORMULA, FOOTNOTE = NAMES = (
    "HTML",
    "link target",
    "image",
    "role",
    "formula",
    "footnote",
)
# What Sphinx takes for a title and a target.
_TITLED = re.compile(r".+<(?P<target>[^<]*)>", re.DOTALL)


def pieces_of(text: str) -> dict[str, Counter[str]]:
    """What acts in ``text``, by its name for people: each piece with how often it is there.

    ``"{ref}`a` and [b](c.md)"`` has ``{"role": {"{ref}`a`": 1}, "link target": {"c.md": 1}}``. What
    is not there counts as an empty counter.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for token in inline_tokens(text):
        for name, piece in _pieces(token):
            found[name][piece] += 1
    return found


def _pieces(token: Token) -> Iterator[tuple[str, str]]:
    """The name and the text of each thing that acts in one token."""
    match token.type:
        case "html_inline":
            yield HTML, token.content
        case "link_open":
            yield LINK, str(token.attrGet("href"))
        case "image":
            yield IMAGE, str(token.attrGet("src"))
            yield from _image_pieces(token)
        case "math_inline" | "math_inline_double":
            yield FORMULA, canonical_math(token.content)
        case "myst_role":
            yield _role(str(token.meta["name"]), token.content)
        case "footnote_ref":
            yield FOOTNOTE, str(token.meta["label"])


def _image_pieces(image: Token) -> Iterator[tuple[str, str]]:
    """What acts in an image's text.

    It shows nothing there, but some renderer may take it for what it is elsewhere:
    ``![a <b>](c.png)`` has ``<b>``, as HTML. Of a link it counts only that there is one.
    """
    for child in image.children or ():
        if child.type in ("html_inline", "link_open"):
            yield HTML, child.content
        else:
            yield from _pieces(child)


def _role(name: str, content: str) -> tuple[str, str]:
    """A role by its name and by what of its text has to stay; a formula by itself.

    {kbd}`words`            {kbd}`…`
    {func}`words <~a.b>`    {func}`a.b`
    {math}`a + b`           a+b
    """
    if name.lower() == atoms.MATH:
        return FORMULA, canonical_math(content)
    titled = _TITLED.fullmatch(content)
    target = titled["target"] if titled else content
    fixed = atoms.fixed_part(name, content, target)
    return ROLE, f"{{{name}}}`{fixed or '…'}`"


# Without any of these there is no HTML, link, image, role, formula or footnote mark …
_PARSED = re.compile(r"[<\[{$]")
# … and without any of these nothing at all that is active as it is written.
_ACTIVE = re.compile(r"[<\[{\\:&]|//|www\.", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([:/.&;#])")
# A role with a title; its target looks like HTML: {ref}`a <b>`
_TITLED_ROLE = re.compile(r"(\{[\w+:-]+\}`[^`<>\n]+)<([^`<>\n]+)>`")
_ROLE = re.compile(r"\{[\w+:-]+\}`(?:[^`<>]*<)?([^`<>]+)>?`")
_IMAGE_MARK = re.compile(r"[\\`<>\[\]$]")
# Of these there may be no more than in the English; others may be named again.
_COUNTED = frozenset(("HTML", "payload"))
# What the parser finds, in the order in which a refusal names it; all but HTML.
_MAY_GO_MISSING = (LINK, IMAGE, ROLE, FORMULA, FOOTNOTE)
_NONE: Counter[str] = Counter()


def written_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Whether the text has what some renderer could make active, and the English has not.

    "a word"    "一个 <b>词"                   adds HTML “<b”
    "a word"    "见 www.a.b"                   adds URL “www.a.b”
    "a word"    "见 java&#115;cript&#58;x"     adds scheme “javascript:”
    "a word"    "见 {process.env.KEY}"         adds braces “{process.env.KEY}”
    """
    if not _ACTIVE.search(msgstr):
        return None
    text = _plain(msgstr, msgid)
    if not may_hold_written(text):
        return None
    english = _plain(msgid, msgid)
    for name in WRITTEN:
        ours = Counter(find_written(name, text))
        if not ours:
            continue  # do not look at the English for nothing
        theirs = Counter(find_written(name, english))
        added = _added(ours, theirs, is_counted=name in _COUNTED)
        if added:
            return change_refusal(name, added)
    refused = _changed(FORMULA, _NONE, Counter(added_formulas(english, text)))
    if refused:
        return refused
    theirs, ours = Counter(braces_in(english)), Counter(braces_in(text))
    added = _added(ours, theirs, is_counted=False)
    return change_refusal("braces", added) if added else None


def image_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """An image's text stands inside the image's markup: ``![text](source)``.

    No mark may come or go that could close that or swallow it.
    """
    theirs = Counter(_IMAGE_MARK.findall(msgid))
    ours = Counter(_IMAGE_MARK.findall(msgstr))
    return _changed("mark", theirs, ours)


def html_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Whether a block of HTML has other tags, or the start of one more.

    Their order is free: ``<b>one</b> <i>two</i>`` may have its halves the other way round.
    """
    theirs = Counter(html_tags(msgid))
    ours = Counter(html_tags(msgstr))
    rest = msgstr
    for tag in ours:
        rest = rest.replace(tag, "")
    # A tag that nothing closes is found by no pattern: "<img src=x onerror=…".
    if theirs == ours and "<" not in rest:
        return None
    return change_refusal("HTML", ours - theirs, theirs - ours)


def inline_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Whether the parser finds anything active that the English has not.

    HTML may not go missing either: without its closing tag, ``<b>`` goes on to the end.

        "a [word](b.md)"    "[一个](b.md)[词](b.md)"    None
        "a [word](b.md)"    "一个[词](c.md)"            adds link target “c.md”
        "a <b>word</b>"     "一个 <b>词"                lacks HTML “</b>”
    """
    if not _PARSED.search(msgstr) and "<" not in msgid:
        return None
    theirs = pieces_of(msgid)
    ours = pieces_of(msgstr)
    refused = _changed(HTML, theirs[HTML], ours[HTML])
    if refused:
        return refused
    for name in _MAY_GO_MISSING:
        added = _added(ours[name], theirs[name], is_counted=False)
        if added:
            return change_refusal(name, added)
    return None


def _plain(text: str, msgid: str) -> str:
    """``text`` as renderers read it in the end, without the targets of the English's roles.

    Character references and backslash escapes are resolved: ``java&#115;cript\\:x`` is
    ``javascript:x``. And ``{ref}`词 <label>``` has no HTML, if a role of the English leads there.
    """
    if "<" in text:
        targets = {target.lstrip("~!") for target in _ROLE.findall(msgid)}
        text = _TITLED_ROLE.sub(
            lambda role: role[1] + "`" if role[2] in targets else role[0], text
        )
    # What was resolved may be another reference: "&amp;lt;b&amp;gt;".
    while "&" in text and (resolved := unescape(text)) != text:
        text = resolved
    return _ESCAPE.sub(r"\1", text)


def _added(
    ours: Counter[str], theirs: Counter[str], *, is_counted: bool
) -> Counter[str]:
    """What we have and the English has not: at all, or not as often if it ``is_counted``."""
    if is_counted:
        return ours - theirs
    # The link to the same page may stand in both halves of a sentence.
    return Counter(piece for piece in ours if piece not in theirs)


def _changed(name: str, theirs: Counter[str], ours: Counter[str]) -> Refusal | None:
    """The refusal of what has come or gone, where neither may; None if nothing has."""
    if theirs == ours:
        return None
    return change_refusal(name, ours - theirs, theirs - ours)
