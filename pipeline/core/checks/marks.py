"""Punctuation of Chinese text, as edits that mend it. All of them look at masked text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.brackets import read_brackets
from pipeline.core.checks.masked import CLOSE, HAN, OPEN, URL, WORD
from pipeline.core.checks.spacing import is_block_mark
from pipeline.core.document.splice import Edit

_FULL = {",": "，", ".": "。", ":": "：", ";": "；", "!": "！", "?": "？"}
_ANY_HAN = re.compile(f"[{HAN}]")
_HAN_MARKS = "，。；：、！？（）【】《》「」『』“”‘’…—"
_C, _O = f"{CLOSE}*", f"{OPEN}*"
_EMOJI = "\u2600-\u27bf\ufe0f\U0001f300-\U0001faff"
_SHORT = "etc vs al cf Fig Eq Sec No Dr Mr Inc e\\.g i\\.e [A-Za-z]"  # behind these a full stop ends nothing
_NOT_SHORT = "".join(rf"(?<!\b{word})" for word in _SHORT.split())
_HALF = re.compile(
    rf"""
      (?<=[{HAN}”’）】》」』]){_C}(?:[ ]+(?=[,.:;!?](?:\s|$|[{HAN}{CLOSE}])))?
      (?:(?P<a>[,;?]|!(?![=\[])|:(?![:/=)])|\.(?![.A-Za-z0-9_])|\.(?=[A-Z])(?!\.NET))[ ]*)
    | (?<=[A-Za-z0-9%+#)\]"'{WORD}]){_C}(?P<b>[,;!?]|(?<!:):)[ ]*(?={_O}[{HAN}])
    | (?:(?<=[)\]"'{WORD}])|(?<=[A-Za-z]){_NOT_SHORT}){_C}(?P<c>\.)[ ]*(?={_O}[{HAN}])
    | (?:(?<=[)\]"'{WORD}%0-9{_EMOJI}])|(?<=[A-Za-z]){_NOT_SHORT}){_C}(?P<d>[.!?:;])(?=[）){CLOSE}]*\s*$)
    """,
    re.VERBOSE,
)
_HALF_MARK = re.compile(r"[,.:;!?]")
_CLAUSE = re.compile(r"[。！？；](?=.)|\n")
_LISTED = re.compile(rf"(?<={WORD}){_C},[ ]*(?={_O}{WORD})")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def half_width(shown: str) -> Iterator[Edit]:
    """``,`` ``.`` ``:`` ``;`` ``!`` ``?`` that end or part a Chinese clause."""
    if not _HALF_MARK.search(shown) or not _ANY_HAN.search(shown):
        return
    for match in _HALF.finditer(shown):
        if match["d"] and not _is_chinese_end(shown, match.start()):
            continue
        mark = match.lastgroup or ""
        start = match.start() + len(match[0]) - len(match[0].lstrip(CLOSE))
        yield Edit(start, match.end(), _FULL[match[mark]])


def _is_chinese_end(shown: str, end: int) -> bool:
    """Whether the last clause, which ends there, has Chinese in it."""
    start = max((match.end() for match in _CLAUSE.finditer(shown, 0, end)), default=0)
    return bool(_ANY_HAN.search(shown, start, end))


def listed(shown: str) -> Iterator[tuple[int, int]]:
    """Half-width commas between pieces of code that a Chinese sentence lists, not in brackets."""
    if "," not in shown or not _ANY_HAN.search(shown):
        return
    outside = _BRACKETED.sub(lambda match: "(" * len(match[0]), shown)
    for match in _LISTED.finditer(outside):
        at = shown.index(",", match.start())
        yield at, at + 1


_BESIDE = f"[{HAN}{_HAN_MARKS}]"
_ANY_DOTS = ("...", "。。。", "⋯", "…")
_DOTS = re.compile(r"[ ]*(?:\.{3,}|。{3,}|⋯+|(?<!…)…(?!…)|…{3,})[ ]*")


def ellipses(shown: str) -> Iterator[Edit]:
    """``...``, ``。。。`` and a single ``…`` beside Chinese."""
    if not any(dots in shown for dots in _ANY_DOTS):
        return
    for match in _DOTS.finditer(shown):
        before, after = (
            shown[: match.start()].rstrip(f"{OPEN}{CLOSE}")[-1:],
            shown[match.end() :].lstrip(f"{OPEN}{CLOSE}")[:1],
        )
        if "。" in match[0] or any(
            character and re.match(_BESIDE, character) for character in (before, after)
        ):
            yield Edit(*_without_edges(match, before, after), "……")


def _without_edges(match: re.Match[str], before: str, after: str) -> tuple[int, int]:
    """The span, with its spaces on the sides of which something Chinese stands."""
    start, end = match.span()
    text = match[0]
    if not re.match(_BESIDE, before or "x"):
        start += len(text) - len(text.lstrip())
    if not re.match(_BESIDE, after or "x"):
        end -= len(text) - len(text.rstrip())
    return start, end


_ANY_DASH = re.compile(r"[-–—―─－]")
_DASH = re.compile(
    rf"""
      (?P<left>[^\s]{_C})(?:
          [ ]*(?P<long>-{{2,3}}(?=\s|[{CLOSE}{OPEN}{WORD}{HAN}{_HAN_MARKS}])|(?<!—)—(?!—)|[―─]+|－+)[ ]*
        | [ ]+(?P<spaced>-|–)[ ]+
      )(?P<right>{_O}[^\s-])
    """,
    re.VERBOSE,
)


def dashes(shown: str, *, may_part: bool) -> Iterator[Edit]:
    """``--``, ``-``, ``–`` and a single ``—`` for a Chinese dash, but not in ranges and options.

    ``may_part`` says that `` - `` is all right, as between the parts of a title.
    """
    if not _ANY_DASH.search(shown):
        return
    at = 0
    while match := _DASH.search(shown, at):
        left, right = match["left"][0], match["right"][-1]
        chinese = [bool(re.match(_BESIDE, character)) for character in (left, right)]
        is_range = left.isdigit() or right.isdigit()
        is_dash = (
            all(chinese) and not may_part
            if match["spaced"] == "-"
            else any(chinese) and not is_range
        )
        if is_dash and left != URL:
            yield Edit(match.end("left"), match.start("right"), "——")
        at = match.start("right")


def brackets(shown: str) -> Iterator[Edit]:
    """Half-width brackets around Chinese, with the spaces outside. ``f(甲)`` is a call, ``](`` ends a link that failed."""
    if "(" not in shown:
        return
    for opening, closing in read_brackets(shown).pairs:
        if shown[opening] != "(" or not _ANY_HAN.search(shown, opening, closing):
            continue
        before = shown[:opening]
        if before.endswith("]") or re.search(r"(?<![A-Za-z])[A-Za-z]$", before):
            continue
        is_needed = before.rstrip(" ").endswith(URL) or is_block_mark(before.rstrip(" "))
        start = opening if is_needed else len(before.rstrip(" "))
        behind = shown[closing + 1 :]
        end = closing + 1 + (len(behind) - len(behind.lstrip(" ")) if behind.strip() else 0)
        yield Edit(start, opening + 1, "（")
        yield Edit(closing, end, "）")


def quotes(shown: str) -> Iterator[Edit]:
    """Straight quotes around Chinese. Where one that would open follows a digit, they are inches."""
    places = [at for at, character in enumerate(shown) if character == '"'] if '"' in shown else []
    openings = places[::2]
    if len(places) % 2 or any(shown[at - 1 : at].isdigit() for at in openings):
        return
    for opening, closing in zip(openings, places[1::2], strict=True):
        if _ANY_HAN.search(shown, opening, closing):
            yield Edit(opening, opening + 1, "“")
            yield Edit(closing, closing + 1, "”")


# Three 。 are an ellipsis, several ！ may be meant.
_AGAIN = re.compile(
    rf"""
      (?P<same>[，；：、])(?:(?P=same)|(?<=，),|(?<=；);|(?<=：):)+ | (?P<stop>(?<!。)。)(?:。(?!。)|\.(?!\.))
    | [，；：、][{OPEN}{CLOSE}]*[，。；：、] | [。！？][{OPEN}{CLOSE}]*[，；：、] | [！？]。
    """,
    re.VERBOSE,
)


_TWO_MARKS = re.compile(rf"[，；：、。！？][{OPEN}{CLOSE}]*[，；：、。！？,;:.]")


def doubled(shown: str) -> Iterator[Edit]:
    """Two marks where one belongs. Which of two different ones is for a person to say: then the edit changes nothing."""
    if not _TWO_MARKS.search(shown):
        return
    for match in _AGAIN.finditer(shown):
        yield Edit(*match.span(), match["same"] or match["stop"] or match[0])
