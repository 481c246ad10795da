"""Edits that correct spaces, widths and punctuation of Chinese in masked text.

Each public function takes a masked text (``shown``), in which stand-ins hide markup and atoms, and
yields edits. Positions in the masked text are also valid in the original text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.masked import CLOSE, HAN, OPEN, OTHER, URL, WORD, read_pattern
from pipeline.core.checks.typography.brackets import read_brackets
from pipeline.core.document.splice import Edit
from pipeline.findings import Span

# Spaces between Chinese and words.

# Table for `str.translate`: delete invisible markup, and turn each stand-in of a word into
# a letter.
_AS_LETTERS = {
    ord(OPEN): None,
    ord(CLOSE): None,
    ord(WORD): "x",
    ord(URL): "x",
    ord(OTHER): "\n",
}
_LETTERS = "A-Za-z0-9Α-Ωα-ωµ"
# A boundary between Chinese and a word: 用|JAX|时, 50%|的, C++|和. The hyphen in 拉丁-9
# is not a boundary.
_EDGE = re.compile(
    rf"(?<=[{HAN}])(?=[{_LETTERS}])|(?<=[{_LETTERS}%‰℃])(?=[{HAN}])"
    rf"|(?<=[A-Za-z0-9+][+#])(?=[{HAN}])"
)


def missing_spaces(shown: str) -> Iterator[Edit]:
    """Yield the missing spaces between Chinese and a word, a number, code or a formula.

    ``用JAX时`` -> ``用 JAX 时``. Insert the space outside of marks: ``用**JAX**`` ->
    ``用 **JAX**``.
    """
    plain = shown.translate(_AS_LETTERS)
    if not _EDGE.search(plain):
        return
    # The position in `shown` of each character in `plain`.
    seen = [at for at, character in enumerate(shown) if character not in (OPEN, CLOSE)]
    for match in _EDGE.finditer(plain):
        # There may be marks between the two visible characters. The space goes after
        # closing marks and before opening ones: 用**f**。
        start, end = seen[match.start() - 1] + 1, seen[match.start()]
        at = end - len(shown[start:end].lstrip(CLOSE))
        yield Edit(at, at, " ")


# Spaces beside full-width marks.
_FULL_WIDTH = "，。；：、！？）】》」』（【《「『"
_SPACE = re.compile(r"[ \t]+")
_BLOCK_MARK = re.compile(rf"[\s>]*(?:[-+*#>{OTHER}]+|\d{{1,9}}[.)])")
# Spaces that are wrong beside quotes. English uses the same quotes, so a space is wrong
# only between a quote and Chinese.
_BESIDE_QUOTE = re.compile(read_pattern("beside_quote"), re.VERBOSE)


def is_block_mark(text: str) -> bool:
    """Return whether a text is the mark of a list item, heading or quote: ``-``, ``> 1.``.

    The space after such a mark is part of the syntax and must stay.
    """
    return bool(_BLOCK_MARK.fullmatch(text))


def loose_marks(shown: str) -> Iterator[Edit]:
    """Yield the deletion of white space beside full-width marks: ``词 ，词`` -> ``词，词``.

    The glyphs of full-width marks already include space. Keep the space between ``**：**`` and a
    word: without it, the bold would not render.
    """
    for match in _SPACE.finditer(shown):
        start, end = match.span()
        if start == 0 or end == len(shown):  # readers do not see it at the edges
            continue
        if not _is_loose(shown, start, end):
            continue
        if not is_block_mark(shown[:start]):  # `- （甲）`
            yield Edit(start, end, "")


def _is_loose(shown: str, start: int, end: int) -> bool:
    """Return whether the white space from ``start`` to ``end`` is redundant.

    It is redundant beside a full-width mark, and between a quote and Chinese. There must be text
    on both sides.
    """
    before, after = shown[start - 1], shown[end]
    if before in _FULL_WIDTH or after in _FULL_WIDTH:
        # Keep the space after a bare URL: otherwise the mark would become part of it.
        return before != URL and "\n" not in (before, after)
    return bool(_BESIDE_QUOTE.match(shown, start))


# Spaces inside Chinese, and full-width forms.

# The pattern begins with the space, because `re` quickly skips to a fixed character.
_BETWEEN_HAN = re.compile(rf"[ \t](?<=[{HAN}].)[ \t]*(?=[{HAN}])")
_WIDE_SPACE = re.compile(r"\u3000+")
_CHINESE = re.compile(rf"[{HAN}{_FULL_WIDTH}\s]")
_WIDE_LETTERS = re.compile(r"[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]+")
_TO_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def spaces_between_han(shown: str) -> Iterator[Edit]:
    """Yield the deletion of white space inside Chinese: ``数 组`` -> ``数组``.

    The usual cause is a line break in the editor.
    """
    for match in _BETWEEN_HAN.finditer(shown):
        yield Edit(match.start(), match.end(), "")


def wide_spaces(shown: str) -> Iterator[Edit]:
    """Yield edits of U+3000, the full-width space.

    Replace it by a plain space between words, and where bold needs a space to render. Delete it
    beside Chinese and at the edges of the text.
    """
    for match in _WIDE_SPACE.finditer(shown):
        start, end = match.span()
        yield Edit(start, end, _plain_space(shown[:start][-1:], shown[end:][:1]))


def _plain_space(before: str, after: str) -> str:
    """Return the replacement for U+3000 between two characters: a plain space or nothing.

    At an edge of the text, one of the characters is empty.
    """
    if "" in (before, after):
        return ""
    # `**：**\u3000词`: without a space, the bold would not render.
    if before == CLOSE or after == OPEN:
        return " "
    if _CHINESE.search(before + after):
        return ""
    return " "


def wide_letters(shown: str) -> Iterator[Edit]:
    """Yield edits of full-width letters and digits: ``ＪＡＸ`` -> ``JAX``."""
    for match in _WIDE_LETTERS.finditer(shown):
        yield Edit(match.start(), match.end(), match[0].translate(_TO_NARROW))


_FULL = {",": "，", ".": "。", ":": "：", ";": "；", "!": "！", "?": "？"}
_ANY_HAN = re.compile(f"[{HAN}]")
_HAN_MARKS = "，。；：、！？（）【】《》「」『』“”‘’…—"
_BESIDE_CHINESE = re.compile(f"[{HAN}{_HAN_MARKS}]")
_C, _O = f"{CLOSE}*", f"{OPEN}*"
# Half-width punctuation.
_EMOJI = "\u2600-\u27bf\ufe0f\U0001f300-\U0001faff"
# A full stop after these does not end a sentence. The last pattern matches an initial.
_SHORT = r"etc vs al cf Fig Eq Sec No Dr Mr Inc e\.g i\.e [A-Za-z]"
_NOT_SHORT = "".join(rf"(?<!\b{word})" for word in _SHORT.split())
_HALF = re.compile(read_pattern("half_width", NOT_SHORT=_NOT_SHORT, EMOJI=_EMOJI), re.VERBOSE)
_HALF_MARK = re.compile(r"[,.:;!?]")
_CLAUSE_END = re.compile(r"[。！？；](?=.)|\n")


def half_width(shown: str) -> Iterator[Edit]:
    """Yield edits of half-width punctuation (``,`` ``.`` ``:`` ``;`` ``!`` ``?``) in Chinese.

    ``数组, 用**JAX**.`` -> ``数组，用**JAX**。``
    """
    if not _HALF_MARK.search(shown) or not _ANY_HAN.search(shown):
        return
    for match in _HALF.finditer(shown):
        # `见 README. See also: a, b.` ends with an English sentence.
        if match["end"] and not _is_last_clause_chinese(shown, match.start()):
            continue
        mark = match[match.lastgroup or ""]  # only one group matches
        # The match may start with closing marks, as in **词**. These marks do not change.
        marks_before = len(match[0]) - len(match[0].lstrip(CLOSE))
        yield Edit(match.start() + marks_before, match.end(), _FULL[mark])


def _is_last_clause_chinese(shown: str, end: int) -> bool:
    """Return whether the last clause before ``end`` contains Chinese.

    True for ``见 README``, but not for ``见下。See also``.
    """
    start = 0
    for clause_end in _CLAUSE_END.finditer(shown, 0, end):
        start = clause_end.end()
    return bool(_ANY_HAN.search(shown, start, end))


# Commas in lists.
_LISTED = re.compile(rf"(?<={WORD}){_C},[ ]*(?={_O}{WORD})")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def listed(shown: str) -> Iterator[Span]:
    """Yield the positions of half-width commas between code spans in a Chinese sentence.

    Ignore commas in brackets. The result is not an edit, because a person must choose the mark:
    "用 `a`, `b` 时" may need “、” or “，”.
    """
    if "," not in shown or not _ANY_HAN.search(shown):
        return
    # Brackets may contain code: `f`(`a`, `b`). Hide them.
    outside = _BRACKETED.sub(lambda match: "(" * len(match[0]), shown)
    for match in _LISTED.finditer(outside):
        at = shown.index(",", match.start())
        yield at, at + 1


# Ellipses.
_ANY_DOTS = ("...", "。。。", "⋯", "…")
_DOTS = re.compile(r"[ ]*(?:\.{3,}|。{3,}|⋯+|(?<!…)…(?!…)|…{3,})[ ]*")


def ellipses(shown: str) -> Iterator[Edit]:
    """Yield edits of ``...``, ``。。。`` and a single ``…`` beside Chinese.

    ``等等 ...`` -> ``等等……``. Keep the dots in ``x, ..., y``, which are not beside Chinese.
    """
    if not any(dots in shown for dots in _ANY_DOTS):
        return
    for match in _DOTS.finditer(shown):
        start, end = match.span()
        # The visible characters on both sides, ignoring marks.
        is_behind = _is_chinese(shown[:start].rstrip(f"{OPEN}{CLOSE}")[-1:])
        is_before = _is_chinese(shown[end:].lstrip(f"{OPEN}{CLOSE}")[:1])
        if not any((is_behind, is_before, "。" in match[0])):
            continue
        # Delete spaces only on the sides with Chinese.
        if not is_behind:
            start += len(match[0]) - len(match[0].lstrip())
        if not is_before:
            end -= len(match[0]) - len(match[0].rstrip())
        yield Edit(start, end, "……")


def _is_chinese(character: str) -> bool:
    """Return whether a character is Chinese or Chinese punctuation; False for an empty string."""
    return bool(_BESIDE_CHINESE.match(character))


# Dashes.
_ANY_DASH = re.compile(r"[-–—―─－]")
_DASH = re.compile(read_pattern("dash", HAN_MARKS=_HAN_MARKS), re.VERBOSE)


def dashes(shown: str, *, may_part: bool) -> Iterator[Edit]:
    """Yield edits of ``--``, ``-``, ``–`` and a single ``—`` that are used as a Chinese dash.

    ``数组 -- 即张量`` -> ``数组——即张量``. Keep ranges (``3–5``) and options (``--jit``).
    ``may_part`` allows `` - ``, which may separate the parts of a title.
    """
    if not _ANY_DASH.search(shown):
        return
    at = 0
    while match := _DASH.search(shown, at):
        if _is_dash(match, may_part=may_part):
            yield Edit(match.end("left"), match.start("right"), "——")
        at = match.start("right")  # this character may be to the left of the next dash


def _is_dash(match: re.Match[str], *, may_part: bool) -> bool:
    """Return whether a match is used as a Chinese dash.

    At least one side must be Chinese, and the left side must not be a URL. `` - `` must have
    Chinese on both sides.
    """
    left, right = match["left"][0], match["right"][-1]
    if left == URL:
        return False
    chinese_sides = (_is_chinese(left), _is_chinese(right))
    # Beside a word, ` - ` may be a minus sign, or separate the parts of a name.
    if match["spaced"] == "-":
        return all(chinese_sides) and not may_part
    # A range: 3–5.
    if left.isdigit() or right.isdigit():
        return False
    return any(chinese_sides)


# Brackets and quotes.
_INCHES = re.compile(r'(?<=\d)"')
_NO_PROSE_BEFORE = re.compile(r"\]\Z|(?<![A-Za-z])[A-Za-z]$")


def brackets(shown: str) -> Iterator[Edit]:
    """Yield edits of half-width brackets around Chinese, and of the spaces outside of them.

    ``词 (甲) 词`` -> ``词（甲）词``
    """
    if "(" not in shown:
        return
    for opening, closing in read_brackets(shown).pairs:
        # Skip brackets without Chinese: they contain a name or code, as in `JAX (XLA)`.
        if shown[opening] != "(" or not _ANY_HAN.search(shown, opening, closing):
            continue
        # Skip `](`, which belongs to a broken link, and `f(甲)`, which is a call.
        before, behind = shown[:opening], shown[closing + 1 :]
        if _NO_PROSE_BEFORE.search(before):
            continue
        start, end = opening, closing + 1
        words = before.rstrip(" ")
        # Keep the space after a bare URL, and after the mark of a list item.
        if not words.endswith(URL) and not is_block_mark(words):
            start = len(words)
        if behind.strip():
            end += len(behind) - len(behind.lstrip(" "))
        yield Edit(start, opening + 1, "（")
        yield Edit(closing, end, "）")


def quotes(shown: str, pair: str = "“”") -> Iterator[Edit]:
    """Yield edits of straight quotes around Chinese to ``pair``: ``"词"`` -> ``“词”``."""
    places = [match.start() for match in re.finditer('"', shown)]
    if len(places) % 2:  # M312 reports the quote without a partner
        return
    openings, closings = places[::2], places[1::2]
    # A quote such as that in 5" may mean inches, so the pairs are uncertain.
    if any(_INCHES.match(shown, opening) for opening in openings):
        return
    for opening, closing in zip(openings, closings, strict=True):
        if _ANY_HAN.search(shown, opening, closing):
            yield Edit(opening, opening + 1, pair[0])
            yield Edit(closing, closing + 1, pair[1])


# Doubled marks.
_HIDDEN = f"[{OPEN}{CLOSE}]*"
_TWO_MARKS = re.compile(rf"[，；：、。！？]{_HIDDEN}[，；：、。！？,;:.]")
_DOUBLED_MARKS = re.compile(read_pattern("doubled_marks"), re.VERBOSE)


def doubled(shown: str) -> Iterator[Edit]:
    """Yield edits of doubled punctuation: ``，，`` -> ``，``.

    If the two marks differ (``，。``), a person must choose one. In that case the edit keeps both,
    so that the place is reported without a fix.
    """
    if not _TWO_MARKS.search(shown):
        return
    for match in _DOUBLED_MARKS.finditer(shown):
        start, end = match.span()
        yield Edit(start, end, match["same"] or match["stop"] or match[0])
