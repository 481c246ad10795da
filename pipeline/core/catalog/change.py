"""Classification of the change between two versions of a message, and its word diff.

Both are written into the note of a fuzzy entry and into tables, so that translators can start with
the quickest changes.

``apply_change`` applies a change to a translation without a person. It does so only where that is
provably right: only runs of spaces differ, or URLs have moved. A URL has moved if nothing but its
scheme, its host, or the owner and name of a repository changed. For example,
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

DIFF_LENGTH = 200  # characters; longer diffs are cut off
_CONTEXT = 3  # words shown on either side of a change


class ChangeClass(StrEnum):
    """Class of a change, ordered by the time it takes a person: quickest first.

    The values appear in notes and tables.
    """

    PUNCTUATION = "punctuation"  # or white space
    MARKUP = "mark-up"  # the mark-up differs (links, roles, code), the words do not
    TYPO = "case or typo"
    NUMBERS = "numbers"
    MOVED = "moved"  # the same text in another place
    ADOPTED = "adopted"  # the same text, translated elsewhere
    SPLIT = "split"
    MERGED = "merged"
    REWORDING = "rewording"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Class and diff of a change. The diff is one line: ``kept [-old-]{+new+} kept``."""

    kind: ChangeClass
    diff: str

    def __str__(self) -> str:
        """Return the change as written in a note: ``numbers: at least [-2-]{+3+} devices``."""
        return f"{self.kind}: {self.diff}" if self.diff else str(self.kind)


# Mark-up that a rendered page does not show: "see {func}`jax.jit`" reads "see jax.jit".
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
# characters; in shorter words one letter makes another word: on/no, now/not
_TYPO_LENGTH = 4


def classify(old: str, new: str) -> Change:
    """Return the class and the diff of the change from ``old`` to ``new``.

    ``"At least 2."``, ``"At least 3."`` → ``numbers: At least [-2.-]{+3.+}``
    """
    return Change(kind=_kind(old, new), diff=diff(old, new))


def diff(old: str, new: str) -> str:
    """Return the words that differ and a few around them: one line of ``DIFF_LENGTH`` at most.

    The result is printable, with ``⏎`` for a line break. It is empty for equal texts.
    ``"Use at least 2 cups."``, ``"Use at least 3 big cups."`` →
    ``Use at least [-2-]{+3 big+} cups.``
    """
    if old == new:
        return ""
    old_words, new_words, between = old.split(), new.split(), " "
    if old_words == new_words:
        # The words are equal, so only white space differs: keep it as tokens to show it.
        old_words, new_words, between = _TOKEN.findall(old), _TOKEN.findall(new), ""
    joined = between.join(_diff_parts(old_words, new_words))
    text = _printable(joined.replace("\n", "⏎"))
    if len(text) > DIFF_LENGTH:
        text = text[: DIFF_LENGTH - 1] + "…"
    return text


def _printable(text: str) -> str:
    """Return ``text`` with a space in place of each unprintable character."""
    if text.isprintable():
        return text  # the common case
    return "".join(character if character.isprintable() else " " for character in text)


def _diff_parts(old_words: list[str], new_words: list[str]) -> list[str]:
    """Return the changes and the equal words next to them, in order.

    ``["Use", "at", "least", "[-2-]{+3 big+}", "cups."]``
    """
    blocks = list(Indel.opcodes(old_words, new_words))
    parts: list[str] = []
    removed: list[str] = []
    added: list[str] = []
    for number, block in enumerate(blocks):
        # Consecutive deletions and insertions form one change, up to the next equal words.
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
    """Return a change as ``[-old words-]{+new words+}``; empty if there is none.

    A pure insertion or deletion has one pair of brackets.
    """
    mark = ""
    if removed:
        mark = f"[-{' '.join(removed)}-]"
    if added:
        mark += f"{{+{' '.join(added)}+}}"
    return mark


def _around(words: list[str], *, first: bool, last: bool) -> list[str]:
    """Return the equal words that are next to a change, with ``…`` for the others.

    At the start (``first``) and the end (``last``) of a text only one side has a change. Between
    two changes: ``["a", "b", "c", "d", "e", "f", "g"]`` → ``["a", "b", "c", "…", "e", "f", "g"]``.
    """
    head = [] if first else words[:_CONTEXT]
    tail = [] if last else words[-_CONTEXT:]
    if len(head) + len(tail) >= len(words):
        return words
    return [*head, "…", *tail]


def plain_text(text: str) -> str:
    """Return ``text`` without its mark-up, so that code which becomes a link compares equal.

    ``"See [`jit`](jit.md)."`` → ``"See jit."``
    """
    return _MARKUP.sub("", text)


