"""Checks of the ``.po`` file itself (M6), and of the memory.

The adapter that parses a file reports its irregularities, and each remark gets the code of a rule
here. A memory has digests instead of the English, and ⟦N⟧ instead of long atoms. Its entries are
converted to those of a catalogue, or reported if a placeholder is invalid.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.checks.fixes import quote
from pipeline.core.checks.model import Problem, Rule, Subject, usual_markup_of
from pipeline.core.document.message import Markup
from pipeline.core.memory.record import SAME
from pipeline.core.memory.redaction import restore
from pipeline.entries import Catalog, Entry
from pipeline.findings import Severity

RULES = tuple(
    Rule(code=code, severity=severity, name=name)
    for code, severity, name in (
        ("M601", Severity.ERROR, "a file that cannot be read"),
        ("M602", Severity.WARNING, "a header that is not complete"),
        ("M603", Severity.WARNING, "an entry given twice"),
        ("M604", Severity.WARNING, "a file that may have been cut short"),
        ("M605", Severity.NOTE, "a layout that differs from ours"),
        (
            "M606",
            Severity.WARNING,
            "a comment that silences nothing, or gives no reason",
        ),
        ("M607", Severity.ERROR, "a placeholder of the memory that does not fit"),
    )
)
UNREADABLE, HEADER, REPEATED, CUT, LAYOUT, SILENCED, PLACEHOLDER = RULES
# The rule for each remark of the parser, by its code; all others concern the layout.
RULE_OF_REMARK = {"po-header": HEADER, "po-duplicate": REPEATED, "po-cut": CUT}


def header_problem(catalog: Catalog, wanted: Mapping[str, str]) -> str:
    """Return the problem with a header, or "" if it has the fields of ``wanted``.

    All fields must be present, but only the values of Language and Plural-Forms matter. An example
    is ``the header says Language: zh, but this is zh_CN``.
    """
    missing = [name for name in wanted if name not in catalog.header]
    if missing:
        return f"the header lacks {', '.join(missing)}"
    language = catalog.header.get("Language")
    if language != wanted.get("Language"):
        return f"the header says Language: {language}, but this is {wanted['Language']}"
    plural = catalog.header.get("Plural-Forms")
    if plural != wanted.get("Plural-Forms"):
        return f"the header says Plural-Forms: {plural}, but prose has one form"
    return ""


def find_unreviewed(subject: Subject) -> Iterator[Problem]:
    """Report an entry that is no longer fuzzy, but still has its previous msgid (``#|``)."""
    if subject.entry.previous is not None:
        yield Problem(
            text=(
                "is no longer marked fuzzy, but still has the English that it was written for (#|)"
            ),
            hint="Compare it with the new English; then delete the lines that start with #|.",
        )


_PLACEHOLDER = re.compile(r"⟦(\d+)⟧")
_ANY_BRACKET = re.compile(r"[⟦⟧]")
_HINT = (
    "Translate in the catalogue and build, which writes the memory; "
    "after a merge, restore the entry from version control."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntries:
    """The finished translations of a memory, with and without their English, and problems.

    ``known`` are catalogue entries with the line numbers of the memory. ``unknown`` are entries of
    the memory itself. The index of a problem refers to ``entries``.
    """

    entries: tuple[Entry, ...]
    known: tuple[Entry, ...]
    unknown: tuple[Entry, ...]
    problems: tuple[Problem, ...]


def read_memory_entries(
    entries: Sequence[Entry], english: Mapping[str, Entry]
) -> MemoryEntries:
    """Return the content of a memory's ``entries``; ``english`` has catalogue entries by digest."""
    finished = tuple(entry for entry in entries if _is_finished(entry))
    known: list[Entry] = []
    unknown: list[Entry] = []
    problems: list[Problem] = []
    for index, entry in enumerate(finished):
        # It is unknown which atom a damaged bracket stands for.
        if broken := _ANY_BRACKET.search(_PLACEHOLDER.sub("", entry.msgstr)):
            problems.append(_bracket_problem(entry, broken[0], index))
            continue
        blank = english.get(entry.msgid)
        if blank is None:
            unknown.append(entry)
            continue
        is_copy = SAME in entry.notes  # then it has only a note
        msgstr = blank.msgid if is_copy else restore(entry.msgstr, blank.msgid)
        if msgstr is None:
            problems.append(_placeholder_problem(entry, index))
        else:
            known.append(_as_in_catalog(entry, blank, msgstr))
    return MemoryEntries(
        entries=finished,
        known=tuple(known),
        # A copy of the English has only a note, and no text to check.
        unknown=tuple(entry for entry in unknown if entry.msgstr),
        problems=tuple(problems),
    )


def markup_of_texts(entries: Sequence[Entry]) -> Markup:
    """Return the markup of a page, judged by the roles and the code in its translations."""
    return usual_markup_of([Entry(msgid=entry.msgstr) for entry in entries])


def readable_texts(entries: Sequence[Entry], markup: Markup) -> Iterator[Entry]:
    """Yield entries of unknown English, with ⟦N⟧ replaced by markup that a parser accepts.

    The replacement has the same length, so that positions stay valid: ``见[指南⟦1⟧和⟦2⟧`` ->
    ``见[指南]()和`x```. In reST a long atom may be half of a link, so such entries are skipped.
    """
    for entry in entries:
        if not _PLACEHOLDER.search(entry.msgstr):
            yield entry
        elif markup is Markup.MARKDOWN:
            yield replace(
                entry, msgstr=_PLACEHOLDER.sub(_readable_placeholder, entry.msgstr)
            )


def _readable_placeholder(match: re.Match[str]) -> str:
    """Return a link target if a bracket is open before the placeholder, otherwise code."""
    before = match.string[: match.start()]
    size = len(match[0])
    # A `[` that nothing has closed yet: the placeholder is the target of its link.
    opened = before.rpartition("[")[2] if "[" in before else "]"
    if "]" not in opened and "⟧" not in opened:
        return f"]({'x' * (size - 3)})"
    return f"`{'x' * (size - 2)}`"


def find_differing_placeholders(entries: Sequence[Entry]) -> Iterator[Problem]:
    """Report entries that have other placeholders than most translations of the same message.

    ``entries`` may be from several pages and locales; a problem has the index of its entry. In case
    of a tie, all of these entries are reported.
    """
    by_digest: dict[str, list[int]] = defaultdict(list)
    for index, entry in enumerate(entries):
        if entry.msgstr:
            by_digest[entry.msgid].append(index)
    for places in by_digest.values():
        names = [
            frozenset(_PLACEHOLDER.findall(entries[index].msgstr)) for index in places
        ]
        # The most common set counts as correct: a damaged entry is the exception.
        counts = Counter(names).most_common()
        if len(counts) == 1:
            continue
        usual, count = counts[0]
        # In case of a tie it is unknown which entry is damaged.
        is_even = counts[1][1] == count
        for index, named in zip(places, names, strict=True):
            if is_even or named != usual:
                yield _unlike_problem(
                    named, usual if named != usual else counts[1][0], index
                )


def _is_finished(entry: Entry) -> bool:
    """Return whether the translation is published. A copy of the English has only a note."""
    if entry.fuzzy or entry.obsolete:
        return False
    return entry.msgstr != "" or SAME in entry.notes


def _as_in_catalog(entry: Entry, blank: Entry, msgstr: str) -> Entry:
    """Return ``blank``, the catalogue's untranslated entry, with a memory's translation."""
    return replace(
        blank,
        msgstr=msgstr,
        context=entry.context,
        comments=entry.comments,
        line=entry.line,
    )


def _bracket_problem(entry: Entry, bracket: str, index: int) -> Problem:
    """Return the problem with a bracket that belongs to no placeholder."""
    # Blank the valid placeholders to find the stray bracket.
    at = _PLACEHOLDER.sub(lambda match: " " * len(match[0]), entry.msgstr).index(
        bracket
    )
    return Problem(
        text=f"has a {bracket} that is no part of ⟦N⟧",
        hint=_HINT,
        spans=((at, at + 1),),
        index=index,
    )


def _placeholder_problem(entry: Entry, index: int) -> Problem:
    """Return the problem with placeholders whose numbers exceed the long atoms of the English."""
    largest = max(_PLACEHOLDER.finditer(entry.msgstr), key=_numeric_order)
    return Problem(
        text=f"has {quote(largest[0])}, but the English has fewer long pieces",
        hint=_HINT,
        spans=tuple(match.span() for match in _PLACEHOLDER.finditer(entry.msgstr)),
        index=index,
    )


def _numeric_order(placeholder: re.Match[str]) -> tuple[int, str]:
    """Return a sort key by the number of a placeholder, which may have thousands of digits.

    ``int`` would reject that many. Of two numbers without leading zeros, the longer one is larger.
    """
    digits = placeholder[1].lstrip("0")
    return len(digits), digits


def _unlike_problem(
    named: frozenset[str], others: frozenset[str], index: int
) -> Problem:
    """Return the problem with an entry whose placeholders differ from another translation."""
    ours, theirs = _listed_placeholders(named), _listed_placeholders(others)
    return Problem(
        text=f"has {ours} where another translation of the text has {theirs}",
        hint=_HINT,
        is_downgraded=True,
        index=index,
    )


def _listed_placeholders(names: frozenset[str]) -> str:
    """Return placeholders for a sentence: ``⟦1⟧, ⟦2⟧``."""
    return (
        ", ".join(
            f"⟦{name}⟧" for name in sorted(names, key=lambda name: (len(name), name))
        )
        or "no placeholder"
    )
