"""Spaces and widths of characters in Chinese text, as edits that mend them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache

from pipeline.core.checks.masked import CLOSE, HAN, OPEN, OTHER, URL, WORD
from pipeline.core.document.splice import Edit

_HAN = re.compile(f"[{HAN}]")
_HIDDEN = {ord(OPEN): None, ord(CLOSE): None}
_AS_LETTERS = {**_HIDDEN, ord(WORD): "x", ord(URL): "x", ord(OTHER): "\n"}
# What autocorrect takes for a sign of its own: C++, C#, Greek letters.
_ALSO = re.compile(
    rf"(?<=[A-Za-z0-9+][+#])(?=[{HAN}])|(?<=[Α-Ωα-ωµ])(?=[{HAN}])|(?<=[{HAN}])(?=[Α-Ωα-ωµ])"
)
_WORD_ENDS = re.compile(r"[A-Za-z0-9%‰℃Α-Ωα-ωµ]|(?<=[A-Za-z0-9+])[+#]")
_WORD_STARTS = re.compile(r"[A-Za-z0-9Α-Ωα-ωµ]")
# Where Chinese and a word may meet: without any of these there is nothing for autocorrect to find.
_MEETING = re.compile(rf"[{HAN}](?=[A-Za-z0-9Α-Ωα-ωµ])|[A-Za-z0-9%‰℃Α-Ωα-ωµ+#](?=[{HAN}])")
_BLOCK_MARK = re.compile(rf"[\s>]*(?:[-+*#>{OTHER}]+|\d{{1,9}}[.)])")
_RULES = (
    "space-word space-punctuation space-bracket space-backticks space-dash space-dollar fullwidth no-space-fullwidth "
    "no-space-fullwidth-quote halfwidth-word halfwidth-punctuation spellcheck"
)


@cache
def _spaced() -> Callable[[str], str]:
    """autocorrect, told to do nothing but put spaces between Chinese and Latin letters or digits."""
    import autocorrect_py

    rules = {name: int(name == "space-word") for name in _RULES.split()}
    autocorrect_py.load_config(json.dumps({"rules": rules}))  # type: ignore[attr-defined]  # its stub leaves it out
    return autocorrect_py.format


def missing_spaces(shown: str) -> Iterator[Edit]:
    """Where a masked text wants a space between Chinese and a word, a number, code or math: outside of the marks around those."""
    plain = shown.translate(_AS_LETTERS)
    if not _MEETING.search(plain):
        return
    spaced = _spaced()(plain)
    places = {match.start() for match in _ALSO.finditer(plain)} | (
        set(_inserted(plain, spaced)) if spaced != plain else set()
    )
    seen = [at for at, character in enumerate(shown) if character not in (OPEN, CLOSE)]
    for place in sorted(places):
        if not _is_edge(plain, place):
            continue
        start, end = seen[place - 1] + 1, seen[place]
        at = end - len(shown[start:end].lstrip(CLOSE))
        yield Edit(at, at, " ")


def _is_edge(plain: str, at: int) -> bool:
    """Whether Chinese and a word meet there. autocorrect takes the hyphen of 拉丁-9 for a minus: that is none."""
    if _HAN.match(plain, at):
        return bool(_WORD_ENDS.match(plain, at - 1))
    return bool(_WORD_STARTS.match(plain, at)) and bool(_HAN.match(plain, at - 1))


def _inserted(before: str, after: str) -> Iterator[int]:
    """Before which characters of ``before`` there is a new space."""
    at = 0
    for character in after:
        if at < len(before) and character == before[at]:
            at += 1
        else:
            yield at


_FULL_WIDTH = "，。；：、！？）】》」』（【《「『"
_SPACE = re.compile(r"[ \t]+")
_BETWEEN_HAN = re.compile(
    rf"[ \t](?<=[{HAN}].)[ \t]*(?=[{HAN}])"
)  # begins with what is rare, so that `re` skips to it
_WIDE_SPACE = re.compile(r"\u3000+")
_CHINESE = re.compile(rf"[{HAN}{_FULL_WIDTH}\s]")
_WIDE_LETTERS = re.compile(r"[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]+")
_TO_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def is_block_mark(text: str) -> bool:
    """Whether a text is what a list item, heading or quote starts with: the space behind it is no white space of prose."""
    return bool(_BLOCK_MARK.fullmatch(text))


def loose_marks(shown: str) -> Iterator[Edit]:
    """White space beside full-width marks, which bring their own. That between ``**：**`` and a word stays: it makes the bold show."""
    for match in _SPACE.finditer(shown):
        start, end = match.span()
        if (
            start > 0
            and end < len(shown)
            and _is_loose(shown, start, end)
            and not is_block_mark(shown[:start])
        ):
            yield Edit(start, end, "")


def _is_loose(shown: str, start: int, end: int) -> bool:
    """Whether white space is too much. A bare URL needs it; quotes are of English too, so only those beside Chinese count."""
    before, after = shown[start - 1], shown[end]
    if before in _FULL_WIDTH or after in _FULL_WIDTH:
        return before != URL and "\n" not in (before, after)
    if before in "“‘" or after in "”’":
        return bool(_HAN.match(after if before in "“‘" else before))
    if after in "“‘":
        return bool(_HAN.match(before) and _HAN.match(shown[end + 1 : end + 2].replace(OPEN, "一")))
    return before in "”’" and bool(_HAN.match(after) and _HAN.match(shown[start - 2 : start - 1]))


def spaces_between_han(shown: str) -> Iterator[Edit]:
    """White space in the middle of Chinese, mostly where a line was broken."""
    return _edits(_BETWEEN_HAN, shown, "")


def wide_spaces(shown: str) -> Iterator[Edit]:
    """U+3000. Between words, and where it makes bold text show, it becomes a plain space; beside Chinese and at the edges there is none."""
    for match in _WIDE_SPACE.finditer(shown):
        before, after = shown[: match.start()][-1:], shown[match.end() :][:1]
        is_needed = (
            before == CLOSE
            or after == OPEN
            or not (_CHINESE.match(before) or _CHINESE.match(after))
        )
        yield Edit(*match.span(), " " if before and after and is_needed else "")


def wide_letters(shown: str) -> Iterator[Edit]:
    """Full-width letters and digits."""
    return (
        Edit(*match.span(), match[0].translate(_TO_NARROW))
        for match in _WIDE_LETTERS.finditer(shown)
    )


def _edits(pattern: re.Pattern[str], shown: str, text: str) -> Iterator[Edit]:
    return (Edit(*match.span(), text) for match in pattern.finditer(shown))
