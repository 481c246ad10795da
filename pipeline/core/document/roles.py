"""Roles of reStructuredText and MyST: what of their text has to stay, and what are words.

Sphinx has the same roles in both languages, so both guards ask here.
"""

from __future__ import annotations

import re

MATH = "math"  # a formula: its own rules are in :mod:`pipeline.core.document.formulas`
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
