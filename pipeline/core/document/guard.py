"""Guard rules shared by both languages: reasons to refuse a translation, and the final proof.

:func:`text_refusal` and the patterns in :data:`WRITTEN` search the raw text without a parser,
because renderers differ. :func:`merged_messages` parses nothing itself. It compares the split of
the merged text with upstream's, so the proof does not rely on the merge's own bookkeeping.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from html import unescape

from pipeline import limits
from pipeline.core.document.message import Kind, Message, Signature, Split
from pipeline.core.document.splice import Placed

# Control characters, and characters that are invisible or reverse the direction of the text:
# readers would see something other than the text.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")
_SHOWN = 60  # characters of a piece quoted in a refusal
_NAMED = 3  # pieces quoted in a refusal


@dataclass(frozen=True, slots=True)
class Refusal:
    """Reason why a translation is not used: a stable code, what is wrong, and what to do."""

    code: str
    text: str
    hint: str


def text_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Return the refusal of a text that no language allows, or None.

    The reasons are control characters, excessive length and changed formula environments. For
    example, ``"中文\\u202e"`` holds U+202E, which reverses the rest of the line.
    """
    if control := _CONTROL.search(msgstr):
        return Refusal(
            "G101",
            f"has the control character U+{ord(control[0]):04X}",
            "Delete it, or type the text again.",
        )
    most = limits.TRANSLATION_LENGTH + limits.TIMES_AS_LONG * len(msgid)
    if len(msgstr) > most:
        return Refusal(
            "G106",
            f"has {len(msgstr)} characters where the English has {len(msgid)}",
            "Shorten it.",
        )
    return _environment_refusal(msgid, msgstr)


def _environment_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Return a refusal if the translation begins or ends other formula environments.

    MyST makes a block of ``\\begin{equation}``, and MathJax reads on to the next ``\\end``,
    anywhere on the page.
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
    """Return the sequence of begin and end marks of each formula environment, by name.

    \\begin{align}x\\end{align}      {"align": ["begin", "end"]}
    """
    marks: dict[str, list[str]] = {}
    # A renderer resolves character references first: "&#92;begin{align}".
    for mark, name in _ENVIRONMENT.findall(resolve_references(text)):
        marks.setdefault(name, []).append(mark)
    return marks


def change_refusal(
    name: str, added: Iterable[str], missing: Iterable[str] = ()
) -> Refusal:
    """Return a refusal that quotes the first few pieces ``added`` to or ``missing`` from the text.

    ``name`` is the readable kind of the pieces: "adds role “func”; lacks role “ref”".
    """
    parts = [f"adds {name} {quoted(piece)}" for piece in added]
    parts += [f"lacks {name} {quoted(piece)}" for piece in missing]
    # No piece differs, but the raw HTML does: for example, a block begins another tag.
    text = "; ".join(parts[:_NAMED]) or f"has other {name} than the English"
    return Refusal("G104", text, "Keep exactly what the English has, letter by letter.")


def quoted(piece: str) -> str:
    """Return ``piece`` in quotation marks, cut to its first 60 characters."""
    if len(piece) <= _SHOWN:
        return f"“{piece}”"
    return f"“{piece[:_SHOWN]}…”"


def merged_messages(
    split: Split, fresh: Split, placed: Placed, added: Set[int]
) -> tuple[Message, ...] | None:
    """Return the messages of the merged text, or None if anything but prose has changed.

    ``split`` is upstream's; ``fresh`` is the split of ``placed.text``. Blocks that begin at one of
    the offsets ``added`` were inserted by the merge and are ignored.
    """
    found = [message for message in fresh.messages if message.start not in added]
    count = len(split.messages)
    messages = tuple(found[:count])
    # Sections that stay English must be unchanged.
    if [message.msgid for message in found[count:]] != [
        message.msgid for message in split.rest
    ]:
        return None
    # Each message must lie where its translation was put. The spans differ if a translation was
    # parsed as two blocks, or joined the block next to it.
    if _spans(messages) != placed.spans:
        return None
    # A paragraph may become a heading without moving.
    if _kinds(messages) != _kinds(split.messages):
        return None
    # The blocks between the messages have moved; their signatures and order must be the same.
    if _signatures(fresh, added) != _signatures(split, frozenset()):
        return None
    # The skeleton covers code too. It is compared again because it gets executed.
    if fresh.code != split.code:
        return None
    return messages


def _spans(messages: Sequence[Message]) -> tuple[tuple[int, int], ...]:
    """Return the offsets of each message in the text it was split from."""
    return tuple((message.start, message.end) for message in messages)


