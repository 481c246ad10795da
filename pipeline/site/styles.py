"""Style sheets of a site, without the rules that no page can use.

The theme's style sheets have rules for many icons and components that our pages do not use.
Without them, the style sheets of the first page shrink from 560 kB to 150 kB. A rule is removed if
it needs a class or an id that no page and no script has. The memo stores the classes and ids of
each page, and the pruned style sheets, which can be used again if no class or id has changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import filterfalse, groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.adapters import files
from pipeline.adapters.memo import Memo, digest_of, digest_of_stamps
from pipeline.site.build_memo import SubjectState, subject_of_file
from pipeline.site.plan import Site

if TYPE_CHECKING:
    from tinycss2.ast import Node

# Strings, comments and white space. A comment that begins with ! is a licence and stays.
_COMMENT_OR_SPACE = re.compile(
    r"(?P<kept>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\\.|/\*!.*?\*/)"
    r"|/\*.*?\*/|(?P<space>\s+)",
    re.DOTALL,
)
# At-rules whose block contains rules. The block of other at-rules, such as @font-face, contains
# declarations.
_NESTING = frozenset(("media", "supports", "layer", "container", "scope"))
# Pseudo-classes with a list of selectors: an element matches if it matches one of these selectors.
_ONE_OF = frozenset(("is", "where", "matches", "any", "has"))
_PART_OF_CLASS = re.compile(r"\s*class\*=[\"']?([\w-]+)[\"']?\s*")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_VALUE = r"(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))"
# There are two patterns, because each of them starts with plain letters, which ``re`` finds
# quickly. One pattern for both attributes would take four times as long.
_ATTRIBUTES = (
    re.compile(rf"class=(?<!\wclass=){_VALUE}"),
    re.compile(rf"id=(?<!\wid=){_VALUE}"),
)
# Components of Bootstrap that our pages do not use. Bootstrap's script contains their classes, so
# these words in a script do not count.
_ASKED_FOR = re.compile(
    r"(?:accordion|carousel|list-group|modal|offcanvas|pagination|popover|toast)(?:-|$)"
)


def words_in_html(html: str) -> frozenset[str]:
    """Return the classes and ids in HTML: ``<p id=top class="a b">`` → ``top``, ``a``, ``b``."""
    words: set[str] = set()
    for attribute in _ATTRIBUTES:
        for values in set(attribute.findall(html)):
            # Each match has the value in one of three groups (double quotes, single quotes, none);
            # the other two groups are empty.
            words.update("".join(values).split())
    return frozenset(words)


def words_in_script(script: str) -> frozenset[str]:
    """Return every word in ``script`` that might be a class or an id."""
    return frozenset(_WORD.findall(script))


def prune(css: str, words: frozenset[str]) -> str:
    """Return ``css`` without comments, indentation, and rules that no page can use.

    A rule is removed if each of its selectors needs a class or an id that ``words`` lacks. Comments
    with licences stay.
    """
    from tinycss2 import parse_stylesheet

    rules = parse_stylesheet(_COMMENT_OR_SPACE.sub(_shortened, css), skip_whitespace=True)
    return "".join(_used(rules, words))


def _shortened(match: re.Match[str]) -> str:
    """Return the replacement of a string, a comment or white space."""
    return " " if match["space"] else match["kept"] or ""


def _used(rules: Iterable[Node], words: frozenset[str]) -> Iterator[str]:
    """Yield the used part of each rule: ``.a, .b {top: 0}`` → ``.a{top: 0}`` without any ``b``."""
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
        elif rule.type == "at-rule" and rule.content and rule.lower_at_keyword in _NESTING:
            inner = parse_rule_list(rule.content, skip_whitespace=True)
            used = "".join(_used(inner, words))
            if used:
                yield f"@{rule.at_keyword}{serialize(rule.prelude).rstrip()}{{{used}}}"
        # Other at-rules, such as @font-face, have no selector, so they stay. Rules that cannot be
        # parsed are removed; browsers ignore them, too.
        elif rule.type != "error":
            yield rule.serialize()


def _parts(selectors: Sequence[Node]) -> list[list[Node]]:
    """Return the selectors of a list, split at its top-level commas."""
    grouped = groupby(selectors, key=lambda node: bool(node == ","))
    return [list(part) for is_comma, part in grouped if not is_comma]


def can_match(selector: Sequence[Node], words: frozenset[str]) -> bool:
    """Return whether all classes and ids that ``selector`` needs are among ``words``.

    A selector does not need the classes and ids in ``:not()``. Of the selectors in ``:is()`` and
    similar functions, only one must match.
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
    """Return whether any word contains the part that ``[class*=sd-]`` requires."""
    from tinycss2 import serialize

    part = _PART_OF_CLASS.fullmatch(serialize(attribute.content))
    return part is None or any(part[1] in word for word in words)


def restore_styles(site: Site) -> None:
    """Remove the pruned style sheets before a build, so that Sphinx copies the complete ones."""
    # Sphinx copies only missing files. The pages may now use rules that the last build removed.
    files.remove_files(files.files_below(site.target / "_static", ".css"))


def prune_styles(site: Site, memo: Memo[SubjectState]) -> None:
    """Remove rules from the style sheets that neither a page nor a script can use."""
    words = frozenset().union(*_words_of_pages(site, memo), *_words_of_scripts(site, memo))
    digest = digest_of(*sorted(words))
    for path in files.files_below(site.target / "_static", ".css"):
        css = _text(path)
        subject, key = subject_of_file(site, path), digest_of(css, digest)
        known = memo.get(subject, key)
        if known is None:
            known = SubjectState(css=prune(css, words))
            memo.put(subject, key, known)
        files.write_if_changed(path, known.css.encode("utf-8", "replace"))


def _words_of_scripts(site: Site, memo: Memo[SubjectState]) -> Iterator[frozenset[str]]:
    """Yield the words in each script: classes that it may add to elements in the browser."""
    for path in files.files_below(site.target / "_static", ".js"):
        # Skip MathJax, which has styles of its own.
        if "mathjax" not in path.parts:
            words = _words_in(site, memo, path, words_in_script)
            yield frozenset(filterfalse(_ASKED_FOR.match, words))


def _words_of_pages(site: Site, memo: Memo[SubjectState]) -> Iterator[frozenset[str]]:
    """Yield the classes and ids of each page."""
    for path in files.files_below(site.target, ".html"):
        yield frozenset(_words_in(site, memo, path, words_in_html))


def _words_in(
    site: Site,
    memo: Memo[SubjectState],
    path: Path,
    find: Callable[[str], frozenset[str]],
) -> tuple[str, ...]:
    """Return the words that ``find`` finds in a file, from the memo if the file is unchanged."""
    subject, key = subject_of_file(site, path), digest_of_stamps(path)
    known = memo.get(subject, key)
    if known is None:
        known = SubjectState(words=tuple(sorted(find(_text(path)))))
        memo.put(subject, key, known)
    return known.words


def _text(path: Path) -> str:
    """Return a file of the site as text, with invalid bytes replaced."""
    return files.read_bytes(path).decode("utf-8", "replace")
