"""Punctuation of Chinese text, as edits that mend it. All functions look at masked text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.brackets import read_brackets
from pipeline.core.checks.masked import CLOSE, HAN, OPEN, URL, WORD
from pipeline.core.checks.spacing import is_block_mark
from pipeline.core.document.splice import Edit
from pipeline.findings import Span

_FULL = {",": "，", ".": "。", ":": "：", ";": "；", "!": "！", "?": "？"}
_ANY_HAN = re.compile(f"[{HAN}]")
_HAN_MARKS = "，。；：、！？（）【】《》「」『』“”‘’…—"
_BESIDE_CHINESE = re.compile(f"[{HAN}{_HAN_MARKS}]")
_C, _O = f"{CLOSE}*", f"{OPEN}*"


# Half-width punctuation.

_EMOJI = "\u2600-\u27bf\ufe0f\U0001f300-\U0001faff"
# Behind these a full stop ends nothing; the last one is an initial.
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
    """``,`` ``.`` ``:`` ``;`` ``!`` ``?`` that end or part a Chinese clause.

    ``数组, 用**JAX**.`` -> ``数组，用**JAX**。``: marks of emphasis, unseen, stay before the mark.
    """
    if not _HALF_MARK.search(shown) or not _ANY_HAN.search(shown):
        return
    for match in _HALF.finditer(shown):
        # `见 README. See also: a, b.` ends in English.
        if match["end"] and not _is_last_clause_chinese(shown, match.start()):
            continue
        mark = match[match.lastgroup or ""]  # the one group that has matched
        # Marks that close something, as in **词**, stay before the punctuation.
        marks_before = len(match[0]) - len(match[0].lstrip(CLOSE))
        yield Edit(match.start() + marks_before, match.end(), _FULL[mark])


def _is_last_clause_chinese(shown: str, end: int) -> bool:
    """Whether the last clause, which ends there, has Chinese in it.

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
    """Half-width commas between pieces of code that a Chinese sentence lists, not in brackets.

    They are only told, and not mended: ``用 `a`, `b` 时`` may want “、” or “，”.
    """
    if "," not in shown or not _ANY_HAN.search(shown):
        return
    # In brackets there may be code: `f`(`a`, `b`).
    outside = _BRACKETED.sub(_blanked, shown)
    for match in _LISTED.finditer(outside):
        at = shown.index(",", match.start())
        yield at, at + 1


def _blanked(match: re.Match[str]) -> str:
    return "(" * len(match[0])


# Ellipses.

_ANY_DOTS = ("...", "。。。", "⋯", "…")
_DOTS = re.compile(r"[ ]*(?:\.{3,}|。{3,}|⋯+|(?<!…)…(?!…)|…{3,})[ ]*")


def ellipses(shown: str) -> Iterator[Edit]:
    """``...``, ``。。。`` and a single ``…`` beside Chinese: ``等等 ...`` -> ``等等……``.

    In ``x, ..., y`` there is no Chinese: such dots stay.
    """
    if not any(dots in shown for dots in _ANY_DOTS):
        return
    for match in _DOTS.finditer(shown):
        start, end = match.span()
        # What a reader sees on both sides, whatever marks stand in between.
        is_behind = _is_chinese(shown[:start].rstrip(f"{OPEN}{CLOSE}")[-1:])
        is_before = _is_chinese(shown[end:].lstrip(f"{OPEN}{CLOSE}")[:1])
        if not any((is_behind, is_before, "。" in match[0])):
            continue
        # The spaces go on the sides of which something Chinese stands.
        if not is_behind:
            start += len(match[0]) - len(match[0].lstrip())
        if not is_before:
            end -= len(match[0]) - len(match[0].rstrip())
        yield Edit(start, end, "……")


def _is_chinese(character: str) -> bool:
    """Whether it is a Chinese character or mark. The edge of a text, an empty one, is none."""
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
    """``--``, ``-``, ``–`` and a single ``—`` for a Chinese dash, but not in ranges and options.

    ``数组 -- 即张量`` -> ``数组——即张量``. ``may_part`` says that `` - `` is all right, as between
    the parts of a title.
    """
    if not _ANY_DASH.search(shown):
        return
    at = 0
    while match := _DASH.search(shown, at):
        if _is_dash(match, may_part=may_part):
            yield Edit(match.end("left"), match.start("right"), "——")
        at = match.start("right")  # what is right of one dash may be left of the next


def _is_dash(match: re.Match[str], *, may_part: bool) -> bool:
    """Whether a Chinese dash is meant by something that looks like one.

    Something Chinese must stand on one side at least, and no URL before it.
    """
    left, right = match["left"][0], match["right"][-1]
    if left == URL:
        return False
    chinese_sides = (_is_chinese(left), _is_chinese(right))
    # ` - ` beside a word may be a minus, or part a name.
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
    """Half-width brackets around Chinese, with the spaces outside.

    ``词 (甲) 词`` -> ``词（甲）词``
    """
    if "(" not in shown:
        return
    for opening, closing in read_brackets(shown).pairs:
        # In brackets without Chinese there is a name or code, as in `JAX (XLA)`.
        if shown[opening] != "(" or not _ANY_HAN.search(shown, opening, closing):
            continue
        # `](` ends a link that failed; `f(甲)` is a call.
        before, behind = shown[:opening], shown[closing + 1 :]
        if _NO_PROSE_BEFORE.search(before):
            continue
        start, end = opening, closing + 1
        words = before.rstrip(" ")
        # The space stays behind a bare URL, and behind the mark of a list item.
        if not words.endswith(URL) and not is_block_mark(words):
            start = len(words)
        if behind.strip():
            end += len(behind) - len(behind.lstrip(" "))
        yield Edit(start, opening + 1, "（")
        yield Edit(closing, end, "）")


def quotes(shown: str, pair: str = "“”") -> Iterator[Edit]:
    """Straight quotes around Chinese: ``"词"`` -> ``“词”``, or another pair of marks."""
    places = [match.start() for match in re.finditer('"', shown)]
    if len(places) % 2:  # one has no partner, which M312 tells
        return
    openings, closings = places[::2], places[1::2]
    # 5" are inches: which quote belongs to which, nobody can say.
    if any(_INCHES.match(shown, opening) for opening in openings):
        return
    for opening, closing in zip(openings, closings, strict=True):
        if _ANY_HAN.search(shown, opening, closing):
            yield Edit(opening, opening + 1, pair[0])
            yield Edit(closing, closing + 1, pair[1])


# Doubled marks.

_HIDDEN = f"[{OPEN}{CLOSE}]*"
_TWO_MARKS = re.compile(rf"[，；：、。！？]{_HIDDEN}[，；：、。！？,;:.]")
_DOUBLED = re.compile(
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
    """Two marks where one belongs: ``，，`` -> ``，``.

    Which of two different ones (``，。``) is for a person to say: then the edit changes nothing.
    """
    if not _TWO_MARKS.search(shown):
        return
    for match in _DOUBLED.finditer(shown):
        start, end = match.span()
        yield Edit(start, end, match["same"] or match["stop"] or match[0])
