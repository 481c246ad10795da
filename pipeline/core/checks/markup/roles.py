"""M106, M107: formulas and roles that do not work, and text that becomes a formula by accident.

If a formula or role does not work, readers see its marks: "｛func｝`f`" shows the braces, and
"求 ＄x＄ 时" shows the dollar signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks import fixes
from pipeline.core.checks.markup.verbatim import with_both_marks
from pipeline.core.checks.model import Problem, Subject, by_markup
from pipeline.core.checks.parsed import Atom, Parsed
from pipeline.core.document.atoms import canonical_math
from pipeline.findings import Span

_ANY_DOLLAR = re.compile("[$＄]")
# Code (as the first group), or a dollar sign that no backslash escapes.
_DOLLAR = re.compile(r"((`+)(?!`).*?(?<!`)\2(?!`))|(?<!\\)\$", re.DOTALL)
_MARKDOWN_ROLE = re.compile(r"\{([^{}]+)\}`(.*)`", re.DOTALL)


# Formulas in Markdown.


def _find_markdown_dollars(subject: Subject) -> Iterator[Problem]:
    r"""Report visible dollar signs of formulas, and amounts of money that become formulas.

    ``求 $x 时`` and ``求 ＄x＄ 时`` show dollar signs. If ``\$5 and \$10`` is translated as
    ``$5 和 $10``, without the backslashes, the text between the dollar signs becomes a formula.
    """
    if not _ANY_DOLLAR.search(subject.msgstr):
        return  # M203 reports a formula that is lost together with its marks
    lost = fixes.fewer(subject.english, subject.chinese, Atom.MATH)
    is_wide = bool(lost) and "＄" in subject.chinese.literal
    if is_wide or fixes.count_extra_marks(subject, "$") > 0:
        yield _dollar_shows(subject, lost, is_wide=is_wide)
        return
    new = fixes.missing(subject.chinese, subject.english, Atom.MATH)
    if new and _are_dollars_meant(subject, lost, new):
        yield _accidental_formula(subject, new)


def _are_dollars_meant(subject: Subject, lost: list[str], new: list[str]) -> bool:
    """Return whether the translator meant plain dollar signs, which became the marks of a formula.

    ``lost`` are the formulas that only the English has, ``new`` those that only the translation
    has. Return True in two cases: the translation shows fewer dollar signs than the English, or a
    new formula contains Chinese although no formula is lost.
    """
    if subject.english.plain.count("$") > subject.chinese.plain.count("$"):
        return True
    return not lost and any(map(fixes.is_han, "".join(new)))


def _dollar_shows(subject: Subject, lost: list[str], *, is_wide: bool) -> Problem:
    """Return the problem with a visible dollar sign.

    ``lost`` are the formulas that the translation lacks. The dollar sign probably belongs to one of
    them. ``is_wide`` means that the dollar sign is full-width.
    """
    source = subject.msgstr
    formulas = _written_as(subject.english, lost)
    mark, text = (
        "$",
        "a $ is visible: the matching one is missing, or this one is extra",
    )
    if is_wide:
        mark, text = "＄", "a full-width ＄ is visible instead of marking a formula"
    hint = "Put $ before and after a formula, and write \\$ for a dollar sign."
    if formulas:
        hint = f"Write {fixes.quote(formulas[0])}."
    narrow = source.replace("＄", "$")
    candidates = [narrow, with_both_marks(narrow, formulas, mark="$")]
    return Problem(
        text=text,
        hint=hint,
        spans=fixes.spans_of(source, mark),
        fix=fixes.first_valid_fix(subject, candidates, Atom.MATH),
        is_downgraded=not formulas,
    )


def _accidental_formula(subject: Subject, new: list[str]) -> Problem:
    """Return the problem with two dollar signs that turn the text between them into a formula."""
    formula = _written_as(subject.chinese, new)[0]
    fix = None
    # If the English has formulas, some of the dollar signs must not be escaped.
    if not subject.english.of(Atom.MATH):
        escaped = _DOLLAR.sub(lambda match: match[1] or "\\$", subject.msgstr)
        fix = fixes.first_valid_fix(subject, [escaped], Atom.MATH)
    return Problem(
        text=f"{fixes.quote(formula)} became a formula",
        hint="Write \\$ for a dollar sign, and one $ before and one after each formula.",
        spans=fixes.spans_of(subject.msgstr, formula),
        fix=fix,
    )


def _written_as(parsed: Parsed, formulas: list[str]) -> list[str]:
    """Return formulas with the marks and the white space that they have in the text.

    ``formulas`` are in canonical form.
    """
    return [
        f"${node.value}$" for node in parsed.nodes("math") if canonical_math(node.value) in formulas
    ]


# Roles in Markdown.


def _find_markdown_roles(subject: Subject) -> Iterator[Problem]:
    """Report Markdown roles whose name is visible: "func`f`", "{func} `f`", "｛func｝`f`".

    If backticks are visible as well, M105 reports the mistake instead.
    """
    if "`" not in subject.msgstr or fixes.count_extra_marks(subject, "`", "｀") > 0:
        return
    for role in fixes.missing(subject.english, subject.chinese, Atom.ROLE):
        # ``role`` is an atom such as {func}`a.b`. The atom of a role with translatable content is
        # only the name of the role: {abbr}.
        name, target = role[1:-1], ""
        if parts := _MARKDOWN_ROLE.fullmatch(role):
            name, target = parts.groups()
        yield from _find_shown_role(subject, name, target or "…")


def _find_shown_role(subject: Subject, name: str, target: str) -> Iterator[Problem]:
    """Report the first place where the name of a lost role is visible, if there is one."""
    braced = f"{{{name}}}"
    # func`f`, {func} `f`, ｛func｝`f`
    loose = re.compile(
        rf"(?<![A-Za-z:])(?:[{{｛]\s*)?{re.escape(name)}\s*[}}｝]?\s*(?=`)",
        re.IGNORECASE,
    )
    for match in loose.finditer(subject.msgstr):
        if match[0] == braced:
            continue
        fix = loose.sub(fixes.as_replacement(braced), subject.msgstr)
        yield Problem(
            text=f"the role {fixes.quote(braced)} does not work: its name is visible",
            hint=(f"Write {braced}`{target}`, with nothing between the brace and the backtick."),
            spans=(match.span(),),
            fix=fixes.first_valid_fix(subject, [fix], Atom.ROLE, Atom.CODE),
        )
        return


_TICKS = "[`｀]"
_RST_ROLE = re.compile(r":([^`]+):`(.*)`", re.DOTALL)
_TITLED = re.compile(r"\A(.*?)\s*[<＜〈《]\s*([^<>＜＞〈〉《》]*?)\s*[>＞〉》]\Z", re.DOTALL)


# Formulas in reST.


def _find_rst_dollars(subject: Subject) -> Iterator[Problem]:
    """Report visible dollar signs in reST: ``$x$`` is a formula in Markdown only."""
    if fixes.count_extra_marks(subject, "$", "＄") <= 0:
        return
    lost = fixes.fewer(subject.english, subject.chinese, Atom.MATH)
    formulas = [
        node.value for node in subject.english.nodes("math") if canonical_math(node.value) in lost
    ]
    hint = "Delete it. If it belongs to a sum of money, write it as the English does."
    if formulas:
        hint = f"Write {fixes.quote(f':math:`{formulas[0]}`')}."
    yield Problem(
        text="a $ is visible: it does not mark a formula in reST",
        hint=hint,
        spans=fixes.spans_of(subject.msgstr, "$" if "$" in subject.msgstr else "＄"),
        is_downgraded=not formulas,
    )


# Roles in reST.


def _find_rst_roles(subject: Subject) -> Iterator[Problem]:
    """Report reST roles whose name is visible: "{func}`f`", "：func：`f`".

    A single problem marks and fixes all such roles. Its hint describes the first one.
    """
    if not re.search(_TICKS, subject.msgstr):
        return
    shown: dict[Span, str] = {}
    first = ("", "")
    for name, target in _lost_roles(subject):
        for span, written in _shown_roles(subject.msgstr, name):
            first = first if shown else (name, _example(name, target, written))
            # If two lost roles have the same name, `_shown_roles` yields the same places for each
            # of them.
            shown.setdefault(span, written)
    if not shown:
        return
    fix = subject.msgstr
    # Replace from the end, so that the remaining positions stay valid.
    for (start, end), written in sorted(shown.items(), reverse=True):
        fix = fix[:start] + written + fix[end:]
    name, example = first
    is_better = fixes.improves(subject, fix, Atom.ROLE) or fixes.improves(subject, fix, Atom.MATH)
    yield Problem(
        text=f"the role {fixes.quote(f':{name}:')} does not work: its name is visible",
        hint=(
            f"Write {example}, with half-width colons and nothing "
            "between the second colon and the backtick."
        ),
        spans=tuple(shown),
        fix=fix if is_better else None,
    )


def _lost_roles(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield the name and the target of each lost role; formulas of reST are roles as well.

    ":func:`a.b`" -> "func", "a.b". The atom of a role with translatable content is only its
    name: ":abbr:" -> "abbr", "".
    """
    for role in fixes.missing(subject.english, subject.chinese, Atom.ROLE):
        if parts := _RST_ROLE.fullmatch(role):
            yield parts[1], parts[2]
        elif role.startswith(":"):
            yield role.strip(":"), ""
    for formula in fixes.missing(subject.english, subject.chinese, Atom.MATH):
        yield "math", formula


