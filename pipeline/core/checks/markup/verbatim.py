"""M105, M108, M110: code, HTML and escapes that do not work, so that readers see their marks.

Typical causes are lost or full-width marks. In reST, code needs two backquotes on each side. People
who are used to Markdown write only one, which makes a role. These people also write code inside
bold, which reST does not support. A parser validates each fix (`fixes.restores_atoms`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from pipeline.core.checks import fixes
from pipeline.core.checks.model import Problem, Subject, by_markup
from pipeline.core.checks.parsed import Atom, Parsed
from pipeline.core.document import prose
from pipeline.core.document.message import Markup

_SHOWN_BACKSLASH = re.compile(r"\\.", re.DOTALL)
_ANY_BACKTICK = re.compile("[`｀]")
_ANY_ESCAPE = re.compile(r"[\\&＆]")
_TAG_NAME = re.compile(r"</?\s*([A-Za-z][A-Za-z0-9]*)")
_REFERENCE_NAMES = "lt|gt|amp|quot|apos|nbsp|mdash|ndash|hellip|times|copy"
_CHARACTER_REFERENCE = re.compile(rf"[&＆]\s?(?:#[xX]?[0-9A-Fa-f]+|{_REFERENCE_NAMES})\s?[;；]")


# Code.


def _find_markdown_backticks(subject: Subject) -> Iterator[Problem]:
    """Report visible backticks in Markdown: "用 `f 时", "用 ｀f｀ 时"."""
    source = subject.msgstr
    if not _ANY_BACKTICK.search(source):
        return
    if fixes.count_extra_marks(subject, "`", "｀") <= 0:
        return
    lost = [f"`{code}`" for code in fixes.fewer(subject.english, subject.chinese, Atom.CODE)]
    lost += fixes.fewer(subject.english, subject.chinese, Atom.ROLE)
    mark, text = (
        "`",
        "a backtick is visible: the matching one is missing, or this one is extra",
    )
    if "｀" in subject.chinese.literal:
        mark, text = "｀", "a full-width ｀ is visible instead of marking code"
    hint = "Put one backtick before the code and one after it."
    if lost:
        hint = f"Write {fixes.quote(lost[0])}."
    narrow = source.replace("｀", "`")
    candidates = [narrow, with_both_marks(narrow, lost, mark="`")]
    yield Problem(
        text=text,
        hint=hint,
        spans=fixes.spans_of(source, _beside_backtick(source, lost) or mark),
        fix=fixes.first_valid_fix(subject, candidates, Atom.CODE, Atom.ROLE),
        is_downgraded=not lost,
    )


def _beside_backtick(source: str, lost: list[str]) -> str:
    """Return the first lost atom with a backtick in ``source``, including this backtick, or "".

    The backtick may be on one side of the words or on both; the result includes only one. ``lost``
    contains code and roles with their marks. Example: source "用 `f 时", lost "`f`", result "`f".
    """
    for atom in lost:
        words = re.escape(atom.partition("`")[2].rstrip("`"))
        if match := re.search(rf"[`｀]{words}|{words}[`｀]", source):
            return match[0]
    return ""


def with_both_marks(source: str, lost: list[str], *, mark: str) -> str:
    """Return ``source`` with the missing mark added to each lost atom that has a mark on one side.

    An atom that occurs several times in this form is skipped. Example: source "用 `f 时", lost
    "`f`", result "用 `f` 时".
    """
    m = re.escape(mark)
    for atom in lost:
        name, _, rest = atom.partition(mark)
        words = re.escape(rest.rstrip(mark))
        opened = rf"(?<!{m}){m}\s*{words}(?!{m}|[A-Za-z0-9_])"
        closed = rf"(?<![{m}A-Za-z0-9_]){words}\s*{m}(?!{m})"
        pattern = re.compile(rf"{re.escape(name)}(?:{opened}|{closed})")
        # Several matches are ambiguous.
        if len(pattern.findall(source)) == 1:
            source = pattern.sub(fixes.as_replacement(atom), source)
    return source


# HTML.


def find_html(subject: Subject) -> Iterator[Problem]:
    """Report HTML tags that are visible because of wrong brackets or spaces."""
    if "<" not in subject.msgid:
        return
    lost: list[str] = []
    fix, first_shown = subject.msgstr, ""
    for tag in fixes.missing(subject.english, subject.chinese, Atom.HTML):
        name = _TAG_NAME.match(tag)
        if not name:
            continue  # the atom is a comment
        lost.append(tag)
        if shown := _shown_tag(subject, tag, name[1], fix):
            first_shown = first_shown or shown[0]
            # Replace the tag now, so that the next search does not find it again.
            fix = fix[: shown.start()] + tag + fix[shown.end() :]
    if first_shown:
        yield Problem(
            text=f"the tag {fixes.quote(lost[0])} is visible as text: {fixes.quote(first_shown)}",
            hint="Write it with half-width < and >, as the English has it.",
            spans=fixes.spans_of(subject.msgstr, first_shown),
            fix=fixes.first_valid_fix(subject, [fix], Atom.HTML),
        )


def _shown_tag(subject: Subject, tag: str, name: str, source: str) -> re.Match[str] | None:
    """Return the first text in ``source`` that looks like a lost tag, or None.

    Browsers treat ``＜br＞``, ``《br》`` and ``< br>`` as text.
    """
    slash = r"\s*/" if tag.startswith("</") else ""
    looks_like = re.compile(
        rf"[<＜〈《]{slash}\s*{name}\b[^<>＜＞〈〉《》]*[>＞〉》]", re.IGNORECASE
    )
    # A tag that works is not visible. If its attributes differ, the guard reports it.
    working = {*subject.english.of(Atom.HTML), *subject.chinese.of(Atom.HTML)}
    for match in looks_like.finditer(source):
        if match[0] not in working:
            return match
    return None


# Escapes in Markdown.


def _find_markdown_escapes(subject: Subject) -> Iterator[Problem]:
    r"""Report visible backslashes and character references in Markdown: "\词", "＆lt；"."""
    if not _ANY_ESCAPE.search(subject.msgstr):
        return  # fast path for most messages
    english, chinese = subject.english, subject.chinese
    references = _CHARACTER_REFERENCE.findall(chinese.literal)
    if len(references) > len(_CHARACTER_REFERENCE.findall(english.plain)):
        yield _shown_reference(subject, references[0])
    # If the message also has a new visible dollar sign, the backslash probably belongs to a broken
    # formula, so do not report it here.
    backslashes = _shown_backslashes(chinese)
    is_new = len(backslashes) > len(_shown_backslashes(english))
    if is_new and fixes.count_extra_marks(subject, "$") <= 0:
        yield _shown_backslash(subject, backslashes)


def _shown_backslash(subject: Subject, backslashes: list[str]) -> Problem:
    """Return the problem with visible backslashes; the text quotes the first one."""
    hint = "Delete the backslash."
    if backslashes[0] == "\\n":
        hint = "Break the line as the English does, or delete the backslash."
    return Problem(
        text=f"the backslash of {fixes.quote(backslashes[0])} is visible",
        hint=hint,
        spans=fixes.spans_of(subject.msgstr, backslashes[0]),
        fix=fixes.without_backslashes(subject, backslashes),
        is_downgraded=True,
    )


def _shown_reference(subject: Subject, reference: str) -> Problem:
    """Return the problem with a visible character reference, such as ``＆lt；``."""
    source = subject.msgstr
    fix = _CHARACTER_REFERENCE.sub(_narrow_reference, source)
    is_fixed = fix != source and fixes.restores_atoms(subject, fix, Atom.CODE)
    return Problem(
        text=f"{fixes.quote(reference)} is visible as written",
        hint="Write character references with a half-width & and ;.",
        spans=fixes.spans_of(source, reference),
        fix=fix if is_fixed else None,
    )


def _narrow_reference(match: re.Match[str]) -> str:
    """Return a matched character reference in ASCII: ``＆lt；`` -> ``&lt;``."""
    return re.sub(r"\s", "", match[0].translate(fixes.ASCII_EQUIVALENTS))


def _shown_backslashes(parsed: Parsed) -> list[str]:
    r"""Return each visible backslash with the character after it: ``\* \甲`` -> ``\甲``.

    The parser makes an escape node both for a working escape (``\*``) and for a backslash that
    escapes nothing (``\甲``). The value of the first is ``*``, that of the second is ``\甲``.
    Character references are escape nodes as well. Their values do not match, because none is a
    backslash followed by another character.
    """
    escapes = [node.value for node in parsed.nodes("escape")]
    return list(filter(_SHOWN_BACKSLASH.match, escapes))


_TICKS = "[`｀]"
# Characters that must not precede or follow code, because they would belong to the code.
_NOT_BEHIND, _NOT_BEFORE = "(?<![:`｀A-Za-z0-9_])", "(?![`｀A-Za-z0-9_])"


def _find_rst_backquotes(subject: Subject) -> Iterator[Problem]:
    """Report visible backquotes in reST, and single backquotes where code needs two.

    M201 reports code that is lost together with its marks.
    """
    if not re.search(_TICKS, subject.msgstr):
        return
    lost = fixes.fewer(subject.english, subject.chinese, Atom.CODE)
    # Single backquotes are correct if the English has them as well.
    theirs = _in_single_backquotes(subject.english)
    ours = _in_single_backquotes(subject.chinese)
    single = [code for code in ours if code in lost and code not in theirs]
    if not single and fixes.count_extra_marks(subject, "`", "｀") <= 0:
        return
    mark = "｀" if "｀" in subject.chinese.literal else "`"
    text = "a backquote is visible: the matching one is missing, or this one is extra"
    if mark == "｀":
        text = "a full-width ｀ is visible"
    if _is_code_within_bold(subject.chinese):
        text = "the backquotes of code inside bold or italics are visible"
        hint = (
            "reST has no code inside bold: close the stars before the code, "
            "and open them again after it if needed."
        )
    elif single or lost:
        hint = f"Write ``{[*single, *lost][0]}``."
    else:
        hint = "Put two backquotes before the code and two after it."
    if single:
        mark = f"`{single[0]}`"
        text = f"{fixes.quote(mark)} is not code: reST needs two backquotes"
    lost_roles = fixes.missing(subject.english, subject.chinese, Atom.ROLE)
    yield Problem(
        text=text,
        hint=hint,
        spans=fixes.spans_of(subject.msgstr, mark),
        fix=_mended_code(subject, lost),
        # If no atom is lost, the visible mark is only unsightly.
        is_downgraded=not lost and not lost_roles,
    )


def _in_single_backquotes(parsed: Parsed) -> list[str]:
    """Return the texts in single backquotes without a role: "用 `f` 和 :func:`g` 时" -> "f"."""
    roles = parsed.nodes("role")
    return [role.children[0].value for role in roles if role.value.startswith("`")]


def _is_code_within_bold(parsed: Parsed) -> bool:
    """Return whether backquotes are visible inside bold or italics: "**用 ``f`` 时**"."""
    shown: list[str] = []
    for container in parsed.nodes("strong", "em"):
        shown += [inner.value for inner in container.children]
    return "`" in "".join(shown)


def _mended_code(subject: Subject, lost: list[str]) -> str | None:
    """Return a msgstr that restores some of the lost code, or None.

    The first attempt adds missing marks. The second one moves code out of bold or italics.
    """
    for mend in (_with_ticks, _taken_apart):
        fix = mend(subject.msgstr, lost)
        if fixes.improves(subject, fix, Atom.CODE):
            return fix
    return None


def _with_ticks(source: str, lost: list[str]) -> str:
    """Return ``source`` with two backquotes on each side of lost code that has any backquote.

    The code may have a backquote on one side only, single backquotes or full-width ones. Code
    without an adjacent backquote is unchanged.
    """
    for code in lost:
        words = re.escape(code)
        has_any = rf"(?={_TICKS}|{words}\s*{_TICKS})"
        loose = rf"{_TICKS}{{0,2}}\s*{words}\s*{_TICKS}{{0,2}}"
        pattern = f"{_NOT_BEHIND}{has_any}{loose}{_NOT_BEFORE}"
        source = re.sub(pattern, fixes.as_replacement(f"``{code}``"), source)
    return source


def _taken_apart(source: str, lost: list[str]) -> str:
    """Return ``source`` with lost code moved out of bold and italics.

    "**使用 ``f`` 时**" becomes "**使用** ``f`` **时**". Search for bold before italics, so that two
    stars are not mistaken for single ones.
    """
    for code in lost:
        literal = f"``{code}``"
        for stars in (r"\*\*", r"\*"):
            within = rf"(?P<before>[^*]*?)\s*{re.escape(literal)}\s*(?P<after>[^*]*)"
            pattern = rf"(?<!\*)(?P<stars>{stars})(?!\*){within}(?P=stars)(?!\*)"
            source = re.sub(pattern, partial(_stars_apart, literal), source)
    return source


def _stars_apart(literal: str, match: re.Match[str]) -> str:
    """Return matched bold or italics in parts, with the code ``literal`` between them."""
    stars = match["stars"]
    before, after = match["before"].strip(), match["after"].strip()
    parts = [literal]
    if before:
        parts.insert(0, f"{stars}{before}{stars}")
    if after:
        parts.append(f"{stars}{after}{stars}")
    return " ".join(parts)


_RST_CHARACTER_REFERENCE = re.compile(rf"&(?:#[xX]?[0-9A-Fa-f]+|{_REFERENCE_NAMES});")
_ESCAPED_WORD = re.compile(r"\\\w")


# Escapes in reST.


def _find_rst_escapes(subject: Subject) -> Iterator[Problem]:
    """Report markup of Markdown that does not work in reST.

    reST shows character references as written, and removes a backslash before a letter or digit.
    """
    source = subject.msgstr
    references = _RST_CHARACTER_REFERENCE.findall(subject.chinese.literal)
    if len(references) > len(_RST_CHARACTER_REFERENCE.findall(subject.english.plain)):
        yield Problem(
            text=f"{fixes.quote(references[0])} is visible as written",
            hint="Write the character itself: reST has no character references.",
            spans=fixes.spans_of(source, references[0]),
        )
    escaped = _escaped_words(source)
    if len(escaped) > len(_escaped_words(subject.msgid)):
        yield Problem(
            text=f"the backslash of {fixes.quote(escaped[0])} vanishes",
            hint="Delete the backslash, or write two to show one.",
            spans=fixes.spans_of(source, escaped[0]),
            fix=fixes.without_backslashes(subject, escaped),
            is_downgraded=True,
        )


def _escaped_words(source: str) -> list[str]:
    r"""Return each backslash that precedes a letter or digit, together with that letter or digit.

    Code and other atoms are skipped: "甲\n乙 \* ``\t``" gives "\n".
    """
    pairs = re.findall(r"\\.", prose.mask(source, Markup.RST), re.DOTALL)
    return list(filter(_ESCAPED_WORD.fullmatch, pairs))


find_backticks = by_markup(_find_markdown_backticks, _find_rst_backquotes)
find_escapes = by_markup(_find_markdown_escapes, _find_rst_escapes)
