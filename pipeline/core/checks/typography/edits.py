"""Edits that correct spaces, widths and punctuation of Chinese in masked text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.masked import CLOSE, HAN, OPEN, OTHER, URL, WORD
from pipeline.core.checks.typography.brackets import read_brackets
from pipeline.core.document.splice import Edit
from pipeline.findings import Span

# Spaces between Chinese and words.

# Translates masked text to its visible characters, with words as letters.
_AS_LETTERS = {
    ord(OPEN): None,
    ord(CLOSE): None,
    ord(WORD): "x",
    ord(URL): "x",
    ord(OTHER): "\n",
}
_LETTERS = "A-Za-z0-9Α-Ωα-ωµ"
# Between Chinese and a word: 用|JAX|时, 50%|的, C++|和. The hyphen in 拉丁-9 is no
# boundary.
_EDGE = re.compile(
    rf"(?<=[{HAN}])(?=[{_LETTERS}])|(?<=[{_LETTERS}%‰℃])(?=[{HAN}])"
    rf"|(?<=[A-Za-z0-9+][+#])(?=[{HAN}])"
)


def missing_spaces(shown: str) -> Iterator[Edit]:
    """Yield the missing spaces between Chinese and a word, a number, code or a formula.

    ``用JAX时`` -> ``用 JAX 时``. The space is inserted outside of marks: ``用**JAX**`` ->
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
# Quotes belong to English as well, so only spaces on the side of Chinese are wrong.
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
    """Return whether a text is the mark of a list item, heading or quote: ``-``, ``> 1.``.

    The space after it is part of the syntax.
    """
    return bool(_BLOCK_MARK.fullmatch(text))


def loose_marks(shown: str) -> Iterator[Edit]:
    """Yield white space beside full-width marks, which include their own space.

    ``词 ，词`` -> ``词，词``

    The space between ``**：**`` and a word stays: without it, the bold would not render.
    """
    for match in _SPACE.finditer(shown):
        start, end = match.span()
        if start == 0 or end == len(shown):  # invisible at the edges
            continue
        if not _is_loose(shown, start, end):
            continue
        if not is_block_mark(shown[:start]):  # `- （甲）`
            yield Edit(start, end, "")


def _is_loose(shown: str, start: int, end: int) -> bool:
    """Return whether the inner white space from ``start`` to ``end`` is redundant.

    It is redundant beside a full-width mark, and between a quote and Chinese.
    """
    before, after = shown[start - 1], shown[end]
    if before in _FULL_WIDTH or after in _FULL_WIDTH:
        # A bare URL needs the space: otherwise the mark would become part of it.
        return before != URL and "\n" not in (before, after)
    return bool(_BESIDE_QUOTE.match(shown, start))


# Spaces inside Chinese, and full-width forms.

# The pattern begins with a rare character, so that `re` skips to it.
_BETWEEN_HAN = re.compile(rf"[ \t](?<=[{HAN}].)[ \t]*(?=[{HAN}])")
_WIDE_SPACE = re.compile(r"\u3000+")
_CHINESE = re.compile(rf"[{HAN}{_FULL_WIDTH}\s]")
_WIDE_LETTERS = re.compile(r"[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]+")
_TO_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def spaces_between_han(shown: str) -> Iterator[Edit]:
    """Yield white space inside Chinese, usually from a line break: ``数 组``."""
    for match in _BETWEEN_HAN.finditer(shown):
        yield Edit(match.start(), match.end(), "")


def wide_spaces(shown: str) -> Iterator[Edit]:
    """Yield edits of U+3000, the full-width space.

    Between words, and where bold text needs it to render, it becomes a plain space. Beside Chinese
    and at the edges of the text it is deleted.
    """
    for match in _WIDE_SPACE.finditer(shown):
        start, end = match.span()
        yield Edit(start, end, _plain_space(shown[:start][-1:], shown[end:][:1]))


