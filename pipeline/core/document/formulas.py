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
# How MathJax and Jupyter find formulas: by marks in the raw text, but for code.
_WRITTEN = re.compile(
    r"""
      (?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)        # code
    | \\+\( (?P<round>.+?) \\+\)
    | \\+\[ (?P<square>.+?) \\+\]
    | \\begin\s*\{ (?P<block>.+?) \\end\s*\{
    | \\.                                                # an escape: "\$" is no mark
    | \$\$ (?P<double>.+?) \$\$
    | \$ (?P<single>[^$]+) \$
    """,
    re.VERBOSE | re.DOTALL,
)
_MACRO = re.compile(r"\\[A-Za-z]")


def canonical_math(formula: str) -> str:
    r"""``formula`` without what a translation may change: white space that does not show, words.

    a + \text{if}              a+\text{…}
    \alpha x                   \alpha x
    a \text{<b>}               a\text{<b>}      no words: nothing of it may change
    """
    if "{" in formula:
        formula = _WORDS.sub(r"\1{…}", formula)
    return _SPACE.sub(r"\1", formula.strip())


def added_formulas(msgid: str, msgstr: str) -> list[str]:
    r"""The formulas that a renderer without a grammar finds in ``msgstr`` and not in ``msgid``.

    Without a macro, what stands between two marks is text: "$5 to $6", "\[sic\]".
    """
    ours = _written_formulas(msgstr)
    if not ours:
        return []  # do not look at the English for nothing
    theirs = _written_formulas(msgid)
    return [formula for formula in ours if formula not in theirs]


def _written_formulas(text: str) -> list[str]:
    """The formulas with macros or of an environment, in canonical form and in order."""
    found: list[str] = []
    for match in _WRITTEN.finditer(text):
        if match.lastgroup in (None, "ticks"):
            continue
        formula = match[match.lastgroup]
        if match.lastgroup == "block" or _MACRO.search(formula):
            found.append(canonical_math(formula))
    return found
