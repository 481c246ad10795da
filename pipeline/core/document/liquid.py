"""Tags of Liquid within a line: what Jekyll fills in before anything reads the page as Markdown.

``{{ site.title }}`` and ``{% link a.md %}`` may hold any marks, so a parser of Markdown must not
see them. ``hidden`` puts one stand-in in the place of each of their characters: positions hold, and
``shown`` is the way back. Nothing else of the project knows what Liquid is written like.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

# A stand-in is the character itself, moved to a plane of private use. To Markdown that is a letter
# without a meaning, and to the rules of prose it is no word.
_PLANE = 0xF0000
STAND_INS = "[\U000f0000-\U000fffff]"
_HIDDEN = re.compile(rf"{STAND_INS}+")
_OPENING = re.compile(r"\{\{|\{%")
_CLOSING = {"{{": re.compile(r"\}\}"), "{%": re.compile(r"%\}")}
# Where the block ends that a tag stands in: a blank line, also in a quote, or a fence.
_BLOCK_END = re.compile(r"\n(?=[ \t>]*(?:\n|```|~~~))|\Z")
_NAME = re.compile(r"\{%-?\s*(\w+)")
_LINE_START = re.compile(r"\n[ \t>]*")
_FOLDED = re.compile(r"[ \t]*\n[ \t>]*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_SIMPLE_TAG = re.compile(r"\{[{%][^{}]*[%}]\}")
# Tags that make or end blocks; besides them, all that have an ending of their own. Any other one,
# such as {% cite a %}, may stand for words, and is a part of the paragraph around it.
BLOCK_TAGS = frozenset(
    (
        *("assign", "break", "capture", "case", "comment", "continue", "cycle"),
        *("decrement", "else", "elsif", "for", "highlight", "if", "include"),
        *("include_cached", "include_relative", "increment", "liquid", "raw"),
        *("render", "tablerow", "unless", "when"),
    )
)
# A text in quotes within a tag, perhaps of a parameter: caption="Some words"
_QUOTED = re.compile(
    r"""(?:(?P<name>[\w-]+)\s*[=:]\s*)?(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')"""
)
_SEVERAL_WORDS = re.compile(r"[^\W\d_]{2,}[,;:]?\s+[^\W\d_]{2,}")
# Parameters whose values layouts show, and those whose values are names, however many.
_SHOWN = frozenset("alt caption description subtitle summary text title".split())
_NAMES = frozenset("class id style width height path src url link href".split())
# Tags whose texts are compared, and not shown.
_COMPARING = frozenset("case elsif for if unless when".split())
# {{ "/a" | relative_url }}, {{ site.baseurl }}, {% link a.md %}, {% raw %}words{% endraw %}
_LITERAL = re.compile(r"""\{\{-?\s*(?:"([^"]*)"|'([^']*)')[^"']*\}\}""", re.DOTALL)
_ADDRESS = re.compile(r"\{\{-?\s*site\.(?:baseurl|url)\s*-?\}\}")
_LINK = re.compile(r"\{%-?\s*link\s+(?P<page>\S+)\s*-?%\}")
_RAW = re.compile(
    r"\{%-?\s*raw\s*-?%\}(?P<content>.*)\{%-?\s*endraw\s*-?%\}", re.DOTALL
)
# Tags whose content is none of the page's prose; of ``raw`` it may be.
WHOLE = frozenset(("raw", "comment", "highlight"))
# Tags that mean something by their order; besides them, those that have an ending of their own.
_ORDERED = frozenset("assign break case continue cycle else elsif if when".split())


def holds_liquid(text: str) -> bool:
    """Whether anything in ``text`` would be hidden."""
    return "{{" in text or "{%" in text


def hidden(text: str) -> str:
    """``text`` with a stand-in for each character of its tags; hiding it again changes nothing.

    Lines stay lines, and begin with the marks of containers that they have.
    """
    if not holds_liquid(text):
        return text
    parts: list[str] = []
    at = 0
    for start, end in _spans(text):
        parts += text[at:start], _stand_ins(text[start:end])
        at = end
    return "".join([*parts, text[at:]])


