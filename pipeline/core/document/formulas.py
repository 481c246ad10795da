r"""Formulas of a text: which there are to some renderer, and what of one may be translated.

Both guards and the checks compare formulas as :func:`canonical_math` gives them. Of a formula only
the words in ``\text{}`` and its kin may change, and only to words: renderers make tags of marks.
"""

from __future__ import annotations

import re

# "\text{if}", and what must not stand in its braces: marks of TeX, of HTML, and "⟨name⟩=⟨value⟩".
_WORDS = re.compile(
    r"""
    ( \\(?: text(?:rm|sf|tt|bf|md|it|sl|sc|up|normal)? | [mhf]box ) ) \s*
    \{ [^{}\\<>&$`\#%^_~|="@]* \}
    """,
    re.VERBOSE,
)
# Spaces that do not show. One between letters ends a command: "\alpha x". The first group has to
# stay: "\ " is a command itself, and "\\" is one whatever stands behind it.
_SPACE = re.compile(r"(\\[\\\s])|(?<![A-Za-z])\s+|\s+(?![A-Za-z])")
# What MathJax and Jupyter know formulas by in the raw text; code is none to them.
_CODE = re.compile(r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_MARK = re.compile(r"\$ | \\[()\[\]] | (?=\\begin\s*\{) | \\end\s*\{", re.VERBOSE)
_MACRO = re.compile(r"\\[A-Za-z]")


def canonical_math(formula: str) -> str:
    r"""``formula`` without what a translation may change: white space that does not show, words.

    a + \text{if}              a+\text{…}
    \alpha x                   \alpha x
    a \text{<b>}               a\text{<b>}      no words: nothing of it may change
    """
    if "{" in formula:
        formula = without_words(formula)
    return _SPACE.sub(r"\1", formula.strip())


def without_words(text: str) -> str:
    r"""Return ``text`` without the words of formulas: ``\text{if}`` → ``\text{…}``."""
    return _WORDS.sub(r"\1{…}", text)


def added_formulas(msgid: str, msgstr: str) -> list[str]:
    r"""What stands between two marks of formulas in ``msgstr``, with a macro, and not in ``msgid``.

    Which mark opens and which one closes depends on the renderer, so each may do both. Without a
    macro it is text: "$5 to $6", "\[sic\]".
    """
    ours = _between_marks(msgstr)
    if not ours:
        return []  # do not look at the English for nothing
    theirs = _between_marks(msgid)
    return [formula for formula in ours if formula not in theirs]


def _between_marks(text: str) -> list[str]:
    """The texts with macros between two marks of formulas, in canonical form and in order."""
    parts = _MARK.split(_CODE.sub("`", text))
    return [canonical_math(part) for part in parts[1:-1] if _MACRO.search(part)]
