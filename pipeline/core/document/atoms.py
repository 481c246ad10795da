"""Formulas and roles: which parts of them a translation has to keep, and which parts are words.

Markdown and reST have the same formulas and the same roles, so both guards and the checks ask here.
Of a formula only the words in ``\text{}`` and the like may change, and only to words, because
renderers make tags of marks.
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


MATH = "math"  # a formula: its own rules are in :mod:`pipeline.core.document.atoms`
# Roles that say how their words look: the words may be translated.
_LOOKS = re.compile(
    r"""
      abbr | abbreviation | ab | ac | acronym | code | command | dfn | emphasis | guilabel | kbd
    | literal | menuselection | samp | strong | sub | subscript | sup | superscript | t | title
    | title-reference
    | bdg(?:-(?!link|ref)[a-z-]+)?      # badges of sphinx-design
    """,
    re.VERBOSE,
)
# Sphinx' roles whose words may be ``title <target>``.
_TITLED = re.compile(
    r"""
    (?:external(?:\+[\w.-]+)?:)?
    (?: (?:py|c|cpp|js|rst|std):[\w-]+
      | any | attr | class | const | data | deco | doc | download | enum | enumerator | envvar | eq
      | exc | file | func | keyword | macro | member | meth | mod | numref | obj | option | pep
      | ref | rfc | struct | term | token | type | union | var )
    """,
    re.VERBOSE,
)
# Of any other role the whole text has to stay, for it may be raw HTML. But words that cannot be
# part of a tag are a title, as those of Sphinx' extlinks: ":source:`the patch <Lib/a.py>`".
_PLAIN_TITLE = re.compile(
    r"(?P<title>[^<>&=\"'\\\x00]+?)\s*<(?P<target>[^<>]*)>", re.DOTALL
)
_VARIABLE = re.compile(r"\{[^{}]*\}")  # of {file}`{folder}/a.py`


def fixed_part(name: str, content: str, target: str) -> str:
    """What of a role's ``content`` has to stay; empty if all of it are words.

    ``target`` is the end of a content "title <target>", of any other the content itself.

        strong  words                ""
        func    words <~a.b>         a.b
        file    {folder}/a.py        {…}/a.py
        patch   words <a/b>          … <a/b>
        raw     <b>                  <b>
    """
    if _LOOKS.fullmatch(name):
        return ""
    if _TITLED.fullmatch(name):
        # "~" and "!" only say how much of the name is shown.
        return _VARIABLE.sub("{…}", target.lstrip("~!"))
    # MyST-NB runs what {eval} holds: there nothing is a title.
    titled = _PLAIN_TITLE.fullmatch(content)
    if titled and "eval" not in name:
        return f"… <{titled['target']}>"
    return content
