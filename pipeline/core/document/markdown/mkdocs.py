"""Pages of other Markdowns as MyST, for the site: Sphinx reads nothing else.

Only what a dialect has besides CommonMark is written anew; all other lines stay. What comes out is
shown and never merged: the documents themselves keep their form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it.token import Token

from pipeline.core.document.markdown import front_matter
from pipeline.core.document.markdown.directives import ADMONITIONS
from pipeline.core.document.markdown.parser import parser
from pipeline.core.document.message import Kind
from pipeline.reading import Dialect

_COLONS = re.compile(r"^\s*(:{3,})", re.MULTILINE)
_PARAMETERS = re.compile(r'(?P<names>[^"]*?)\s*(?:"(?P<title>[^"]*)")?\s*')
_MARK = re.compile(r"[\\`*_{}\[\]<>#$&|~]")  # what would be markup in a title
_SPECIAL = frozenset(("mkdocs_block", "mkdocs_object"))
# --8<-- "file", also with lines ("file:2:5") or the name of a part ("file:part") behind it
_SNIPPET = re.compile(
    r"""
    \s* -+8<-+ \s+ (?P<quote>["']) (?P<path>[^":\n]+)
    (?: :(?P<first>\d{0,6}) (?: :(?P<last>\d{0,6}) )? | :(?P<part>[A-Za-z_][\w-]*) )?
    (?P=quote) \s*
    """,
    re.VERBOSE,
)
# Return what the site calls a file that a snippet names; empty if the docs do not have it.
FindFile = Callable[[str], str]


def _none_found(_: str) -> str:
    return ""


def to_myst(
    text: str, dialect: Dialect, *, title: str = "", find: FindFile = _none_found
) -> str:
    """The page ``text`` as MyST. ``title`` is what upstream's outline calls it, if anything.

    ``find`` looks for the files of snippets.

    ``!!! note "A title"`` with words indended below it → ``:::{admonition} A title`` …
    """
    text = _with_title(text, dialect, title)
    if dialect is not Dialect.MKDOCS:
        return text
    return "\n".join(_converted(text.split("\n"), find, page=True))


def _with_title(text: str, dialect: Dialect, title: str) -> str:
    """The page with its title as a heading, if it has none of the first level.

    That is where layouts of other tools show it, and Sphinx would not. The title is that of the
    front matter, or ``title``.
    """
    has_front = text.startswith("---") and front_matter.may_hold_words(text)
    if not (has_front or title):
        return text
    md = parser(page=True, dialect=dialect)
    lines = text.split("\n")
    tokens: list[Token] = []
    md.block.parse(text, md, {}, tokens)
    if any(token.type == "heading_open" and token.tag == "h1" for token in tokens):
        return text
    at = 0
    if tokens and tokens[0].type == "front_matter":
        source = front_matter.yaml_of(tokens[0], lines)
        at = _lines_of(tokens[0])[1]
        for value in front_matter.front_values(source, dialect):
            if value.kind is Kind.PAGE_TITLE and value.text:
                title = value.text
    if not title:
        return text
    heading = " ".join(_MARK.sub(r"\\\g<0>", title).split())
    return "\n".join([*lines[:at], "", f"# {heading}", "", *lines[at:]])


def _converted(lines: list[str], find: FindFile, *, page: bool = False) -> list[str]:
    """The lines of a page, or of the body of a block, as MyST."""
    md = parser(page=page, dialect=Dialect.MKDOCS)
    tokens: list[Token] = []
    md.block.parse("\n".join(lines), md, {}, tokens)
    special = [token for token in tokens if _is_special(token)]
    made: list[str] = []
    at = 0
    for group in _groups(special, lines):
        first, last = _lines_of(group[0])[0], _lines_of(group[-1])[1]
        made += lines[at:first]
        at = last
        # The marks of containers around the block: a quote's go on, a list's are spaces below.
        prefix = lines[first][: max(0, lines[first].find(group[0].markup))]
        below = re.sub(r"[^\s>]", " ", prefix)
        for number, line in enumerate(_block(group, find)):
            made.append(f"{below if number else prefix}{line}".rstrip())
    return [*made, *lines[at:]]


def _is_special(token: Token) -> bool:
    """Whether a block is written anew: code if all of it stands in another file."""
    if token.type == "fence":
        return bool(_SNIPPET.fullmatch(token.content))
    return token.type in _SPECIAL


def _snippet(source: str, find: FindFile, *, language: str | None = None) -> list[str]:
    """The directive that shows a file: as code if there is a ``language``, else as prose.

    Empty if the file is not there, or if it is a named part of prose: its marks would show.
    """
    match = _SNIPPET.fullmatch(source)
    if match is None:
        return []
    part, first, last = match.group("part", "first", "last")
    is_code = language is not None
    path = find(match["path"] if is_code or not part else f"{match['path']}:{part}")
    if not path:
        return []
    options = [f":language: {language}"] if language else []
    if part:
        options += [f":start-after: '[start:{part}]'", f":end-before: '[end:{part}]'"]
    elif is_code and (first or last):
        options.append(f":lines: {first or 1}-{last or ''}")
    elif first or last:
        options.append(f":start-line: {max(int(first or 1) - 1, 0)}")
        options += [f":end-line: {last}"] if last else []
    name = "literalinclude" if is_code else "include"
    return [f"```{{{name}}} {path}", *options, "```"]


def _groups(tokens: Sequence[Token], lines: Sequence[str]) -> list[list[Token]]:
    """Each block by itself; tabs that follow each other are one group."""
    groups: list[list[Token]] = []
    for token in tokens:
        previous = groups[-1][-1] if groups else None
        if previous is not None and _is_tab(previous) and _is_tab(token):
            between = lines[_lines_of(previous)[1] : _lines_of(token)[0]]
            if not any(map(str.strip, between)):
                groups[-1].append(token)
                continue
        groups.append([token])
    return groups


def _is_tab(token: Token) -> bool:
    return token.markup.startswith("===")


def _lines_of(token: Token) -> tuple[int, int]:
    """The numbers of the first line of a block, and of that behind its last one."""
    assert token.map is not None
    return token.map[0], token.map[1]


def _block(group: Sequence[Token], find: FindFile) -> list[str]:
    """One block as MyST, without the marks of what it stands in."""
    token = group[0]
    if token.type == "mkdocs_object":
        # The site shows the name as a link to the English page.
        if token.markup == ":::":
            return [f"```{{autofunction}} {token.info.strip()}", "```"]
        return _snippet(f"{token.markup}{token.info}", find)
    if token.type == "fence":
        code = _snippet(
            token.content, find, language=token.info.strip().partition(" ")[0]
        )
        return code or [
            f"{token.markup}{token.info}",
            *token.content.split("\n")[:-1],
            token.markup,
        ]
    if _is_tab(token):
        tabs: list[str] = []
        for tab in group:
            title = _parameters(tab.info)[1]
            tabs += _directive("tab-item", title, [], _body(tab, find))
        return _directive("tab-set", "", [], tabs)
    names, title = _parameters(token.info)
    name = names.partition(" ")[0].lower()
    if token.markup.startswith("???"):
        options = [":open:"] if token.markup.endswith("+") else []
        words = title or name.title()
        return _directive("dropdown", words, options, _body(token, find))
    if title or name not in ADMONITIONS:
        words = title or name.title()
        return _directive("admonition", words, [f":class: {name}"], _body(token, find))
    return _directive(name, "", [], _body(token, find))


def _parameters(info: str) -> tuple[str, str]:
    """What stands behind a mark: ``note inline "A title"`` → its names, and its title."""
    match = _PARAMETERS.fullmatch(info)
    return (match["names"].strip(), match["title"] or "") if match else (info, "")


def _body(token: Token, find: FindFile) -> list[str]:
    """What stands within a block, as MyST."""
    return _converted(token.content.strip("\n").split("\n"), find)


def _directive(
    name: str, argument: str, options: Sequence[str], body: Sequence[str]
) -> list[str]:
    """A directive with more colons than any within it."""
    inner = _COLONS.findall("\n".join(body))
    fence = ":" * (max(map(len, inner), default=2) + 1)
    return [f"{fence}{{{name}}} {argument}".rstrip(), *options, "", *body, "", fence]
