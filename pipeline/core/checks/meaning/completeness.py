"""M306 to M309: translations that are too short, too long or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.masked import (
    CHINESE_END,
    CLOSE,
    ENGLISH_END,
    HAN,
    URL,
    WORD,
    keeps_atoms,
    masked,
)
from pipeline.core.checks.meaning.untranslated import count_han, words_of
from pipeline.core.checks.model import TITLES, Problem, Subject
from pipeline.core.document.message import Kind

_HAN = re.compile(f"[{HAN}]")
_HINT = "Check whether a part is missing or was added."
# Punctuation that may translate the end of an English sentence, because Chinese often
# joins sentences.
_CHINESE_STOP = re.compile(r"[。！？；：]+|……|——|[.!?;:](?=\s|$)")
# In texts with fewer sentences, joining or splitting sentences is a matter of style.
_LEAST_SENTENCES = 4
_TIMES_OFF = 2.5  # maximum ratio between the numbers of sentences of the two texts


# Limits of Chinese characters per English word, for messages of at least as many words as the first
# number. They are a little wider than those measured on 18,000 messages of GNU, GNOME and
# others. There, the median is 1.5, and 999 of 1,000 messages are inside of these limits:
#
#     fewer than  8 words     0.7  to 3.6
#     fewer than 12 words     0.75 to 3.3
#     fewer than 20 words     0.82 to 2.8
#     20 words or more        0.85 to 2.2
_LIMITS = (
    (20, 0.75, 3.0),
    (12, 0.65, 3.5),
    (8, 0.6, 4.0),
    (5, 0.4, 5.0),
)


def find_sentences(subject: Subject) -> Iterator[Problem]:
    """Report a translation with far fewer or far more sentences than the English.

    The limits are wide, because Chinese often joins sentences by commas or semicolons.
    """
    theirs, ours = subject.masked_english, subject.masked_chinese
    expected = len(ENGLISH_END.findall(theirs))
    least = len(CHINESE_END.findall(ours))
    if max(expected, least) < _LEAST_SENTENCES:
        return
    most = len(_CHINESE_STOP.findall(ours))
    is_enough = most * _TIMES_OFF >= expected
    is_not_too_much = least <= max(expected, 1) * _TIMES_OFF
    if is_enough and is_not_too_much:
        return
    yield Problem(text=f"has {least} sentences where the English has {expected}", hint=_HINT)


def find_length(subject: Subject) -> Iterator[Problem]:
    """Report a translation that is far shorter or far longer than its English.

    A word in Latin letters counts as one Chinese character.
    """
    words, shown = len(words_of(subject.masked_english)), subject.masked_chinese
    # The table starts with the longest messages, and has no limits for very short ones.
    limits = next((row for row in _LIMITS if words >= row[0]), None)
    if not limits or not _HAN.search(shown):
        return
    count = count_han(shown) + len(words_of(shown))
    _, fewest, most = limits
    if fewest <= count / words <= most:
        return
    much = "little" if count < words else "much"
    yield Problem(
        text=f"says too {much}: {count} characters for {words} English words",
        hint=_HINT,
    )


_NO_SENTENCES = TITLES | {Kind.HTML}
_COLON_LAST = re.compile(rf":[{CLOSE} ]*$")
_NO_COLON = "，。；、,.;"  # wrong punctuation in the place of a colon
_BEHIND_END = f"\"'”’）)」』》{CLOSE} "
_ENDS = "。！？：；…!?.;:—"
_PAUSES = "，、,"
_ASKING = re.compile("[什甚][么麼]|哪|怎|如何|[为為]何|何[时時]|是否|多少|[几幾谁誰吗嗎]|呢")
# Words that cannot end a Chinese sentence.
_MID_WORDS = "以及|因为|由于|如果|并且|而且|但是|不但|或者|例如|比如|关于|通过|使得"
_MID_SENTENCE = re.compile(rf"(?:[，、,]|{_MID_WORDS}|[的和与及且但把被将从在对为于])$")
_VISIBLE = re.compile(rf"[\w%{WORD}]")
_LEAST_SENTENCE_WORDS = 4  # a shorter text does not count as a sentence
_ALL_STRONG = re.compile(r"(\*\*|__)(?:(?!\1).)+\1", re.DOTALL)


def find_lost_colon(subject: Subject) -> Iterator[Problem]:
    """Report a lost final colon: "For example:" is translated as ``例如。``.

    The fix replaces wrong punctuation where it is: ``**例如。**`` -> ``**例如：**``. Otherwise it
    adds the colon at the end: ``**例如**`` -> ``**例如**：``.
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
    # After a bare URL, the colon would become a part of the URL.
    is_fixable = shown[end - 1] != URL and keeps_atoms(text, fix, subject.markup)
    yield Problem(
        text="does not end with a colon, as the English does",
        hint="End it with “：”: the next block belongs to it.",
        spans=((end - 1, end),) if is_wrong_mark else (),
        fix=fix if is_fixable else None,
    )


