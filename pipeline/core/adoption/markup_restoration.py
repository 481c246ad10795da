"""Restoration of markup that a copy has lost: code spans, roles, links and formulas.

The input is an English message and its Chinese, the output the Chinese with atoms. An atom is
restored only if its place is unambiguous: the copy has the atom's text exactly as often as the atom
is missing. Words are never changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from pipeline.core.adoption.evidence import plain_atom
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import atoms_of

_LINK = re.compile(
    r"(?P<mark>!?)\[(?P<text>[^\[\]]*)\]"
    r"\((?P<target>[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
)
_RST_LINK = re.compile(r"(?P<mark>)`(?P<text>[^`<>]+?)\s*<(?P<target>[^<>`]+)>`__?")
# A code span in Markdown, but not the text of a reST role or link.
_CODE = re.compile(r"(?<![`:}])`(?!`)(?P<text>[^`]+)(?<!`)`(?![`_])")
_URL = re.compile(
    r"\]\([^()]*\)|<?https?://[!-~]+"
)  # Chinese may follow without a space
_ROLE = re.compile(r"^(?:\{[\w:+-]+\}|:[\w.:+-]+:)`")
_NAME_BEFORE, _NAME_BEHIND = (
    r"(?<![A-Za-z0-9_.`$\\])",
    r"(?![A-Za-z0-9_`$]|\.[A-Za-z0-9_])",
)
_SUFFIX = re.compile(r"\.(?:html|md|ipynb|rst)$")
_LATIN = re.compile("[A-Za-z]")
_HIDDEN = "\ue000{}\ue001"  # placeholder for an atom that is already in its place
_SHOWN = re.compile("\ue000(\\d+)\ue001")


def restore(english: str, chinese: str, markup: Markup = Markup.MARKDOWN) -> str:
    """Return ``chinese`` with the lost atoms of ``english`` whose place is unambiguous.

    >>> restore("Use `jax.jit` here.", "这里用jax.jit。")
    '这里用`jax.jit`。'
    """
    return _with_spans(english, _with_links(english, chinese, markup), markup)


class _Link(NamedTuple):
    """Link or image of one side. ``mark`` is ``!`` for an image."""

    mark: str
    text: str
    target: str

    def is_like(self, other: _Link) -> bool:
        """Return whether two links have the same page and fragment as target, or the same text.

        ``../notebooks/quickstart.html#id1`` and ``quickstart.md#id1`` are the same page.
        """
        is_same_page = _page(self.target) == _page(other.target) != ""
        return self.mark == other.mark and (is_same_page or self.words == other.words)

    @property
    def words(self) -> str:
        """Return the text without emphasis and code marks: ``[`jax.jit`](a.md)`` → ``jax.jit``."""
        return self.text.strip("`*_ ").lower()

    def written(self, target: str, markup: Markup) -> str:
        """Return the source of the link in the given markup, with another target."""
        if markup is Markup.RST:
            return f"`{self.text.strip('`')} <{target}>`__"
        return f"{self.mark}[{self.text}]({target})"


def _with_links(english: str, chinese: str, markup: Markup) -> str:
    """Return the Chinese with the link targets of the English, which web copies change."""
    pattern = _RST_LINK if markup is Markup.RST else _LINK
    ours = [_Link(*match.groups()) for match in pattern.finditer(english)]
    theirs = [_Link(*match.groups()) for match in _LINK.finditer(chinese)]
    # In the English, the text of a role or another atom is not a link.
    names = {plain_atom(atom) for atom in atoms_of(english, markup)}
    left = list(ours)
    targets: dict[int, str] = {}
    unknown: list[int] = []
    for number, link in enumerate(theirs):
        like = [other for other in left if other.is_like(link)]
        # If several links match, the choice is ambiguous.
        if len(like) == 1:
            left.remove(like[0])
            targets[number] = like[0].target
        elif link.text.strip("`") not in names:
            unknown.append(number)
    # If one link is left on each side, they belong together.
    if len(unknown) == len(left) == 1:
        targets[unknown[0]] = left.pop().target
    numbers = iter(range(len(theirs)))

    def relinked(match: re.Match[str]) -> str:
        number = next(numbers)
        link = theirs[number]
        if number in targets:
            return link.written(targets[number], markup)
        is_ours = number in unknown and ours
        return match[0] if link.mark or is_ours else link.text

    return _with_lost_links(_LINK.sub(relinked, chinese), left, markup)


def _with_lost_links(chinese: str, lost: Iterable[_Link], markup: Markup) -> str:
    """Return the text with links restored around names that occur in it exactly once."""
    for link in lost:
        name = re.escape(link.text.strip("`*_"))
        # The first alternatives match existing links, so that no link is nested in another one.
        pattern = re.compile(
            rf"{_LINK.pattern}|{_RST_LINK.pattern.replace('?P<', '?P<rst_')}"
            rf"|(?P<name>(?<![\w.$\\])`?{name}`?(?![\w$]|\.\w))",
            re.ASCII,
        )
        places = [match for match in pattern.finditer(chinese) if match["name"]]
        if len(places) == 1 and _LATIN.search(name):
            start, end = places[0].span()
            written = link.written(link.target, markup)
            chinese = f"{chinese[:start]}{written}{chinese[end:]}"
    return chinese


def _page(target: str) -> str:
    """Return page name and fragment: ``../notebooks/quickstart.html#id1`` → ``quickstart#id1``."""
    path, mark, fragment = target.lower().partition("#")
    name = path.rstrip("/").rpartition("/")[2]
    return f"{_SUFFIX.sub('', name)}{mark}{fragment}"