def _kind(old: str, new: str) -> ChangeClass:
    """Return the first class that fits; the quickest kinds of change are tried first.

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
    """Return the words of a text without punctuation, and its atoms unchanged.

    Every character of an atom counts: ``"Use `a, b`."`` and ``"Use `a b`."`` differ in more than
    punctuation.
    """
    return _PUNCTUATION.sub(" ", mask(text)).split(), atoms_of(text)


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
    return all(
        before == after or _is_misspelt(before, after) for before, after in pairs
    )


def _is_misspelt(before: str, after: str) -> bool:
    """Return whether two words differ by one letter or by two swapped letters.

    False for numbers and short words, where one letter changes the meaning.
    """
    if min(len(before), len(after)) < _TYPO_LENGTH:
        return False
    if _NUMBER.search(before) or _NUMBER.search(after):
        return False
    return OSA.distance(before, after, score_cutoff=1) <= 1


# The path is limited to ASCII: Chinese may follow a URL without a space.
_URL = re.compile(r"(?P<scheme>https?)://(?P<host>[\w.:-]+)(?P<rest>[!-~]*)", re.ASCII)
# A bracket or a quote ends a URL.
_URL_END = re.compile(r"""[][()<>`"'\\|{}]""")
# At the end of a URL, these belong to the sentence or to its mark-up.
_SENTENCE_MARKS = ".,;:!?*_~"
# A moved repository keeps its files, so its owner and name are not part of the address.
_REPOSITORY = {
    "github.com": re.compile(r"/[\w.-]+/[\w.-]+(?=/|$)"),
    "raw.githubusercontent.com": re.compile(r"/[\w.-]+/[\w.-]+(?=/|$)"),
    "colab.research.google.com": re.compile(r"/github/[\w.-]+/[\w.-]+(?=/|$)"),
}
_SPACES = re.compile(r"[ \t]+")
# Spaces are significant inside these elements.
_VERBATIM = re.compile(r"<(?:pre|textarea|script|style)\b", re.IGNORECASE)


def apply_change(old: str, new: str, msgstr: str) -> str | None:
    """Return ``msgstr`` with the change from ``old`` to ``new``; None unless provably right.

    Two changes qualify. If only runs of spaces between words differ, the translation stays as it
    is. If URLs moved, they are replaced, provided that ``msgstr`` has each of them exactly as often
    as ``old``. A person must handle all other changes.

    ``"See http://tea.org/x."`` → ``"See https://tea.org/x."`` turns ``"见 http://tea.org/x。"``
    into ``"见 https://tea.org/x。"``.
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
    # Spaces are significant inside code spans and formulas.
    if atoms_of(followed) != atoms_of(new):
        return None
    counts, translated_counts = Counter(_urls(old)), Counter(_urls(msgstr))
    if any(translated_counts[url] != counts[url] for url in moved):
        return None
    return _with_urls(msgstr, moved)


def _moved_urls(old: str, new: str) -> dict[str, str] | None:
    """Return the moved URLs of ``old``, each with its new version from ``new``.

    URLs are paired in order of appearance; unchanged ones are left out. None if a URL was added or
    removed, or if more than its location changed.
    """
    old_urls, new_urls = _urls(old), _urls(new)
    if len(old_urls) != len(new_urls):
        return None
    pairs = list(zip(old_urls, new_urls, strict=True))
    targets = dict(pairs)
    for old_url, new_url in pairs:
        # A URL with two different replacements cannot be replaced by search and replace.
        is_ambiguous = targets[old_url] != new_url
        if is_ambiguous or _address_of(old_url) != _address_of(new_url):
            return None
    return {old_url: new_url for old_url, new_url in pairs if old_url != new_url}


def _address_of(url: str) -> str:
    """Return a URL without scheme, host and (on sites with repositories) repository.

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
    """Return the URLs of a text in order, with repetitions."""
    return [text[start:end] for start, end in _url_spans(text)]


def _with_urls(text: str, targets: dict[str, str]) -> str:
    """Return ``text`` with each URL in ``targets`` replaced by its target.

    Only whole URLs are replaced: a longer URL with the same beginning stays.
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
    """Yield the start and end of each URL in a text.

    ``"(see https://tea.org/x)."`` has one, ``https://tea.org/x``.
    """
    for match in _URL.finditer(text):
        closing = _URL_END.search(text, match.start(), match.end())
        end = closing.start() if closing else match.end()
        url = text[match.start() : end].rstrip(_SENTENCE_MARKS)
        yield match.start(), match.start() + len(url)