def _kinds(messages: Sequence[Message]) -> list[Kind]:
    """Return the kind of each message's block."""
    return [message.kind for message in messages]


def _signatures(split: Split, added: Set[int]) -> list[Signature]:
    """Return the signatures of a text's blocks, except blocks that begin in ``added``."""
    return [signature for start, signature in split.skeleton if start not in added]


# A tag with its attributes, as far as they are well formed.
_HTML = re.compile(
    r"""
      <[A-Za-z/!?] [^\s>]*
      (?: \s+ [\w:@.-]+ \s*=\s* (?: "[^"]*" | '[^']*' | [^\s<>"']+ ) )*
    """,
    re.VERBOSE | re.ASCII,
)
# CommonMark's destinations: in angle brackets, or without spaces and with balanced parentheses, of
# which markdown-it reads 32 levels. Possessive, because nothing else can match what has matched.
_UNBRACKETED = r"(?:\\[\\()]|[^\s()])*+"
for _ in range(32):
    _UNBRACKETED = rf"(?:\\[\\()]|[^\s()]|\({_UNBRACKETED}\))*+"
_LINK_TARGET = re.compile(rf"\]\(\s*<?((?<=<)(?:\\.|[^<>\n\\])*+(?=>)|{_UNBRACKETED})")
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
_MATH_MACRO = re.compile(r"\\[A-Za-z]+")
# Attributes of the preceding element, of the line, or with a space of the heading: [words]{.class},
# Words {#name}. With a colon they are of kramdown and Python-Markdown, and may stand apart.
_ATTRIBUTES = re.compile(
    r"""
    (?:
      (?<=[\])`>*_$]) | ^[ ]* (?=\{[^{}]*\}\s*$) | (?=\{:)
    | [ ]+ (?=\{ \s* [.\#] [^{}]* \} \s* $)
    )
    \{ :? \s* (?:[.\#]|[\w:-]+\s*=) [^{}]* \}
    """,
    re.VERBOSE | re.MULTILINE,
)
# The kind of a GitHub alert. In a message it shows as text, or turns the quote into an alert.
_ALERT = re.compile(r"^\s*\[!\w[\w-]*\]")
# Readable name and pattern of each kind. Refusals check the kinds in this order.
WRITTEN = {
    "HTML": _HTML,
    "link target": _LINK_TARGET,
    "URL": _URL,
    "payload": _PAYLOAD,
    "scheme": _SCHEME,
    "math macro": _MATH_MACRO,
    "attributes": _ATTRIBUTES,
    "alert": _ALERT,
}
# A quick filter: every match of the patterns above contains one of these in lower case.
_MAYBE_WRITTEN = re.compile(r"<|\]\(|//|www\.|data:|script:|https?:|file:|\{|\\|\[!")


_TEMPLATE_MARKS = ("{{", "{%", "{#")
_BRACE = re.compile(r"[{}]")


def find_templates(text: str) -> list[str]:
    """Return what template languages would evaluate in ``text``, each up to its matching brace.

    ``"a {{ b }} and {% c"`` gives ``["{{ b }}", "{%"]``: a mark without its end stands alone. Only
    the outermost pieces count.
    """
    opened: list[int] = []
    found: list[tuple[int, str]] = []
    for brace in _BRACE.finditer(text):
        at = brace.start()
        if brace[0] == "{":
            opened.append(at)
        elif opened:
            start = opened.pop()
            if text.startswith(_TEMPLATE_MARKS, start):
                while found and found[-1][0] > start:
                    found.pop()
                found.append((start, text[start : at + 1]))
    open_marks = [text[at : at + 2] for at in opened]
    return [piece for _, piece in found] + [
        mark for mark in open_marks if mark in _TEMPLATE_MARKS
    ]


def resolve_references(text: str) -> str:
    """Return ``text`` with its character references resolved, as renderers finally see it.

    Resolving may reveal another reference: ``"&amp;lt;b&amp;gt;"``.
    """
    while "&" in text and (resolved := unescape(text)) != text:
        text = resolved
    return text


def may_hold_written(text: str) -> bool:
    """Return False if none of the patterns in :data:`WRITTEN` can match ``text``."""
    return bool(_MAYBE_WRITTEN.search(text.lower()))


def find_written(name: str, text: str) -> list[str]:
    """Return what the pattern ``name`` of :data:`WRITTEN` finds in ``text``, in order.

    ``"HTML"`` finds ``["<b", "</b"]`` in ``"<b>words</b>"``.
    """
    return WRITTEN[name].findall(text)
