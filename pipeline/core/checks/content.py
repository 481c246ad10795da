"""Does it say what the English says? Guesses from numbers, marks and lengths: a person must look, so none blocks a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pipeline.core.checks import english
from pipeline.core.checks.base import Check, Problem, Span, Subject
from pipeline.core.checks.brackets import family, full_width, read_brackets
from pipeline.core.checks.masked import CLOSE, HAN, OPEN, URL, WORD, keeps_atoms, masked
from pipeline.core.checks.numbers import (
    chinese_values,
    english_values,
    names_unit,
    numbers_of,
    units_of,
    values_of,
)
from pipeline.core.document.message import Kind, Markup
from pipeline.findings import Severity

_HAN = re.compile(f"[{HAN}]")
_NO_SENTENCES = frozenset(
    (Kind.HEADING, Kind.TABLE_CELL, Kind.TITLE, Kind.TERM, Kind.IMAGE, Kind.CAPTION, Kind.HTML)
)


# M301 to M303: what is still English.

_TRANSLATE = "Translate it, or say in a translator comment why it stays English (# pipeline: ignore={code} because …)."


def _find_english(subject: Subject) -> Iterator[Problem]:
    shown = subject.masked_chinese
    if (
        subject.msgstr.strip() == subject.msgid.strip()
        or not english.is_english(shown)
        or english.is_kept(subject.masked_english)
    ):
        return
    yield Problem(
        text="is left in English",
        hint=_TRANSLATE.format(code="M301"),
        spans=(_whole(subject.msgstr),),
    )


def _find_copied(subject: Subject) -> Iterator[Problem]:
    if (
        subject.msgstr.strip() != subject.msgid.strip()
        or _HAN.search(subject.msgid)
        or english.is_kept(subject.masked_english)
    ):
        return
    shown = subject.masked_chinese
    if english.is_english(shown) or english.is_phrase(shown):
        yield Problem(
            text="is the English itself",
            hint=_TRANSLATE.format(code="M302"),
            spans=(_whole(subject.msgstr),),
        )


def _find_untranslated_part(subject: Subject) -> Iterator[Problem]:
    shown = subject.masked_chinese
    if not _HAN.search(shown) or english.is_english(shown):
        return
    spans = tuple(english.english_runs(shown, subject.masked_english))
    if spans and not english.is_kept(subject.masked_english):
        words = "”, “".join(subject.msgstr[start:end] for start, end in spans)
        yield Problem(
            text=f"has English left in it: “{words}”",
            hint="Translate these words too.",
            spans=spans,
        )


def _whole(text: str) -> Span:
    return len(text) - len(text.lstrip()), len(text.rstrip())


# M304, M305: numbers and units.


def _find_numbers(subject: Subject) -> Iterator[Problem]:
    theirs, ours = subject.masked_english, subject.masked_chinese
    english_numbers, chinese_numbers = numbers_of(theirs), numbers_of(ours)
    lost = [number for number in english_numbers if not number.is_among(values_of(chinese_numbers))]
    new = [number for number in chinese_numbers if not number.is_among(values_of(english_numbers))]
    if lost:  # then it may be written otherwise
        said = chinese_values(ours) | _values_in_code(subject.msgstr, ours)
        lost = [number for number in lost if not number.is_among(said)]
    if new:
        known = english_values(theirs) | _values_in_code(subject.msgid, theirs)
        new = [number for number in new if not number.is_among(known)]
    if not lost and not new:
        return
    parts = [f"lacks the number {_list(number.text for number in lost)}"] if lost else []
    parts += (
        [f"has the number {_list(number.text for number in new)}, which the English has not"]
        if new
        else []
    )
    hint = "Compare the numbers with the English, in digits or in words."
    yield Problem(
        text=" and ".join(parts),
        hint=hint,
        spans=tuple((number.start, number.end) for number in new),
    )


def _list(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _values_in_code(text: str, shown: str) -> set[str]:
    code = "".join(
        character if stand_in in (WORD, URL) else " "
        for character, stand_in in zip(text, shown, strict=True)
    )
    return values_of(numbers_of(code))


def _find_units(subject: Subject) -> Iterator[Problem]:
    theirs, ours = subject.masked_english, subject.masked_chinese
    lost = [unit.symbol for unit in units_of(theirs) if not names_unit(subject.msgstr, unit.symbol)]
    new = [unit for unit in units_of(ours) if not names_unit(subject.msgid, unit.symbol)]
    if not lost and not new:
        return
    parts = [f"lacks the unit {_list(lost)}"] if lost else []
    parts += (
        [f"has the unit {_list(unit.symbol for unit in new)}, which the English has not"]
        if new
        else []
    )
    yield Problem(
        text=" and ".join(parts),
        hint="Use the unit of the English.",
        spans=tuple((unit.start, unit.end) for unit in new),
    )


# M306, M307: how much is said.

_NO_END = "".join(rf"(?<!\b{word})" for word in r"e\.g i\.e etc vs cf Fig Eq Sec no [A-Z]".split())
_ENGLISH_END = re.compile(rf"{_NO_END}[.!?]+(?=[\"'”’)\]{CLOSE}]*(?:\s|$))")
_CHINESE_END = re.compile(r"[。！？]+|……|[.!?](?=\s|$)")
_CHINESE_STOP = re.compile(r"[。！？；：]+|……|——|[.!?;:](?=\s|$)")
_STOPS = ".!?。！？"
_LEAST_SENTENCES, _SENTENCES_OFF = 4, 2.5
# By English words, fewest characters a word and most. Measured on 18,000 messages of GNU, GNOME and others: the median is 1.5,
# and one in a thousand lies outside of 0.7 … 3.6 below eight words, 0.75 … 3.3 below twelve, 0.82 … 2.8 below twenty, 0.85 … 2.2 above.
_LENGTHS = ((20, 0.75, 3.0), (12, 0.65, 3.5), (8, 0.6, 4.0), (5, 0.4, 5.0))


def _find_sentence_count(subject: Subject) -> Iterator[Problem]:
    theirs, ours = subject.masked_english, subject.masked_chinese
    if max(sum(map(text.count, _STOPS)) for text in (theirs, ours)) < _LEAST_SENTENCES:
        return
    expected, least, most = (
        len(_ENGLISH_END.findall(theirs)),
        len(_CHINESE_END.findall(ours)),
        len(_CHINESE_STOP.findall(ours)),
    )
    if max(expected, least) < _LEAST_SENTENCES or (
        most * _SENTENCES_OFF >= expected and least <= max(expected, 1) * _SENTENCES_OFF
    ):
        return
    yield Problem(
        text=f"has {least} sentences where the English has {expected}",
        hint="See whether a part is missing or was added.",
    )


def _find_length(subject: Subject) -> Iterator[Problem]:
    words, shown = len(english.words_of(subject.masked_english)), subject.masked_chinese
    limits = next(((fewest, most) for least, fewest, most in _LENGTHS if words >= least), None)
    if not limits or not _HAN.search(shown):
        return
    fewest, most = limits
    count = english.count_han(shown) + len(english.words_of(shown))
    if not fewest <= count / words <= most:
        much = "little" if count < words else "much"
        text = f"says too {much}: {count} characters for {words} English words"
        yield Problem(text=text, hint="See whether a part is missing or was added.")


# M308, M309: how it ends.

_COLON_LAST = re.compile(rf":[{CLOSE} ]*$")
_NO_COLON = "，。；、,.;"
_BEHIND_END = f"\"'”’）)」』》{CLOSE} "
_ENDS = "。！？：；…!?.;:—"
_PAUSES = "，、,"
_ASKING = re.compile("什么|哪|怎|如何|为何|何时|是否|多少|几|谁|吗|呢")
_MID = re.compile(
    r"(?:[，、,]|以及|因为|由于|如果|并且|而且|但是|不但|或者|例如|比如|关于|通过|使得|[的和与及且但把被将从在对为于])$"
)
_VISIBLE = re.compile(rf"[\w%{WORD}]")
_LEAST_SENTENCE = 4  # words


def _find_lost_colon(subject: Subject) -> Iterator[Problem]:
    if not _COLON_LAST.search(subject.masked_english):
        return
    text = subject.msgstr.rstrip()
    shown = masked(text, subject.markup)
    end = len(shown.rstrip(f"{CLOSE} "))
    last = text[end - 1 : end]
    if not last or last in "：:":
        return
    is_wrong = last in _NO_COLON
    fix = f"{text[: end - 1]}：{text[end:]}" if is_wrong else f"{text}："
    yield Problem(
        text="does not end with a colon, as the English does",
        hint="End it with “：”: it announces what follows.",
        spans=((end - 1, end),) if is_wrong else (),
        fix=fix if shown[end - 1] != URL and keeps_atoms(text, fix, subject.markup) else None,
    )


def _find_cut(subject: Subject) -> Iterator[Problem]:
    theirs, shown = (
        text.rstrip().rstrip(_BEHIND_END)
        for text in (subject.masked_english, subject.masked_chinese)
    )
    if not shown or shown[-1] in _ENDS or not _HAN.search(shown):
        return
    if theirs.endswith("?") and not (subject.kind in _NO_SENTENCES and _ASKING.search(shown)):
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
        yield from _broken_off(shown)


def _broken_off(shown: str) -> Iterator[Problem]:
    if found := _MID.search(shown):
        yield Problem(
            text=f"breaks off behind “{found[0]}”",
            hint="Translate the rest of the sentence.",
            spans=(found.span(),),
        )
    elif _VISIBLE.match(shown[-1]):
        hint = "See whether something is missing, or end it with “。”."
        start = len(shown.rstrip(WORD)) if shown[-1] == WORD else len(shown) - 1
        yield Problem(
            text="does not end like a sentence, as the English does",
            hint=hint,
            spans=((start, len(shown)),),
        )


def _is_sentence(end: str) -> bool:
    return (
        end.endswith((".", "!", "?"))
        and not end.endswith(("...", "etc."))
        and len(english.words_of(end)) >= _LEAST_SENTENCE
    )


# M311: words that are doubled.

_MARKS = f"[{OPEN}{CLOSE}]*[ ]?[{OPEN}{CLOSE}]*"
# What may follow makes it another word: 在在线 is 在 + 在线, 为了了解 is 为了 + 了解.
_DOUBLED = re.compile(
    rf"""
      ([我你他她它这那很们与于但且该或])\1
    | 的的(?!确) | 了了(?![解结然事]) | 是是(?![否非]) | 在在(?!编[^译]|[线场职位读途建研于]) | 都都(?!市) | 也也(?!许) | 就就(?![业绪])
    | 把把(?![手握关]) | 被被(?![动除乘减加调告测]) | 从从(?![属未事]) | 并并(?![行发列联]) | 和和(?![谐弦声平]) | 及及(?![时格])
    | 为为(?![什何数])
    | (?!一|的|很|越|又|讨论|研究|考虑|尝试|商量|思考|非常|很多|许多)([{HAN}])(?!\2)
      (?=.{{1,5}}[{OPEN}{CLOSE} ]*\2)([{HAN}]{{1,5}})(?<!的){_MARKS}\2\3  # what it looks ahead for is rare, and soon told
    | (?<![\w.-])(?P<latin>[A-Za-z]{{2,}})(?=[ ]){_MARKS}(?P=latin)(?![\w.-])
    """,
    re.VERBOSE,
)


def _find_doubled(subject: Subject) -> Iterator[Problem]:
    found = [
        match
        for match in _DOUBLED.finditer(subject.masked_chinese)
        if not match["latin"] or match[0] not in subject.msgid
    ]
    if found:
        words = "”, “".join(subject.msgstr[slice(*match.span())] for match in found)
        yield Problem(
            text=f"says the same twice: “{words}”",
            hint="Delete one of the two.",
            spans=tuple(match.span() for match in found),
        )


# M312: what has no partner.


def _find_unbalanced(subject: Subject) -> Iterator[Problem]:
    ours = read_brackets(subject.masked_chinese)
    if not ours.single and not ours.mixed:
        return
    text, shown = subject.msgstr, subject.masked_english
    theirs = {family(subject.msgid[at]) for at in read_brackets(shown).single}
    single = [at for at in ours.single if family(text[at]) not in theirs]
    if single:
        marks = " and ".join(dict.fromkeys(text[at] for at in single))
        hint = "Add the other one of the pair, or delete it."
        yield Problem(
            text=f"has {marks} without a partner",
            hint=hint,
            spans=tuple((at, at + 1) for at in single),
        )
    elif ours.mixed:
        yield _mixed(text, ours.mixed, subject.markup)


def _mixed(text: str, pairs: tuple[tuple[int, int], ...], markup: Markup) -> Problem:
    places = sorted(at for pair in pairs for at in pair)
    fix = "".join(
        full_width(character) if at in places else character for at, character in enumerate(text)
    )
    marks = " and ".join(
        dict.fromkeys(f"{text[opening]}…{text[closing]}" for opening, closing in pairs)
    )
    return Problem(
        text=f"pairs a half-width bracket with a full-width one: {marks}",
        hint="Make both full-width.",
        spans=tuple((at, at + 1) for at in places),
        fix=fix if keeps_atoms(text, fix, markup) else None,
    )


# M313: what was marked fuzzy.


def _find_unreviewed(subject: Subject) -> Iterator[Problem]:
    if subject.entry.previous is not None:
        yield Problem(
            text="is no longer marked fuzzy, but still has the English that it was written for (#|)",
            hint="Compare it with the new English; then delete the lines that start with #|.",
        )
    elif any(note.startswith("fuzzy:") for note in subject.entry.notes):
        hint = (
            "If you have compared it with the English, all is well: the note goes at the next sync."
        )
        yield Problem(
            text="is no longer marked fuzzy, but the note that says so is still there",
            hint=hint,
            is_minor=True,
        )


CHECKS: tuple[Check, ...] = (
    Check(code="M301", name="left in English", severity=Severity.WARNING, find=_find_english),
    Check(code="M302", name="copy of the English", severity=Severity.WARNING, find=_find_copied),
    Check(
        code="M303",
        name="English words left",
        severity=Severity.WARNING,
        find=_find_untranslated_part,
    ),
    Check(code="M304", name="other numbers", severity=Severity.WARNING, find=_find_numbers),
    Check(code="M305", name="other units", severity=Severity.WARNING, find=_find_units),
    Check(
        code="M306",
        name="too few or too many sentences",
        severity=Severity.WARNING,
        find=_find_sentence_count,
    ),
    Check(code="M307", name="too short or too long", severity=Severity.WARNING, find=_find_length),
    Check(code="M308", name="lost colon", severity=Severity.WARNING, find=_find_lost_colon),
    Check(code="M309", name="cut off", severity=Severity.WARNING, find=_find_cut),
    Check(code="M311", name="doubled words", severity=Severity.WARNING, find=_find_doubled),
    Check(
        code="M312",
        name="brackets or quotes without partner",
        severity=Severity.WARNING,
        find=_find_unbalanced,
    ),
    Check(
        code="M313",
        name="fuzzy mark taken off only",
        severity=Severity.WARNING,
        find=_find_unreviewed,
    ),
)
