"""Markup of reStructuredText that shows instead of working: links, references, code, formulas, roles, escapes.

Most of it is what somebody writes who is used to Markdown, or marks that became full-width.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import excess, fewer, improves, missing, quote, regains, spans_of
from pipeline.core.checks.parsed import Atom, Parsed, canonical_math
from pipeline.core.checks.tree import Node, walk
from pipeline.core.document import prose
from pipeline.core.document.message import Markup
from pipeline.findings import Severity

_TARGETS = (Atom.LINK, Atom.REFERENCE)
_TICKS = "[`｀]"
_ROLE = re.compile(r":([^`]+):`(.*)`", re.DOTALL)
_TITLED = re.compile(r"(.*?)\s*[<＜〈《]\s*([^<>＜＞〈〉《》]*?)\s*[>＞〉》]", re.DOTALL)
_CHARACTER_REFERENCE = re.compile(
    r"&(?:#[xX]?[0-9A-Fa-f]+|lt|gt|amp|quot|apos|nbsp|mdash|ndash|hellip|times|copy);"
)
_ESCAPED_WORD = re.compile(r"\\\w")


def _first_improving(subject: Subject, fixes: Iterable[str], *names: Atom) -> str | None:
    """The first mend that has more of the English atoms of some class, and no fewer of any other: one at a time, for there may be more."""
    return next((fix for fix in fixes if any(improves(subject, fix, name) for name in names)), None)


def find_links(subject: Subject) -> Iterator[Problem]:
    """Links and references that stopped being what they were."""
    lost = [
        (name, value)
        for name in _TARGETS
        for value in missing(subject.english, subject.chinese, name)
    ]
    shown = [
        (name, value) for name, value in lost if stands_elsewhere(subject.chinese, name, value)
    ]
    if not shown:
        return
    fix = _mended_links(subject, shown)
    for name, value in shown:
        written = written_as(subject, name, value)
        yield Problem(
            text=f"the {'link to' if name is Atom.LINK else 'reference'} {quote(_name(value))} is none any more",
            hint=f"Write it as {written}{', with a space before <' if '<' in written else ''}.",
            spans=spans_of(
                subject.msgstr, value if name is Atom.LINK else _name_in(subject.msgstr, value)
            ),
            fix=fix,
        )


def stands_elsewhere(chinese: Parsed, name: Atom, value: str) -> bool:
    """Whether a target that is lost shows as text, or belongs to something that leads nowhere."""
    return bool(value in chinese.source if name is Atom.LINK else _name_in(chinese.source, value))


def written_as(subject: Subject, name: Atom, value: str) -> str:
    """How a link or a reference of the English is written, with words of one's own."""
    end = "__" if re.search(rf"{re.escape(value)}>`__", subject.msgid) else "_"
    if name is Atom.LINK:
        return f"`… <{value}>`{end}"
    if value == "__":
        return "`…`__"
    own = re.compile(rf"`?{_pattern(value)}`?_(?![\w_>])", re.IGNORECASE).search(subject.msgid)
    return own[0] if own else f"`… <{_name_in(subject.msgid, value)}_>`_"


def _name(value: str) -> str:
    return value.removesuffix("_") or "…"


def _pattern(value: str) -> str:
    """A name as it may be written: case and white space do not count."""
    return r"\s+".join(re.escape(word) for word in value.removesuffix("_").split())


def _name_in(source: str, value: str) -> str:
    found = value != "__" and re.search(
        rf"(?<![A-Za-z0-9]){_pattern(value)}(?![A-Za-z0-9])", source, re.IGNORECASE
    )
    return found[0] if found else ""


def _mended_links(subject: Subject, lost: list[tuple[Atom, str]]) -> str | None:
    """The msgstr with the marks of each lost link or reference, as the English has them."""
    fix = subject.msgstr
    for name, value in lost:
        written = written_as(subject, name, value)
        if name is Atom.REFERENCE:
            loose = rf"(?<![\w`<])(?:{_TICKS}\s*)?{_pattern(value)}(?:\s*{_TICKS})?(?:\s?[_＿](?![A-Za-z0-9_]))?(?![`｀>])"
            literal = written.replace("\\", r"\\")
            fix = re.sub(loose, literal, fix, count=1, flags=re.IGNORECASE | re.ASCII)
            continue
        target = re.escape(value)
        of_markdown = rf"\[(?P<words>[^\[\]]*)\]\s*[(（]\s*{target}\s*[)）]"
        own = rf"{_TICKS}(?P<words>[^`｀<>＜＞〈〉《》]*?)\s*[<＜〈《]\s*{target}\s*[>＞〉》]\s*{_TICKS}?(?:\s?[_＿]{{1,2}})?"
        for pattern in (of_markdown, own):
            fix = re.sub(pattern, partial(_around_words, written), fix)
    return _first_improving(subject, [fix], *_TARGETS)


