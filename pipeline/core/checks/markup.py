"""Markup of Markdown that shows instead of working: marks were lost or became full-width.

Code, formulas, roles, HTML and escapes: a function each. (`links` has links and images.) Most
of them know how to mend it; a parser must agree that the result has the markup of the English
(`mending.regains`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import (
    NARROW,
    as_replacement,
    excess,
    fewer,
    first_regaining,
    is_han,
    missing,
    quote,
    regains,
    spans_of,
    without_backslashes,
)
from pipeline.core.checks.parsed import Atom, Parsed
from pipeline.core.document.atoms import canonical_math

_SHOWN_BACKSLASH = re.compile(r"\\.", re.DOTALL)
# Without these there is nothing to find.
_ANY_DOLLAR = re.compile("[$＄]")
_ANY_BACKTICK = re.compile("[`｀]")
_ANY_ESCAPE = re.compile(r"[\\&＆]")

_DOLLAR = re.compile(r"(?P<code>`+)(?!`).*?(?<!`)(?P=code)(?!`)|(?<!\\)\$", re.DOTALL)
_ROLE = re.compile(r"\{([^{}]+)\}`(.*)`", re.DOTALL)
_TAG_NAME = re.compile(r"</?\s*([A-Za-z][A-Za-z0-9]*)")
_REFERENCE_NAMES = "lt|gt|amp|quot|apos|nbsp|mdash|ndash|hellip|times|copy"
_CHARACTER_REFERENCE = re.compile(
    rf"[&＆]\s?(?:#[xX]?[0-9A-Fa-f]+|{_REFERENCE_NAMES})\s?[;；]"
)


# Code.


def find_code(subject: Subject) -> Iterator[Problem]:
    """Backticks that show: ``用 `f 时``, ``用 ｀f｀ 时``."""
    source = subject.msgstr
    if not _ANY_BACKTICK.search(source):
        return
    if excess(subject, "`", "｀") <= 0:
        return
    lost = [f"`{code}`" for code in fewer(subject.english, subject.chinese, Atom.CODE)]
    lost += fewer(subject.english, subject.chinese, Atom.ROLE)
    mark, text = "`", "a backtick shows: one is missing or too many"
    if "｀" in subject.chinese.literal:
        mark, text = "｀", "a full-width ｀ shows instead of making code"
    hint = "Put one backtick before the code and one behind it."
    if lost:
        hint = f"Write {quote(lost[0])}."
    narrow = source.replace("｀", "`")
    fixes = [narrow, _closed(narrow, lost, mark="`")]
    yield Problem(
        text=text,
        hint=hint,
        spans=spans_of(source, _beside_backtick(source, lost) or mark),
        fix=first_regaining(subject, fixes, Atom.CODE, Atom.ROLE),
        is_minor=not lost,
    )


def _beside_backtick(source: str, lost: list[str]) -> str:
    """The first of some code that stands beside a backtick, with that; empty if none does.

    ``lost`` has the code with its marks. Of ``用 `f 时`` it is ```f``: there the other one lacks.
    """
    for atom in lost:
        words = re.escape(atom.partition("`")[2].rstrip("`"))
        if match := re.search(rf"[`｀]{words}|{words}[`｀]", source):
            return match[0]
    return ""


def _closed(source: str, lost: list[str], *, mark: str) -> str:
    """``source`` with both marks around each lost atom that stands there once with one of them.

    With `````f````` lost: ``用 `f 时`` -> ``用 `f` 时``
    """
    m = re.escape(mark)
    for atom in lost:
        name, _, rest = atom.partition(mark)
        words = re.escape(rest.rstrip(mark))
        opened = rf"(?<!{m}){m}\s*{words}(?!{m}|[A-Za-z0-9_])"
        closed = rf"(?<![{m}A-Za-z0-9_]){words}\s*{m}(?!{m})"
        pattern = re.compile(rf"{re.escape(name)}(?:{opened}|{closed})")
        if len(pattern.findall(source)) == 1:
            source = pattern.sub(as_replacement(atom), source)
    return source


# Formulas.