def _plain_space(before: str, after: str) -> str:
    """Return the space to use between two characters: ``" "`` or an empty string.

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
    """Yield full-width letters and digits: ``ＪＡＸ`` -> ``JAX``."""
    for match in _WIDE_LETTERS.finditer(shown):
        yield Edit(match.start(), match.end(), match[0].translate(_TO_NARROW))


_FULL = {",": "，", ".": "。", ":": "：", ";": "；", "!": "！", "?": "？"}
_ANY_HAN = re.compile(f"[{HAN}]")
_HAN_MARKS = "，。；：、！？（）【】《》「」『』“”‘’…—"
_BESIDE_CHINESE = re.compile(f"[{HAN}{_HAN_MARKS}]")
_C, _O = f"{CLOSE}*", f"{OPEN}*"
# Half-width punctuation.
_EMOJI = "\u2600-\u27bf\ufe0f\U0001f300-\U0001faff"
# A full stop after these does not end a sentence. The last one is an initial.
_SHORT = r"etc vs al cf Fig Eq Sec No Dr Mr Inc e\.g i\.e [A-Za-z]"
_NOT_SHORT = "".join(rf"(?<!\b{word})" for word in _SHORT.split())
_HALF = re.compile(
    rf"""
      # behind Chinese; not the start of ![image], of ://, of a number or a file name
      (?<=[{HAN}”’）】》」』]){_C}(?:[ ]+(?=[,.:;!?](?:\s|$|[{HAN}{CLOSE}])))?
      (?P<a> [,;?] | !(?![=\[]) | :(?![:/=)]) | \.(?![.A-Za-z0-9_]) | \.(?=[A-Z])(?!\.NET) )[ ]*
      # between a word and Chinese
    | (?<=[A-Za-z0-9%+#)\]"'{WORD}]){_C}(?P<b>[,;!?]|(?<!:):)[ ]*(?={_O}[{HAN}])
    | (?:(?<=[)\]"'{WORD}])|(?<=[A-Za-z]){_NOT_SHORT}){_C}(?P<c>\.)[ ]*(?={_O}[{HAN}])
      # behind a word, at the end
    | (?:(?<=[)\]"'{WORD}%0-9{_EMOJI}])|(?<=[A-Za-z]){_NOT_SHORT}){_C}
      (?P<end>[.!?:;])(?=[）){CLOSE}]*\s*$)
    """,
    re.VERBOSE,
)
_HALF_MARK = re.compile(r"[,.:;!?]")
_CLAUSE_END = re.compile(r"[。！？；](?=.)|\n")


def half_width(shown: str) -> Iterator[Edit]:
    """Yield half-width punctuation (``,`` ``.`` ``:`` ``;`` ``!`` ``?``) of a Chinese clause.

    ``数组, 用**JAX**.`` -> ``数组，用**JAX**。``: closing marks stay before the punctuation.
    """
    if not _HALF_MARK.search(shown) or not _ANY_HAN.search(shown):
        return
    for match in _HALF.finditer(shown):
        # `见 README. See also: a, b.` ends in English.
        if match["end"] and not _is_last_clause_chinese(shown, match.start()):
            continue
        mark = match[match.lastgroup or ""]  # the only group that matched
        # Closing marks, as in **词**, stay before the punctuation.
        marks_before = len(match[0]) - len(match[0].lstrip(CLOSE))
        yield Edit(match.start() + marks_before, match.end(), _FULL[mark])


def _is_last_clause_chinese(shown: str, end: int) -> bool:
    """Return whether the last clause before ``end`` contains Chinese.

    ``见下。See also`` ends in English; ``见 README`` is a Chinese clause.
    """
    start = 0
    for clause_end in _CLAUSE_END.finditer(shown, 0, end):
        start = clause_end.end()
    return bool(_ANY_HAN.search(shown, start, end))


# Commas in lists.
_LISTED = re.compile(rf"(?<={WORD}){_C},[ ]*(?={_O}{WORD})")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def listed(shown: str) -> Iterator[Span]:
    """Yield half-width commas between code spans in a Chinese sentence.

    Commas in brackets are ignored. There is no automatic fix: ``用 `a`, `b` 时`` may need “、” or
    “，”.
    """
    if "," not in shown or not _ANY_HAN.search(shown):
        return
    # Brackets may contain code: `f`(`a`, `b`).
    outside = _BRACKETED.sub(lambda match: "(" * len(match[0]), shown)
    for match in _LISTED.finditer(outside):
        at = shown.index(",", match.start())
        yield at, at + 1


# Ellipses.
_ANY_DOTS = ("...", "。。。", "⋯", "…")
_DOTS = re.compile(r"[ ]*(?:\.{3,}|。{3,}|⋯+|(?<!…)…(?!…)|…{3,})[ ]*")


def ellipses(shown: str) -> Iterator[Edit]:
    """Yield ``...``, ``。。。`` and a single ``…`` beside Chinese: ``等等 ...`` -> ``等等……``.

    The dots in ``x, ..., y`` stay, because there is no Chinese beside them.
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
        # Spaces are deleted only on the sides with Chinese.
        if not is_behind:
            start += len(match[0]) - len(match[0].lstrip())
        if not is_before:
            end -= len(match[0]) - len(match[0].rstrip())
        yield Edit(start, end, "……")


def _is_chinese(character: str) -> bool:
    """Return whether a character is Chinese, or a Chinese mark; False if it is empty."""
    return bool(_BESIDE_CHINESE.match(character))


# Dashes.
_ANY_DASH = re.compile(r"[-–—―─－]")
_DASH = re.compile(
    rf"""
      (?P<left>[^\s]{_C})
      (?:
          [ ]*(?P<long>
              -{{2,3}}(?=\s|[{CLOSE}{OPEN}{WORD}{HAN}{_HAN_MARKS}])
            | (?<!—)—(?!—) | [―─]+ | －+
          )[ ]*
        | [ ]+(?P<spaced>-|–)[ ]+
      )
      (?P<right>{_O}[^\s-])
    """,
    re.VERBOSE,
)


def dashes(shown: str, *, may_part: bool) -> Iterator[Edit]:
    """Yield edits of ``--``, ``-``, ``–`` and a single ``—`` that stand for a Chinese dash.

    ``数组 -- 即张量`` -> ``数组——即张量``. Ranges and options stay. ``may_part`` allows `` - ``, as
    between the parts of a title.
    """
    if not _ANY_DASH.search(shown):
        return
    at = 0
    while match := _DASH.search(shown, at):
        if _is_dash(match, may_part=may_part):
            yield Edit(match.end("left"), match.start("right"), "——")
        at = match.start("right")  # it may be left of the next dash, too


def _is_dash(match: re.Match[str], *, may_part: bool) -> bool:
    """Return whether a match stands for a Chinese dash.

    At least one side must be Chinese, and the left side must not be a URL.
    """
    left, right = match["left"][0], match["right"][-1]
    if left == URL:
        return False
    chinese_sides = (_is_chinese(left), _is_chinese(right))
    # ` - ` beside a word may be a minus, or separate the parts of a name.
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
    """Yield half-width brackets around Chinese, including adjacent spaces outside.

    ``词 (甲) 词`` -> ``词（甲）词``
    """
    if "(" not in shown:
        return
    for opening, closing in read_brackets(shown).pairs:
        # Brackets without Chinese contain a name or code, as in `JAX (XLA)`.
        if shown[opening] != "(" or not _ANY_HAN.search(shown, opening, closing):
            continue
        # `](` belongs to a broken link; `f(甲)` is a call.
        before, behind = shown[:opening], shown[closing + 1 :]
        if _NO_PROSE_BEFORE.search(before):
            continue
        start, end = opening, closing + 1
        words = before.rstrip(" ")
        # The space after a bare URL, and after the mark of a list item, stays.
        if not words.endswith(URL) and not is_block_mark(words):
            start = len(words)
        if behind.strip():
            end += len(behind) - len(behind.lstrip(" "))
        yield Edit(start, opening + 1, "（")
        yield Edit(closing, end, "）")


def quotes(shown: str, pair: str = "“”") -> Iterator[Edit]:
    """Yield straight quotes around Chinese: ``"词"`` -> ``“词”``, or another ``pair``."""
    places = [match.start() for match in re.finditer('"', shown)]
    if len(places) % 2:  # one has no partner: M312 reports it
        return
    openings, closings = places[::2], places[1::2]
    # Quotes such as 5" may mean inches, which makes the pairing ambiguous.
    if any(_INCHES.match(shown, opening) for opening in openings):
        return
    for opening, closing in zip(openings, closings, strict=True):
        if _ANY_HAN.search(shown, opening, closing):
            yield Edit(opening, opening + 1, pair[0])
            yield Edit(closing, closing + 1, pair[1])


# Doubled marks.
_HIDDEN = f"[{OPEN}{CLOSE}]*"
_TWO_MARKS = re.compile(rf"[，；：、。！？]{_HIDDEN}[，；：、。！？,;:.]")
_DOUBLED_MARKS = re.compile(
    rf"""
      (?P<same>[，；：、])(?:(?P=same)|(?<=，),|(?<=；);|(?<=：):)+
      # three 。 are an ellipsis, several ！ may be meant
    | (?P<stop>(?<!。)。)(?:。(?!。)|\.(?!\.))
    | [，；：、]{_HIDDEN}[，。；：、]
    | [。！？]{_HIDDEN}[，；：、]
    | [！？]。
    """,
    re.VERBOSE,
)


def doubled(shown: str) -> Iterator[Edit]:
    """Yield doubled punctuation: ``，，`` -> ``，``.

    If the two marks differ (``，。``), a person must choose one: the edit changes nothing.
    """
    if not _TWO_MARKS.search(shown):
        return
    for match in _DOUBLED_MARKS.finditer(shown):
        start, end = match.span()
        yield Edit(start, end, match["same"] or match["stop"] or match[0])
