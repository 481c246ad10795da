"""Markup that shows instead of working: links, code, formulas, roles, HTML, escapes whose marks were lost or became full-width."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import (
    NARROW,
    excess,
    fewer,
    first_regaining,
    is_han,
    missing,
    quote,
    regains,
    spans_of,
)
from pipeline.core.checks.parsed import Atom, Parsed, canonical_math
from pipeline.core.checks.tree import Node, walk
from pipeline.findings import Severity

_TARGETS = (Atom.LINK, Atom.IMAGE, Atom.REFERENCE)
_NO_BRACKET = r"(?:`[^`]*`|[^\[\]［］【】`])*"
_DOLLAR = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|(?<!\\)\$", re.DOTALL)
_ROLE = re.compile(r"\{([^{}]+)\}`(.*)`", re.DOTALL)
_TAG_NAME = re.compile(r"</?\s*([A-Za-z][A-Za-z0-9]*)")
_CHARACTER_REFERENCE = re.compile(
    r"[&＆]\s?(?:#[xX]?[0-9A-Fa-f]+|lt|gt|amp|quot|apos|nbsp|mdash|ndash|hellip|times|copy)\s?[;；]"
)


def find_links(subject: Subject) -> Iterator[Problem]:
    """Links and images that stopped being what they were."""
    if subject.has_all_atoms and "](" not in subject.msgstr:
        return
    lost = [
        (name, target)
        for name in _TARGETS
        for target in missing(subject.english, subject.chinese, name)
    ]
    shown = [
        (name, target) for name, target in lost if stands_elsewhere(subject.chinese, name, target)
    ]
    fix = _mended_links(subject, shown) if shown else None
    for name, target in shown:
        yield Problem(
            text=f"the {'image' if name is Atom.IMAGE else 'link'} to {quote(target)} is none any more",
            hint=f"Write it as {_example(name, target)}, with half-width brackets and nothing between them.",
            spans=spans_of(subject.msgstr, target),
            fix=fix,
        )
    if not shown and excess(subject, "](") > 0:
        yield Problem(
            text="a link does not work: its brackets show",
            hint="Write it as [words](target), without a space in the target.",
            spans=spans_of(subject.msgstr, "]("),
        )


def stands_elsewhere(chinese: Parsed, name: Atom, target: str) -> bool:
    """Whether a target that is lost shows as text, or belongs to an image instead of a link."""
    return target in chinese.literal or any(
        target in chinese.of(other) for other in _TARGETS if other is not name
    )


def _example(name: Atom, target: str) -> str:
    return f"{'!' if name is Atom.IMAGE else ''}[…]{target if name is Atom.REFERENCE else f'({target})'}"


def _mended_links(subject: Subject, lost: list[tuple[Atom, str]]) -> str | None:
    """The msgstr with brackets of the kind, and at the place, that makes links of them again."""
    fix = subject.msgstr
    for name, target in lost:
        if name is Atom.REFERENCE:
            behind = rf"\s*[\[［【]\s*{re.escape(target[1:-1])}\s*[\]］】]"
        else:
            behind = rf"\s*[(（]\s*<?{re.escape(target)}>?(?P<title>\s+[\"“][^\"”]*[\"”])?\s*[)）]?"
        pattern = re.compile(
            rf"(?P<bang>[!！]?)\s?[\[［【](?P<words>{_NO_BRACKET})[\]］】]{behind}"
        )
        fix = pattern.sub(lambda match, name=name, target=target: _link(match, name, target), fix)  # type: ignore[misc]
    return first_regaining(subject, [fix], *_TARGETS)


def _link(match: re.Match[str], name: Atom, target: str) -> str:
    if name is Atom.REFERENCE:
        return f"{match['bang']}[{match['words']}]{target}"
    title = f' "{match["title"].strip()[1:-1]}"' if match["title"] else ""
    bang = "!" if name is Atom.IMAGE else match["bang"] and "！"  # a sentence may end before a link
    return f"{bang}[{match['words']}]({target}{title})"


def find_code(subject: Subject) -> Iterator[Problem]:
    """Backticks that show."""
    if ("`" not in subject.msgstr and "｀" not in subject.msgstr) or excess(
        subject, "`", "｀"
    ) <= 0:
        return
    narrow = subject.msgstr.replace("｀", "`")
    lost = [f"`{code}`" for code in fewer(subject.english, subject.chinese, Atom.CODE)]
    lost += fewer(subject.english, subject.chinese, Atom.ROLE)
    mark = "｀" if "｀" in subject.chinese.literal else "`"
    yield Problem(
        text="a full-width ｀ shows instead of making code"
        if mark == "｀"
        else "a backtick shows: one is missing or too many",
        hint=f"Write {quote(lost[0])}."
        if lost
        else "Put one backtick before the code and one behind it.",
        spans=spans_of(subject.msgstr, _with_marks(subject.msgstr, lost) or mark),
        fix=first_regaining(subject, [narrow, _closed(narrow, lost, "`")], Atom.CODE, Atom.ROLE),
        is_minor=not lost,
    )


def _with_marks(source: str, lost: list[str]) -> str:
    """Where the first of some code stands beside a backtick; empty if nowhere."""
    for atom in lost:
        words = re.escape(atom.partition("`")[2].rstrip("`"))
        if found := re.search(rf"[`｀]{words}|{words}[`｀]", source):
            return found[0]
    return ""


def _closed(source: str, lost: list[str], mark: str) -> str:
    """``source`` with the marks of each lost atom, where it stands once with one of them."""
    m = re.escape(mark)
    for atom in lost:
        name, _, rest = atom.partition(mark)
        words = re.escape(rest.rstrip(mark))
        opened = rf"(?<!{m}){m}\s*{words}(?!{m}|[A-Za-z0-9_])"
        closed = rf"(?<![{m}A-Za-z0-9_]){words}\s*{m}(?!{m})"
        pattern = re.compile(rf"{re.escape(name)}(?:{opened}|{closed})")
        if len(pattern.findall(source)) == 1:
            source = pattern.sub(lambda _, atom=atom: atom, source)  # type: ignore[misc]
    return source


def find_math(subject: Subject) -> Iterator[Problem]:
    """Dollar signs that show where a formula should be, and formulas where dollars should be."""
    english, chinese, source = subject.english, subject.chinese, subject.msgstr
    if "$" not in source and "＄" not in source:
        return
    lost, new = fewer(english, chinese, Atom.MATH), missing(chinese, english, Atom.MATH)
    is_wide = bool(lost) and "＄" in chinese.literal
    if is_wide or excess(subject, "$") > 0:
        narrow = source.replace("＄", "$")
        formulas = [
            f"${node.value}$" for node in _formulas(english) if canonical_math(node.value) in lost
        ]
        yield Problem(
            text="a full-width ＄ shows instead of making a formula"
            if is_wide
            else "a $ shows: one is missing or too many",
            hint=f"Write {quote(formulas[0])}."
            if formulas
            else "Put $ before and behind a formula, and \\$ for a dollar sign.",
            spans=spans_of(source, "＄" if is_wide else "$"),
            fix=first_regaining(subject, [narrow, _closed(narrow, formulas, "$")], Atom.MATH),
            is_minor=not formulas,
        )
    elif new and (
        english.plain.count("$") > chinese.plain.count("$")
        or (not lost and any(map(is_han, "".join(new))))
    ):
        accident = next(
            node.value for node in _formulas(chinese) if canonical_math(node.value) in new
        )
        yield Problem(
            text=f"{quote(f'${accident}$')} became a formula",
            hint="Write \\$ for a dollar sign, and one $ before and one behind each formula.",
            spans=spans_of(source, f"${accident}$"),
            fix=None
            if english.of(Atom.MATH)
            else first_regaining(subject, [_DOLLAR.sub(_escaped, source)], Atom.MATH),
        )


def _formulas(parsed: Parsed) -> list[Node]:
    return [node for _, node in walk(parsed.tree) if node.type == "math"]


def _escaped(match: re.Match[str]) -> str:
    return match[0] if match[1] else "\\$"


def find_roles(subject: Subject) -> Iterator[Problem]:
    """Roles whose name shows."""
    if "`" not in subject.msgstr or excess(subject, "`", "｀") > 0:
        return
    for role in missing(subject.english, subject.chinese, Atom.ROLE):
        parts = _ROLE.fullmatch(role)
        name, target = (parts[1], parts[2]) if parts else (role[1:-1], "")
        loose = re.compile(
            rf"(?<![A-Za-z:])(?:[{{｛]\s*)?{re.escape(name)}\s*[}}｝]?\s*(?=`)", re.IGNORECASE
        )
        found = next(
            (match for match in loose.finditer(subject.msgstr) if match[0] != f"{{{name}}}"), None
        )
        if found is None:
            continue
        fix = loose.sub(lambda _, name=name: f"{{{name}}}", subject.msgstr)  # type: ignore[misc]
        yield Problem(
            text=f"the role {quote(f'{{{name}}}')} shows instead of working",
            hint=f"Write {{{name}}}`{target or '…'}`, with nothing between the brace and the backtick.",
            spans=(found.span(),),
            fix=first_regaining(subject, [fix], Atom.ROLE, Atom.CODE),
        )


def find_html(subject: Subject) -> Iterator[Problem]:
    """HTML tags that show, because they were written with other brackets or with spaces."""
    if "<" not in subject.msgid:
        return
    english = subject.english.of(Atom.HTML)
    lost = [
        tag for tag in missing(subject.english, subject.chinese, Atom.HTML) if _TAG_NAME.match(tag)
    ]
    fix, found = subject.msgstr, ""
    for tag in lost:
        opening = _TAG_NAME.match(tag)
        assert opening is not None
        slash = r"\s*/" if tag.startswith("</") else ""
        shown = re.compile(
            rf"[<＜〈《]{slash}\s*{opening[1]}\b[^<>＜＞〈〉《》]*[>＞〉》]", re.IGNORECASE
        )
        if match := next((match for match in shown.finditer(fix) if match[0] not in english), None):
            found = found or match[0]
            fix = fix[: match.start()] + tag + fix[match.end() :]
    if found:
        yield Problem(
            text=f"the tag {quote(lost[0])} shows as text: {quote(found)}",
            hint="Write it with half-width < and >, as the English has it.",
            spans=spans_of(subject.msgstr, found),
            fix=first_regaining(subject, [fix], Atom.HTML),
        )


def find_escapes(subject: Subject) -> Iterator[Problem]:
    """Backslashes and character references that show."""
    english, chinese, source = subject.english, subject.chinese, subject.msgstr
    if "\\" not in source and "&" not in source and "＆" not in source:
        return
    ours = [match[0] for match in _CHARACTER_REFERENCE.finditer(chinese.literal)]
    if len(ours) > len(_CHARACTER_REFERENCE.findall(english.plain)):
        fix = _CHARACTER_REFERENCE.sub(
            lambda match: re.sub(r"\s", "", match[0].translate(NARROW)), source
        )
        yield Problem(
            text=f"{quote(ours[0])} shows as it is written",
            hint="Write character references with a half-width & and ;.",
            spans=spans_of(source, ours[0]),
            fix=fix if fix != source and regains(subject, fix, Atom.CODE) else None,
        )
    backslashes = _shown_backslashes(chinese)
    if len(backslashes) > len(_shown_backslashes(english)) and excess(subject, "$") <= 0:
        yield Problem(
            text=f"the backslash of {quote(backslashes[0])} shows",
            hint="Delete the backslash."
            if backslashes[0] != "\\n"
            else "Break the line as the English does, or delete it.",
            spans=spans_of(source, backslashes[0]),
            fix=_without_backslashes(subject, backslashes),
            is_minor=True,
        )


def _shown_backslashes(parsed: Parsed) -> list[str]:
    """Each backslash that escapes nothing, with what follows it."""
    escapes = (node.value for _, node in walk(parsed.tree) if node.type == "escape")
    return [value for value in escapes if len(value) > 1 and value[0] == "\\"]


def _without_backslashes(subject: Subject, shown: list[str]) -> str | None:
    if any(pair[1].isascii() for pair in shown):
        return None  # it may be part of a formula or a path
    fix = subject.msgstr
    for pair in shown:
        fix = fix.replace(pair, pair[1], 1)
    return fix if regains(subject, fix) else None