def _with_spans(english: str, chinese: str, markup: Markup) -> str:
    """Return the Chinese with the code spans, roles and formulas of the English.

    Atoms already in place are kept; of the others, the unambiguous ones are restored.
    """
    hidden: list[str] = []

    def hide(atom: str) -> str:
        """Return a placeholder for ``atom``, which hides it from later searches."""
        hidden.append(atom)
        return _HIDDEN.format(len(hidden) - 1)

    lacking = Counter(atom for atom in atoms_of(english, markup) if plain_atom(atom))
    for atom in sorted(lacking, key=len, reverse=True):
        for _ in range(min(chinese.count(atom), lacking[atom])):
            chinese = chinese.replace(atom, hide(atom), 1)
            lacking[atom] -= 1
    # Keep URLs and link targets as well.
    chinese = _URL.sub(lambda url: hide(url[0]), chinese)
    by_text: dict[str, list[str]] = {}
    for atom in +lacking:
        by_text.setdefault(_shown(atom), []).append(atom)
    # The longest text first, because ``jnp.array`` contains ``array``. Atoms with equal text are
    # ambiguous.
    for text in sorted(by_text, key=len, reverse=True):
        atom, *others = by_text[text]
        if others:
            continue
        pattern = _place_of(atom, chinese, lacking[atom])
        if pattern is not None:
            chinese = pattern.sub(hide(atom), chinese)
    if markup is Markup.RST:
        chinese = _CODE.sub(r"``\g<text>``", chinese)
    # A hidden text may contain earlier placeholders, so repeat.
    while _SHOWN.search(chinese):
        chinese = _SHOWN.sub(lambda match: hidden[int(match[1])], chinese)
    return chinese


def _place_of(atom: str, chinese: str, count: int) -> re.Pattern[str] | None:
    """Return a pattern for the atom's text, or None unless it matches exactly ``count`` times.

    Longer texts are tried before shorter ones, and text with foreign markup before plain text.
    """
    plain = plain_atom(atom)
    texts = {_shown(atom), plain} - {""}
    if _ROLE.match(atom):
        texts.add(f"{plain.rpartition('.')[2]}()")  # as Sphinx shows it
    for text in sorted(texts, key=len, reverse=True):
        spaced = r"\s*".join(map(re.escape, text.split())) or re.escape(text)
        marked = (
            rf"(?:\{{[\w:+-]+\}}|:[\w.:+-]+:)?``?\s*~?{spaced}\s*``?"
            rf"|\\\(\s*{spaced}\s*\\\)|\${spaced}\$"
        )
        for source in (marked, f"{_NAME_BEFORE}{spaced}{_NAME_BEHIND}"):
            pattern = re.compile(source)
            places = len(pattern.findall(chinese))
            if places:
                # another number of matches is ambiguous
                return pattern if places == count else None
    return None


def _shown(atom: str) -> str:
    """Return the visible text of an atom: ``{func}`~jax.jit``` shows as ``jit``."""
    if not _ROLE.match(atom):
        return atom.strip("`$").strip()
    body = atom.strip("`$").partition("`")[2].rstrip("`_")
    title, _, target = body.partition("<")
    if target:
        return title.strip()
    if body.startswith("~"):
        return body.rpartition(".")[2]
    return body.lstrip("!")
