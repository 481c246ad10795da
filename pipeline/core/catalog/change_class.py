"""Class and word diff of the change between two versions of a message.

The note of a fuzzy entry has both: ``numbers: at least [-2-]{+3+} devices``. Reports have tables by
class, so translators can start with the changes that take the least time.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum

from msgspec import Struct
from rapidfuzz.distance import OSA, Indel

from pipeline.core.catalog.marks import MarkChange, correspond
from pipeline.core.document.prose import atoms_of, mask
from pipeline.tables import read_table

# Lengths in characters. If a diff is longer than ``DIFF_LENGTH``, the words around the changes are
# omitted. If the shorter diff still exceeds ``LONGEST_DIFF``, it is cut off.
DIFF_LENGTH = 200
LONGEST_DIFF = 800
_CONTEXT = 3  # words shown on either side of a change


class ChangeClass(StrEnum):
    """Class of a change, ordered by the time that a person needs to review it: quickest first."""

    PUNCTUATION = "punctuation"  # or white space
    MARKUP = "mark-up"  # only links, roles and other marks differ, not the text that they show
    CODE = "code"  # only code or formulas differ, not the words
    TYPO = "case or typo"
    NUMBERS = "numbers"
    MOVED = "moved"  # the same text on another page
    ADOPTED = "adopted"  # the same text, translated by another project
    SPLIT = "split"  # a part of a text that upstream has split
    MERGED = "merged"  # several texts that upstream has joined
    REWORDING = "rewording"


class Change(Struct, frozen=True, kw_only=True):
    """Class and diff of a change. The diff is one line: ``kept [-old-]{+new+} kept``."""

    kind: ChangeClass
    diff: str
    page: str = ""  # the page of the old text, if the text was on another page

    def __str__(self) -> str:
        """Return the change as written in a note: ``numbers: at least [-2-]{+3+} devices``.

        With a page it is ``numbers: from guide/start: at least [-2-]{+3+} devices``.
        """
        parts = [str(self.kind), self.page and f"from {self.page}", self.diff]
        return ": ".join(filter(None, parts))


_PATTERNS = read_table(__name__, "patterns")
# Markup that readers do not see: "see {func}`jax.jit`" is shown as "see jax.jit".
_MARKUP = re.compile(_PATTERNS["markup"], re.VERBOSE)
_RST_ROLE = re.compile(r":[A-Za-z][\w.+:-]*:(?=`)")
_NUMBER = re.compile(_PATTERNS["number"])
_PUNCTUATION = re.compile(r"""[\s.,;:!?'"()‘’“”–—…-]+""")
_NO_WORD = re.compile(r"[\W_]+")
_TOKEN = re.compile(r"\n|[^\S\n]+|\S+")  # a line break, other white space, or a word
# Minimum length, in characters, of a word that may be misspelt. In a shorter word, another letter
# makes another word: on/no, now/not.
_TYPO_LENGTH = 4


def classify(old: str, new: str) -> Change:
    """Return the class and the diff of the change from ``old`` to ``new``.

    ``"At least 2."``, ``"At least 3."`` → ``numbers: At least [-2.-]{+3.+}``
    """
    return Change(kind=_kind(old, new), diff=diff(old, new))


def diff(old: str, new: str) -> str:
    """Return the words that differ and a few around them, on a line of limited length.

    The result is printable, with ``⏎`` for a line break. It is empty for equal texts.
    ``"Use at least 2 cups."``, ``"Use at least 3 big cups."`` →
    ``Use at least [-2-]{+3 big+} cups.``
    """
    if old == new:
        return ""
    old_words, new_words, between = old.split(), new.split(), " "
    if old_words == new_words:
        # Only white space differs. Compare white space as words, so that the diff shows it.
        old_words, new_words, between = _TOKEN.findall(old), _TOKEN.findall(new), ""
    text = between.join(_diff_parts(old_words, new_words, context=_CONTEXT))
    if len(text) > DIFF_LENGTH:
        text = between.join(_diff_parts(old_words, new_words, context=0))
    if len(text) > LONGEST_DIFF:
        text = text[: LONGEST_DIFF - 1] + "…"
    return _printable(text.replace("\n", "⏎"))


def _printable(text: str) -> str:
    """Return ``text`` with a space in place of each unprintable character."""
    if text.isprintable():
        return text  # the common case
    return "".join(character if character.isprintable() else " " for character in text)


def _diff_parts(old_words: list[str], new_words: list[str], *, context: int) -> list[str]:
    """Return the changes and ``context`` equal words next to them, in order.

    ``["Use", "at", "least", "[-2-]{+3 big+}", "cups."]``
    """
    blocks = list(Indel.opcodes(old_words, new_words))
    parts: list[str] = []
    removed: list[str] = []
    added: list[str] = []
    for number, block in enumerate(blocks):
        # Deletions and insertions up to the next equal words form one change.
        match block.tag:
            case "delete":
                removed += old_words[block.src_start : block.src_end]
            case "insert":
                added += new_words[block.dest_start : block.dest_end]
            case _:
                parts.append(_change_mark(removed, added))
                removed, added = [], []
                equal = old_words[block.src_start : block.src_end]
                # Words at the start or the end of a text have a change only on one side.
                head = 0 if number == 0 else context
                tail = 0 if number == len(blocks) - 1 else context
                parts += _around(equal, head=head, tail=tail)
    parts.append(_change_mark(removed, added))
    return list(filter(None, parts))


def _change_mark(removed: list[str], added: list[str]) -> str:
    """Return a change as ``[-old words-]{+new words+}``; empty if there is none.

    A pure insertion or deletion has one pair of brackets.
    """
    mark = ""
    if removed:
        mark = f"[-{' '.join(removed)}-]"
    if added:
        mark += f"{{+{' '.join(added)}+}}"
    return mark


def _around(words: list[str], *, head: int, tail: int) -> list[str]:
    """Return the ``head`` first and ``tail`` last words of ``words``, and ``…`` between them.

    Two of each: ``["a", "b", "c", "d", "e", "f"]`` → ``["a", "b", "…", "e", "f"]``.
    """
    if head + tail >= len(words):
        return words
    return [*words[:head], "…", *words[len(words) - tail :]]


def plain_text(text: str) -> str:
    """Return ``text`` without its markup. A link around code then equals the code alone.

    "See [`jit`](jit.md)." → "See jit."
    """
    return _MARKUP.sub("", text)


def _kind(old: str, new: str) -> ChangeClass:
    """Return the first class that fits; the quickest kinds of change are tried first.

    ::

        "Tea is hot."    "Tea is hot!"          punctuation
        "See `jit`."     "See [`jit`](jit)."    mark-up
        "See `jit`."     "See `jax.jit`."       code
        "Taek tea."      "Take tea."            case or typo
        "At least 2."    "At least 3."          numbers
        "In May 2025"    "In June 2026"         numbers
        "Tea is hot."    "Wait for tea."        rewording
    """
    if old == new:
        return ChangeClass.MOVED
    if _unpunctuated(old) == _unpunctuated(new):
        return ChangeClass.PUNCTUATION
    if correspondence := correspond(old, new):
        return _kind_of_marks(correspondence.changes)
    if _words_of(plain_text(old)) == _words_of(plain_text(new)):
        return ChangeClass.MARKUP
    is_as_much_code = len(atoms_of(old)) == len(atoms_of(new))
    if is_as_much_code and _words_of(mask(old)) == _words_of(mask(new)):
        return ChangeClass.CODE
    if _is_typo(old, new):
        return ChangeClass.TYPO
    if _NUMBER.sub("0", old).split() == _NUMBER.sub("0", new).split():
        return ChangeClass.NUMBERS
    return ChangeClass.REWORDING


def _kind_of_marks(changes: Collection[MarkChange]) -> ChangeClass:
    """Return the class for changes of marks; of several, the one that takes longest to review."""
    if MarkChange.CODE in changes:
        return ChangeClass.CODE
    if MarkChange.NUMBER in changes:
        return ChangeClass.NUMBERS
    return ChangeClass.MARKUP


def _words_of(text: str) -> list[str]:
    """Return the words of a text without punctuation, and without names of reST roles."""
    return _PUNCTUATION.sub(" ", _RST_ROLE.sub("", text)).split()


def _unpunctuated(text: str) -> tuple[list[str], list[str]]:
    """Return the words of a text without punctuation, and its atoms (code, formulas) unchanged.

    In an atom, punctuation counts: "Use `a, b`." and "Use `a b`." differ in code.
    """
    return _words_of(mask(text)), atoms_of(text)


def _is_typo(old: str, new: str) -> bool:
    """Return whether the words differ only in case, in spacing, or by one letter each.

    True for "tea pot" and "Teapot", or "recieve" and "receive"; false for "on" and "no".
    """
    if _NO_WORD.sub("", old).casefold() == _NO_WORD.sub("", new).casefold():
        return True
    old_words, new_words = old.casefold().split(), new.casefold().split()
    if len(old_words) != len(new_words):
        return False
    pairs = zip(old_words, new_words, strict=True)
    return all(before == after or _is_misspelt(before, after) for before, after in pairs)


def _is_misspelt(before: str, after: str) -> bool:
    """Return whether two words differ by one letter or by two swapped letters.

    Return False for numbers and short words, where one letter changes the meaning.
    """
    if min(len(before), len(after)) < _TYPO_LENGTH:
        return False
    if _NUMBER.search(before) or _NUMBER.search(after):
        return False
    return OSA.distance(before, after, score_cutoff=1) <= 1
