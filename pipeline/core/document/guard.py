"""What the guards of both languages share: reasons to refuse a translation, and the final proof.

:func:`text_refusal` and the patterns of :data:`WRITTEN` look at the text as it is written, without
a parser, because renderers differ. :func:`merged_messages` compares a merged text, parsed afresh,
with upstream's, so that nothing depends on what a merge believes to have done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from html import unescape

from pipeline.core.document.message import Kind, Message, Signature, Split
from pipeline.core.document.splice import Placed

# Besides control characters: what turns the direction of text around or cannot be seen. A reader
# would see something else than stands there.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")
# Parsing takes time that grows faster than the text; no honest translation is that much longer.
_LEAST_LIMIT = 1000
_TIMES_AS_LONG = 10
_SHOWN = 60  # characters of a piece that a refusal names
_NAMED = 3  # pieces that a refusal names


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a translation is not used: a stable code, what is wrong, what to do."""

    code: str
    text: str
    hint: str


def text_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """What no translation may hold in any language: control characters, endless text.

    ``"中文\\u202e"`` has the control character U+202E, which would turn the line around. None if
    nothing is found.
    """
    if control := _CONTROL.search(msgstr):
        return Refusal(
            "G101",
            f"has the control character U+{ord(control[0]):04X}",
            "Delete it, or type the text again.",
        )
    if len(msgstr) > _LEAST_LIMIT + _TIMES_AS_LONG * len(msgid):
        return Refusal(
            "G106",
            f"has {len(msgstr)} characters where the English has {len(msgid)}",
            "Shorten it.",
        )
    return _environment_refusal(msgid, msgstr)


