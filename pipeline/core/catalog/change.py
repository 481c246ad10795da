"""What changed between two versions of an English message, and when its translation may simply follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz.distance import OSA, Indel

from pipeline.core.document.prose import atoms_of, mask

DIFF_LENGTH = 200  # characters of a diff, at most
_CONTEXT = 3  # words shown on either side of a change


class ChangeClass(StrEnum):
    """Classes of change, those that take a person the least time first. The values stand in notes and tables."""

    PUNCTUATION = "punctuation"  # or white space
    MARKUP = "mark-up"  # links, roles, code: the words around them are the same
    TYPO = "case or typo"
    NUMBERS = "numbers"
    MOVED = "moved"  # the same text, in another place
    SPLIT = "split"
    MERGED = "merged"
    REWORDING = "rewording"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What kind of change it was, and the words that differ: ``kept [-old-]{+new+} kept``, on one line."""

    kind: ChangeClass
    diff: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.diff}" if self.diff else str(self.kind)


# A URL up to what cannot belong to it: white space, brackets, quotes, and what follows one in a Chinese sentence.
_URL = re.compile(r"(?P<scheme>https?)://(?P<host>[\w.:-]+)(?P<rest>[!-~]*)", re.ASCII)
_URL_END = re.compile(r"""[][()<>`"'\\|{}]""")
# Repositories keep their files when they move to another owner.
_REPOSITORY = {
    "github.com": re.compile(r"/[\w.-]+/[\w.-]+(?=/|$)"),
    "raw.githubusercontent.com": re.compile(r"/[\w.-]+/[\w.-]+(?=/|$)"),
    "colab.research.google.com": re.compile(r"/github/[\w.-]+/[\w.-]+(?=/|$)"),
}
_SPACES = re.compile(r"[ \t]+")
_VERBATIM = re.compile(r"<(?:pre|textarea|script|style)\b", re.IGNORECASE)  # where spaces count
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
_TOKEN = re.compile(r"\n|[^\S\n]+|\S+")
_TYPO_LENGTH = 4  # in shorter words one letter makes another word: on/no, now/not


def classify(old: str, new: str) -> Change:
    """The class of the change from ``old`` to ``new``, two versions of one message, and its diff."""
    return Change(kind=_kind(old, new), diff=diff(old, new))


def diff(old: str, new: str) -> str:
    """The words that differ, with a few around them: one line of printable text, at most ``DIFF_LENGTH`` characters."""
    before, after, between = old.split(), new.split(), " "
    if before == after:  # then white space is what differs
        before, after, between = _TOKEN.findall(old), _TOKEN.findall(new), ""
    blocks = list(Indel.opcodes(before, after))
    shown: list[str] = []
    gone: list[str] = []
    come: list[str] = []
    for number, block in enumerate(blocks):
        gone += before[block.src_start : block.src_end] if block.tag == "delete" else []
        come += after[block.dest_start : block.dest_end] if block.tag == "insert" else []
        if block.tag == "equal":
            equal = before[block.src_start : block.src_end]
            shown += [
                _changed(gone, come),
                *_around(equal, first=number == 0, last=number == len(blocks) - 1),
            ]
            gone, come = [], []
    shown.append(_changed(gone, come))
    text = between.join(filter(None, shown)) if old != new else ""
    text = "".join(
        character if character.isprintable() else " " for character in text.replace("\n", "⏎")
    )
    return text if len(text) <= DIFF_LENGTH else text[: DIFF_LENGTH - 1] + "…"


def carry(old: str, new: str, msgstr: str) -> str | None:
    """``msgstr`` with the change from ``old`` to ``new`` made in it, where that is provably right; else None.

    That is so when only runs of spaces between words differ (the translation stays as it is), or the scheme, host or
    repository of URLs of which the translation has exactly as many. All else waits for a person.
    """
    if old == new:
        return msgstr
    if _VERBATIM.search(old) or _VERBATIM.search(new):
        return None
    replaced = _moved_urls(old, new)
    if replaced is None:
        return None
    followed = _with_urls(old, replaced)
    if _SPACES.sub(" ", followed) != _SPACES.sub(" ", new) or atoms_of(followed) != atoms_of(new):
        return None
    counts = {url: _urls(old).count(url) for url in replaced}
    if any(_urls(msgstr).count(url) != count for url, count in counts.items()):
        return None
    return _with_urls(msgstr, replaced)


