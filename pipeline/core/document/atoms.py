r"""Formulas and roles: which parts a translation must keep, and which parts are words.

The guards of Markdown and reST and the checks use this module, because formulas and roles are the
same in both languages. In a formula, a translation may change only the words in ``\text{}`` and
similar commands. The translated words must be plain, because renderers turn markup characters into
tags.
"""

from __future__ import annotations

import re

from pipeline.tables import read_table

# "\text{if}". The braces must not contain characters that are special in TeX or HTML.
_WORDS = re.compile(
    r"""
    ( \\(?: text(?:rm|sf|tt|bf|md|it|sl|sc|up|normal)? | [mhf]box ) ) \s*
    \{ [^{}\\<>&$`\#%^_~|="@]* \}
    """,
    re.VERBOSE,
)
# White space that is not rendered. A space between a command and a letter does not match, because
# it ends the command: "\alpha x". The first group is kept: "\ " and "\\" are commands themselves.
_SPACE = re.compile(r"(\\[\\\s])|(?<![A-Za-z])\s+|\s+(?![A-Za-z])")
# MathJax and Jupyter search the raw text, except code, for the delimiters of formulas (``_MARK``).
_CODE = re.compile(r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_MARK = re.compile(r"\$ | \\[()\[\]] | (?=\\begin\s*\{) | \\end\s*\{", re.VERBOSE)
_MACRO = re.compile(r"\\[A-Za-z]")


def canonical_math(formula: str) -> str:
    r"""Return ``formula`` without the parts that a translation may change.

    These are words and invisible white space:

    a + \text{if}              a+\text{…}
    \alpha x                   \alpha x
    a \text{<b>}               a\text{<b>}      the braces have markup, which must not change
    """
    if "{" in formula:
        formula = without_words(formula)
    return _SPACE.sub(r"\1", formula.strip())


def without_words(text: str) -> str:
    r"""Return ``text`` with the words of formulas replaced: ``\text{if}`` → ``\text{…}``."""
    return _WORDS.sub(r"\1{…}", text)


def added_formulas(msgid: str, msgstr: str) -> list[str]:
    r"""Return the formulas in ``msgstr`` that ``msgid`` does not have, in canonical form.

    Any text between two delimiters counts as a formula if it contains a macro such as ``\alpha``.
    Each delimiter may open or close a formula, because renderers disagree. "$5 to $6" and "\[sic\]"
    contain no macro, so they are not formulas.
    """
    ours = _between_marks(msgstr)
    if not ours:
        return []  # most translations have no formula: skip the English
    theirs = _between_marks(msgid)
    return [formula for formula in ours if formula not in theirs]


def _between_marks(text: str) -> list[str]:
    """Return the texts with a macro between formula delimiters, in canonical form."""
    parts = _MARK.split(_CODE.sub("`", text))
    return [canonical_math(part) for part in parts[1:-1] if _MACRO.search(part)]


MATH = "math"  # the role whose content is a formula
_ROLES = read_table(__name__, "roles")
# Roles that only style their content. A translation may change all of the content.
_STYLES = re.compile("|".join(_ROLES["styles"].split()))
# Sphinx roles whose content may be ``title <target>``.
_TITLED = re.compile(
    r"(?:external(?:\+[\w.-]+)?:)?"
    rf"(?:(?:py|c|cpp|js|rst|std):[\w-]+|{'|'.join(_ROLES['titled'].split())})"
)
# Roles whose content is text to be translated, not a target.
TEXT_ROLES = frozenset(_ROLES["words"].split())
# A translation must not change the content of any other role, because the role may output raw HTML.
# The exception is a title that cannot be part of an HTML tag, as in Sphinx's extlinks:
# ":source:`the patch <Lib/a.py>`".
_PLAIN_TITLE = re.compile(r"(?P<title>[^<>&=\"'\\\x00]+?)\s*<(?P<target>[^<>]*)>", re.DOTALL)
_VARIABLE = re.compile(r"\{[^{}]*\}")  # in {file}`{folder}/a.py`


def fixed_part(name: str, content: str, target: str) -> str:
    """Return the part of a role's ``content`` that a translation must not change.

    ``target`` is the target if the content is "title <target>", otherwise the whole content. The
    result is empty if all of the content may be translated. Role, content and result::

        strong  words                ""
        func    words <~a.b>         a.b
        file    {folder}/a.py        {…}/a.py
        patch   words <a/b>          … <a/b>
        raw     <b>                  <b>
    """
    if _STYLES.fullmatch(name):
        return ""
    if _TITLED.fullmatch(name):
        # "~" and "!" only shorten or unlink the visible name.
        return _VARIABLE.sub("{…}", target.lstrip("~!"))
    # MyST-NB executes the content of {eval}, so none of it is a title.
    titled = _PLAIN_TITLE.fullmatch(content)
    if titled and "eval" not in name:
        return f"… <{titled['target']}>"
    return content
