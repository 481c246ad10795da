"""When a translation may follow a change of its English without a person, and what it then is.

That takes proof: only runs of spaces may differ, or where URLs lead to the same thing. A URL is the
same if it changed in nothing but its scheme, its host, or the owner and name of a repository:
``https://github.com/google/jax/issues/1`` became ``https://github.com/jax-ml/jax/issues/1`` in
hundreds of messages at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pipeline.core.document.prose import atoms_of

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
        if is_ambiguous or _place(old_url) != _place(new_url):
            return None
    return {old_url: new_url for old_url, new_url in pairs if old_url != new_url}


def _place(url: str) -> str:
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
