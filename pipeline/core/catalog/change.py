"""What changed between two versions of a message: the class of the change, and the words.

Both go into the note of a fuzzy entry, and into tables. They help a translator to begin with what
takes least time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz.distance import OSA, Indel

from pipeline.core.document.prose import atoms_of, mask

DIFF_LENGTH = 200  # characters of a diff, at most
_CONTEXT = 3  # words shown on either side of a change


class ChangeClass(StrEnum):
    """Classes of change, those that take a person the least time first.

    The values stand in notes and tables.
    """

    PUNCTUATION = "punctuation"  # or white space
    MARKUP = "mark-up"  # links, roles, code: the words around them are the same
    TYPO = "case or typo"
    NUMBERS = "numbers"
    MOVED = "moved"  # the same text, in another place
    ADOPTED = "adopted"  # the same text, translated elsewhere
    SPLIT = "split"
    MERGED = "merged"
    REWORDING = "rewording"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The class of a change, and its diff: ``kept [-old-]{+new+} kept``, on one line."""

    kind: ChangeClass
    diff: str

    def __str__(self) -> str:
        """As a note tells it: ``numbers: at least [-2-]{+3+} devices``."""
        return f"{self.kind}: {self.diff}" if self.diff else str(self.kind)


# What a reader does not see: "see {func}`jax.jit`" is "see jax.jit".
_MARKUP = re.compile(
    r"""
    \]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)  # link target
    | \{[\w+:-]+\}(?=`)                     # name of a role
    | (?<=[\w~.)])[ ]?<[^<>\s]*>(?=`)       # its target
    | </?[A-Za-z][^<>]*>                    # HTML
    | [`*_\[~\\$] | \](?!\()
    """,
    re.VERBOSE,
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_PUNCTUATION = re.compile(r"""[\s.,;:!?'"()‘’“”–—…-]+""")
_NO_WORD = re.compile(r"[\W_]+")
_TOKEN = re.compile(r"\n|[^\S\n]+|\S+")  # a line break, other white space, or a word
_TYPO_LENGTH = 4  # in shorter words one letter makes another word: on/no, now/not


def classify(old: str, new: str) -> Change:
    """The change from ``old`` to ``new``, two versions of one message: its class and its diff.

    ``"At least 2."``, ``"At least 3."`` → ``numbers: At least [-2.-]{+3.+}``
    """
    return Change(kind=_kind(old, new), diff=diff(old, new))


def diff(old: str, new: str) -> str:
    """The words that differ, with a few around them: one line, at most ``DIFF_LENGTH`` long.

    All of it is printable; a line break is shown as ``⏎``. Empty for equal texts.
    ``"Use at least 2 cups."``, ``"Use at least 3 big cups."`` →
    ``Use at least [-2-]{+3 big+} cups.``
    """
    if old == new:
        return ""
    old_words, new_words, between = old.split(), new.split(), " "
    if old_words == new_words:
        # Then white space is what differs, and has to be shown.
        old_words, new_words, between = _TOKEN.findall(old), _TOKEN.findall(new), ""
    joined = between.join(_diff_parts(old_words, new_words))
    text = _printable(joined.replace("\n", "⏎"))
    if len(text) > DIFF_LENGTH:
        text = text[: DIFF_LENGTH - 1] + "…"
    return text


def _printable(text: str) -> str:
    """``text`` with a space for each character that would not stay on its line."""
    if text.isprintable():
        return text  # nearly always
    return "".join(character if character.isprintable() else " " for character in text)


def _diff_parts(old_words: list[str], new_words: list[str]) -> list[str]:
    """Changes and the equal words next to them, in order.

    ``["Use", "at", "least", "[-2-]{+3 big+}", "cups."]``
    """
    blocks = list(Indel.opcodes(old_words, new_words))
    parts: list[str] = []
    removed: list[str] = []
    added: list[str] = []
    for number, block in enumerate(blocks):
        # Deletions and insertions in a row are one change, which ends where words are equal.
        match block.tag:
            case "delete":
                removed += old_words[block.src_start : block.src_end]
            case "insert":
                added += new_words[block.dest_start : block.dest_end]
            case _:
                parts.append(_change_mark(removed, added))
                removed, added = [], []
                equal = old_words[block.src_start : block.src_end]
                parts += _around(
                    equal, first=number == 0, last=number == len(blocks) - 1
                )
    parts.append(_change_mark(removed, added))
    return [part for part in parts if part]


def _change_mark(removed: list[str], added: list[str]) -> str:
    """A change as ``[-old words-]{+new words+}``; empty without one.

    Words that only came, or only went, have one pair of brackets.
    """
    mark = ""
    if removed:
        mark = f"[-{' '.join(removed)}-]"
    if added:
        mark += f"{{+{' '.join(added)}+}}"
    return mark


def _around(words: list[str], *, first: bool, last: bool) -> list[str]:
    """Equal words as far as they are next to a change.

    The ``first`` and the ``last`` words of a text have a change on one side only. Between
    two changes: ``["a", "b", "c", "d", "e", "f", "g"]`` → ``["a", "b", "c", "…", "e", "f", "g"]``.
    """
    head = [] if first else words[:_CONTEXT]
    tail = [] if last else words[-_CONTEXT:]
    if len(head) + len(tail) >= len(words):
        return words
    return [*head, "…", *tail]


def plain_text(text: str) -> str:
    """A text without its mark-up: code that becomes a link is the same code.

    ``"See [`jit`](jit.md)."`` → ``"See jit."``
    """
    return _MARKUP.sub("", text)


def _kind(old: str, new: str) -> ChangeClass:
    """The first class that fits: the order is that of the least time.

    =================  =======================  ============
    ``"Tea is hot."``  ``"Tea is hot!"``        punctuation
    ``"See `jit`."``   ``"See [`jit`](jit)."``  mark-up
    ``"Taek tea."``    ``"Take tea."``          case or typo
    ``"At least 2."``  ``"At least 3."``        numbers
    ``"Tea is hot."``  ``"Wait for tea."``      rewording
    =================  =======================  ============
    """
    if old == new:
        return ChangeClass.MOVED
    if _unpunctuated(old) == _unpunctuated(new):
        return ChangeClass.PUNCTUATION
    if mask(old).split() == mask(new).split():
        return ChangeClass.MARKUP
    if plain_text(old).split() == plain_text(new).split():
        return ChangeClass.MARKUP
    if _is_typo(old, new):
        return ChangeClass.TYPO
    if _NUMBER.sub("0", old).split() == _NUMBER.sub("0", new).split():
        return ChangeClass.NUMBERS
    return ChangeClass.REWORDING


def _unpunctuated(text: str) -> tuple[list[str], list[str]]:
    """The words of a text, and its atoms as they are: inside those every character counts.

    So ``"Use `a, b`."`` and ``"Use `a b`."`` differ in more than punctuation.
    """
    return _PUNCTUATION.sub(" ", mask(text)).split(), atoms_of(text)


def _is_typo(old: str, new: str) -> bool:
    """Whether words differ only in case, in being written as one or two, or in one letter each.

    "tea pot" and "Teapot", or "recieve" and "receive"; never "on" and "no".
    """
    if _NO_WORD.sub("", old).casefold() == _NO_WORD.sub("", new).casefold():
        return True
    old_words, new_words = old.casefold().split(), new.casefold().split()
    if len(old_words) != len(new_words):
        return False
    pairs = zip(old_words, new_words, strict=True)
    return all(
        before == after or _is_misspelt(before, after) for before, after in pairs
    )


def _is_misspelt(before: str, after: str) -> bool:
    """Whether two words differ by one letter, or by two that are swapped.

    Never numbers, nor short words: one letter makes other ones of them.
    """
    if min(len(before), len(after)) < _TYPO_LENGTH:
        return False
    if _NUMBER.search(before) or _NUMBER.search(after):
        return False
    return OSA.distance(before, after, score_cutoff=1) <= 1
