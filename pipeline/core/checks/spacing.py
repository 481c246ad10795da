"""Spaces and widths of characters in Chinese text, as edits that mend them.

All functions look at masked text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.masked import CLOSE, HAN, OPEN, OTHER, URL, WORD
from pipeline.core.document.splice import Edit

# Spaces between Chinese and words.

# A masked text without what nobody sees, words as letters.
_AS_LETTERS = {
    ord(OPEN): None,
    ord(CLOSE): None,
    ord(WORD): "x",
    ord(URL): "x",
    ord(OTHER): "\n",
}
_LETTERS = "A-Za-z0-9Α-Ωα-ωµ"
# Between Chinese and a word: 用|JAX|时, 50%|的, C++|和. The hyphen of 拉丁-9 is no edge.
_EDGE = re.compile(
    rf"(?<=[{HAN}])(?=[{_LETTERS}])|(?<=[{_LETTERS}%‰℃])(?=[{HAN}])"
    rf"|(?<=[A-Za-z0-9+][+#])(?=[{HAN}])"
)


def missing_spaces(shown: str) -> Iterator[Edit]:
    """Where a masked text wants a space between Chinese and a word, a number, code or math.

    ``用JAX时`` -> ``用 JAX 时``. The space goes outside of the marks around a word:
    ``用**JAX**`` -> ``用 **JAX**``.
    """
    plain = shown.translate(_AS_LETTERS)
    if not _EDGE.search(plain):
        return
    # Where each character of `plain` stands in `shown`.
    seen = [at for at, character in enumerate(shown) if character not in (OPEN, CLOSE)]
    for match in _EDGE.finditer(plain):
        # Between the two characters that are seen there may be marks. The space goes behind those
        # that close something and before those that open something: 用**f**。
        start, end = seen[match.start() - 1] + 1, seen[match.start()]
        at = end - len(shown[start:end].lstrip(CLOSE))
        yield Edit(at, at, " ")


# Spaces beside full-width marks.

_FULL_WIDTH = "，。；：、！？）】》」』（【《「『"
_SPACE = re.compile(r"[ \t]+")
_BLOCK_MARK = re.compile(rf"[\s>]*(?:[-+*#>{OTHER}]+|\d{{1,9}}[.)])")
# Quotes are of English too, so that white space beside them is too much beside Chinese only.
_BESIDE_QUOTE = re.compile(
    rf"""
      (?<=[“‘])[ \t]+(?=[{HAN}])                # “ 词…
    | (?<=[{HAN}])[ \t]+(?=[”’])                # …词 ”
    | (?<=[{HAN}])[ \t]+(?=[“‘][{OPEN}{HAN}])   # 用 “词…, also with marks within: 用 “**词…
    | (?<=[{HAN}][”’])[ \t]+(?=[{HAN}])         # …词” 用
    """,
    re.VERBOSE,
)


def is_block_mark(text: str) -> bool:
    """Whether a text is what a list item, heading or quote starts with: ``-``, ``> 1.``.

    The space behind it is no white space of prose.
    """
    return bool(_BLOCK_MARK.fullmatch(text))


def loose_marks(shown: str) -> Iterator[Edit]:
    """White space beside full-width marks, which bring their own: ``词 ，词`` -> ``词，词``.

    That between ``**：**`` and a word stays: it makes the bold show.
    """
    for match in _SPACE.finditer(shown):
        start, end = match.span()
        if start == 0 or end == len(shown):  # at the edges nobody sees it
            continue
        if not _is_loose(shown, start, end):
            continue
        if not is_block_mark(shown[:start]):  # `- （甲）`
            yield Edit(start, end, "")


def _is_loose(shown: str, start: int, end: int) -> bool:
    """Whether the white space from ``start`` to ``end``, inside a text, is too much.

    It is beside a full-width mark, and between a quote and Chinese.
    """
    before, after = shown[start - 1], shown[end]
    if before in _FULL_WIDTH or after in _FULL_WIDTH:
        # A bare URL needs the space, or the mark would become a part of it.
        return before != URL and "\n" not in (before, after)
    return bool(_BESIDE_QUOTE.match(shown, start))


# Spaces inside Chinese, and full-width forms.

# It begins with what is rare, so that `re` skips to it.
_BETWEEN_HAN = re.compile(rf"[ \t](?<=[{HAN}].)[ \t]*(?=[{HAN}])")
_WIDE_SPACE = re.compile(r"\u3000+")
_CHINESE = re.compile(rf"[{HAN}{_FULL_WIDTH}\s]")
_WIDE_LETTERS = re.compile(r"[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]+")
_TO_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def spaces_between_han(shown: str) -> Iterator[Edit]:
    """White space in the middle of Chinese, mostly where a line was broken: ``数 组``."""
    for match in _BETWEEN_HAN.finditer(shown):
        yield Edit(match.start(), match.end(), "")


def wide_spaces(shown: str) -> Iterator[Edit]:
    """U+3000, the full-width space.

    Between words, and where it makes bold text show, it becomes a plain space. Beside Chinese and
    at the edges of a text there is none.
    """
    for match in _WIDE_SPACE.finditer(shown):
        start, end = match.span()
        yield Edit(start, end, _plain_space(shown[:start][-1:], shown[end:][:1]))


def _plain_space(before: str, after: str) -> str:
    """The space that belongs between two characters, or nothing if none does.

    At an edge of the text one of the two is empty.
    """
    if "" in (before, after):
        return ""
    # `**：**\u3000词`: without a space the bold would not show.
    if before == CLOSE or after == OPEN:
        return " "
    if _CHINESE.search(before + after):
        return ""
    return " "


def wide_letters(shown: str) -> Iterator[Edit]:
    """Full-width letters and digits: ``ＪＡＸ`` -> ``JAX``."""
    for match in _WIDE_LETTERS.finditer(shown):
        yield Edit(match.start(), match.end(), match[0].translate(_TO_NARROW))
