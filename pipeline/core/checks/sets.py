"""Which checks are right for a catalogue, by its language: chosen here and nowhere else.

The checks of Chinese know Chinese only: a French text has spaces before ``:`` for a good reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.core.checks import (
    atoms,
    content,
    guarded,
    meaning,
    shifted,
    structure,
    terms,
    typography,
)
from pipeline.core.checks.base import Check, PageCheck
from pipeline.core.checks.locales import is_chinese, is_traditional


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSet:
    """The checks of a language: of one entry, of a page, and of all pages together.

    A glossary is data of its locale: who has one for French is told of it as well.
    """

    checks: tuple[Check, ...]
    page_checks: tuple[PageCheck, ...] = ()
    across: tuple[PageCheck, ...] = ()
    # Those that look at the translation alone, where nobody knows the English.
    of_text: tuple[Check, ...] = ()


# What is wrong in any language: markup, atoms, and what the guard refuses.
_EVERYWHERE: tuple[Check, ...] = (
    *guarded.CHECKS,
    *structure.CHECKS,
    *atoms.CHECKS,
    *content.OF_ANY_LANGUAGE,
)
_OTHERS = CheckSet(checks=_EVERYWHERE)
SIMPLIFIED = CheckSet(
    checks=(
        *guarded.CHECKS,
        *structure.CHECKS,
        *atoms.CHECKS,
        *content.CHECKS,
        *typography.CHECKS,
        *meaning.CHECKS,
    ),
    page_checks=(*shifted.PAGE_CHECKS, *typography.PAGE_CHECKS),
    across=(terms.INCONSISTENT, *meaning.ACROSS_CHECKS),
    of_text=(*content.OF_TEXT, *typography.CHECKS),
)
# The words by which meanings are compared are Simplified Chinese.
TRADITIONAL = CheckSet(
    checks=(
        *guarded.CHECKS,
        *structure.CHECKS,
        *atoms.CHECKS,
        *content.CHECKS,
        *typography.TRADITIONAL_CHECKS,
    ),
    page_checks=SIMPLIFIED.page_checks,
    across=(terms.INCONSISTENT,),
    of_text=(*content.OF_TEXT, *typography.TRADITIONAL_CHECKS),
)


def checks_of(locale: str) -> CheckSet:
    """The checks for a locale, as ``canonical`` gives it: ``zh_CN``, ``zh_Hant_TW``, ``fr``."""
    if is_traditional(locale):
        return TRADITIONAL
    if is_chinese(locale):
        return SIMPLIFIED
    return _OTHERS