def find_cut(subject: Subject) -> Iterator[Problem]:
    """Report a translation that ends in the middle of a sentence.

    The signs are a final mark that only the English has, or a last word such as ``因为``.
    """
    theirs = subject.masked_english.rstrip().rstrip(_BEHIND_END)
    shown = subject.masked_chinese.rstrip().rstrip(_BEHIND_END)
    if not _HAN.search(shown) or shown[-1] in _ENDS:
        return
    # The most reliable indication comes first. Translations nearly always keep a question
    # mark, usually keep the comma after a list item, and may omit the full stop of a
    # heading.
    if theirs.endswith("?") and not _is_question_of_title(subject, shown):
        yield Problem(
            text="does not end with a question mark, as the English does",
            hint="End it with “？”, or add what is missing.",
        )
    elif theirs.endswith((";", ",")) and shown[-1] not in _PAUSES:
        yield Problem(
            text=f"ends without punctuation; the English ends with “{theirs[-1]}”",
            hint="Check whether something is missing.",
        )
    elif subject.kind not in _NO_SENTENCES and _is_sentence(theirs):
        needs_end = not (_is_bracketed(subject) or _is_strong(subject))
        yield from _find_broken_off(shown, needs_end=needs_end)


def _is_question_of_title(subject: Subject, shown: str) -> bool:
    """Return whether a title is a question by its words, so that it needs no question mark.

    For example, ``如何安装`` translates "How do I install it?". ``shown`` is the masked
    translation.
    """
    return subject.kind in _NO_SENTENCES and bool(_ASKING.search(shown))


def _is_sentence(end: str) -> bool:
    """Return whether an English text ends with a sentence.

    Return False for a text of few words, and for a text that ends with "etc." or "...".
    """
    if not end.endswith((".", "!", "?")) or end.endswith(("...", "etc.")):
        return False
    return len(words_of(end)) >= _LEAST_SENTENCE_WORDS


def _is_bracketed(subject: Subject) -> bool:
    """Return whether both texts end with a bracket, so that Chinese needs no full stop.

    For example, ``（见下文）`` translates "(See below.)".
    """
    ends = (subject.masked_english, subject.masked_chinese)
    return all(text.rstrip(f"{CLOSE} ").endswith((")", "）")) for text in ends)


def _is_strong(subject: Subject) -> bool:
    """Return whether both texts are completely bold.

    Such a text serves as a heading, which needs no full stop in Chinese. For example,
    ``**同时运行多个进程**`` translates "**Running several processes.**".
    """
    texts = (subject.msgid, subject.msgstr)
    return all(_ALL_STRONG.fullmatch(text.strip()) for text in texts)


def _find_broken_off(shown: str, *, needs_end: bool) -> Iterator[Problem]:
    """Report a text that ends with a word such as ``因为`` or ``的``, or without punctuation.

    ``shown`` is the masked translation. ``needs_end`` says whether it must end with punctuation.
    """
    if mid := _MID_SENTENCE.search(shown):
        yield Problem(
            text=f"breaks off after “{mid[0]}”",
            hint="Translate the rest of the sentence.",
            spans=(mid.span(),),
        )
    elif needs_end and _VISIBLE.match(shown[-1]):
        start = len(shown) - 1
        if shown[-1] == WORD:  # the text ends with code: mark the complete code span
            start = len(shown.rstrip(WORD))
        yield Problem(
            text="does not end like a sentence, as the English does",
            hint="Check whether something is missing, or end it with “。”.",
            spans=((start, len(shown)),),
        )