def _shown_roles(source: str, name: str) -> Iterator[tuple[Span, str]]:
    """Yield the places of roles called ``name`` whose marks are wrong, each with its correct form.

    Wrong forms of ":func:`f`" are:

    "{func}`f`", "：func：`f`", ":func: `f`", ":func:``f``"
    """
    marks = rf"(?<![A-Za-z:：{{｛])(?:[:：{{｛]\s*)?{re.escape(name)}\s*[:：}}｝]?\s*"
    content = rf"{_TICKS}{{1,2}}(?P<content>[^`｀]*){_TICKS}{{1,2}}"
    for match in re.finditer(f"{marks}{content}", source, re.IGNORECASE):
        # If the content has a title, the brackets around the target must be in ASCII.
        inner = _TITLED.sub(r"\1 <\2>", match["content"]).strip()
        written = f":{name}:`{inner}`"
        if match[0] != written:
            yield match.span(), written


def _example(name: str, target: str, written: str) -> str:
    """Return the correct form of a role for a hint; ``target`` is "" if it is unknown."""
    wanted = f"… <{target}>" if " <" in written else target or "…"
    return f":{name}:`{wanted}`"


find_dollars = by_markup(_find_markdown_dollars, _find_rst_dollars)
find_shown_roles = by_markup(_find_markdown_roles, _find_rst_roles)