def find_math(subject: Subject) -> Iterator[Problem]:
    """Dollar signs that show where a formula should be, and formulas where dollars should be.

    ``求 $x 时``, ``求 ＄x＄ 时``; ``$5 和 $10`` for ``\\$5 and \\$10``
    """
    if not _ANY_DOLLAR.search(subject.msgstr):
        return  # formulas that are gone with their marks are told of by M203
    lost = fewer(subject.english, subject.chinese, Atom.MATH)
    is_wide = bool(lost) and "＄" in subject.chinese.literal
    if is_wide or excess(subject, "$") > 0:
        yield _dollar_shows(subject, lost, is_wide=is_wide)
        return
    new = missing(subject.chinese, subject.english, Atom.MATH)
    if new and _are_dollars_meant(subject, lost, new):
        yield _accidental_formula(subject, new)


def _are_dollars_meant(subject: Subject, lost: list[str], new: list[str]) -> bool:
    """Whether new formulas are what stands between two dollar signs of a price.

    Then fewer dollar signs show than in the English; or there is Chinese in the formulas,
    and no formula of the English that they might have come from.
    """
    if subject.english.plain.count("$") > subject.chinese.plain.count("$"):
        return True
    return not lost and any(map(is_han, "".join(new)))


def _dollar_shows(subject: Subject, lost: list[str], *, is_wide: bool) -> Problem:
    """What is to be said of a dollar sign that shows, where the formulas ``lost`` may be meant."""
    source = subject.msgstr
    formulas = _written_as(subject.english, lost)
    mark, text = "$", "a $ shows: one is missing or too many"
    if is_wide:
        mark, text = "＄", "a full-width ＄ shows instead of making a formula"
    hint = "Put $ before and behind a formula, and \\$ for a dollar sign."
    if formulas:
        hint = f"Write {quote(formulas[0])}."
    narrow = source.replace("＄", "$")
    fixes = [narrow, _closed(narrow, formulas, mark="$")]
    return Problem(
        text=text,
        hint=hint,
        spans=spans_of(source, mark),
        fix=first_regaining(subject, fixes, Atom.MATH),
        is_minor=not formulas,
    )


def _accidental_formula(subject: Subject, new: list[str]) -> Problem:
    """What is to be said of two dollar signs that made a formula of what stands between them."""
    formula = _written_as(subject.chinese, new)[0]
    fix = None
    if not subject.english.of(Atom.MATH):  # else some of the dollar signs must stay
        escaped = _DOLLAR.sub(_escaped_dollar, subject.msgstr)
        fix = first_regaining(subject, [escaped], Atom.MATH)
    return Problem(
        text=f"{quote(formula)} became a formula",
        hint="Write \\$ for a dollar sign, and one $ before and one behind each formula.",
        spans=spans_of(subject.msgstr, formula),
        fix=fix,
    )


def _written_as(parsed: Parsed, formulas: list[str]) -> list[str]:
    """Formulas as a text has them, with their marks and the white space that does not count."""
    return [
        f"${node.value}$"
        for node in parsed.nodes("math")
        if canonical_math(node.value) in formulas
    ]


def _escaped_dollar(match: re.Match[str]) -> str:
    """A match of `_DOLLAR` with a backslash before a dollar sign; code stays as it is."""
    if match["code"]:
        return match[0]
    return "\\$"


# Roles.


def find_roles(subject: Subject) -> Iterator[Problem]:
    """Roles whose name shows: ``func`f```, ``{func} `f```, ``｛func｝`f```.

    Backticks that show are told of by M105, with the role.
    """
    if "`" not in subject.msgstr or excess(subject, "`", "｀") > 0:
        return
    for role in missing(subject.english, subject.chinese, Atom.ROLE):
        # {func}`a.b`; of a role that shows its text the name is all that is kept: {abbr}
        name, target = role[1:-1], ""
        if parts := _ROLE.fullmatch(role):
            name, target = parts.groups()
        yield from _find_shown_role(subject, name, target or "…")


def _find_shown_role(subject: Subject, name: str, target: str) -> Iterator[Problem]:
    """The first place where the name of a lost role shows, if there is one."""
    braced = f"{{{name}}}"
    # func`f`, {func} `f`, ｛func｝`f`
    loose = re.compile(
        rf"(?<![A-Za-z:])(?:[{{｛]\s*)?{re.escape(name)}\s*[}}｝]?\s*(?=`)",
        re.IGNORECASE,
    )
    for match in loose.finditer(subject.msgstr):
        if match[0] == braced:
            continue
        fix = loose.sub(as_replacement(braced), subject.msgstr)
        yield Problem(
            text=f"the role {quote(braced)} shows instead of working",
            hint=(
                f"Write {braced}`{target}`, "
                "with nothing between the brace and the backtick."
            ),
            spans=(match.span(),),
            fix=first_regaining(subject, [fix], Atom.ROLE, Atom.CODE),
        )
        return


