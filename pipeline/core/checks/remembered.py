"""The memory under check: its translations with their English, as far as that is known.

A memory has digests in place of the English, and ⟦N⟧ in place of long atoms. An entry goes in and
comes out as one of a catalogue; or it is told that its placeholders stand for nothing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.checks.base import Problem
from pipeline.core.checks.mending import quote
from pipeline.core.checks.notes import usual_markup_of
from pipeline.core.document.message import Markup
from pipeline.core.memory.notes import SAME
from pipeline.core.memory.redact import restore
from pipeline.entries import Entry

_MARK = re.compile(r"⟦(\d+)⟧")
_ANY_BRACKET = re.compile(r"[⟦⟧]")
_HINT = (
    "Translate in the catalogue and build, which writes the memory; "
    "after a merge, restore the entry from version control."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The finished translations of a memory: with their English, without it, and what is wrong.

    ``known`` are entries as a catalogue has them, on the lines of the memory. ``unknown`` are those
    of the memory. A problem has the number of an entry in ``entries``.
    """

    entries: tuple[Entry, ...]
    known: tuple[Entry, ...]
    unknown: tuple[Entry, ...]
    problems: tuple[Problem, ...]


def read_remembered(
    entries: Sequence[Entry], english: Mapping[str, Entry]
) -> Remembered:
    """What a memory's ``entries`` hold; ``english`` has the entries of a catalogue by digest."""
    finished = tuple(entry for entry in entries if _is_finished(entry))
    known: list[Entry] = []
    unknown: list[Entry] = []
    problems: list[Problem] = []
    for index, entry in enumerate(finished):
        if broken := _ANY_BRACKET.search(_MARK.sub("", entry.msgstr)):
            problems.append(_broken(entry, broken[0], index))
            continue
        blank = english.get(entry.msgid)
        if blank is None:
            unknown.append(entry)
            continue
        msgstr = _msgstr(entry, blank.msgid)
        if msgstr is None:
            problems.append(_beyond(entry, index))
        else:
            known.append(_as_in_catalog(entry, blank, msgstr))
    return Remembered(
        entries=finished,
        known=tuple(known),
        unknown=tuple(entry for entry in unknown if entry.msgstr),
        problems=tuple(problems),
    )


def markup_of_texts(entries: Sequence[Entry]) -> Markup:
    """What a page is marked up in, as far as its translations tell: by its roles and its code."""
    return usual_markup_of([Entry(msgid=entry.msgstr) for entry in entries])


def readable_texts(entries: Sequence[Entry], markup: Markup) -> Iterator[Entry]:
    """Entries whose English is not known, with something in place of ⟦N⟧ that a parser can read.

    It is as long, so that places hold: ``见[指南⟦1⟧和⟦2⟧`` -> ``见[指南]()和`x```. In
    reStructuredText a long atom may be half of a link: there such entries are left out.
    """
    for entry in entries:
        if not _MARK.search(entry.msgstr):
            yield entry
        elif markup is Markup.MARKDOWN:
            yield replace(entry, msgstr=_MARK.sub(_stand_in, entry.msgstr))


def _stand_in(match: re.Match[str]) -> str:
    """The target of a link if one is open before a placeholder, else code."""
    before = match.string[: match.start()]
    size = len(match[0])
    opened = before.rpartition("[")[2] if "[" in before else "]"
    if "]" not in opened and "⟧" not in opened:
        return f"]({'x' * (size - 3)})"
    return f"`{'x' * (size - 2)}`"


def find_unlike(entries: Sequence[Entry]) -> Iterator[Problem]:
    """Entries of one English message that name other long atoms than most others of it do.

    ``entries`` may be of several pages and locales; a problem has the number of one of them. Where
    two differ, both are told.
    """
    by_digest: dict[str, list[int]] = defaultdict(list)
    for index, entry in enumerate(entries):
        if entry.msgstr:
            by_digest[entry.msgid].append(index)
    for places in by_digest.values():
        names = [frozenset(_MARK.findall(entries[index].msgstr)) for index in places]
        counts = Counter(names).most_common()
        if len(counts) == 1:
            continue
        usual, count = counts[0]
        is_even = counts[1][1] == count
        for index, named in zip(places, names, strict=True):
            if is_even or named != usual:
                yield _unlike(named, usual if named != usual else counts[1][0], index)


def _is_finished(entry: Entry) -> bool:
    """Whether readers see the translation; one that is the English itself has a note instead."""
    if entry.fuzzy or entry.obsolete:
        return False
    return entry.msgstr != "" or SAME in entry.notes


def _msgstr(entry: Entry, msgid: str) -> str | None:
    """The translation with its long atoms; None if a placeholder stands for none."""
    if SAME in entry.notes:
        return msgid
    return restore(entry.msgstr, msgid)


def _as_in_catalog(entry: Entry, blank: Entry, msgstr: str) -> Entry:
    """``blank``, the English with its note, with the translation of a memory's entry."""
    return replace(
        blank,
        msgstr=msgstr,
        context=entry.context,
        comments=entry.comments,
        line=entry.line,
    )


def _broken(entry: Entry, bracket: str, index: int) -> Problem:
    """What is to be said of a bracket that belongs to no placeholder."""
    at = _MARK.sub(lambda match: " " * len(match[0]), entry.msgstr).index(bracket)
    return Problem(
        text=f"has a {bracket} that is no part of ⟦N⟧",
        hint=_HINT,
        spans=((at, at + 1),),
        index=index,
    )


def _beyond(entry: Entry, index: int) -> Problem:
    """What is to be said of placeholders that the English has too few long atoms for."""
    marks = [match[0] for match in _MARK.finditer(entry.msgstr)]
    return Problem(
        text=f"has {quote(max(marks))}, but the English has fewer long pieces",
        hint=_HINT,
        spans=tuple(match.span() for match in _MARK.finditer(entry.msgstr)),
        index=index,
    )


def _unlike(named: frozenset[str], others: frozenset[str], index: int) -> Problem:
    """What is to be said of an entry that names other long atoms than another one."""
    return Problem(
        text=f"has {_listed(named)} where another translation of the text has {_listed(others)}",
        hint=_HINT,
        is_minor=True,
        index=index,
    )


def _by_number(name: str) -> tuple[int, str]:
    """What digits are sorted by: as numbers, however many digits there are."""
    return len(name), name


def _listed(names: frozenset[str]) -> str:
    """Placeholders in a sentence: ``⟦1⟧, ⟦2⟧``."""
    return (
        ", ".join(f"⟦{name}⟧" for name in sorted(names, key=_by_number))
        or "no placeholder"
    )
