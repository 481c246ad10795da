"""Style sheets of a site, without the rules that no page can use.

The theme's sheets are 370 kB, for icons and components that are not on the site: without those, a
first page needs 150 kB of style sheets and not 560 kB. Classes and ids of unchanged pages are known
from the last run, and so is what was left of a sheet if the pages have the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import filterfalse, groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.adapters import files
from pipeline.adapters.memo import Memo, digest_of
from pipeline.site.memo import Known, digest_of_stamps, subject_of_file
from pipeline.site.plan import Site

if TYPE_CHECKING:
    from tinycss2.ast import Node

# Comments and white space, but not within strings. A comment with ! is a licence: it stays.
_SPARE = re.compile(
    r"(?P<kept>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\\.|/\*!.*?\*/)"
    r"|/\*.*?\*/|(?P<space>\s+)",
    re.DOTALL,
)
# At-rules whose block holds rules; the block of others (@font-face) holds declarations.
_NESTING = frozenset(("media", "supports", "layer", "container", "scope"))
# Functions of a list of selectors, of which one is enough.
_ONE_OF = frozenset(("is", "where", "matches", "any", "has"))
_PART_OF_CLASS = re.compile(r"\s*class\*=[\"']?([\w-]+)[\"']?\s*")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_VALUE = r"(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))"
# Each begins with plain letters, so that `re` skips to the next: one pattern for both takes four
# times as long.
_ATTRIBUTES = (
    re.compile(rf"class=(?<!\wclass=){_VALUE}"),
    re.compile(rf"id=(?<!\wid=){_VALUE}"),
)
# Parts of Bootstrap that its script adds to elements of a page: if no page has such elements, the
# words in the script mean nothing.
_ASKED_FOR = re.compile(
    r"(?:accordion|carousel|list-group|modal|offcanvas|pagination|popover|toast)(?:-|$)"
)


def words_in_html(html: str) -> frozenset[str]:
    """Return the classes and ids in HTML: ``<p id=top class="a b">`` → ``top``, ``a``, ``b``."""
    words: set[str] = set()
    for attribute in _ATTRIBUTES:
        for values in set(attribute.findall(html)):
            # One of the three ways to quote the value has matched; the others are empty.
            words.update("".join(values).split())
    return frozenset(words)


def words_in_script(script: str) -> frozenset[str]:
    """Return every word in ``script`` that might be a class or an id."""
    return frozenset(_WORD.findall(script))


def prune(css: str, words: frozenset[str]) -> str:
    """Return ``css`` without comments, indents, and rules for classes that no page has.

    A rule is dropped if each of its selectors needs a class or an id that is not among ``words``.
    Licences stay.
    """
    from tinycss2 import parse_stylesheet

    rules = parse_stylesheet(_SPARE.sub(_shortened, css), skip_whitespace=True)
    return "".join(_used(rules, words))


def _shortened(match: re.Match[str]) -> str:
    """Return what stays of a string, a comment or white space."""
    return " " if match["space"] else match["kept"] or ""


def _used(rules: Iterable[Node], words: frozenset[str]) -> Iterator[str]:
    """Yield what stays of each rule: ``.a, .b {top: 0}`` → ``.a{top: 0}`` without a ``b``."""
    from tinycss2 import parse_rule_list, serialize

    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [
                serialize(selector).strip()
                for selector in _parts(rule.prelude)
                if can_match(selector, words)
            ]
            if selectors:
                yield f"{','.join(selectors)}{{{serialize(rule.content).strip()}}}"
        elif (
            rule.type == "at-rule"
            and rule.content
            and rule.lower_at_keyword in _NESTING
        ):
            inner = parse_rule_list(rule.content, skip_whitespace=True)
            used = "".join(_used(inner, words))
            if used:
                yield f"@{rule.at_keyword}{serialize(rule.prelude).rstrip()}{{{used}}}"
        # Other at-rules (a font) have no selector; browsers ignore what cannot be parsed.
        elif rule.type != "error":
            yield rule.serialize()


def _parts(selectors: Sequence[Node]) -> list[list[Node]]:
    """Return the selectors of a list; commas in brackets do not count."""
    grouped = groupby(selectors, key=lambda node: bool(node == ","))
    return [list(part) for is_comma, part in grouped if not is_comma]


def can_match(selector: Sequence[Node], words: frozenset[str]) -> bool:
    """Return whether ``selector`` needs only classes and ids among ``words``.

    It does not need what stands in ``:not()``, and only one selector of a list in ``:is()``.
    """
    for before, node in pairwise((None, *selector)):
        is_name = node.type == "hash" or (before == "." and node.type == "ident")
        if is_name and node.value not in words:
            return False
        if node.type == "[] block" and not _may_have_part(node, words):
            return False
        is_choice = node.type == "function" and node.lower_name in _ONE_OF
        choices = _parts(node.arguments) if is_choice else ()
        if choices and not any(can_match(choice, words) for choice in choices):
            return False
    return True


def _may_have_part(attribute: Node, words: frozenset[str]) -> bool:
    """Return whether a word has the part that ``[class*=sd-]`` asks for."""
    from tinycss2 import serialize

    part = _PART_OF_CLASS.fullmatch(serialize(attribute.content))
    return part is None or any(part[1] in word for word in words)


def restore_styles(site: Site) -> None:
    """Let Sphinx put the whole style sheets there again. Comes before it builds."""
    # They were pruned for the pages of the last time; Sphinx copies only what is missing.
    files.remove_files(files.files_below(site.target / "_static", ".css"))


def prune_styles(site: Site, memo: Memo[Known]) -> None:
    """Take out of the style sheets what no page has, and no script puts there."""
    words = frozenset().union(
        *_words_of_pages(site, memo), *_words_of_scripts(site, memo)
    )
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
    """Yield the words that scripts may give to elements while a page is read."""
    for path in files.files_below(site.target / "_static", ".js"):
        # MathJax brings its own styles.
        if "mathjax" not in path.parts:
            words = _words_in(site, memo, path, words_in_script)
            yield frozenset(filterfalse(_ASKED_FOR.match, words))


def _words_of_pages(site: Site, memo: Memo[Known]) -> Iterator[frozenset[str]]:
    """Yield the words of every page."""
    for path in files.files_below(site.target, ".html"):
        yield frozenset(_words_in(site, memo, path, words_in_html))


def _words_in(
    site: Site, memo: Memo[Known], path: Path, find: Callable[[str], frozenset[str]]
) -> tuple[str, ...]:
    """Return what ``find`` finds in a file, cached for the next time."""
    subject, key = subject_of_file(site, path), digest_of_stamps(path)
    known = memo.recall(subject, key)
    if known is None:
        known = Known(words=tuple(sorted(find(_text(path)))))
        memo.keep(subject, key, known)
    return known.words


def _text(path: Path) -> str:
    """Return a file of the site as text; broken bytes are replaced."""
    return files.read_bytes(path).decode("utf-8", "replace")
