"""Checks of the ``.po`` file itself (M6), and of the translation memory.

The parser of ``.po`` files (`adapters.po`) reports irregularities of a file as remarks.
`RULE_OF_REMARK` gives each remark a rule, and thus a code.

The memory stores translations without the English text. In its entries, a digest replaces the
English, and a placeholder ⟦N⟧ replaces each long atom. :func:`read_memory_entries` converts these
entries to catalogue entries, which the other checks can examine, and reports invalid placeholders.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.checks.fixes import quote
from pipeline.core.checks.model import Problem, Rule, Subject, usual_markup_of
from pipeline.core.document.message import Markup
from pipeline.core.memory.record import SAME, restore
from pipeline.entries import Catalog, Entry
from pipeline.findings import Severity

RULES = tuple(
    Rule(code=code, severity=severity, name=name)
    for code, severity, name in (
        ("M601", Severity.ERROR, "a file that cannot be read"),
        ("M602", Severity.WARNING, "an incomplete header"),
        ("M603", Severity.WARNING, "a repeated entry"),
        ("M604", Severity.WARNING, "a file that may be truncated"),
        ("M605", Severity.NOTE, "a layout that differs from ours"),
        (
            "M606",
            Severity.WARNING,
            "a comment that silences nothing, or has no reason",
        ),
        ("M607", Severity.ERROR, "an invalid placeholder in the memory"),
    )
)
UNREADABLE, HEADER, REPEATED, CUT, LAYOUT, SILENCED, PLACEHOLDER = RULES
# The rule for each remark of the parser, by the code of the remark. All other remarks
# concern the layout.
RULE_OF_REMARK = {"po-header": HEADER, "po-duplicate": REPEATED, "po-cut": CUT}


def header_problem(catalog: Catalog, wanted: Mapping[str, str]) -> str:
    """Return the problem with a catalogue's header, or "" if the header is complete.

    ``wanted`` maps the names of the required fields to values. Only the values of Language and
    Plural-Forms are compared. An example of a problem is
    ``the header says Language: zh, but this is zh_CN``.
    """
    missing = [name for name in wanted if name not in catalog.header]
    if missing:
        return f"the header lacks {', '.join(missing)}"
    language = catalog.header.get("Language")
    if language != wanted.get("Language"):
        return f"the header says Language: {language}, but this is {wanted['Language']}"
    plural = catalog.header.get("Plural-Forms")
    if plural != wanted.get("Plural-Forms"):
        return f"the header says Plural-Forms: {plural}, but prose has no plural forms"
    return ""


def find_unreviewed(subject: Subject) -> Iterator[Problem]:
    """Report an entry that is no longer fuzzy, but still has its previous msgid (``#|``).

    Probably somebody removed the fuzzy mark without adapting the translation.
    """
    if subject.entry.previous is not None:
        yield Problem(
            text="is no longer fuzzy, but still has its previous English (#|)",
            hint="Compare it with the new English; then delete the lines that start with #|.",
        )


_PLACEHOLDER = re.compile(r"⟦(\d+)⟧")
# A placeholder, or (as the group) a bracket that belongs to none.
_BRACKETS = re.compile(r"⟦\d+⟧|([⟦⟧])")
_HINT = (
    "Translate in the catalogue and build, which writes the memory; "
    "after a merge, restore the entry from version control."
)


class MemoryEntries(Struct, frozen=True, kw_only=True):
    """The published translations of a memory, grouped by whether their English text is known."""

    entries: tuple[Entry, ...]  # all published entries, as in the memory
    # The entries with known English, as catalogue entries with the line numbers of the memory.
    known: tuple[Entry, ...]
    unknown: tuple[Entry, ...]  # the entries with unknown English, as in the memory
    problems: tuple[Problem, ...]  # with indices of `entries`


def read_memory_entries(entries: Sequence[Entry], english: Mapping[str, Entry]) -> MemoryEntries:
    """Return the published entries of a memory, with their English where it is known.

    ``english`` maps the digest of an English text to its untranslated catalogue entry. The msgid of
    a memory entry is such a digest.
    """
    finished = tuple(filter(_is_finished, entries))
    known: list[Entry] = []
    unknown: list[Entry] = []
    problems: list[Problem] = []
    for index, entry in enumerate(finished):
        # The atom that a damaged placeholder replaces is unknown, so the other checks skip the
        # entry.
        brackets = _BRACKETS.finditer(entry.msgstr)
        if stray := next((match for match in brackets if match[1]), None):
            problems.append(
                Problem(
                    text=f"has a {stray[0]} that is not part of ⟦N⟧",
                    hint=_HINT,
                    spans=(stray.span(),),
                    index=index,
                )
            )
            continue
        blank = english.get(entry.msgid)
        if blank is None:
            unknown.append(entry)
            continue
        # A note replaces the text of a translation that equals the English.
        is_copy = SAME in entry.notes
        msgstr = blank.msgid if is_copy else restore(entry.msgstr, blank.msgid)
        if msgstr is None:
            problems.append(_placeholder_problem(entry, index))
        else:
            known.append(
                replace(
                    blank,
                    msgstr=msgstr,
                    context=entry.context,
                    comments=entry.comments,
                    line=entry.line,
                )
            )
    return MemoryEntries(
        entries=finished,
        known=tuple(known),
        # A translation that equals the English has no text to check.
        unknown=tuple(entry for entry in unknown if entry.msgstr),
        problems=tuple(problems),
    )


def markup_of_texts(entries: Sequence[Entry]) -> Markup:
    """Return the markup of a page, judged by typical markup in its translations."""
    return usual_markup_of([Entry(msgid=entry.msgstr) for entry in entries])


def readable_texts(entries: Sequence[Entry], markup: Markup) -> Iterator[Entry]:
    """Yield entries with each placeholder ⟦N⟧ replaced by markup that a parser accepts.

    The length is unchanged, so positions stay valid: "见[指南⟦1⟧和⟦2⟧" -> "见[指南]()和`x`".
    Skip reST entries with placeholders: an atom may be one half of a link, and the other half does
    not work alone.
    """
    for entry in entries:
        if not _PLACEHOLDER.search(entry.msgstr):
            yield entry
        elif markup is Markup.MARKDOWN:
            yield replace(entry, msgstr=_PLACEHOLDER.sub(_readable_placeholder, entry.msgstr))


def _readable_placeholder(match: re.Match[str]) -> str:
    """Return markup for a placeholder: the end of a link if its ``[`` is open, otherwise code."""
    before = match.string[: match.start()]
    size = len(match[0])
    # If no bracket follows the last `[`, the placeholder is the target of its link.
    opened = before.rpartition("[")[2] if "[" in before else "]"
    if "]" not in opened and "⟧" not in opened:
        return f"]({'x' * (size - 3)})"
    return f"`{'x' * (size - 2)}`"


def find_differing_placeholders(entries: Sequence[Entry]) -> Iterator[Problem]:
    """Report entries that have other placeholders than most translations of the same English.

    ``entries`` may be from several pages and locales. The index of a problem is the index of its
    entry. If several sets of placeholders are equally common, report all entries with this English.
    """
    by_digest: dict[str, list[int]] = defaultdict(list)
    for index, entry in enumerate(entries):
        if entry.msgstr:
            by_digest[entry.msgid].append(index)
    for places in by_digest.values():
        names = [frozenset(_PLACEHOLDER.findall(entries[index].msgstr)) for index in places]
        # The most common set counts as correct, because few entries are damaged.
        counts = Counter(names).most_common()
        if len(counts) == 1:
            continue
        usual, count = counts[0]
        # In case of a tie, any of the entries may be damaged.
        is_even = counts[1][1] == count
        for index, named in zip(places, names, strict=True):
            if is_even or named != usual:
                yield _unlike_problem(named, usual if named != usual else counts[1][0], index)


def _is_finished(entry: Entry) -> bool:
    """Return whether the translation of a memory entry is published.

    A translation that equals the English has no text, only a note.
    """
    if entry.fuzzy or entry.obsolete:
        return False
    return entry.msgstr != "" or SAME in entry.notes


def _placeholder_problem(entry: Entry, index: int) -> Problem:
    """Return the problem with a placeholder whose number exceeds the number of long atoms."""
    largest = max(_PLACEHOLDER.finditer(entry.msgstr), key=_numeric_order)
    return Problem(
        text=(
            f"has {quote(largest[0])}, "
            "but the English has fewer long code spans, links and formulas"
        ),
        hint=_HINT,
        spans=tuple(match.span() for match in _PLACEHOLDER.finditer(entry.msgstr)),
        index=index,
    )


def _numeric_order(placeholder: re.Match[str]) -> tuple[int, str]:
    """Return a key to sort placeholders by number.

    ``int`` rejects numbers of thousands of digits, so compare the digits: without leading zeros,
    the number with more digits is larger.
    """
    digits = placeholder[1].lstrip("0")
    return len(digits), digits


def _unlike_problem(named: frozenset[str], others: frozenset[str], index: int) -> Problem:
    """Return the problem with an entry whose placeholders differ from another translation's.

    ``named`` are the placeholders of the entry, ``others`` those of the other translation.
    """
    ours, theirs = _listed_placeholders(named), _listed_placeholders(others)
    return Problem(
        text=f"has {ours} where another translation of the text has {theirs}",
        hint=_HINT,
        is_downgraded=True,
        index=index,
    )


def _listed_placeholders(names: frozenset[str]) -> str:
    """Return the numbers of placeholders as a list for a message: ``⟦1⟧, ⟦2⟧``."""
    return (
        ", ".join(f"⟦{name}⟧" for name in sorted(names, key=lambda name: (len(name), name)))
        or "no placeholder"
    )
