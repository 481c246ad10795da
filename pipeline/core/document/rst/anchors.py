"""What references point to: names go on working when the words they were made of are translated.

docutils takes the words of a title for the name of its section, and those of a link with a target
for the name of that target. ``Title_`` and ``page.html#title`` mean the English ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docutils.nodes import fully_normalize_name, make_id

from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.rst.parser import shown_text
from pipeline.core.document.rst.positions import line_start
from pipeline.core.document.splice import Edit, line_end_of

_PHRASE = re.compile(r"(?<![`\\])`((?:\\.|[^`\\])+)`(__?)(?![A-Za-z0-9_`])", re.DOTALL)
_INLINE = re.compile(r"(?<![A-Za-z0-9`\\])_`((?:\\.|[^`\\])+)`(?!`)", re.DOTALL)
_EMBEDDED = re.compile(r"(.*?)\s*<([^<>]+)>", re.DOTALL)
_WORD = re.compile(
    r"(?<![A-Za-z0-9_`])([A-Za-z0-9]+(?:[-._+:][A-Za-z0-9]+)*)_(?![A-Za-z0-9_`])"
)
_EXPLICIT = re.compile(
    r"""
    ^[ \t]*\.\.[ \t]+_
    (?: `((?:\\.|[^`\\])+)`                                   # .. _`two words`:
      | ((?:\\.|[^:\\\r\n`_])(?:\\.|:(?!\s)|[^:\\\r\n])*) )    # .. _name:
    :
    """,
    re.MULTILINE | re.VERBOSE,
)
_NOTE = re.compile(
    r"^[ \t]*\.\.[ \t]+\[#?([A-Za-z0-9][\w.+:-]*)\][ \t\r\n]", re.MULTILINE
)
_SIMPLE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .-]*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_TO_ESCAPE = re.compile(r"([\\`])")
_LINE_END = re.compile(r"[\r\n]")
_BLANK = "\ufeff \t\r\n"
_GLOSSARY = ".. glossary::"


def referenced_names(text: str) -> frozenset[str]:
    """The names that references in a document point to, normalised.

    ``"See Guide_ or `The  API`_."`` refers to ``guide`` and ``the api``. Rather some too many: code
    is not told apart.
    """
    return frozenset(_referenced(text))


def link_names(text: str) -> frozenset[str]:
    """The names that a text defines, normalised: by links with a target, and inline targets.

    `Some words <a.html>`_     some words
    `<a.html>`_                a.html
    `Some words <a.html>`__    none
    _`Some words`              some words
    """
    names = [_normal(words) for words in _INLINE.findall(text)]
    for words, end in _PHRASE.findall(text):
        if end == "__":
            continue  # an anonymous link defines nothing
        link = _EMBEDDED.fullmatch(words)
        if link:
            # `words <target>`_ by its words, `<target>`_ by the target itself
            names.append(_normal(link[1] or link[2]))
    return frozenset(names)


def plan_targets(
    splits: Sequence[Split], linked: frozenset[str]
) -> dict[tuple[int, int], str]:
    """Return the target that each title needs above it once it is translated.

    Keys are the number of the split, which is 0 as a page of reST is one text, and the index of the
    message. Only titles that something points to by their English words have one: a reference on
    the page does, or a link by one of the fragments ``linked``. Of two equal titles docutils knows
    the first.
    """
    (split,) = splits
    referenced = referenced_names(split.text)
    taken = _explicit_names(split.text)
    plan: dict[tuple[int, int], str] = {}
    for index, message in enumerate(split.messages):
        if message.kind is not Kind.HEADING:
            continue
        title = " ".join(shown_text(message.msgid).split())
        name = fully_normalize_name(title)
        is_linked = name in referenced or make_id(name) in linked
        if is_linked and name not in taken:
            plan[0, index] = title
        taken.add(name)
    return plan


def target_edit(text: str, message: Message, name: str) -> Edit:
    """An explicit target above a title, and above its overline if it has one.

    ``name`` is the English title, without its markup. It is written as a line ``.. _some title:``
    with a blank line below, and one above if there is none.
    """
    rule_starts = [start for start, _ in message.rules]
    start = line_start(text, min([message.start, *rule_starts]))
    # The title itself may be indented below its rules.
    underline = message.rules[-1][0]
    indent = text[line_start(text, underline) : underline]
    end = line_end_of(text)
    # docutils wants a blank line above a target.
    line_above = text[line_start(text, max(start - len(end), 0)) : start]
    gap = end if line_above.strip(_BLANK) else ""
    return Edit(start, start, f"{gap}{indent}.. _{_quoted(name)}:{end}{end}")


def second_term(text: str, message: Message) -> Edit | None:
    """The English of a glossary's term, written below its translation; None elsewhere.

    ``:term:`` on any page finds a term by its words, so both have to be terms:

        数组
        array
           A definition.
    """
    if message.kind is not Kind.TERM or not _is_in_glossary(text, message.start):
        return None
    # The whole line stays above it, and may end in a classifier.
    start = line_start(text, message.start)
    end = _LINE_END.search(text, message.end)
    at = end.start() if end else len(text)
    return Edit(at, at, line_end_of(text) + text[start : message.end])


def keeps_names(before: Split, after: Split) -> bool:
    """Whether every name that is referred to still belongs to something, if it did before.

    ``before`` is upstream's text and ``after`` the merged one. A reference that leads nowhere in
    upstream's may do so in ours.
    """
    wanted = referenced_names(after.text)
    lost = (_own_names(before) & wanted) - _own_names(after)
    # The targets above titles that a merge has written.
    return lost <= _explicit_names(after.text)


def _is_in_glossary(text: str, start: int) -> bool:
    """Whether a term stands in a glossary itself and not in a list of definitions within one.

    It does if it is as far to the left as anything below that directive.
    """
    at = text.rfind(_GLOSSARY, 0, start)
    if at < 0:
        return False  # a list of definitions anywhere else
    term_indent = start - line_start(text, start)
    below = text[at:start].splitlines()[1:]
    indents = [len(line) - len(line.lstrip()) for line in below if line.strip()]
    directive_indent = at - line_start(text, at)
    return min([term_indent, *indents]) == term_indent > directive_indent


def _own_names(split: Split) -> set[str]:
    """The names that words of the page define: links, inline targets, titles."""
    names = set(link_names(split.text))
    for message in split.messages:
        if message.kind is Kind.HEADING:
            names.add(fully_normalize_name(shown_text(message.msgid)))
    return names


def _referenced(text: str) -> Iterator[str]:
    """What references point to, in no order.

    Both forms with backquotes may end in two underscores: with a name in it, a link is anonymous
    but still points there; without one, ```words`__`` points to the next anonymous target.
    """
    # name_
    yield from map(_normal, _WORD.findall(text))
    for words, end in _PHRASE.findall(text):
        link = _EMBEDDED.fullmatch(words)
        if link is None and end == "_":  # `name`_
            yield _normal(words)
        elif link and link[2].endswith("_"):  # `words <name_>`_
            yield _normal(link[2].removesuffix("_"))


def _explicit_names(text: str) -> set[str]:
    """The names that targets, footnotes and citations define in a line of their own.

    ``.. _name:`` or, where the name has a colon in it, ``.. _`two: words`:``; ``.. [#name] words``.
    """
    # Of the two groups, only that of its form has matched.
    names = {_normal(quoted + plain) for quoted, plain in _EXPLICIT.findall(text)}
    return names | set(map(_normal, _NOTE.findall(text)))


def _normal(words: str) -> str:
    """A name as docutils compares names: an escaped space is nothing."""
    return fully_normalize_name(_ESCAPED.sub(_unescaped, words))


def _unescaped(match: re.Match[str]) -> str:
    r"""The character behind a backslash; ``\ `` joins what stands beside it."""
    return match[1].strip()


def _quoted(name: str) -> str:
    """A name as it is written in a target: in backquotes if it has more than words in it."""
    if _SIMPLE_NAME.fullmatch(name):
        return name
    escaped = _TO_ESCAPE.sub(r"\\\1", name)
    return f"`{escaped}`"
