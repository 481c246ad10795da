"""Converter of MkDocs and CommonMark pages to MyST, so that Sphinx can build the site from them.

It rewrites only the syntax that MkDocs adds to CommonMark, and adds missing titles. Only the site
uses the result. The merged documents keep the dialect of upstream.
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
_MARK = re.compile(r"[\\`*_{}\[\]<>#$&|~]")  # possible markup in a title
_SPECIAL = frozenset(("mkdocs_block", "mkdocs_object"))
# A snippet includes a file: --8<-- "file", optionally with lines ("file:2:5") or a named section
# ("file:part").
_SNIPPET = re.compile(
    r"""
    \s* -+8<-+ \s+ (?P<quote>["']) (?P<path>[^":\n]+)
    (?: :(?P<first>\d{0,6}) (?: :(?P<last>\d{0,6}) )? | :(?P<part>[A-Za-z_][\w-]*) )?
    (?P=quote) \s*
    """,
    re.VERBOSE,
)
# A function that takes the path of a snippet's file and returns its path in the site. It returns ""
# if the docs do not have the file.
FindFile = Callable[[str], str]


def _none_found(_: str) -> str:
    return ""


def to_myst(text: str, dialect: Dialect, *, title: str = "", find: FindFile = _none_found) -> str:
    """Return the page ``text`` as MyST: ``!!! note "A title"`` becomes ``:::{admonition} A title``.

    ``title`` is the page's title in upstream's outline, or empty. ``find`` looks up the files of
    snippets.
    """
    text = _with_title(text, dialect, title)
    if dialect is not Dialect.MKDOCS:
        return text
    return "\n".join(_converted(text.split("\n"), find, page=True))


def _with_title(text: str, dialect: Dialect, title: str) -> str:
    """Return the page with its title as a heading, unless it has a level-1 heading.

    Other tools show the title of the front matter or the outline; Sphinx needs a heading. The title
    in the front matter takes precedence over ``title``.
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
    """Return the lines of a page, or of a block's body, as MyST."""
    md = parser(page=page, dialect=Dialect.MKDOCS)
    tokens: list[Token] = []
    md.block.parse("\n".join(lines), md, {}, tokens)
    # Replace only these blocks, and copy all other lines unchanged.
    special = [token for token in tokens if _is_special(token)]
    made: list[str] = []
    at = 0
    for group in _groups(special, lines):
        first, last = _lines_of(group[0])[0], _lines_of(group[-1])[1]
        made += lines[at:first]
        at = last
        # On further lines, repeat quote marks, and replace list marks by spaces.
        prefix = lines[first][: max(0, lines[first].find(group[0].markup))]
        below = re.sub(r"[^\s>]", " ", prefix)
        for number, line in enumerate(_block(group, find)):
            made.append(f"{below if number else prefix}{line}".rstrip())
    return [*made, *lines[at:]]


def _is_special(token: Token) -> bool:
    """Return whether a block must be rewritten; fences only if their content is a snippet."""
    if token.type == "fence":
        return bool(_SNIPPET.fullmatch(token.content))
    return token.type in _SPECIAL


def _snippet(source: str, find: FindFile, *, language: str | None = None) -> list[str]:
    """Return the lines of the directive that includes a snippet's file.

    If ``language`` is not None, include the file as code. Return an empty list if the docs do not
    have the file. For a named section of prose, ``find`` returns a file with this section only. The
    complete file would show the marks of the section.
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
        # MkDocs counts lines from 1, docutils' include from 0.
        options.append(f":start-line: {max(int(first or 1) - 1, 0)}")
        options += [f":end-line: {last}"] if last else []
    name = "literalinclude" if is_code else "include"
    return [f"```{{{name}}} {path}", *options, "```"]


def _groups(tokens: Sequence[Token], lines: Sequence[str]) -> list[list[Token]]:
    """Return the blocks in groups: consecutive tabs together, every other block on its own."""
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
    """Return the number of a block's first line, and of the line after its last one."""
    assert token.map is not None
    return token.map[0], token.map[1]


def _block(group: Sequence[Token], find: FindFile) -> list[str]:
    """Return the lines of one group of blocks as MyST, without the prefixes of containers."""
    token = group[0]
    if token.type == "mkdocs_object":
        # The site renders this directive as a link to the English page.
        if token.markup == ":::":
            return [f"```{{autofunction}} {token.info.strip()}", "```"]
        return _snippet(f"{token.markup}{token.info}", find)
    if token.type == "fence":
        code = _snippet(token.content, find, language=token.info.strip().partition(" ")[0])
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
    # The first name is the type of the admonition; others are classes for the layout.
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
    """Return the names and the title after a mark.

    ``note inline "A title"`` → ``("note inline", "A title")``
    """
    match = _PARAMETERS.fullmatch(info)
    return (match["names"].strip(), match["title"] or "") if match else (info, "")


def _body(token: Token, find: FindFile) -> list[str]:
    """Return the body of a block as MyST."""
    return _converted(token.content.strip("\n").split("\n"), find)


def _directive(name: str, argument: str, options: Sequence[str], body: Sequence[str]) -> list[str]:
    """Return the lines of a directive, whose fence has more colons than any fence inside it."""
    # MyST closes a fence at the first line with at least as many colons.
    inner = _COLONS.findall("\n".join(body))
    fence = ":" * (max(map(len, inner), default=2) + 1)
    return [f"{fence}{{{name}}} {argument}".rstrip(), *options, "", *body, "", fence]