def _environment_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Whether a formula environment begins or ends that does not in the English.

    MyST makes a block of ``\\begin{equation}``, and MathJax reads on to the next ``\\end``,
    wherever that stands on the page.
    """
    theirs, ours = _environments(msgid), _environments(msgstr)
    for name in sorted({*theirs, *ours}):
        before, after = theirs.get(name, []), ours.get(name, [])
        if before != after:
            return Refusal(
                "G104",
                f"begins or ends the formula environment {quoted(name)} where the English does not",
                "Keep \\begin{…} and \\end{…} exactly as the English has them.",
            )
    return None


def _environments(text: str) -> dict[str, list[str]]:
    """Where the formula environments of each name begin and end.

    ``\\begin{align}x\\end{align}`` -> ``{"align": ["begin", "end"]}``
    """
    marks: dict[str, list[str]] = {}
    # A renderer resolves character references first: "&#92;begin{align}".
    for mark, name in _ENVIRONMENT.findall(unescape(text)):
        marks.setdefault(name, []).append(mark)
    return marks


def change_refusal(
    name: str, added: Iterable[str], missing: Iterable[str] = ()
) -> Refusal:
    """Return the refusal that names what is ``added`` and what is ``missing``, but not all of many.

    ``name`` is what they are for people: "adds role “func”; lacks role “ref”".
    """
    parts = [f"adds {name} {quoted(piece)}" for piece in added]
    parts += [f"lacks {name} {quoted(piece)}" for piece in missing]
    # Neither of both: the block of HTML has the start of a tag besides.
    text = "; ".join(parts[:_NAMED]) or f"has other {name} than the English"
    return Refusal("G104", text, "Keep exactly what the English has, letter by letter.")


def quoted(piece: str) -> str:
    """A piece of a text in quotation marks, for a refusal; of a long one, its first characters."""
    if len(piece) <= _SHOWN:
        return f"“{piece}”"
    return f"“{piece[:_SHOWN]}…”"


def merged_messages(
    split: Split, fresh: Split, placed: Placed, added: Set[int]
) -> tuple[Message, ...] | None:
    """The messages of the merged text; None unless all of it lies where upstream has it.

    ``split`` is upstream's, ``fresh`` that of ``placed.text``. What begins at one of the offsets
    ``added`` was inserted by the merge: upstream does not have it, and it is left out.
    """
    found = [message for message in fresh.messages if message.start not in added]
    count = len(split.messages)
    messages = tuple(found[:count])
    # Sections that stay English say what they said.
    if [message.msgid for message in found[count:]] != [
        message.msgid for message in split.rest
    ]:
        return None
    # Each lies where its translation was put. Where one was taken for two blocks, or for a part
    # of a longer one, the spans differ.
    if _spans(messages) != placed.spans:
        return None
    # A paragraph may have become a heading without moving.
    if _kinds(messages) != _kinds(split.messages):
        return None
    # What lies between the messages has moved, but its signatures are the same, in their order.
    if _signatures(fresh, added) != _signatures(split, frozenset()):
        return None
    # Code is a part of the skeleton. It is what is run, so it is compared by itself as well.
    if fresh.code != split.code:
        return None
    return messages


def _spans(messages: Sequence[Message]) -> tuple[tuple[int, int], ...]:
    """Where messages stand, in the text that they were split from."""
    return tuple((message.start, message.end) for message in messages)


def _kinds(messages: Sequence[Message]) -> list[Kind]:
    """What the blocks are that messages were taken from."""
    return [message.kind for message in messages]


def _signatures(split: Split, added: Set[int]) -> list[Signature]:
    """What must be the same of the blocks of a text, but for those that begin in ``added``."""
    return [signature for start, signature in split.skeleton if start not in added]


# A tag with its attributes, as far as they look like some.
_HTML = re.compile(
    r"""
      <[A-Za-z/!?] [^\s>]*
      (?: \s+ [\w:@.-]+ \s*=\s* (?: "[^"]*" | '[^']*' | [^\s<>"']+ ) )*
    """,
    re.VERBOSE | re.ASCII,
)
_LINK_TARGET = re.compile(r"\]\(\s*<?([^\s()<>]*)")
_URL = re.compile(
    r"""
    (?: [a-z][a-z0-9+.-]{0,40}:// | www\. | (?<![^\s<(])//(?=\w) )
    [\w/?\#&=%~:@+-]+
    (?: [.,;!][\w/?\#&=%~:@+-]+ )*          # a full stop at the end is no part of it
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_PAYLOAD = re.compile(r"data:#\d+")
_SCHEME = re.compile(
    r"(?:java|vb)script:|https?:(?=[\w/])|\bdata:(?=[\w#;,])|file:(?=/)",
    re.IGNORECASE | re.ASCII,
)
_SUBSTITUTION = re.compile(r"\{\{|\{%")
_MATH_MACRO = re.compile(r"\\[A-Za-z]+")
# Attributes of what stands before them or below their line: [words]{.class}, {#name}; with a colon
# those of kramdown and Python-Markdown, which may stand apart.
_ATTRIBUTES = re.compile(
    r"""
    (?: (?<=[\])`>*_$]) | ^[ ]* (?=\{[^{}]*\}\s*$) | (?=\{:) )
    \{ :? \s* (?:[.\#]|[\w:-]+\s*=) [^{}]* \}
    """,
    re.VERBOSE | re.MULTILINE,
)
# Names for people, and how each is found. The order is that in which a refusal names them.
WRITTEN = {
    "HTML": _HTML,
    "link target": _LINK_TARGET,
    "URL": _URL,
    "payload": _PAYLOAD,
    "scheme": _SCHEME,
    "substitution": _SUBSTITUTION,
    "math macro": _MATH_MACRO,
    "attributes": _ATTRIBUTES,
}
# One of these stands in whatever the patterns find, in lower case: most texts have none of it.
_MAYBE_WRITTEN = re.compile(r"<|\]\(|//|www\.|data:|script:|https?:|file:|\{|\\")


def may_hold_written(text: str) -> bool:
    """False if none of the patterns can find anything in ``text``."""
    return bool(_MAYBE_WRITTEN.search(text.lower()))


def find_written(name: str, text: str) -> list[str]:
    """What the pattern of this name finds in ``text``, in order.

    ``"HTML"`` finds ``["<b", "</b"]`` in ``"<b>words</b>"``.
    """
    return WRITTEN[name].findall(text)
