"""Guard for Markdown and reST: reasons to refuse a translation, and the proof of a merge.

The guard keeps a translation out of a page if it could change more than prose. It has two steps:

1. It searches each translation for unsafe text. :func:`text_refusal` and the patterns in
   :data:`WRITTEN` search the raw text without a parser, because renderers differ.
2. After the merge, the merged text is split again. :func:`merged_messages` compares the result with
   the split of upstream's text. So the proof does not rely on positions that the merge computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from html import unescape

from msgspec import Struct

from pipeline import limits
from pipeline.core.document.message import Message, Signature, Split
from pipeline.core.document.splice import Placed
from pipeline.tables import read_table

# Control characters, and characters that are invisible or reverse the direction of the text. With
# these, readers would see another text than reviewers.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")
_SHOWN = 60  # a refusal quotes at most this many characters of a piece of markup
_NAMED = 3  # a refusal quotes at most this many pieces of markup


class Refusal(Struct, frozen=True):
    """Reason why the guard refuses a translation."""

    code: str  # such as G104; the meaning of a code never changes
    text: str  # what is wrong, as the predicate of a sentence
    hint: str  # what to do


def text_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Return a refusal for reasons that are the same in Markdown and reST, or None.

    The reasons are control characters, excessive length and changed formula environments. For
    example, ``"中文\\u202e"`` contains U+202E, which reverses the rest of the line.
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
    """Return a refusal if the translation has other formula environments than the English.

    Such a change would affect the text after the message: MathJax searches for the next ``\\end``
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
    # Renderers resolve character references first: "&#92;begin{align}".
    for mark, name in _ENVIRONMENT.findall(resolve_references(text)):
        marks.setdefault(name, []).append(mark)
    return marks


def change_refusal(name: str, added: Iterable[str], missing: Iterable[str] = ()) -> Refusal:
    """Return a refusal of a translation with other pieces of markup than the English.

    ``added`` are the pieces that only the translation has, ``missing`` those that only the English
    has. ``name`` is the word for such a piece: "role" in "adds role “func”; lacks role “ref”".
    """
    parts = [f"adds {name} {quoted(piece)}" for piece in added]
    parts += [f"lacks {name} {quoted(piece)}" for piece in missing]
    # If no piece differs, the HTML differs in another way, for example by an unclosed tag.
    text = "; ".join(parts[:_NAMED]) or f"has other {name} than the English"
    return Refusal("G104", text, "Keep exactly what the English has, letter by letter.")


def quoted(piece: str) -> str:
    """Return ``piece`` in quotation marks, truncated to 60 characters."""
    if len(piece) <= _SHOWN:
        return f"“{piece}”"
    return f"“{piece[:_SHOWN]}…”"


def merged_messages(
    split: Split, fresh: Split, placed: Placed, added: Set[int]
) -> tuple[Message, ...] | None:
    """Return the messages of the merged text, or None if more than prose has changed.

    ``split`` is the split of upstream's text, ``fresh`` that of the merged text ``placed.text``.
    Ignore the blocks at the offsets ``added``, which the merge has inserted.
    """
    found = [message for message in fresh.messages if message.start not in added]
    count = len(split.messages)
    messages = tuple(found[:count])
    # The sections that stay English by configuration must be unchanged.
    if [message.msgid for message in found[count:]] != [message.msgid for message in split.rest]:
        return None
    # Each message must be where the merge put its translation. The spans differ if a translation
    # became two blocks, or became part of an adjacent block.
    if tuple((found.start, found.end) for found in messages) != placed.spans:
        return None
    # The spans do not reveal a paragraph that became a heading.
    pairs = zip(messages, split.messages, strict=True)
    if any(ours.kind is not theirs.kind for ours, theirs in pairs):
        return None
    # The other blocks may have moved, but their signatures and their order must be the same.
    if _signatures(fresh, added) != _signatures(split, frozenset()):
        return None
    # The skeleton includes the code. Compare the code again, because it is executed.
    if fresh.code != split.code:
        return None
    return messages


def _signatures(split: Split, added: Set[int]) -> list[Signature]:
    """Return the signatures of a text's blocks, except blocks that begin in ``added``."""
    return [signature for start, signature in split.skeleton if start not in added]


# The target of a link without angle brackets. markdown-it allows 32 levels of parentheses. The
# possessive quantifiers prevent backtracking, which could not find another match.
_UNBRACKETED = r"(?:\\[\\()]|[^\s()])*+"
for _ in range(32):
    _UNBRACKETED = rf"(?:\\[\\()]|[^\s()]|\({_UNBRACKETED}\))*+"
# The pattern of each kind of markup, by the name of the kind in messages.
WRITTEN = {
    name: re.compile(pattern.replace("UNBRACKETED", _UNBRACKETED))
    for name, pattern in read_table(__name__, "patterns")["written"].items()
}


_TEMPLATE_MARKS = ("{{", "{%", "{#")
_BRACE = re.compile(r"[{}]")


def find_templates(text: str) -> list[str]:
    """Return the pieces of ``text`` that template languages such as Jinja would evaluate.

    A piece extends to the matching brace. Without a matching brace, it is only the opening mark:
    ``"a {{ b }} and {% c"`` gives ``["{{ b }}", "{%"]``. Skip pieces inside of other pieces.
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
    return [piece for _, piece in found] + [mark for mark in open_marks if mark in _TEMPLATE_MARKS]


def resolve_references(text: str) -> str:
    """Return ``text`` with its character references resolved.

    Resolve repeatedly, because the result may contain another reference: ``"&amp;lt;b&amp;gt;"``.
    """
    while "&" in text and (resolved := unescape(text)) != text:
        text = resolved
    return text


def find_written(name: str, text: str) -> list[str]:
    """Return the matches of the pattern ``name`` of :data:`WRITTEN` in ``text``, in order.

    ``"HTML"`` and ``"<b>words</b>"`` give ``["<b", "</b"]``.
    """
    return WRITTEN[name].findall(text)
