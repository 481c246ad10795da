"""M104, M111: links, images and references that do not work, or that have no text.

Readers see the source of a broken link. Typical causes are brackets and marks that are lost or
full-width, have white space between them, or belong to the other markup language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from pipeline.core.checks import fixes
from pipeline.core.checks.markup.emphasis import visible_words
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.checks.parsed import Atom, Parsed
from pipeline.core.document.message import Markup

_TARGETS = (Atom.LINK, Atom.IMAGE, Atom.REFERENCE)
_ATOM_OF = {"link": Atom.LINK, "reference": Atom.REFERENCE, "image": Atom.IMAGE}
# The text of a link. Code inside it may contain brackets.
_NO_BRACKET = r"(?:`[^`]*`|[^\[\]［］【】`])*"
_TICKS = "[`｀]"
_ANONYMOUS = "__"  # the value of an anonymous reference in the inline tree


def find_broken(subject: Subject) -> Iterator[Problem]:
    """Report broken links, images and references: ``[词]（a.md）``, ``｀词＜https://a.b＞｀_``."""
    # Fast path: most messages have lost no atom, and nothing in them looks like a link.
    if subject.has_all_atoms and "](" not in subject.msgstr:
        return
    shown: list[tuple[Atom, str]] = []
    for name in _TARGETS:
        lost = fixes.missing(subject.english, subject.chinese, name)
        shown += [
            (name, target) for target in lost if is_target_visible(subject.chinese, name, target)
        ]
    is_rst = subject.markup is Markup.RST
    if shown:
        fix = (_mended_rst if is_rst else _mended_markdown)(subject, shown)
        for name, target in shown:
            yield _broken_link(subject, name, target, fix)
    elif not is_rst and fixes.count_extra_marks(subject, "](") > 0:
        yield Problem(
            text="a link does not work: its brackets are visible",
            hint="Write it as [words](target), without a space in the target.",
            spans=fixes.spans_of(subject.msgstr, "]("),
        )


def is_target_visible(chinese: Parsed, name: Atom, target: str) -> bool:
    """Return whether a lost target is visible as text, or belongs to an atom of another class.

    The latter happens in Markdown: without its exclamation mark, the image ``![图](a.png)`` is a
    link. In reST, the visible name of a reference may differ from ``target`` in case and spaces; a
    URL may not.
    """
    if chinese.markup is Markup.RST:
        if name is Atom.LINK:
            return target in chinese.source
        return bool(_name_in(chinese.source, target))
    if target in chinese.literal:
        return True
    # The class ``name`` has lost the target, so a match belongs to another class.
    return any(target in chinese.of(other) for other in _TARGETS)


def _broken_link(subject: Subject, name: Atom, target: str, fix: str | None) -> Problem:
    """Return the problem with one broken link, image or reference.

    ``fix`` corrects all broken links, images and references of the msgstr.
    """
    if subject.markup is Markup.RST:
        what, seen = "reference", _name_in(subject.msgstr, target)
        if name is Atom.LINK:
            what, seen = "link to", target
        shown = target.removesuffix("_") or "…"
        example = written_as(subject, name, target)
        advice = ", with a space before <" if "<" in example else ""
    else:
        what, seen, shown = "link to", target, target
        example = f"[…]({target})"
        if name is Atom.IMAGE:
            what, example = "image to", f"![…]({target})"
        elif name is Atom.REFERENCE:
            example = f"[…]{target}"  # the value of a reference includes its brackets
        advice = ", with half-width brackets and nothing between them"
    return Problem(
        text=f"the {what} {fixes.quote(shown)} does not work any more",
        hint=f"Write it as {example}{advice}.",
        spans=fixes.spans_of(subject.msgstr, seen),
        fix=fix,
    )


def _mended_markdown(subject: Subject, lost: list[tuple[Atom, str]]) -> str | None:
    """Return the msgstr with the brackets of the lost links corrected.

    Return None if a parser does not find all links in the result.
    """
    fix = subject.msgstr
    for name, target in lost:
        # The pattern for the part after the words, such as the （a.md） of 【词】（a.md）.
        if name is Atom.REFERENCE:
            behind = rf"\s*[\[［【]\s*{re.escape(target[1:-1])}\s*[\]］】]"
        else:
            title = r"(?P<title>\s+[\"“][^\"”]*[\"”])?"
            behind = rf"\s*[(（]\s*<?{re.escape(target)}>?{title}\s*[)）]?"
        words = rf"[\[［【](?P<words>{_NO_BRACKET})[\]］】]"
        pattern = rf"(?P<bang>[!！]?)\s?{words}{behind}"
        fix = re.sub(pattern, partial(_markdown_link, name, target), fix)
    return fixes.first_valid_fix(subject, [fix], *_TARGETS)


def _markdown_link(name: Atom, target: str, match: re.Match[str]) -> str:
    """Return the Markdown link or image for ``match``, with its words and title.

    ``【词】（a.md “题”）`` -> ``[词](a.md "题")``; for an image also ``！[图](a.png)`` ->
    ``![图](a.png)``
    """
    bang, words = match["bang"], match["words"]
    if name is Atom.REFERENCE:
        return f"{bang}[{words}]{target}"
    title = ""
    if match["title"]:
        title = f' "{match["title"].strip()[1:-1]}"'
    if name is Atom.IMAGE:
        bang = "!"
    elif bang:
        bang = "！"  # not part of the link: it ends the sentence before
    return f"{bang}[{words}]({target}{title})"


