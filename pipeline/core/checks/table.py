"""Table of all checks: their codes, names and severities, and which of them each language gets.

Checks of Chinese know Chinese only: a French text has spaces before ``:`` for a good reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pipeline.core.checks import hygiene
from pipeline.core.checks.locales import is_chinese, is_traditional
from pipeline.core.checks.markup.atoms import (
    find_fewer,
    find_lost_addresses,
    find_lost_code,
    find_lost_formulas,
    find_lost_references,
    find_lost_roles,
    find_lost_substitutions,
    find_lost_targets,
    find_new_code,
)
from pipeline.core.checks.markup.blocks import find_other_block, find_other_breaks
from pipeline.core.checks.markup.emphasis import find_other_emphasis, find_unrendered
from pipeline.core.checks.markup.links import find_broken_links, find_empty
from pipeline.core.checks.markup.roles import find_dollars, find_shown_roles
from pipeline.core.checks.markup.verbatim import find_backticks, find_escapes, find_html
from pipeline.core.checks.meaning.completeness import (
    find_cut,
    find_length,
    find_lost_colon,
    find_sentence_count,
)
from pipeline.core.checks.meaning.english import (
    find_copied,
    find_english,
    find_untranslated_part,
)
from pipeline.core.checks.meaning.misplaced import find_shifted
from pipeline.core.checks.meaning.quantities import find_numbers, find_units
from pipeline.core.checks.meaning.renderings import find_omission, find_swap
from pipeline.core.checks.meaning.words import (
    EXAMPLE,
    IF,
    MUST,
    NEGATION,
    ONLY,
    THAT_IS,
    find_doubled,
    find_slip,
    find_turned,
    find_unshared,
)
from pipeline.core.checks.model import Check, Find, PageCheck, Problem, Rule, Subject
from pipeline.core.checks.terms import (
    Reader,
    avoided_renderings,
    find_alike,
    find_inconsistent,
    missing_terms,
)
from pipeline.core.checks.typography import checks as typography
from pipeline.core.checks.typography.brackets import find_unbalanced
from pipeline.core.glossary.glossary import Glossary
from pipeline.findings import Severity

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_Row = tuple[str, Severity, str, Find]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSet:
    """Checks of a language: of one entry, of a page, and of all pages together."""

    checks: tuple[Check, ...]
    page_checks: tuple[PageCheck, ...] = ()
    across: tuple[PageCheck, ...] = ()
    # Those that need the translation only, for entries whose English is unknown.
    of_text: tuple[Check, ...] = ()


def _checks(rows: Iterable[_Row]) -> tuple[Check, ...]:
    """Return the checks of some rows of a table."""
    return tuple(
        Check(code=code, severity=severity, name=name, find=find)
        for code, severity, name, find in rows
    )


def _checks_if(
    condition: Callable[[Subject], bool], rows: Iterable[_Row]
) -> tuple[Check, ...]:
    """Return the checks of some rows, for subjects that meet a condition."""
    return _checks(
        (code, severity, name, _find_if(condition, find))
        for code, severity, name, find in rows
    )


def _find_if(condition: Callable[[Subject], bool], find: Find) -> Find:
    """Return ``find`` for subjects that meet a condition; it finds nothing in others."""

    def find_in(subject: Subject) -> Iterator[Problem]:
        return find(subject) if condition(subject) else iter(())

    return find_in


def _is_in_place(subject: Subject) -> bool:
    """Return whether the translation stands as the right block."""
    return subject.is_in_place


def _has_other_atoms(subject: Subject) -> bool:
    """Return whether the atoms differ, in a translation that stands as the right block.

    In most messages they agree, so that no check of atoms looks any closer.
    """
    return not subject.has_all_atoms and subject.is_in_place


def _find_refused(code: str) -> Find:
    """Return a function that reports the guard's refusals with one code.

    The guard gives one refusal at most, so that one check at most reports an entry.
    """

    def find(subject: Subject) -> Iterator[Problem]:
        refusal = subject.refusal
        if refusal and refusal.code == code:
            yield Problem(text=f"the translation {refusal.text}", hint=refusal.hint)

    return find


# What the guard leaves out of every page, whatever a comment says. It gives the codes; G105 is
# about a whole page, which no check sees.
_REFUSED = {
    "G101": "a control character",
    "G102": "line breaks that the English has not",
    "G103": "text that would become another kind of block",
    "G104": "markup, targets or code that the English has not",
    "G106": "far longer than the English",
}
GUARD = _checks(
    (code, _ERROR, name, _find_refused(code)) for code, name in _REFUSED.items()
)
MARKUP = (
    # M101 is the only one that looks at a text which stands as another block.
    *_checks((("M101", _ERROR, "text that becomes another block", find_other_block),)),
    *_checks_if(
        _is_in_place,
        (
            ("M102", _ERROR, "bold or italics that do not show", find_unrendered),
            ("M103", _WARNING, "bold or italics lost or added", find_other_emphasis),
            ("M104", _ERROR, "a link or image that does not work", find_broken_links),
            ("M105", _ERROR, "backticks that show", find_backticks),
            ("M106", _ERROR, "dollar signs and formulas mixed up", find_dollars),
            ("M107", _ERROR, "a role that does not work", find_shown_roles),
            ("M108", _ERROR, "HTML tags that show", find_html),
            ("M109", _WARNING, "line breaks lost", find_other_breaks),
            ("M110", _ERROR, "escapes that show", find_escapes),
            ("M111", _ERROR, "a link or image without words", find_empty),
        ),
    ),
)
_REFERENCES = "a footnote mark or reference lost or changed"
_FEWER = "code, a formula or a link named less often"
ATOMS = _checks_if(
    _has_other_atoms,
    (
        ("M201", _ERROR, "code lost or changed", find_lost_code),
        ("M202", _WARNING, "code that the English has not", find_new_code),
        ("M203", _ERROR, "a formula lost or changed", find_lost_formulas),
        ("M204", _ERROR, "a link or image lost or changed", find_lost_targets),
        ("M205", _ERROR, "a role lost or changed", find_lost_roles),
        ("M206", _ERROR, _REFERENCES, find_lost_references),
        ("M207", _ERROR, "a substitution lost or changed", find_lost_substitutions),
        ("M208", _ERROR, "an address lost or changed", find_lost_addresses),
        ("M209", _WARNING, _FEWER, find_fewer),
    ),
)
# Checks of contents are guesses from numbers, marks and lengths: none blocks a message.
_CONTENT = _checks(
    (
        ("M301", _WARNING, "left in English", find_english),
        ("M302", _WARNING, "copy of the English", find_copied),
        ("M303", _WARNING, "English words left", find_untranslated_part),
        ("M304", _WARNING, "other numbers", find_numbers),
        ("M305", _WARNING, "other units", find_units),
        ("M306", _WARNING, "too few or too many sentences", find_sentence_count),
        ("M307", _WARNING, "too short or too long", find_length),
        ("M308", _WARNING, "lost colon", find_lost_colon),
        ("M309", _WARNING, "cut off", find_cut),
    )
)
_DOUBLED = _checks((("M311", _WARNING, "doubled words", find_doubled),))
_BRACKETS = "brackets or quotes without partner"
_UNBALANCED = _checks((("M312", _WARNING, _BRACKETS, find_unbalanced),))
_UNREVIEWED = _checks(
    (("M313", _WARNING, "fuzzy mark taken off only", hygiene.find_unreviewed),)
)
CONTENT = (*_CONTENT, *_DOUBLED, *_UNBALANCED, *_UNREVIEWED)
_SPACES = "no space beside Latin letters, digits or code"
_COMMA = "half-width comma in a list of code"
_QUOTES = "straight quotes around Chinese"
TYPOGRAPHY = _checks(
    (
        ("M401", _WARNING, _SPACES, typography.find_missing_space),
        ("M402", _WARNING, "half-width punctuation", typography.find_half_width),
        (
            "M403",
            _WARNING,
            "space beside full-width punctuation",
            typography.find_loose_mark,
        ),
        ("M404", _WARNING, "ellipsis", typography.find_ellipsis),
        ("M405", _WARNING, "dash", typography.find_dash),
        (
            "M406",
            _WARNING,
            "half-width brackets around Chinese",
            typography.find_bracket,
        ),
        ("M407", _WARNING, _QUOTES, typography.find_quote),
        ("M408", _WARNING, "您 for 你", typography.find_nin),
        ("M410", _WARNING, "Traditional characters", typography.find_traditional),
        ("M411", _WARNING, "full-width letters or digits", typography.find_wide_letter),
        ("M412", _WARNING, "full-width space", typography.find_wide_space),
        ("M413", _WARNING, "doubled punctuation", typography.find_doubled_mark),
        ("M414", _NOTE, _COMMA, typography.find_listed_comma),
        ("M415", _NOTE, "space inside Chinese", typography.find_space_in_chinese),
    )
)
# Traditional Chinese addresses readers as 您, and its quotation marks are 「」.
_SIMPLIFIED_ONLY = frozenset(("M407", "M408", "M410"))
_TRADITIONAL_TYPOGRAPHY = (
    *(check for check in TYPOGRAPHY if check.code not in _SIMPLIFIED_ONLY),
    *_checks((("M407", _WARNING, _QUOTES, typography.find_traditional_quote),)),
)
MEANING = _checks(
    (
        ("M701", _WARNING, "other negations", find_unshared(NEGATION)),
        ("M702", _WARNING, "lost or added “only”", find_unshared(ONLY)),
        ("M703", _WARNING, "lost or added “must”", find_unshared(MUST)),
        ("M704", _WARNING, "lost condition", find_unshared(IF)),
        ("M705", _WARNING, "lost or added “for example”", find_unshared(EXAMPLE)),
        ("M706", _WARNING, "lost or added “that is”", find_unshared(THAT_IS)),
        ("M707", _WARNING, "the opposite", find_turned),
        # In one of a hundred good translations that its words were not counted in, it finds a gap.
        ("M708", _NOTE, "lost clause", find_omission),
        ("M709", _WARNING, "slip of the keyboard", find_slip),
        # Of a hundred swaps it finds 28, and it reports one in 600 good translations.
        ("M711", _NOTE, "code in the wrong place", find_swap),
    )
)
PAGE_CHECKS = (
    PageCheck(
        code="M310",
        name="a translation of another message",
        severity=_WARNING,
        find=find_shifted,
    ),
    PageCheck(
        code="M409",
        name="two kinds of quotes on a page",
        severity=_WARNING,
        find=typography.find_mixed_quotes,
    ),
)
_INCONSISTENT = PageCheck(
    code="M503",
    name="two translations of one phrase",
    severity=_NOTE,
    find=find_inconsistent,
)
_ALIKE = PageCheck(
    code="M710",
    name="two translations of one sentence",
    severity=_NOTE,
    find=find_alike,
)


def glossary_checks(glossary: Glossary) -> tuple[Check, ...]:
    """Return the checks that need a glossary."""
    reader = Reader(glossary)
    return _checks(
        (
            ("M501", _WARNING, "a term without its rendering", missing_terms(reader)),
            (
                "M502",
                _WARNING,
                "a rendering to be avoided",
                avoided_renderings(reader),
            ),
        )
    )


# Markup and atoms must be right in any language, and the guard refuses what is not.
_OTHERS = CheckSet(checks=(*GUARD, *MARKUP, *ATOMS, *_UNREVIEWED))
SIMPLIFIED = CheckSet(
    checks=(*GUARD, *MARKUP, *ATOMS, *CONTENT, *TYPOGRAPHY, *MEANING),
    page_checks=PAGE_CHECKS,
    across=(_INCONSISTENT, _ALIKE),
    of_text=(*_DOUBLED, *TYPOGRAPHY),
)
# The words by which meanings are compared are Simplified Chinese.
_TRADITIONAL = CheckSet(
    checks=(*GUARD, *MARKUP, *ATOMS, *CONTENT, *_TRADITIONAL_TYPOGRAPHY),
    page_checks=PAGE_CHECKS,
    across=(_INCONSISTENT,),
    of_text=(*_DOUBLED, *_TRADITIONAL_TYPOGRAPHY),
)
# Every rule there is; languages other than Simplified Chinese have a part of these.
RULES: tuple[Rule, ...] = (
    *SIMPLIFIED.checks,
    *SIMPLIFIED.page_checks,
    *glossary_checks(Glossary()),
    *SIMPLIFIED.across,
    *hygiene.RULES,
)


def checks_of(locale: str) -> CheckSet:
    """Return the checks for a locale as ``canonical`` gives it, such as ``zh_Hant_TW``."""
    if is_traditional(locale):
        return _TRADITIONAL
    if is_chinese(locale):
        return SIMPLIFIED
    return _OTHERS


def code_names() -> dict[str, str]:
    """Return the name of every code: ``"M101": "text that becomes another block"``."""
    return {rule.code: rule.name for rule in RULES}