def shown(text: str) -> str:
    """What :func:`hidden` was given."""
    return _HIDDEN.sub(_originals, text)


def as_read(text: str) -> str:
    """``text`` for a parser: as :func:`hidden` has it, and no other character is a stand-in."""
    return hidden(_HIDDEN.sub(lambda match: "\ufffd" * len(match[0]), text))


def tags_of(text: str) -> list[str]:
    """The tags of a text in their order, as a message has them: on one line.

    ``{% raw %}{{ a }}{% endraw %}`` is one, unless there are words between the two marks.
    """
    return [_FOLDED.sub(" ", text[start:end]) for start, end in _spans(text)]


def fixed_tags_of(text: str) -> list[str]:
    """The same of a whole page, without what figures say by their parameters: prose.

    To Liquid a mark that its block does not close goes on: then all that could close it counts.
    """
    tags = [_without_shown(tag) for tag in tags_of(text)]
    for mark, closing in (("{{", "}}"), ("{%", "%}")):
        if mark in tags:
            tags += [closing] * text.count(closing)
    return tags


def evaluated(text: str) -> str:
    """``text`` as Jekyll would show it, as far as that is known without its site.

    Names of files and texts in quotes are there in the end, and what is within ``{% raw %}``. A
    variable stays as it is written; of other tags nothing is seen.
    """
    parts: list[str] = []
    at = 0
    for start, end in _spans(text):
        parts += text[at:start], _evaluated_tag(text[start:end])
        at = end
    return "".join([*parts, text[at:]])