def written_as(subject: Subject, name: Atom, value: str) -> str:
    """Return a reST link or reference as the English writes it, with ``…`` for its words.

    A link is "`… <https://a.b>`_". If the words of a reference are also its target, return them:
    "`the guide`_".
    """
    if name is Atom.LINK:
        # Two underscores make a link anonymous: its words define no target.
        is_anonymous = re.search(rf"{re.escape(value)}>`__", subject.msgid)
        return f"`… <{value}>`{'__' if is_anonymous else '_'}"
    if value == _ANONYMOUS:
        return "`…`__"
    in_one = re.compile(rf"`?{_name_pattern(value)}`?_(?![\w_>])", re.IGNORECASE)
    if match := in_one.search(subject.msgid):
        return match[0]
    return f"`… <{_name_in(subject.msgid, value)}_>`_"


def _name_pattern(value: str) -> str:
    r"""Return a pattern for the name of a reference: ``the guide_`` -> ``the\s+guide``.

    Use the pattern with ``re.IGNORECASE``.
    """
    return r"\s+".join(map(re.escape, value.removesuffix("_").split()))


def _name_in(source: str, value: str) -> str:
    """Return the name of a reference as ``source`` spells it, or "" if it does not occur.

    The source ``See The Guide`` and the name ``the guide_`` give ``The Guide``.
    """
    if value == _ANONYMOUS:
        return ""
    word = rf"(?<![A-Za-z0-9]){_name_pattern(value)}(?![A-Za-z0-9])"
    match = re.search(word, source, re.IGNORECASE)
    return match[0] if match else ""


def _mended_rst(subject: Subject, lost: list[tuple[Atom, str]]) -> str | None:
    """Return the msgstr with each lost link or reference written as in the English.

    Return None if none of them works after this correction.
    """
    fix = subject.msgstr
    for name, value in lost:
        written = written_as(subject, name, value)
        if name is Atom.REFERENCE:
            fix = _with_reference(fix, value, written)
        else:
            fix = _with_link(fix, value, written)
    # A fix that improves one class of atoms is enough: the text may have other mistakes,
    # which this check cannot correct.
    for name in _TARGETS:
        if fixes.improves(subject, fix, name):
            return fix
    return None


def _with_reference(source: str, value: str, written: str) -> str:
    """Return ``source`` with ``written`` in the place of the first occurrence of a name.

    For the name "name_": "见 `name` 和 name" -> "见 name_ 和 name"
    """
    opening, closing = rf"(?<![\w`<])(?:{_TICKS}\s*)?", rf"(?:\s*{_TICKS})?"
    underscore = r"(?:\s?[_＿](?![A-Za-z0-9_]))?(?![`｀>])"
    loose = f"{opening}{_name_pattern(value)}{closing}{underscore}"
    flags = re.IGNORECASE | re.ASCII
    return re.sub(loose, fixes.as_replacement(written), source, count=1, flags=flags)


def _with_link(source: str, value: str, written: str) -> str:
    """Return ``source`` with each malformed link to a target rewritten in the form ``written``.

    "[词](https://a.b)", "｀词＜https://a.b＞｀_" -> "`词 <https://a.b>`_"
    """
    target = re.escape(value)
    # People who are used to Markdown write Markdown links in reST.
    of_markdown = rf"\[(?P<words>[^\[\]]*)\]\s*[(（]\s*{target}\s*[)）]"
    words = rf"{_TICKS}(?P<words>[^`｀<>＜＞〈〉《》]*?)"
    of_rst = rf"{words}\s*[<＜〈《]\s*{target}\s*[>＞〉》]\s*{_TICKS}?(?:\s?[_＿]{{1,2}})?"
    for pattern in (of_markdown, of_rst):
        source = re.sub(
            pattern,
            lambda match: written.replace("…", match["words"].strip()),
            source,
        )
    return source


def find_empty(subject: Subject) -> Iterator[Problem]:
    """Report links without words and images without text: ``[](a.md)``."""
    if "[" not in subject.msgstr:
        return
    added = _empty_targets(subject.chinese) - _empty_targets(subject.english)
    for name, target in added:
        if target not in subject.english.of(_ATOM_OF[name]):
            continue  # the guard rejects new targets
        is_image = name == "image"
        yield Problem(
            text=f"the {'image' if is_image else 'link'} {fixes.quote(target)} has no words",
            hint="Write its words between [ and ].",
            spans=fixes.spans_of(subject.msgstr, target),
            is_downgraded=is_image,
        )


def _empty_targets(parsed: Parsed) -> Counter[tuple[str, str]]:
    """Return the number of links and images without visible words, by type and target.

    ``[](a.md)`` and ``[ ](a.md)`` -> (link, a.md) 2
    """
    empty: Counter[tuple[str, str]] = Counter()
    for node in parsed.nodes(*_ATOM_OF):
        if not visible_words(node).strip():
            empty[node.type, node.value] += 1
    return empty
