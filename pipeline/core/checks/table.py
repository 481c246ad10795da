"""Table of all checks with their codes, names and severities, and the checks for each language.

Most checks apply to Chinese only. For example, a space before ``:`` is wrong in Chinese, but
correct in French.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.checks import hygiene, terms
from pipeline.core.checks.markup import atoms, blocks, emphasis, links, roles, verbatim
from pipeline.core.checks.meaning import (
    completeness,
    misplaced,
    omissions,
    quantities,
    untranslated,
    words,
)
from pipeline.core.checks.model import Check, Find, PageCheck, Problem, Rule, Subject
from pipeline.core.checks.typography import brackets
from pipeline.core.checks.typography import checks as typography
from pipeline.core.glossary.glossary import Glossary
from pipeline.findings import Severity
from pipeline.naming import is_chinese, is_traditional

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_Row = tuple[str, Severity, str, Find]
_PageRow = tuple[str, Severity, str, Callable[[Sequence[Subject]], Iterator[Problem]]]


class CheckSet(Struct, frozen=True, kw_only=True):
    """The checks for a language, grouped by the entries that one call examines."""

    checks: tuple[Check, ...]  # one entry
    page_checks: tuple[PageCheck, ...] = ()  # all entries of a page
    across: tuple[PageCheck, ...] = ()  # the entries of all pages
    # The part of `checks` that needs no English. It also works for memory entries with unknown
    # English.
    text_only: tuple[Check, ...] = ()


def _is_in_place(subject: Subject) -> bool:
    """Return whether a parser finds the same blocks in the translation as in the English."""
    return subject.is_in_place


def _has_other_atoms(subject: Subject) -> bool:
    """Return whether a translation has the same blocks as the English, but other atoms.

    Most translations have the same atoms as the English, so the checks of atoms skip them.
    """
    return not subject.has_all_atoms and subject.is_in_place


def _find_if(
    condition: Callable[[Subject], bool], find: Callable[[Subject], Iterable[Problem]]
) -> Callable[[Subject], Iterable[Problem]]:
    """Return a function that calls ``find`` for the subjects that meet a condition."""

    def find_in(subject: Subject) -> Iterable[Problem]:
        return find(subject) if condition(subject) else ()

    return find_in


def _find_refused(code: str) -> Find:
    """Return a check that reports the rejections by the guard with one code.

    The guard gives one reason per translation, so at most one of these checks reports an entry.
    """

    def find(subject: Subject) -> Iterator[Problem]:
        refusal = subject.refusal
        if refusal and refusal.code == code:
            yield Problem(text=f"the translation {refusal.text}", hint=refusal.hint)

    return find


def _checks(*rows: _Row) -> tuple[Check, ...]:
    """Return a check for each row of code, severity, name and function."""
    return tuple(
        Check(code=code, severity=severity, name=name, find=find)
        for code, severity, name, find in rows
    )


def _checks_if(condition: Callable[[Subject], bool], *rows: _Row) -> tuple[Check, ...]:
    """Return a check for each row. The checks examine only subjects that meet a condition."""
    checks = _checks(*rows)
    return tuple(replace(check, find=_find_if(condition, check.find)) for check in checks)


def _page_checks(*rows: _PageRow) -> tuple[PageCheck, ...]:
    """Return a check for each row whose function compares several entries."""
    return tuple(
        PageCheck(code=code, severity=severity, name=name, find=find)
        for code, severity, name, find in rows
    )


# Reasons of the guard to leave a translation out of its page. No comment can disable
# them. G105 concerns a whole page instead of one translation, so no check reports it.
_REFUSED = {
    "G101": "a control character",
    "G102": "line breaks that the English does not have",
    "G104": "markup, targets or code that the English does not have",
    "G106": "far longer than the English",
}
GUARD = _checks(*((code, _ERROR, name, _find_refused(code)) for code, name in _REFUSED.items()))
MARKUP = (
    # The other checks of markup skip a text that has become another block.
    *_checks(("M101", _ERROR, "text that becomes another block", blocks.find_other_block)),
    *_checks_if(
        _is_in_place,
        ("M102", _ERROR, "bold or italics that do not show", emphasis.find_unrendered),
        ("M103", _WARNING, "bold or italics lost or added", emphasis.find_changed),
        ("M104", _ERROR, "a link or image that does not work", links.find_broken),
        ("M105", _ERROR, "visible backticks", verbatim.find_backticks),
        ("M106", _ERROR, "dollar signs and formulas mixed up", roles.find_dollars),
        ("M107", _ERROR, "a role that does not work", roles.find_shown_roles),
        ("M108", _ERROR, "visible HTML tags", verbatim.find_html),
        ("M109", _WARNING, "line breaks lost", blocks.find_other_breaks),
        ("M110", _ERROR, "visible escapes", verbatim.find_escapes),
        ("M111", _ERROR, "a link or image without words", links.find_empty),
    ),
)
_REFERENCES = "a footnote mark or reference lost or changed"
ATOMS = _checks_if(
    _has_other_atoms,
    ("M201", _ERROR, "code lost or changed", atoms.find_code),
    ("M202", _WARNING, "code that the English does not have", atoms.find_new_code),
    ("M203", _ERROR, "a formula lost or changed", atoms.find_formulas),
    ("M204", _ERROR, "a link or image lost or changed", atoms.find_targets),
    ("M205", _ERROR, "a role lost or changed", atoms.find_roles),
    ("M206", _ERROR, _REFERENCES, atoms.find_references),
    ("M207", _ERROR, "a substitution lost or changed", atoms.find_substitutions),
    ("M208", _ERROR, "an address lost or changed", atoms.find_addresses),
    ("M209", _WARNING, "code, a formula or a link named less often", atoms.find_fewer),
)
# The checks of content are heuristics on numbers, punctuation and lengths. They only
# warn: none keeps a translation out of its page.
_COMPARED = _checks(
    ("M301", _WARNING, "left in English", untranslated.find_english),
    ("M302", _WARNING, "copy of the English", untranslated.find_copied),
    ("M303", _WARNING, "English words left", untranslated.find_untranslated_part),
    ("M304", _WARNING, "other numbers", quantities.find_numbers),
    ("M305", _WARNING, "other units", quantities.find_units),
    ("M306", _WARNING, "too few or too many sentences", completeness.find_sentences),
    ("M307", _WARNING, "too short or too long", completeness.find_length),
    ("M308", _WARNING, "lost colon", completeness.find_lost_colon),
    ("M309", _WARNING, "cut off", completeness.find_cut),
)
_DOUBLED = _checks(("M311", _WARNING, "doubled words", words.find_doubled))
_UNBALANCED = _checks(
    ("M312", _WARNING, "brackets or quotes without partner", brackets.find_unbalanced)
)
_UNREVIEWED = _checks(
    ("M313", _WARNING, "fuzzy mark removed, old English kept", hygiene.find_unreviewed)
)
CONTENT = (*_COMPARED, *_DOUBLED, *_UNBALANCED, *_UNREVIEWED)
_SPACES = "no space beside Latin letters, digits or code"
_LOOSE = "space beside full-width punctuation"
_HALF_WIDTH = "half-width brackets around Chinese"
_QUOTES = "straight quotes around Chinese"
TYPOGRAPHY = _checks(
    ("M401", _WARNING, _SPACES, typography.find_missing_space),
    ("M402", _WARNING, "half-width punctuation", typography.find_half_width),
    ("M403", _WARNING, _LOOSE, typography.find_loose_mark),
    ("M404", _WARNING, "ellipsis", typography.find_ellipsis),
    ("M405", _WARNING, "dash", typography.find_dash),
    ("M406", _WARNING, _HALF_WIDTH, typography.find_bracket),
    ("M407", _WARNING, _QUOTES, typography.find_quote),
    ("M408", _WARNING, "您 for 你", typography.find_nin),
    ("M410", _WARNING, "Traditional characters", typography.find_traditional),
    ("M411", _WARNING, "full-width letters or digits", typography.find_wide_letter),
    ("M412", _WARNING, "full-width space", typography.find_wide_space),
    ("M413", _WARNING, "doubled punctuation", typography.find_doubled_mark),
    ("M414", _NOTE, "half-width comma in a list of code", typography.find_listed_comma),
    ("M415", _NOTE, "space inside Chinese", typography.find_space_in_chinese),
)
# These checks are wrong for Traditional Chinese, which addresses readers as 您 and uses
# 「」 as quotation marks.
_SIMPLIFIED_ONLY = frozenset(("M407", "M408", "M410"))
_TRADITIONAL_TYPOGRAPHY = (
    *(check for check in TYPOGRAPHY if check.code not in _SIMPLIFIED_ONLY),
    *_checks(("M407", _WARNING, _QUOTES, typography.find_traditional_quote)),
)
MEANING = _checks(
    ("M701", _WARNING, "other negations", words.find_negation),
    ("M702", _WARNING, "lost or added “only”", words.find_only),
    ("M703", _WARNING, "lost or added “must”", words.find_must),
    ("M704", _WARNING, "lost condition", words.find_if),
    ("M705", _WARNING, "lost or added “for example”", words.find_example),
    ("M706", _WARNING, "lost or added “that is”", words.find_that_is),
    ("M707", _WARNING, "the opposite", words.find_opposite),
    # False positives: 1 in 100 good translations. They were counted in other translations than
    # those that the word list was made from.
    ("M708", _NOTE, "lost clause", omissions.find_omission),
    ("M709", _WARNING, "slip of the keyboard", words.find_typo),
    # Detects 28 of 100 swaps; false positives: 1 in 600 good translations.
    ("M711", _NOTE, "code in the wrong place", omissions.find_swap),
)
PAGE_CHECKS = _page_checks(
    ("M310", _WARNING, "a translation of another message", misplaced.find_shifted),
    ("M409", _WARNING, "two kinds of quotes on a page", typography.find_mixed_quotes),
)
_SENTENCES = "two translations of one sentence"
_ACROSS = _page_checks(
    ("M503", _NOTE, "two translations of one phrase", terms.find_inconsistent),
    ("M710", _NOTE, _SENTENCES, terms.find_inconsistent_sentences),
)


def glossary_checks(glossary: Glossary) -> tuple[Check, ...]:
    """Return the checks that need a glossary."""
    glossary_terms = terms.GlossaryChecks(glossary)
    return _checks(
        ("M501", _WARNING, "a term without its rendering", glossary_terms.find_missing),
        ("M502", _WARNING, "a rendering to be avoided", glossary_terms.find_avoided),
    )


# The checks that apply to any language.
_OTHERS = CheckSet(checks=(*GUARD, *MARKUP, *ATOMS, *_UNREVIEWED))
SIMPLIFIED = CheckSet(
    checks=(*GUARD, *MARKUP, *ATOMS, *CONTENT, *TYPOGRAPHY, *MEANING),
    page_checks=PAGE_CHECKS,
    across=_ACROSS,
    text_only=(*_DOUBLED, *TYPOGRAPHY),
)
# Without the checks of meaning, whose word lists are in Simplified Chinese.
_TRADITIONAL = CheckSet(
    checks=(*GUARD, *MARKUP, *ATOMS, *CONTENT, *_TRADITIONAL_TYPOGRAPHY),
    page_checks=PAGE_CHECKS,
    across=_ACROSS[:1],
    text_only=(*_DOUBLED, *_TRADITIONAL_TYPOGRAPHY),
)
# All rules. Other languages than Simplified Chinese use a part of them.
RULES: tuple[Rule, ...] = (
    *SIMPLIFIED.checks,
    *SIMPLIFIED.page_checks,
    *glossary_checks(Glossary()),
    *SIMPLIFIED.across,
    *hygiene.RULES,
)


def checks_of(locale: str) -> CheckSet:
    """Return the checks for a locale in canonical form, such as ``zh_Hant_TW``."""
    if is_traditional(locale):
        return _TRADITIONAL
    if is_chinese(locale):
        return SIMPLIFIED
    return _OTHERS


def code_names() -> dict[str, str]:
    """Return a mapping of codes to names: ``"M101": "text that becomes another block"``."""
    return {rule.code: rule.name for rule in RULES}
