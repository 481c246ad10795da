r"""Formulas and roles: which parts a translation must keep, and which parts are words.

Markdown and reST share their formulas and roles, so both guards and the checks use this module. In
a formula, a translation may change only the words in ``\text{}`` and similar commands. Their
replacement may hold only plain words, because renderers turn markup characters into tags.
"""

from __future__ import annotations

import re

from pipeline.tables import read_table

# "\text{if}". Its braces must not hold characters special to TeX or HTML, nor "⟨name⟩=⟨value⟩".
_WORDS = re.compile(
    r"""
    ( \\(?: text(?:rm|sf|tt|bf|md|it|sl|sc|up|normal)? | [mhf]box ) ) \s*
    \{ [^{}\\<>&$`\#%^_~|="@]* \}
    """,
    re.VERBOSE,
)
# White space that is not rendered. A space between a command and a letter is needed: "\alpha x".
# The first group is kept: "\ " is itself a command, and so is "\\", whatever follows it.
_SPACE = re.compile(r"(\\[\\\s])|(?<![A-Za-z])\s+|\s+(?![A-Za-z])")
# MathJax and Jupyter search the raw text for these delimiters, and skip code.
_CODE = re.compile(r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_MARK = re.compile(r"\$ | \\[()\[\]] | (?=\\begin\s*\{) | \\end\s*\{", re.VERBOSE)
_MACRO = re.compile(r"\\[A-Za-z]")


def canonical_math(formula: str) -> str:
    r"""Return ``formula`` without what a translation may change: words and invisible white space.

    a + \text{if}              a+\text{…}
    \alpha x                   \alpha x
    a \text{<b>}               a\text{<b>}      markup in the braces: all of it must stay
    """
    if "{" in formula:
        formula = without_words(formula)
    return _SPACE.sub(r"\1", formula.strip())


def without_words(text: str) -> str:
    r"""Return ``text`` with the words of formulas elided: ``\text{if}`` → ``\text{…}``."""
    return _WORDS.sub(r"\1{…}", text)


def added_formulas(msgid: str, msgstr: str) -> list[str]:
    r"""Return the formulas in ``msgstr`` that ``msgid`` does not have, in canonical form.

    A formula is any text between two delimiters that holds a macro. Renderers disagree about which
    delimiters open and which close, so each may do both. Text without a macro is no formula: "$5 to
    $6", "\[sic\]".
    """
    ours = _between_marks(msgstr)
    if not ours:
        return []  # most translations have no formula: skip the English
    theirs = _between_marks(msgid)
    return [formula for formula in ours if formula not in theirs]


def _between_marks(text: str) -> list[str]:
    """Return the texts between formula delimiters that hold a macro, in canonical form."""
    parts = _MARK.split(_CODE.sub("`", text))
    return [canonical_math(part) for part in parts[1:-1] if _MACRO.search(part)]


MATH = "math"  # the role of formulas, which follow the rules above
_ROLES = read_table(__name__, "roles")
# Roles that only style their words: the words may be translated. The table has badges, too.
_STYLES = re.compile("|".join(_ROLES["styles"].split()))
# Sphinx roles whose content may be ``title <target>``.
_TITLED = re.compile(
    r"(?:external(?:\+[\w.-]+)?:)?"
    rf"(?:(?:py|c|cpp|js|rst|std):[\w-]+|{'|'.join(_ROLES['titled'].split())})"
)
# Roles whose content is text to be translated, not a target.
TEXT_ROLES = frozenset(_ROLES["words"].split())
# The content of any other role must stay, because the role may output raw HTML. The exception is a
# title that cannot be part of a tag, as in Sphinx's extlinks: ":source:`the patch <Lib/a.py>`".
_PLAIN_TITLE = re.compile(
    r"(?P<title>[^<>&=\"'\\\x00]+?)\s*<(?P<target>[^<>]*)>", re.DOTALL
)
_VARIABLE = re.compile(r"\{[^{}]*\}")  # in {file}`{folder}/a.py`


def fixed_part(name: str, content: str, target: str) -> str:
    """Return the part of a role's ``content`` that must stay; empty if all of it may be translated.

    ``target`` is the target if the content is "title <target>", and the whole content otherwise.

        strong  words                ""
        func    words <~a.b>         a.b
        file    {folder}/a.py        {…}/a.py
        patch   words <a/b>          … <a/b>
        raw     <b>                  <b>
    """
    if _STYLES.fullmatch(name):
        return ""
    if _TITLED.fullmatch(name):
        # "~" and "!" only choose how much of the name is shown.
        return _VARIABLE.sub("{…}", target.lstrip("~!"))
    # MyST-NB executes the content of {eval}, so no part of it is a title.
    titled = _PLAIN_TITLE.fullmatch(content)
    if titled and "eval" not in name:
        return f"… <{titled['target']}>"
    return content
