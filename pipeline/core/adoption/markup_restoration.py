"""Restoration of markup that a copy has lost: code spans, roles, links and formulas.

In a message, these parts are called atoms. ``restore`` takes an English message and its Chinese,
and puts lost atoms into the Chinese: "这里用jax.jit。" → "这里用`jax.jit`。". An atom is restored
only if its position is unambiguous: the Chinese has the text of the atom exactly as often as the
atom is missing. Words are never changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from pipeline.core.adoption.blocks import plain_atom
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import atoms_of

_LINK = re.compile(
    r"(?P<mark>!?)\[(?P<text>[^\[\]]*)\]"
    r"\((?P<target>[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
)
_RST_LINK = re.compile(r"(?P<mark>)`(?P<text>[^`<>]+?)\s*<(?P<target>[^<>`]+)>`__?")
# A code span in Markdown, but not the text of a reST role or link.
_CODE = re.compile(r"(?<![`:}])`(?!`)(?P<text>[^`]+)(?<!`)`(?![`_])")
# A URL or link target. Chinese may follow a URL without a space.
_URL = re.compile(r"\]\([^()]*\)|<?https?://[!-~]+")
_ROLE = re.compile(r"^(?:\{[\w:+-]+\}|:[\w.:+-]+:)`")
_NAME_BEFORE, _NAME_BEHIND = (
    r"(?<![A-Za-z0-9_.`$\\])",
    r"(?![A-Za-z0-9_`$]|\.[A-Za-z0-9_])",
)
_SUFFIX = re.compile(r"\.(?:html|md|ipynb|rst)$")
_LATIN = re.compile("[A-Za-z]")
_HIDDEN = "\ue000{}\ue001"  # placeholder for an atom that must not be searched
_SHOWN = re.compile("\ue000(\\d+)\ue001")


def restore(english: str, chinese: str, markup: Markup = Markup.MARKDOWN) -> str:
    """Return ``chinese`` with the lost atoms of ``english`` whose position is unambiguous.

    >>> restore("Use `jax.jit` here.", "这里用jax.jit。")
    '这里用`jax.jit`。'
    """
    return _with_spans(english, _with_links(english, chinese, markup), markup)


class _Link(NamedTuple):
    """Link or image in the English or in the Chinese."""

    mark: str  # "!" for an image, otherwise ""
    text: str
    target: str

    def is_like(self, other: _Link) -> bool:
        """Return whether two links have the same target or the same text.

        The targets ``../notebooks/quickstart.html#id1`` and ``quickstart.md#id1`` are the same.
        """
        is_same_page = _page(self.target) == _page(other.target) != ""
        return self.mark == other.mark and (is_same_page or self.words == other.words)

    @property
    def words(self) -> str:
        """Return the text in lower case, without marks of emphasis and code."""
        return self.text.strip("`*_ ").lower()

    def written(self, target: str, markup: Markup) -> str:
        """Return the source of the link in ``markup``, with ``target`` in place of its own."""
        if markup is Markup.RST:
            return f"`{self.text.strip('`')} <{target}>`__"
        return f"{self.mark}[{self.text}]({target})"


def _with_links(english: str, chinese: str, markup: Markup) -> str:
    """Return the Chinese with the link targets of the English, because copies often change them."""
    pattern = _RST_LINK if markup is Markup.RST else _LINK
    ours = [_Link(*match.groups()) for match in pattern.finditer(english)]
    theirs = [_Link(*match.groups()) for match in _LINK.finditer(chinese)]
    # The texts of roles and other atoms in the English. If a Chinese link has such a text, a
    # converter has made the link from the atom, so only the text of the link is kept.
    names = set(map(plain_atom, atoms_of(english, markup)))
    left = list(ours)
    targets: dict[int, str] = {}
    unknown: list[int] = []
    for number, link in enumerate(theirs):
        like = [other for other in left if other.is_like(link)]
        # If several links match, leave the choice to a person.
        if len(like) == 1:
            left.remove(like[0])
            targets[number] = like[0].target
        elif link.text.strip("`") not in names:
            unknown.append(number)
    # If exactly one link is left on each side, the two belong together.
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
    """Return ``chinese`` with ``lost`` links put around their texts.

    A link is added only if its text has Latin letters and occurs exactly once.
    """
    for link in lost:
        name = re.escape(link.text.strip("`*_"))
        # The first alternatives match existing links, so that a text inside a link is not found.
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
    """Return page and fragment of a target: ``../a/quickstart.html#id1`` → ``quickstart#id1``."""
    path, mark, fragment = target.lower().partition("#")
    name = path.rstrip("/").rpartition("/")[2]
    return f"{_SUFFIX.sub('', name)}{mark}{fragment}"


def _with_spans(english: str, chinese: str, markup: Markup) -> str:
    """Return the Chinese with the lost code spans, roles and formulas of the English."""
    hidden: list[str] = []

    def hide(atom: str) -> str:
        """Return a placeholder for ``atom``, which hides it from later searches."""
        hidden.append(atom)
        return _HIDDEN.format(len(hidden) - 1)

    lacking = Counter(filter(plain_atom, atoms_of(english, markup)))
    for atom in sorted(lacking, key=len, reverse=True):
        for _ in range(min(chinese.count(atom), lacking[atom])):
            chinese = chinese.replace(atom, hide(atom), 1)
            lacking[atom] -= 1
    # Hide URLs and link targets as well, because they may contain names.
    chinese = _URL.sub(lambda url: hide(url[0]), chinese)
    by_text: dict[str, list[str]] = {}
    for atom in +lacking:
        by_text.setdefault(_shown(atom), []).append(atom)
    # Take the longest text first, because ``jnp.array`` contains ``array``. If several atoms have
    # the same text, skip them, because it is unknown which of them is meant.
    for text in sorted(by_text, key=len, reverse=True):
        atom, *others = by_text[text]
        if others:
            continue
        pattern = _place_of(atom, chinese, lacking[atom])
        if pattern is not None:
            chinese = pattern.sub(hide(atom), chinese)
    if markup is Markup.RST:
        chinese = _CODE.sub(r"``\g<text>``", chinese)
    # Replace each placeholder by the text that it hides. Repeat, because a hidden text may contain
    # further placeholders.
    while _SHOWN.search(chinese):
        chinese = _SHOWN.sub(lambda match: hidden[int(match[1])], chinese)
    return chinese


def _place_of(atom: str, chinese: str, count: int) -> re.Pattern[str] | None:
    """Return a pattern that finds an atom without its markup, or None if its places are ambiguous.

    The pattern matches exactly ``count`` times in ``chinese``. An atom may appear under several
    texts: the role "{func}`~jax.jit`" under ``jax.jit``, ``jit()`` and ``jit``. Try the longest
    text first. For each text, first search for it with any marks around it, then without marks.
    """
    plain = plain_atom(atom)
    texts = {_shown(atom), plain} - {""}
    if _ROLE.match(atom):
        texts.add(f"{plain.rpartition('.')[2]}()")  # the text in Sphinx's HTML
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
                # With more or fewer matches, the places are ambiguous.
                return pattern if places == count else None
    return None


def _shown(atom: str) -> str:
    """Return the visible text of an atom: "{func}`~jax.jit`" shows as ``jit``."""
    if not _ROLE.match(atom):
        return atom.strip("`$").strip()
    body = atom.strip("`$").partition("`")[2].rstrip("`_")
    title, _, target = body.partition("<")
    if target:
        return title.strip()
    if body.startswith("~"):
        return body.rpartition(".")[2]
    return body.lstrip("!")
