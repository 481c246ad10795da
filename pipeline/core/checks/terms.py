"""M5: terminology. What is agreed on stands in the glossary; what is not must at least be the same everywhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.core.checks.base import Check, PageCheck, Problem, Subject
from pipeline.core.document import prose
from pipeline.core.document.message import Markup
from pipeline.core.glossary.terms import Glossary, Mention, Misuse, Plain, Term, as_plain
from pipeline.findings import Severity

_HAN = re.compile(f"[{prose.CJK}]")
_EMPHASIS = re.compile(r"\*+|(?<![^\W_])_+|_+(?![^\W_])")
_ENDS = re.compile(r"[\s.,:;!?。，：；！？、…]+$")
_BEFORE = re.compile(r"[A-Za-z]+ $")
_BEHIND = re.compile(r" [A-Za-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What a glossary sees in one translation."""

    mentions: tuple[Mention, ...]
    misuses: tuple[Misuse, ...]
    plain: Plain


def checks_of(glossary: Glossary) -> tuple[Check, ...]:
    """The checks that need a glossary."""

    @lru_cache(maxsize=64)  # both checks look at an entry one after the other
    def read(msgid: str, msgstr: str, markup: Markup) -> _Reading:
        mentions = glossary.mentions(msgid, markup)
        return _Reading(
            mentions=mentions,
            misuses=tuple(glossary.misuses(mentions, msgstr, markup)),
            plain=as_plain(msgstr),
        )

    def missing(subject: Subject) -> Iterator[Problem]:
        if not _HAN.search(subject.msgstr):
            return  # not translated at all, which other checks tell
        reading = read(subject.msgid, subject.msgstr, subject.markup)
        told = {misuse.term for misuse in reading.misuses}
        firsts = {mention.term: mention for mention in reversed(reading.mentions)}
        for term, mention in reversed(firsts.items()):
            if (
                term.weight
                and term not in told
                and not term.is_rendered_in(reading.plain)
                and not _is_kept(mention, subject.msgstr)
            ):
                text = f"has no “{term.renderings[0].text}” for “{mention.words}”"
                yield Problem(
                    text=text, hint=_hint(term, term.note), is_minor=term.weight is Severity.NOTE
                )

    def avoided(subject: Subject) -> Iterator[Problem]:
        for misuse in read(subject.msgid, subject.msgstr, subject.markup).misuses:
            hint = _hint(misuse.term, misuse.avoided.note or misuse.term.note)
            yield Problem(
                text=f"“{misuse.avoided.text}” is not how “{misuse.term.english}” is rendered",
                hint=hint,
                spans=misuse.spans,
            )

    return (
        Check(
            code="M501",
            name="a term without its rendering",
            severity=Severity.WARNING,
            find=missing,
        ),
        Check(
            code="M502", name="a rendering to be avoided", severity=Severity.WARNING, find=avoided
        ),
    )


def inconsistent(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Entries with the same English, but for case and the mark at its end, whose translations differ in words: those that are fewer.

    A msgctxt says that a translation differs on purpose.
    """
    groups: dict[str, list[int]] = {}
    for at, subject in enumerate(subjects):
        if subject.entry.context is None and _HAN.search(subject.msgstr):
            groups.setdefault(_phrase(subject.msgid), []).append(at)
    for group in groups.values():
        if len(group) > 1:
            yield from _differing(subjects, group)


def _differing(subjects: Sequence[Subject], group: Sequence[int]) -> Iterator[Problem]:
    said = {at: _said(subjects[at].msgstr) for at in group}
    most = Counter(said.values()).most_common(1)[0][0]
    usual = [subjects[at] for at in group if said[at] == most]
    pages = ", ".join(sorted({subject.page for subject in usual})[:3])
    hint = "Translate both alike, or give one a msgctxt if they differ on purpose."
    for at in group:
        if said[at] != most:
            here, there = _short(subjects[at].msgstr), _short(usual[0].msgstr)
            yield Problem(
                text=f"“{_short(subjects[at].msgid)}” is “{here}” here, but “{there}” in {pages}",
                hint=hint,
                index=at,
            )


INCONSISTENT = PageCheck(
    code="M503", name="two translations of one phrase", severity=Severity.NOTE, find=inconsistent
)
RULES: tuple[Check | PageCheck, ...] = (*checks_of(Glossary()), INCONSISTENT)


def _hint(term: Term, note: str) -> str:
    return f"Write {_choices(term)}." + (f" {note.rstrip('.')}." if note else "")


def _choices(term: Term) -> str:
    return " or ".join(f"“{rendering.text}”" for rendering in term.renderings)


def _is_kept(mention: Mention, msgstr: str) -> bool:
    """Whether the term is part of a name that is left in English: a word beside it stands there as well (Tensor Core)."""
    before = _BEFORE.search(mention.text, 0, mention.start)
    behind = _BEHIND.match(mention.text, mention.end)
    names = (
        f"{before[0]}{mention.words}" if before else "",
        f"{mention.words}{behind[0]}" if behind else "",
    )
    return any(name and name.removesuffix("s") in msgstr for name in names)


def _phrase(msgid: str) -> str:
    plain = _EMPHASIS.sub("", msgid) if "*" in msgid or "_" in msgid else msgid
    return _ENDS.sub("", plain).casefold()


def _said(msgstr: str) -> str:
    return _ENDS.sub("", as_plain(msgstr).bare)


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