def plain_text(text: str) -> str:
    """A text without its mark-up: code that becomes a link is the same code."""
    return _MARKUP.sub("", text)


def _kind(old: str, new: str) -> ChangeClass:
    if old == new:
        return ChangeClass.MOVED
    if _unpunctuated(old) == _unpunctuated(new):
        return ChangeClass.PUNCTUATION
    if mask(old).split() == mask(new).split() or plain_text(old).split() == plain_text(new).split():
        return ChangeClass.MARKUP
    if _is_typo(old, new):
        return ChangeClass.TYPO
    if _NUMBER.sub("0", old).split() == _NUMBER.sub("0", new).split():
        return ChangeClass.NUMBERS
    return ChangeClass.REWORDING


def _unpunctuated(text: str) -> tuple[tuple[str, ...], list[str]]:
    """The words of a text, and its atoms as they are: inside those every character counts."""
    return tuple(_PUNCTUATION.sub(" ", mask(text)).split()), atoms_of(text)


def _is_typo(old: str, new: str) -> bool:
    """Whether words differ in case, in being written as one or two, or each by one letter or two swapped ones."""
    if _NO_WORD.sub("", old).casefold() == _NO_WORD.sub("", new).casefold():
        return True
    before, after = old.casefold().split(), new.casefold().split()
    if len(before) != len(after):
        return False
    pairs = [(one, two) for one, two in zip(before, after, strict=True) if one != two]
    return all(_is_misspelt(one, two) for one, two in pairs)


def _is_misspelt(one: str, two: str) -> bool:
    if min(len(one), len(two)) < _TYPO_LENGTH or _NUMBER.search(one) or _NUMBER.search(two):
        return False
    return OSA.distance(one, two, score_cutoff=1) <= 1


def _around(words: list[str], *, first: bool, last: bool) -> list[str]:
    """Equal words as far as they are next to a change."""
    head = [] if first else words[:_CONTEXT]
    tail = [] if last else words[-_CONTEXT:]
    if len(head) + len(tail) >= len(words):
        return words
    return [*head, "…", *tail]


def _changed(gone: list[str], come: list[str]) -> str:
    return (f"[-{' '.join(gone)}-]" if gone else "") + (f"{{+{' '.join(come)}+}}" if come else "")


def _url_spans(text: str) -> Iterator[tuple[int, int]]:
    for match in _URL.finditer(text):
        end = _URL_END.search(text, match.start(), match.end())
        url = text[match.start() : end.start() if end else match.end()].rstrip(".,;:!?*_~")
        yield match.start(), match.start() + len(url)


def _urls(text: str) -> list[str]:
    return [text[start:end] for start, end in _url_spans(text)]


def _with_urls(text: str, replaced: dict[str, str]) -> str:
    parts, at = [], 0
    for start, end in _url_spans(text):
        url = text[start:end]
        parts += [text[at:start], replaced.get(url, url)]
        at = end
    return "".join((*parts, text[at:]))


def _moved_urls(old: str, new: str) -> dict[str, str] | None:
    """Which URLs became which, if each changed in nothing but where the same thing lies; else None."""
    before, after = _urls(old), _urls(new)
    if len(before) != len(after):
        return None
    replaced: dict[str, str] = {}
    for one, two in zip(before, after, strict=True):
        if replaced.setdefault(one, two) != two or (one != two and _path(one) != _path(two)):
            return None
    return {one: two for one, two in replaced.items() if one != two}


def _path(url: str) -> str:
    """A URL without scheme, host and, where files lie in repositories, the repository."""
    match = _URL.match(url)
    if not match:  # pragma: no cover - only URLs are passed
        return url
    repository = _REPOSITORY.get(match["host"].removeprefix("www."))
    rest = match["rest"]
    return (repository.sub("", rest, count=1) if repository else rest).rstrip("/")