def _around_words(written: str, match: re.Match[str]) -> str:
    """``written`` with the words that ``match`` has found in place of the ellipsis."""
    return written.replace("…", match["words"].strip())


def find_code(subject: Subject) -> Iterator[Problem]:
    """Backquotes that show, or that make no code."""
    if not re.search(_TICKS, subject.msgstr):
        return
    lost = fewer(subject.english, subject.chinese, Atom.CODE)
    single = [
        code
        for code in _single(subject.chinese)
        if code in lost and code not in _single(subject.english)
    ]
    is_shown = excess(subject, "`", "｀") > 0
    if not single and not is_shown:
        return
    fixes = (_with_ticks(subject.msgstr, lost), _taken_apart(subject.msgstr, lost))
    yield Problem(
        text=f"{quote(f'`{single[0]}`')} is no code: reST wants two backquotes"
        if single
        else _what_shows(subject),
        hint=_code_hint(subject, (*single, *lost)),
        spans=spans_of(
            subject.msgstr,
            f"`{single[0]}`" if single else "｀" if "｀" in subject.chinese.literal else "`",
        ),
        fix=_first_improving(subject, fixes, Atom.CODE),
        is_minor=not lost and not missing(subject.english, subject.chinese, Atom.ROLE),
    )


def _single(parsed: Parsed) -> list[str]:
    """What stands in single backquotes without a role."""
    return [
        node.children[0].value
        for _, node in walk(parsed.tree)
        if node.type == "role" and node.value.startswith("`")
    ]


def _nests_code(parsed: Parsed) -> bool:
    return any(
        "`" in node.value
        for path, node in walk(parsed.tree)
        if path and path[-1] in ("strong", "em")
    )


def _what_shows(subject: Subject) -> str:
    if _nests_code(subject.chinese):
        return "code within bold or italics shows its backquotes"
    return (
        "a full-width ｀ shows"
        if "｀" in subject.chinese.literal
        else "a backquote shows: one is missing or too many"
    )


def _code_hint(subject: Subject, lost: tuple[str, ...]) -> str:
    if _nests_code(subject.chinese):
        return "reST knows no code within bold: end the stars before it, and begin them again behind it if need be."
    return (
        f"Write ``{lost[0]}``." if lost else "Put two backquotes before the code and two behind it."
    )


def _with_ticks(source: str, lost: list[str]) -> str:
    """``source`` with two backquotes before and behind each piece of code that has any."""
    for code in lost:
        words = re.escape(code)
        loose = rf"(?<![:`｀A-Za-z0-9_])(?={_TICKS}|{words}\s*{_TICKS}){_TICKS}{{0,2}}\s*{words}\s*{_TICKS}{{0,2}}(?![`｀A-Za-z0-9_])"
        source = re.sub(loose, lambda _, code=code: f"``{code}``", source)  # type: ignore[misc]
    return source


def _taken_apart(source: str, lost: list[str]) -> str:
    """``source`` with the stars ended before each piece of code within them, and begun again behind it."""
    for code in lost:
        literal = f"``{code}``"
        for stars in (r"\*\*", r"\*"):
            within = rf"(?P<before>[^*]*?)\s*{re.escape(literal)}\s*(?P<after>[^*]*)"
            pattern = rf"(?<!\*)(?P<stars>{stars})(?!\*){within}(?P=stars)(?!\*)"
            source = re.sub(pattern, lambda match, literal=literal: _apart(match, literal), source)  # type: ignore[misc]
    return source


def _apart(match: re.Match[str], literal: str) -> str:
    stars = match["stars"]
    parts = [
        f"{stars}{words.strip()}{stars}" if words.strip() else ""
        for words in (match["before"], match["after"])
    ]
    return " ".join(filter(None, (parts[0], literal, parts[1])))


