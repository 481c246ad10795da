"""Mistakes in translations: one function for each kind of damage.

A damage takes an entry and returns the damaged entry, or None if it does not apply.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.checks.model import Subject
from pipeline.core.document import prose
from pipeline.core.document.message import Kind, Markup
from pipeline.core.glossary.glossary import Glossary
from pipeline.entries import Entry

HAN = rf"[{prose.CJK}]"
CODE = re.compile(r"`([^`\n]+)`")
BOLD = re.compile(r"(?<!\*)\*\*([^*\n]+)\*\*(?!\*)")
EMPHASIS = re.compile(r"(?<!\*)(\*{1,2})([^*\n]+)\1(?!\*)")
TRADITIONAL = str.maketrans(
    "数变这个为时会对过来说们没还动点学开关进运输实图从两样种应该当处认识让后边",
    "數變這個為時會對過來說們沒還動點學開關進運輸實圖從兩樣種應該當處認識讓後邊",
)
# Damages that need no more than a pattern.
_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


class Damage(Struct, frozen=True):
    """Kind of damage, and the codes of the warnings that checks may report for it.

    An error always counts as detection.
    """

    name: str
    apply: Callable[[Entry], Entry | None]
    right: frozenset[str]
    fixable: bool = False  # emphasis and spacing: what `--fix` is to mend
    markup: Markup = Markup.MARKDOWN


def kind(
    name: str,
    apply: Callable[[Entry], Entry | None],
    right: str = "",
    *,
    fixable: bool = False,
) -> Damage:
    """Return a kind of damage; ``right`` are the codes of its warnings."""
    return Damage(name, apply, frozenset(right.split()), fixable)


def of_text(change: Callable[[str], str | None]) -> Callable[[Entry], Entry | None]:
    def apply(entry: Entry) -> Entry | None:
        text = change(entry.msgstr) or ""
        is_damaged = text.strip() and text != entry.msgstr
        return replace(entry, msgstr=text) if is_damaged else None

    return apply


def sub(
    pattern: str | re.Pattern[str], by: str | Callable[[re.Match[str]], str]
) -> Callable[[Entry], Entry | None]:
    """Return a damage that replaces the first match of ``pattern``."""
    return of_text(lambda text: re.sub(pattern, by, text, count=1))


def _of_code(by: Callable[[str], str]) -> Callable[[Entry], Entry | None]:
    """Return a damage that replaces the first code span. ``by`` gets it without backticks."""

    def change(text: str) -> str | None:
        span = next(filter(CODE.fullmatch, prose.atoms_of(text)), None)
        if span is None:
            return None
        start = len(text.partition(span)[0])
        return f"{text[:start]}{by(span[1:-1])}{text[start + len(span) :]}"

    return of_text(change)


def in_prose(
    pattern: str, by: str | Callable[[re.Match[str]], str], *, count: int = 1
) -> Callable[[Entry], Entry | None]:
    """Return a damage that replaces matches of ``pattern`` outside atoms."""

    def apply(entry: Entry) -> Entry | None:
        text = blanked = entry.msgstr
        at = 0
        for atom in prose.atoms_of(text, Subject(entry).markup):
            at = blanked.index(atom, at)
            blanked = blanked[:at] + "\0" * len(atom) + blanked[at + len(atom) :]
        parts: list[str] = []
        end = 0
        for match in list(re.finditer(pattern, blanked))[: count or None]:
            new = match.expand(by) if isinstance(by, str) else by(match)
            parts += [text[end : match.start()], new]
            end = match.end()
        return of_text(lambda _: "".join((*parts, text[end:])))(entry)

    return apply


def _misspell(code: str) -> str:
    return f"`{re.sub('[a-z]', '', code, count=1) or code}`"


def _bold_around_mark(text: str) -> str | None:
    """Move a mark into bold text: ``**注意**：不要`` → ``**注意：**不要``.

    If no mark follows the bold text, put quotation marks inside it.
    """
    before_mark = rf"{BOLD.pattern}([，。：；！？、])(?={HAN})"
    if re.search(before_mark, text):
        return re.sub(before_mark, r"**\1\2**", text, count=1)
    return re.sub(rf"(?<={HAN}){BOLD.pattern}", r"**“\1”**", text, count=1)


def _copy(entry: Entry) -> Entry | None:
    """Replace the translation by the English. Return None for one or two words, perhaps a name."""
    words = re.findall("[A-Za-z]{2,}", prose.mask(entry.msgid))
    return replace(entry, msgstr=entry.msgid) if len(words) > 2 else None


def _half_in_english(entry: Entry) -> Entry | None:
    words, half = entry.msgid.split(" "), len(entry.msgstr) // 2
    if len(words) < 8 or "\n" in entry.msgid:
        return None
    english = " ".join(words[: len(words) // 2])
    return replace(entry, msgstr=f"{english} {entry.msgstr[half:]}")


def _close_to_code(text: str) -> str | None:
    for span in filter(CODE.fullmatch, prose.atoms_of(text)):
        for apart, close in ((f" {span}", span), (f"{span} ", span)):
            if re.search(rf"{HAN}{re.escape(apart)}|{re.escape(apart)}{HAN}", text):
                return text.replace(apart, close, 1)
    return None


def _cut(text: str) -> str | None:
    return text[: len(text) // 2].rstrip() if len(re.findall(HAN, text)) >= 12 else None


def _lose_colon(entry: Entry) -> Entry | None:
    if not entry.msgid.endswith(":") or not entry.msgstr.endswith("："):
        return None
    return replace(entry, msgstr=f"{entry.msgstr[:-1]}。")


def _in_blocks(
    change: Callable[[Entry], Entry | None],
) -> Callable[[Entry], Entry | None]:
    """Return ``change``, limited to messages in which block markup has a meaning.

    Titles and options, for example, are excluded.
    """
    kinds = (Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.QUOTE, Kind.FOOTNOTE)
    blocks = tuple(f"{kind} " for kind in kinds)
    return lambda entry: change(entry) if entry.notes[0].startswith(blocks) else None


def _lose_pipe_escape(entry: Entry) -> Entry | None:
    is_cell = entry.notes[:1] and entry.notes[0].startswith(Kind.TABLE_CELL)
    if not is_cell or "\\|" not in entry.msgstr:
        return None
    return replace(entry, msgstr=entry.msgstr.replace("\\|", "|"))


def _unmark_fuzzy(entry: Entry) -> Entry | None:
    words = entry.msgid.split(" ")
    half = " ".join(words[: len(words) // 2])
    return replace(entry, previous=half) if len(words) >= 6 else None


def avoided_term(glossary: Glossary) -> Callable[[Entry], Entry | None]:
    def apply(entry: Entry) -> Entry | None:
        terms = dict.fromkeys(one.term for one in glossary.mentions(entry.msgid))
        for term in terms:
            for avoided, rendering in product(term.avoided, term.renderings):
                right = re.sub("（[^）]*）", "", rendering.text)
                if right in entry.msgstr and avoided.text not in rendering.text:
                    text = entry.msgstr.replace(right, avoided.text)
                    return replace(entry, msgstr=text)
        return None

    return apply


def _rows(markup: str) -> Iterator[Damage]:
    """Yield the kinds of damage in the table for a markup."""
    for row in _TABLE[markup]:
        change = in_prose if row.get("prose") else sub
        apply = change(row["pattern"].replace("HAN", HAN), row["by"])
        if row.get("blocks"):
            apply = _in_blocks(apply)
        fixable = row.get("fixable", False)
        yield kind(row["name"], apply, row.get("right", ""), fixable=fixable)


def kinds(glossary: Glossary) -> tuple[Damage, ...]:
    """Return all kinds of damage to single entries."""
    return (
        *_rows("markdown"),
        *_of_both(),
        kind("drop a code span", _of_code(lambda code: ""), "M209"),
        kind("misspell a code span", _of_code(_misspell), "M202 M209"),
        kind(
            "translate inside a code span",
            _of_code(lambda code: "`代码`"),
            "M201 M202 M209",
        ),
        kind("delete a backtick", _of_code(lambda code: f"`{code}")),
        kind("full-width backticks", _of_code(lambda code: f"｀{code}｀")),
        kind("bold that does not show", of_text(_bold_around_mark), fixable=True),
        kind(
            "underscores beside Chinese",
            sub(
                rf"(?<={HAN}){EMPHASIS.pattern}|{EMPHASIS.pattern}(?={HAN})",
                _underscored,
            ),
            fixable=True,
        ),
        kind("copy the English", _copy, "M301 M302"),
        kind("leave half of it in English", _half_in_english, "M301 M303 M306 M307 M501"),
        kind(
            "cut off the second half",
            of_text(_cut),
            "M103 M304 M306 M307 M308 M309 M312 M501",
        ),
        kind("lose the colon at the end", _lose_colon, "M308"),
        kind("use an avoided term", avoided_term(glossary), "M502"),
        kind("no space beside code", of_text(_close_to_code), "M401", fixable=True),
        kind("您 for 你", in_prose("你", "您", count=0), "M408"),
        kind(
            "full-width digits",
            in_prose(
                r"(?<![\w.])\d+(?![\w.])",
                lambda match: "".join(chr(ord(one) + 0xFEE0) for one in match[0]),
            ),
            "M411 M304",
        ),
        kind("add a line break", sub("(?s)([，。；])(?=.)", r"\1\n")),
        kind("lose the escape of a pipe", _lose_pipe_escape),
        kind("take off the fuzzy mark only", _unmark_fuzzy, "M313"),
    )


def rst_kinds() -> Iterator[Damage]:
    """Yield all kinds of damage to single entries of reStructuredText."""
    code = sub(
        r"(?<!`)``([^`\n]+)``(?!`)",
        lambda match: f"``{re.sub('[a-z]', '', match[1], count=1)}``",
    )
    misspelt = kind("misspell code", code, "M202 M209")
    for one in (*_rows("rst"), *_of_both(), misspelt):
        yield replace(one, name=f"reST: {one.name}", markup=Markup.RST)


def _of_both() -> Iterator[Damage]:
    """Yield the kinds of damage that every markup may have."""
    yield from _rows("both")
    yield kind(
        "change a number",
        in_prose(r"(?<![\w.])\d+(?![\w.]*\w)", lambda match: str(int(match[0]) + 7)),
        "M304",
    )
    yield kind(
        "half-width punctuation",
        in_prose(rf"(?<={HAN})[，。：；？！]", _half_width),
        "M402",
    )
    yield kind(
        "Traditional characters",
        in_prose(f"{HAN}+", lambda match: match[0].translate(TRADITIONAL), count=0),
        "M410",
    )


def _underscored(match: re.Match[str]) -> str:
    return re.sub(r"^\*+|\*+$", lambda marks: "_" * len(marks[0]), match[0])


def _half_width(match: re.Match[str]) -> str:
    marks = {"，": ", ", "。": ".", "：": ":", "；": "; ", "？": "?", "！": "!"}
    return marks[match[0]]
