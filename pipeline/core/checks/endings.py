"""M308, M309: how a translation ends: a colon that is lost, a sentence that breaks off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks import english
from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.masked import CLOSE, HAN, URL, WORD, keeps_atoms, masked
from pipeline.core.document.message import Kind

_HAN = re.compile(f"[{HAN}]")
# Blocks that need not be sentences.
_NO_SENTENCES = frozenset(
    (
        Kind.HEADING,
        Kind.TABLE_CELL,
        Kind.TITLE,
        Kind.TERM,
        Kind.IMAGE,
        Kind.CAPTION,
        Kind.HTML,
        Kind.PAGE_TITLE,
        Kind.FRONT_MATTER,
    )
)
_COLON_LAST = re.compile(rf":[{CLOSE} ]*$")
_NO_COLON = "，。；、,.;"  # what stands where the colon should
_BEHIND_END = f"\"'”’）)」』》{CLOSE} "
_ENDS = "。！？：；…!?.;:—"
_PAUSES = "，、,"
_ASKING = re.compile(
    "[什甚][么麼]|哪|怎|如何|[为為]何|何[时時]|是否|多少|[几幾谁誰吗嗎]|呢"
)
# Words that no Chinese sentence ends with.
_MID_WORDS = "以及|因为|由于|如果|并且|而且|但是|不但|或者|例如|比如|关于|通过|使得"
_MID = re.compile(rf"(?:[，、,]|{_MID_WORDS}|[的和与及且但把被将从在对为于])$")
_VISIBLE = re.compile(rf"[\w%{WORD}]")
_LEAST_WORDS = 4  # of a sentence


def find_lost_colon(subject: Subject) -> Iterator[Problem]:
    """A translation without the colon that the English ends with: ``例如。`` for ``For example:``.

    Marks that close something stay behind the colon: ``**例如**`` -> ``**例如**：``, but
    ``**例如。**`` -> ``**例如：**``.
    """
    if not _COLON_LAST.search(subject.masked_english):
        return
    text = subject.msgstr.rstrip()
    shown = masked(text, subject.markup)
    end = len(shown.rstrip(f"{CLOSE} "))
    last = text[end - 1 : end]
    if not last or last in "：:":
        return
    is_wrong_mark = last in _NO_COLON
    fix = f"{text}："
    if is_wrong_mark:
        fix = f"{text[: end - 1]}：{text[end:]}"
    # Behind a bare URL the colon would become a part of it.
    is_fixable = shown[end - 1] != URL and keeps_atoms(text, fix, subject.markup)
    yield Problem(
        text="does not end with a colon, as the English does",
        hint="End it with “：”: it announces what follows.",
        spans=((end - 1, end),) if is_wrong_mark else (),
        fix=fix if is_fixable else None,
    )


def find_cut(subject: Subject) -> Iterator[Problem]:
    """A translation that ends in the middle of something.

    That is told by the mark that the English ends with, or by the last word: ``因为``.
    """
    theirs = subject.masked_english.rstrip().rstrip(_BEHIND_END)
    shown = subject.masked_chinese.rstrip().rstrip(_BEHIND_END)
    if not _HAN.search(shown) or shown[-1] in _ENDS:
        return
    # Each row asks for less than the one before it: a question always ends with its mark, a part of
    # a list mostly, and a full stop may be left out in a heading.
    if theirs.endswith("?") and not _is_question_of_title(subject, shown):
        yield Problem(
            text="does not end with a question mark, as the English does",
            hint="End it with “？”, or see what is missing.",
        )
    elif theirs.endswith((";", ",")) and shown[-1] not in _PAUSES:
        yield Problem(
            text=f"does not end with a mark, as the English does with “{theirs[-1]}”",
            hint="See whether something is missing.",
        )
    elif subject.kind not in _NO_SENTENCES and _is_sentence(theirs):
        yield from _find_broken_off(shown, needs_end=not _is_bracketed(subject))


def _is_question_of_title(subject: Subject, shown: str) -> bool:
    """Whether the words ask by themselves, as in a heading, where Chinese needs no mark.

    ``如何安装`` for "How do I install it?"
    """
    return subject.kind in _NO_SENTENCES and bool(_ASKING.search(shown))


def _is_sentence(end: str) -> bool:
    """Whether an English text ends with a sentence: not with "etc.", and not "See above."."""
    if not end.endswith((".", "!", "?")) or end.endswith(("...", "etc.")):
        return False
    return len(english.words_of(end)) >= _LEAST_WORDS


def _is_bracketed(subject: Subject) -> bool:
    """Whether both texts end with a bracket, within which Chinese needs no full stop.

    ``（见下文）`` for "(See below.)"
    """
    ends = (subject.masked_english, subject.masked_chinese)
    return all(text.rstrip(f"{CLOSE} ").endswith((")", "）")) for text in ends)


def _find_broken_off(shown: str, *, needs_end: bool) -> Iterator[Problem]:
    """A sentence without an end: ``…是因为``, ``…的``, or one that has just no full stop."""
    if mid := _MID.search(shown):
        yield Problem(
            text=f"breaks off behind “{mid[0]}”",
            hint="Translate the rest of the sentence.",
            spans=(mid.span(),),
        )
    elif needs_end and _VISIBLE.match(shown[-1]):
        start = len(shown) - 1
        if shown[-1] == WORD:  # code is marked as a whole
            start = len(shown.rstrip(WORD))
        yield Problem(
            text="does not end like a sentence, as the English does",
            hint="See whether something is missing, or end it with “。”.",
            spans=((start, len(shown)),),
        )