def find_math(subject: Subject) -> Iterator[Problem]:
    """Dollar signs where a formula should be."""
    if excess(subject, "$", "＄") <= 0:
        return
    lost = fewer(subject.english, subject.chinese, Atom.MATH)
    formulas = [
        node.value for node in _formulas(subject.english) if canonical_math(node.value) in lost
    ]
    yield Problem(
        text="a $ shows: in reST it makes no formula",
        hint=f"Write {quote(f':math:`{formulas[0]}`')}."
        if formulas
        else "Delete it, or write the amount as the English does.",
        spans=spans_of(subject.msgstr, "$" if "$" in subject.msgstr else "＄"),
        is_minor=not formulas,
    )


def _formulas(parsed: Parsed) -> list[Node]:
    return [node for _, node in walk(parsed.tree) if node.type == "math"]


def find_roles(subject: Subject) -> Iterator[Problem]:
    """Roles whose name shows."""
    if not re.search(_TICKS, subject.msgstr):
        return
    fixes: dict[tuple[int, int], tuple[str, str]] = {}
    for name, target in _lost_roles(subject):
        marks = rf"(?<![A-Za-z:：{{｛])(?:[:：{{｛]\s*)?{re.escape(name)}\s*[:：}}｝]?\s*"
        loose = re.compile(
            rf"{marks}{_TICKS}{{1,2}}(?P<content>[^`｀]*){_TICKS}{{1,2}}", re.IGNORECASE
        )
        for match in loose.finditer(subject.msgstr):
            written = f":{name}:`{_content(match['content'])}`"
            if match[0] != written:
                wanted = f"… <{target}>" if " <" in written else target or "…"
                fixes.setdefault(match.span(), (f":{name}:`{wanted}`", written))
    if fixes:
        mended = subject.msgstr
        for (start, end), (_, written) in sorted(fixes.items(), reverse=True):
            mended = mended[:start] + written + mended[end:]
        wanted, _ = next(iter(fixes.values()))
        yield Problem(
            text=f"the role {quote(wanted.partition('`')[0])} shows instead of working",
            hint=f"Write {wanted}, with half-width colons and nothing between the second one and the backquote.",
            spans=tuple(fixes),
            fix=_first_improving(subject, [mended], Atom.ROLE, Atom.MATH),
        )


def _lost_roles(subject: Subject) -> Iterator[tuple[str, str]]:
    """The name and the target of each role that is lost; a formula is one."""
    for role in missing(subject.english, subject.chinese, Atom.ROLE):
        if parts := _ROLE.fullmatch(role):
            yield parts[1], parts[2]
        elif role.startswith(":"):
            yield role.strip(":"), ""
    for formula in missing(subject.english, subject.chinese, Atom.MATH):
        yield "math", formula


def _content(content: str) -> str:
    titled = _TITLED.fullmatch(content)
    return f"{titled[1]} <{titled[2]}>" if titled else content.strip()


def find_escapes(subject: Subject) -> Iterator[Problem]:
    """Character references, which reST does not know, and backslashes that vanish."""
    source = subject.msgstr
    references = [match[0] for match in _CHARACTER_REFERENCE.finditer(subject.chinese.literal)]
    if len(references) > len(_CHARACTER_REFERENCE.findall(subject.english.plain)):
        yield Problem(
            text=f"{quote(references[0])} shows as it is written",
            hint="Write the character itself: reST knows no character references.",
            spans=spans_of(source, references[0]),
        )
    escaped = _escaped_words(source)
    if len(escaped) > len(_escaped_words(subject.msgid)):
        fix = source
        for pair in escaped:
            fix = fix.replace(pair, pair[1], 1)
        yield Problem(
            text=f"the backslash of {quote(escaped[0])} vanishes",
            hint="Delete it, or write two for one that is to be seen.",
            spans=spans_of(source, escaped[0]),
            fix=fix
            if not any(pair.isascii() for pair in escaped) and regains(subject, fix)
            else None,
            is_minor=True,
        )


def _escaped_words(source: str) -> list[str]:
    """Each backslash before a letter or a digit, with what follows it, outside of code."""
    pairs = re.findall(r"\\.", prose.mask(source, Markup.RST), re.DOTALL)
    return [pair for pair in pairs if _ESCAPED_WORD.fullmatch(pair)]
