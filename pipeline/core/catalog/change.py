"""What changed between two versions of a message: the class of the change, and the words.

Both go into the note of a fuzzy entry, and into tables: a translator begins with what takes least
time. ``carry`` lets a translation follow a change without a person, where that is provably right:
only runs of spaces differ, or where URLs lead to the same thing. A URL is the same if only its
scheme, its host, or the owner and name of a repository changed:
``https://github.com/google/jax/issues/1`` became ``https://github.com/jax-ml/jax/issues/1`` in
hundreds of messages at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
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


# The rest is ASCII: Chinese may follow a URL without a space.
_URL = re.compile(r"(?P<scheme>https?)://(?P<host>[\w.:-]+)(?P<rest>[!-~]*)", re.ASCII)
# A URL ends before what cannot belong to it: brackets and quotes.
_URL_END = re.compile(r"""[][()<>`"'\\|{}]""")
# Behind a URL they belong to the sentence, or are mark-up.
_SENTENCE_MARKS = ".,;:!?*_~"
# Repositories keep their files when they move to another owner.
_REPOSITORY = {
    "github.com": re.compile(r"/[\w.-]+/[\w.-]+(?=/|$)"),
    "raw.githubusercontent.com": re.compile(r"/[\w.-]+/[\w.-]+(?=/|$)"),
    "colab.research.google.com": re.compile(r"/github/[\w.-]+/[\w.-]+(?=/|$)"),
}
_SPACES = re.compile(r"[ \t]+")
# Where spaces count.
_VERBATIM = re.compile(r"<(?:pre|textarea|script|style)\b", re.IGNORECASE)


def carry(old: str, new: str, msgstr: str) -> str | None:
    """``msgstr`` with the change from ``old`` to ``new``, if that is provably right; else None.

    It is right when only runs of spaces between words differ: then the translation stays
    as it is. It is right too when URLs moved and the translation has each of them exactly
    as often as ``old``. All else waits for a person.

    ``"See http://tea.org/x."`` → ``"See https://tea.org/x."`` makes
    ``"见 http://tea.org/x。"`` → ``"见 https://tea.org/x。"``.
    """
    if old == new:
        return msgstr
    if _VERBATIM.search(old) or _VERBATIM.search(new):
        return None
    moved = _moved_urls(old, new)
    if moved is None:
        return None
    followed = _with_urls(old, moved)
    if _SPACES.sub(" ", followed) != _SPACES.sub(" ", new):
        return None
    # Inside code spans and formulas spaces count.
    if atoms_of(followed) != atoms_of(new):
        return None
    counts, translated_counts = Counter(_urls(old)), Counter(_urls(msgstr))
    if any(translated_counts[url] != counts[url] for url in moved):
        return None
    return _with_urls(msgstr, moved)


def _moved_urls(old: str, new: str) -> dict[str, str] | None:
    """Which URLs of ``old`` became which ones of ``new``, where they come in the same order.

    Those that have not moved are left out. None if one came or went, or changed in more
    than where the same thing lies.
    """
    old_urls, new_urls = _urls(old), _urls(new)
    if len(old_urls) != len(new_urls):
        return None
    pairs = list(zip(old_urls, new_urls, strict=True))
    targets = dict(pairs)
    for old_url, new_url in pairs:
        # A URL that became two different ones cannot be replaced by its name alone.
        is_ambiguous = targets[old_url] != new_url
        if is_ambiguous or _address_of(old_url) != _address_of(new_url):
            return None
    return {old_url: new_url for old_url, new_url in pairs if old_url != new_url}


def _address_of(url: str) -> str:
    """A URL without its scheme, its host and, where files lie in repositories, the repository.

    ``https://github.com/google/jax/issues/1/`` → ``/issues/1``
    """
    match = _URL.match(url)
    if not match:  # pragma: no cover - only URLs are passed
        return url
    rest = match["rest"]
    repository = _REPOSITORY.get(match["host"].removeprefix("www."))
    if repository:
        rest = repository.sub("", rest, count=1)
    return rest.rstrip("/")


def _urls(text: str) -> list[str]:
    """The URLs of a text in their order, each as often as it stands there."""
    return [text[start:end] for start, end in _url_spans(text)]


def _with_urls(text: str, targets: dict[str, str]) -> str:
    """``text`` with each URL that ``targets`` names replaced by its target.

    A URL is replaced as a whole: one that only begins like another stays.
    """
    parts: list[str] = []
    position = 0
    for start, end in _url_spans(text):
        url = text[start:end]
        parts.append(text[position:start])
        parts.append(targets.get(url, url))
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _url_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each URL of a text starts and ends.

    ``"(see https://tea.org/x)."`` has one, of ``https://tea.org/x``.
    """
    for match in _URL.finditer(text):
        closing = _URL_END.search(text, match.start(), match.end())
        end = closing.start() if closing else match.end()
        url = text[match.start() : end].rstrip(_SENTENCE_MARKS)
        yield match.start(), match.start() + len(url)