# HTML.


def find_html(subject: Subject) -> Iterator[Problem]:
    """HTML tags that show, because they were written with other brackets or with spaces."""
    if "<" not in subject.msgid:
        return
    lost: list[str] = []
    fix, first_shown = subject.msgstr, ""
    for tag in missing(subject.english, subject.chinese, Atom.HTML):
        name = _TAG_NAME.match(tag)
        if not name:
            continue  # a comment
        lost.append(tag)
        if shown := _shown_tag(subject, tag, name[1], fix):
            first_shown = first_shown or shown[0]
            fix = fix[: shown.start()] + tag + fix[shown.end() :]
    if first_shown:
        yield Problem(
            text=f"the tag {quote(lost[0])} shows as text: {quote(first_shown)}",
            hint="Write it with half-width < and >, as the English has it.",
            spans=spans_of(subject.msgstr, first_shown),
            fix=first_regaining(subject, [fix], Atom.HTML),
        )


def _shown_tag(
    subject: Subject, tag: str, name: str, source: str
) -> re.Match[str] | None:
    """Where something in ``source`` looks like a lost tag; None if nothing does.

    That is ``＜br＞``, ``《br》``, or ``< br>``, which browsers take for text.
    """
    slash = r"\s*/" if tag.startswith("</") else ""
    looks_like = re.compile(
        rf"[<＜〈《]{slash}\s*{name}\b[^<>＜＞〈〉《》]*[>＞〉》]", re.IGNORECASE
    )
    # A tag that works is none that shows: its target may be another one, which the guard tells.
    working = {*subject.english.of(Atom.HTML), *subject.chinese.of(Atom.HTML)}
    for match in looks_like.finditer(source):
        if match[0] not in working:
            return match
    return None


# Escapes.


def find_escapes(subject: Subject) -> Iterator[Problem]:
    """Backslashes and character references that show: ``\\词``, ``＆lt；``."""
    if not _ANY_ESCAPE.search(subject.msgstr):
        return  # as in nearly every message
    english, chinese = subject.english, subject.chinese
    references = _CHARACTER_REFERENCE.findall(chinese.literal)
    if len(references) > len(_CHARACTER_REFERENCE.findall(english.plain)):
        yield _shown_reference(subject, references[0])
    # Beside a dollar sign that shows, a backslash belongs to the formula that is no more.
    backslashes = _shown_backslashes(chinese)
    is_new = len(backslashes) > len(_shown_backslashes(english))
    if is_new and excess(subject, "$") <= 0:
        yield _shown_backslash(subject, backslashes)


def _shown_backslash(subject: Subject, backslashes: list[str]) -> Problem:
    """What is to be said of backslashes that show: of the first one, with a fix for all."""
    hint = "Delete the backslash."
    if backslashes[0] == "\\n":
        hint = "Break the line as the English does, or delete it."
    return Problem(
        text=f"the backslash of {quote(backslashes[0])} shows",
        hint=hint,
        spans=spans_of(subject.msgstr, backslashes[0]),
        fix=without_backslashes(subject, backslashes),
        is_minor=True,
    )


def _shown_reference(subject: Subject, reference: str) -> Problem:
    """What is to be said of a character reference that shows."""
    source = subject.msgstr
    fix = _CHARACTER_REFERENCE.sub(_narrowed, source)
    is_fixed = fix != source and regains(subject, fix, Atom.CODE)
    return Problem(
        text=f"{quote(reference)} shows as it is written",
        hint="Write character references with a half-width & and ;.",
        spans=spans_of(source, reference),
        fix=fix if is_fixed else None,
    )


def _narrowed(match: re.Match[str]) -> str:
    """``＆lt；`` as ``&lt;``."""
    return re.sub(r"\s", "", match[0].translate(NARROW))


def _shown_backslashes(parsed: Parsed) -> list[str]:
    """Each backslash that escapes nothing, with what follows it.

    ``\\* \\甲`` -> ``\\甲``: the first one is an escape whose value is ``*``, of the second
    the value is both characters. A character reference may have a value of several, too.
    """
    escapes = [node.value for node in parsed.nodes("escape")]
    return [value for value in escapes if _SHOWN_BACKSLASH.match(value)]