def name_of(tag: str) -> str:
    """The name of ``{% name … %}``; empty for a variable, and for what nothing closes."""
    match = _NAME.match(tag)
    return match[1] if match else ""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A text in quotes within a tag, which readers may see.

    ``is_shown`` says that they do, by the name of its parameter.
    """

    start: int
    end: int
    is_shown: bool


def quoted_words(text: str) -> Iterator[Quoted]:
    """The texts in quotes within the tags of ``text`` that may be words for readers.

    ``{% include figure.html class="wide" caption="Some words" %}`` has one, which is shown.
    """
    for tag in _TAG.finditer(text):
        if name_of(tag[0]) in _COMPARING:
            continue
        for match in _QUOTED.finditer(text, *tag.span()):
            name, value = match["name"] or "", match[str(match.lastgroup)]
            is_shown = name in _SHOWN and bool(_WORD.search(value))
            if is_shown or (name not in _NAMES and _SEVERAL_WORDS.search(value)):
                start, end = match.span(str(match.lastgroup))
                yield Quoted(start, end, is_shown)


def summaries(text: str) -> Iterator[str]:
    """The words without quotes in tags that are not Liquid's own.

    ``{% details Some words %}`` has some, ``{% cite lamp %}`` has none.
    """
    for tag in _TAG.finditer(text):
        name = name_of(tag[0])
        is_own = name in BLOCK_TAGS or not name
        inner = _QUOTED.sub("", tag[0][2:-2].replace(name, "", 1))
        if not is_own and _SEVERAL_WORDS.search(inner):
            yield inner.strip(" -")


@dataclass(frozen=True, slots=True)
class Difference:
    """How the tags of a translation differ from those of its English."""

    added: Counter[str]
    missing: Counter[str]
    is_reordered: bool


def difference(english: str, translation: str) -> Difference | None:
    """How the tags differ; None if they are the same, in an order that means the same.

    Variables and links may change their places, ``{% if … %}`` and ``{% endif %}`` may not.
    """
    theirs, ours = tags_of(english), tags_of(translation)
    if theirs == ours:
        return None
    added, missing = Counter(ours) - Counter(theirs), Counter(theirs) - Counter(ours)
    is_reordered = not added and _in_order(theirs) != _in_order(ours)
    if added or missing or is_reordered:
        return Difference(added, missing, is_reordered)
    return None


def _without_shown(tag: str) -> str:
    """A tag without the texts in quotes that are shown: ``{% include a.html caption="" %}``."""
    parts: list[str] = []
    at = 0
    for quoted in quoted_words(tag):
        if quoted.is_shown:
            parts.append(tag[at : quoted.start])
            at = quoted.end
    return "".join([*parts, tag[at:]])


def _evaluated_tag(tag: str) -> str:
    """What is seen of one tag."""
    if literal := _LITERAL.fullmatch(tag):
        return literal[1] or literal[2] or ""
    if _ADDRESS.fullmatch(tag):
        return ""  # the site lies at another one
    if linked := _LINK.fullmatch(tag):
        return f"/{linked['page'].lstrip('/')}"
    if raw := _RAW.fullmatch(tag):
        return raw["content"]
    if tag.startswith("{%") and tag.endswith("%}"):
        return ""
    return tag


def _in_order(tags: list[str]) -> list[str]:
    """The tags whose order means something, and what stands in ``{% raw %}`` with words."""
    names = {name_of(tag) for tag in tags}
    kept: list[str] = []
    is_raw = False
    for tag in tags:
        name = name_of(tag)
        is_raw = name == "raw" or (is_raw and name != "endraw")
        is_block = name.startswith("end") or f"end{name}" in names
        if is_raw or is_block or name in _ORDERED:
            kept.append(tag)
    return kept


def _stand_ins(tag: str) -> str:
    """The stand-ins of one tag, line by line."""
    made: list[str] = []
    at = 0
    for match in _LINE_START.finditer(tag):
        made += _moved(tag[at : match.start()], _PLANE), match[0]
        at = match.end()
    return "".join([*made, _moved(tag[at:], _PLANE)])


def _originals(match: re.Match[str]) -> str:
    return _moved(match[0], -_PLANE)


def _moved(text: str, by: int) -> str:
    """Each character by so many code points further; those beyond the first plane stay."""
    return "".join(
        chr(ord(char) + by) if by < 0 or ord(char) < 1 << 16 else char for char in text
    )


class _Next:
    """Where a pattern is found next: each part of the text is searched once."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern = pattern
        self._text = text
        self._found: tuple[int, int] = (-1, -1)

    def span(self, start: int) -> tuple[int, int]:
        """The span of the first match from ``start`` on; behind the text if there is none."""
        if self._found[0] < start:
            match = self._pattern.search(self._text, start)
            beyond = len(self._text) + 1
            self._found = match.span() if match else (beyond, beyond)
        return self._found


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the tags of a text stand. Of one that its block does not close it is the mark alone."""
    closings = {mark: _Next(pattern, text) for mark, pattern in _CLOSING.items()}
    endings = {name: _Next(ending_of(name), text) for name in WHOLE}
    block_ends = _Next(_BLOCK_END, text)
    at = raw_end = 0
    for opening in _OPENING.finditer(text):
        start = opening.start()
        if start < at:
            continue
        limit = block_ends.span(start)[0]
        # In {% raw %} a mark may stand alone: what is behind {% endraw %} does not close it.
        if start < raw_end:
            limit = min(limit, raw_end)
        end = closings[opening[0]].span(start + 2)[1]
        if end > limit:
            at = start + 2
            yield start, at
            continue
        name = name_of(text[start:end])
        if name in WHOLE and start >= raw_end:
            ending, behind = endings[name].span(end)
            if behind <= limit and name == "raw" and _has_words(text[end:ending]):
                raw_end = ending
            elif behind <= limit:
                end = behind
        at = end
        yield start, at


def ending_of(name: str) -> re.Pattern[str]:
    """The tag that ends the block of a tag of this name."""
    return re.compile(rf"\{{%-?\s*end{name}\s*-?%\}}")


def _has_words(raw: str) -> bool:
    """Whether there are words in what ``{% raw %}`` holds, beside tags."""
    return bool(_WORD.search(_SIMPLE_TAG.sub("", raw)))
