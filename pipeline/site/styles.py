"""Style sheets of a site, without the rules that no page can use.

The theme's sheets are 370 kB, for icons and components that are not on the site. What is not
understood stays: a sheet that is not pruned is heavier, never wrong. Classes and ids of unchanged
pages are known from the last run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import filterfalse
from pathlib import Path

from pipeline.adapters import files
from pipeline.adapters.memo import Memo, digest_of
from pipeline.site.memo import Known, digest_of_stamps, subject_of_file
from pipeline.site.plan import Site

_LITERAL = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\\."  # strings, and what is escaped
# Comments and white space, but not within strings. A comment with ! is a licence: it stays.
_SPARE = re.compile(
    rf"(?P<kept>{_LITERAL}|/\*!.*?\*/)|/\*.*?\*/|(?P<space>\s+)", re.DOTALL
)
_TOKEN = re.compile(rf"/\*.*?\*/|{_LITERAL}|[{{}};]", re.DOTALL)
# At-rules whose block holds rules; the block of others (@font-face) holds declarations.
_NESTING = ("@media", "@supports", "@layer", "@container", "@scope")
# .name and #name in a selector; what is escaped outside a name (\2c) is skipped.
_CLASS = re.compile(r"\\.|[.#](-?[A-Za-z_](?:[\w-]|\\.)*)")
_ESCAPE = re.compile(r"\\(.)")
_BRACKETS = re.compile(r"\[[^\]]*\]")
_PIECE = re.compile(r"\[class\*=[\"']?([\w-]+)[\"']?\]")  # any class with this in it
# Arguments may hold one pair of brackets: :not(:nth-child(2))
_ARGUMENTS = r"\((?:[^()]|\([^()]*\))*\)"
_NOT = re.compile(rf":not{_ARGUMENTS}")
_LISTED = re.compile(rf":(?:is|where|matches|any)(?P<list>{_ARGUMENTS})")
_COMMA = re.compile(r"\\.|[(\[)\],]")
# How much deeper one is within brackets, and within blocks, behind such a sign.
_DEEPER_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}
_DEEPER_BLOCKS = {"{": 1, "}": -1}
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_VALUE = r"(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))"
# Each begins with plain letters, so that `re` skips to the next: one for both takes four times as
# long.
_ATTRIBUTES = (
    re.compile(rf"class=(?<!\wclass=){_VALUE}"),
    re.compile(rf"id=(?<!\wid=){_VALUE}"),
)


def words_in_html(html: str) -> frozenset[str]:
    """The classes and ids of ``html``: ``<p id=top class="a b">`` → ``top``, ``a``, ``b``."""
    words: set[str] = set()
    for attribute in _ATTRIBUTES:
        for values in set(attribute.findall(html)):
            # One of the three ways to quote the value has matched; the others are empty.
            words.update("".join(values).split())
    return frozenset(words)


def words_in_script(script: str) -> frozenset[str]:
    """Everything in ``script`` that might be a class or an id."""
    return frozenset(_WORD.findall(script))


def prune(css: str, words: frozenset[str]) -> str:
    """``css`` without what no page uses: comments, indents, rules for classes that it lacks.

    A rule goes if each of its selectors needs a class or an id that is not among ``words``.
    Licences stay.
    """
    return _pruned(_SPARE.sub(_shortened, css), words)


def _shortened(match: re.Match[str]) -> str:
    """What stays of a string, a comment or white space: a comment goes, spaces become one."""
    if match["space"]:
        return " "
    return match["kept"] or ""


def _pruned(css: str, words: frozenset[str]) -> str:
    """What stays of a sheet, or of a block that holds rules."""
    return "".join(_used(statement, words) for statement in _statements(css))


def _used(statement: _Statement, words: frozenset[str]) -> str:
    """What stays of a statement; empty if no page uses it.

    ``.a, .b {top: 0}`` → ``.a{top: 0}`` where a page has ``a`` and none has ``b``.
    """
    head, block = statement.prelude.strip(), statement.block
    if block is None:
        return head
    if head.startswith(_NESTING):
        inner = _pruned(block, words).strip()
        return f"{head}{{{inner}}}" if inner else ""
    # What other at-rules declare (a font) has no selector: it may be used anywhere.
    if not head.startswith("@"):
        selectors = _split_at_commas(head)
        head = ",".join(part for part in selectors if can_match(part, words))
    return f"{head}{{{block.strip()}}}" if head else ""


def can_match(selector: str, words: frozenset[str]) -> bool:
    """Whether ``selector`` asks for ``words`` only.

    What stands in ``:not()`` is not asked for; of a list in ``:is()`` one is enough.
    """
    # A dot in an attribute's value is no class: [href$=".png"]
    plain = _BRACKETS.sub(_without_value, selector)
    # A star where it stood, so that of :is(:not(.a)) something is left.
    plain = _NOT.sub("*", plain)
    for listed in _LISTED.finditer(plain):
        choices = _split_at_commas(listed["list"][1:-1])
        if not any(can_match(choice, words) for choice in choices):
            return False
    plain = _LISTED.sub("*", plain)
    if not all(piece in _joined(words) for piece in _PIECE.findall(plain)):
        return False
    # What is escaped outside a name has matched as well, without a name.
    names = filter(None, _CLASS.findall(_PIECE.sub("*", plain)))
    return words.issuperset(_ESCAPE.sub(r"\1", name) for name in names)


def _without_value(match: re.Match[str]) -> str:
    """A star for the condition on an attribute, unless it asks for a class."""
    if _PIECE.fullmatch(match[0]):
        return match[0]
    return "*"


@lru_cache(maxsize=1)
def _joined(words: frozenset[str]) -> str:
    """All words in one text, for ``[class*=sd-]``, which asks for a part of a word."""
    return " ".join(words)


@dataclass(frozen=True, slots=True)
class _Statement:
    """What stands before an outermost block, and the block.

    ``block`` is None where there is none: a statement, a licence, a broken end.
    """

    prelude: str
    block: str | None


def _statements(css: str) -> Iterator[_Statement]:
    """The outermost statements of a sheet, in order.

    ``@import "a.css"; p {color: red}`` → ``@import "a.css";`` without a block, ``p `` with one.
    """
    start = 0  # of the statement
    tokens = _TOKEN.finditer(css)
    for token in tokens:
        prelude, sign = css[start : token.start()], token[0]
        if sign == "{":
            end = _end_of_block(tokens)
            if end is None:
                break
            yield _Statement(prelude, css[token.end() : end.start()])
            start = end.end()
        elif sign == ";":
            yield _Statement(f"{prelude};", None)
            start = token.end()
        elif sign.startswith("/*") and not prelude.strip():
            # A licence between statements; one within a prelude stays where it is.
            yield _Statement(sign, None)
            start = token.end()
    if css[start:].strip():
        yield _Statement(css[start:], None)


def _end_of_block(tokens: Iterator[re.Match[str]]) -> re.Match[str] | None:
    """The ``}`` of the block whose ``{`` was the last token, past all blocks within it.

    None if the sheet ends before: no token is left then.
    """
    depth = 1
    for token in tokens:
        depth += _DEEPER_BLOCKS.get(token[0], 0)
        if depth == 0:
            return token
    return None


def _split_at_commas(selectors: str) -> list[str]:
    """A list of selectors as its parts; commas in brackets do not count.

    ``a, :is(b, c)`` → ``a`` and ``:is(b, c)``.
    """
    parts: list[str] = []
    depth = 0
    start = 0
    for match in _COMMA.finditer(selectors):
        depth += _DEEPER_BRACKETS.get(match[0], 0)
        if match[0] == "," and depth == 0:
            parts.append(selectors[start : match.start()])
            start = match.end()
    parts.append(selectors[start:])
    return [part.strip() for part in parts if part.strip()]


def union(words: Iterable[frozenset[str]]) -> frozenset[str]:
    """All of ``words``."""
    return frozenset().union(*words)


# Parts of Bootstrap that its script makes of what a page has: where no page has any, the words in
# the script say nothing.
_ASKED_FOR = re.compile(
    r"(?:accordion|carousel|list-group|modal|offcanvas|pagination|popover|toast)(?:-|$)"
)


def restore_styles(site: Site) -> None:
    """Let Sphinx put the whole style sheets there again. Comes before it builds."""
    # They were pruned for the pages of the last time; Sphinx copies only what is missing.
    files.remove_files(files.files_below(site.target / "_static", ".css"))


def prune_styles(site: Site, memo: Memo[Known]) -> None:
    """Take out of the style sheets what no page has, and no script puts there."""
    words = union([*_words_of_pages(site, memo), *_words_of_scripts(site, memo)])
    digest = digest_of(*sorted(words))
    for path in files.files_below(site.target / "_static", ".css"):
        css = _text(path)
        subject, key = subject_of_file(site, path), digest_of(css, digest)
        known = memo.recall(subject, key)
        if known is None:
            known = Known(css=prune(css, words))
            memo.keep(subject, key, known)
        files.write_if_changed(path, known.css.encode("utf-8", "replace"))


def _words_of_scripts(site: Site, memo: Memo[Known]) -> Iterator[frozenset[str]]:
    """What scripts may give to elements while a page is read."""
    for path in files.files_below(site.target / "_static", ".js"):
        # MathJax brings its own styles.
        if "mathjax" not in path.parts:
            words = _words_in(site, memo, path, words_in_script)
            yield frozenset(filterfalse(_ASKED_FOR.match, words))


def _words_of_pages(site: Site, memo: Memo[Known]) -> Iterator[frozenset[str]]:
    """What every page has."""
    for path in files.files_below(site.target, ".html"):
        yield frozenset(_words_in(site, memo, path, words_in_html))


def _words_in(
    site: Site, memo: Memo[Known], path: Path, find: Callable[[str], frozenset[str]]
) -> tuple[str, ...]:
    """What ``find`` finds in a file; it is kept for the next time."""
    subject, key = subject_of_file(site, path), digest_of_stamps(path)
    known = memo.recall(subject, key)
    if known is None:
        known = Known(words=tuple(sorted(find(_text(path)))))
        memo.keep(subject, key, known)
    return known.words


def _text(path: Path) -> str:
    """A file of the site as text; broken bytes hold no word that anybody asks for."""
    return files.read_bytes(path).decode("utf-8", "replace")
