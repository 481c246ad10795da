"""Putting back what a copy has lost of a message: its code spans, roles, links and formulas.

English and Chinese go in, Chinese comes out. An atom is put back only where it is clear which words
it goes around: where the copy has its text as often as the English lacks it there. Words are never
changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from pipeline.core.adoption.evidence import plain_atom
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import atoms_of

_LINK = re.compile(
    r"(?<!!)\[(?P<text>[^\[\]]*)\]\((?P<target>[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
)
_RST_LINK = re.compile(r"`(?P<text>[^`<>]+?)\s*<(?P<target>[^<>`]+)>`__?")
# A code span of Markdown; not the text of a role, or of a link, in reST.
_CODE = re.compile(r"(?<![`:}])`(?!`)(?P<text>[^`]+)(?<!`)`(?![`_])")
_URL = re.compile(
    r"\]\([^()]*\)|<?https?://[!-~]+"
)  # Chinese may follow without a space
_ROLE = re.compile(r"^(?:\{[\w:+-]+\}|:[\w.:+-]+:)`")
_IMAGE = re.compile(r"(?P<mark>!\[[^\[\]]*\]\()(?P<target>[^()\s]+)\)")
_NAME_BEFORE, _NAME_BEHIND = (
    r"(?<![A-Za-z0-9_.`$\\])",
    r"(?![A-Za-z0-9_`$]|\.[A-Za-z0-9_])",
)
# The same for the text of a link, which may be a code span.
_LINK_BEFORE, _LINK_BEHIND = (
    r"(?<![A-Za-z0-9_.$\\])",
    r"(?![A-Za-z0-9_$]|\.[A-Za-z0-9_])",
)
_HIDDEN = "\ue000{}\ue001"  # stands for an atom that is in its place
_SHOWN = re.compile("\ue000(\\d+)\ue001")


def restore(english: str, chinese: str, markup: Markup = Markup.MARKDOWN) -> str:
    """``chinese`` with those atoms of ``english`` that it lost where that is clear.

    >>> restore("Use `jax.jit` here.", "这里用jax.jit。")
    '这里用`jax.jit`。'
    """
    restored = _with_links(english, _with_images(english, chinese), markup)
    return _with_spans(english, restored, markup)


def _with_images(english: str, chinese: str) -> str:
    """Images with the targets of the English: a copy has them elsewhere."""
    ours = [match["target"] for match in _IMAGE.finditer(english)]
    theirs = [match["target"] for match in _IMAGE.finditer(chinese)]
    if len(ours) != len(theirs) or ours == theirs:
        return chinese
    targets = iter(ours)
    return _IMAGE.sub(lambda match: f"{match['mark']}{next(targets)})", chinese)


class _Link(NamedTuple):
    """A link of either side."""

    text: str
    target: str

    @property
    def bare(self) -> str:
        """Its text without marks."""
        return self.text.strip("`*_ ")

    def written(self, target: str, markup: Markup) -> str:
        """The link as the language writes it, with another target."""
        if markup is Markup.RST:
            return f"`{self.text.strip('`')} <{target}>`__"
        return f"[{self.text}]({target})"


def _links_in(text: str, pattern: re.Pattern[str]) -> list[_Link]:
    return [_Link(match["text"], match["target"]) for match in pattern.finditer(text)]


def _with_links(english: str, chinese: str, markup: Markup) -> str:
    """Links with the targets of the English, which a page on the web has elsewhere."""
    ours = _links_in(english, _RST_LINK if markup is Markup.RST else _LINK)
    theirs = _links_in(chinese, _LINK)
    # What is the text of an atom, a role for one, is no link in the English.
    roles = {plain_atom(atom) for atom in atoms_of(english, markup)}
    targets, lost = _targets(ours, theirs, roles)
    links = iter(enumerate(theirs))

    def relinked(match: re.Match[str]) -> str:
        at, link = next(links)
        if at in targets:
            return link.written(targets[at], markup)
        # The page on the web has made a link of a name; the English has none there.
        is_name = link.text.strip("`") in roles or not ours
        return link.text if is_name else match[0]

    return _with_lost_links(_LINK.sub(relinked, chinese), lost, markup)


def _targets(
    ours: Sequence[_Link], theirs: Sequence[_Link], roles: Container[str]
) -> tuple[dict[int, str], list[_Link]]:
    """The target of each link of the copy, by number, and the links that it has lost."""
    targets: dict[int, str] = {}
    left = list(ours)
    for same in (_is_same_target, _is_same_text):
        for at, link in enumerate(theirs):
            fits = [our for our in left if same(our, link)]
            if at not in targets and len(fits) == 1:
                targets[at] = fits[0].target
                left.remove(fits[0])
    unknown = [at for at in range(len(theirs)) if at not in targets]
    unknown = [at for at in unknown if theirs[at].text.strip("`") not in roles]
    # The last one on either side: they belong together, whatever they say.
    if len(unknown) == len(left) == 1:
        targets[unknown[0]] = left.pop().target
    return targets, left


def _with_lost_links(chinese: str, lost: Sequence[_Link], markup: Markup) -> str:
    """Links whose text stands in the copy as it is in the English, once: a name."""
    for link in lost:
        name = re.escape(link.text.strip("`*_"))
        pattern = re.compile(f"{_LINK_BEFORE}`?{name}`?{_LINK_BEHIND}")
        found = pattern.finditer(chinese)
        places = [match for match in found if not _is_inside(chinese, match)]
        if len(places) == 1 and re.search("[A-Za-z]", name):
            start, end = places[0].span()
            written = link.written(link.target, markup)
            chinese = f"{chinese[:start]}{written}{chinese[end:]}"
    return chinese


def _is_inside(text: str, match: re.Match[str]) -> bool:
    """Whether a place is within a link or a code span already."""
    for pattern in (_LINK, _RST_LINK, _IMAGE):
        for other in pattern.finditer(text):
            if other.start() < match.end() and match.start() < other.end():
                return True
    return False


def _is_same_target(ours: _Link, theirs: _Link) -> bool:
    """Whether two links lead to the same page, whatever it is called where the copy stands."""
    return _page(ours.target) == _page(theirs.target) != ""


def _is_same_text(ours: _Link, theirs: _Link) -> bool:
    return ours.bare.lower() == theirs.bare.lower()


def _page(target: str) -> str:
    """``../notebooks/quickstart.html#id1`` → ``quickstart#id1``."""
    path, _, fragment = target.partition("#")
    name = path.rstrip("/").rpartition("/")[2]
    name = re.sub(r"\.(?:html|md|ipynb|rst)$", "", name).lower()
    return f"{name}#{fragment.lower()}" if fragment else name


def _with_spans(english: str, chinese: str, markup: Markup) -> str:
    """Code spans, roles and formulas as the English has them."""
    atoms = [atom for atom in atoms_of(english, markup) if plain_atom(atom)]
    hidden: list[str] = []

    def hide(atom: str) -> str:
        hidden.append(atom)
        return _HIDDEN.format(len(hidden) - 1)

    # What is there already stays, and is not looked at again.
    wanted = Counter(atoms)
    for atom in sorted(set(wanted), key=len, reverse=True):
        present = min(chinese.count(atom), wanted[atom])
        for _ in range(present):
            chinese = chinese.replace(atom, hide(atom), 1)
        wanted[atom] -= present
    # Nor is what leads somewhere.
    chinese = _URL.sub(lambda url: hide(url[0]), chinese)
    lacking = Counter({atom: count for atom, count in wanted.items() if count})
    by_text: dict[str, list[str]] = {}
    for atom in lacking:
        by_text.setdefault(_shown(atom), []).append(atom)
    # The longest first: "jnp.array" holds "array".
    for text in sorted(by_text, key=len, reverse=True):
        forms = by_text[text]
        if len(forms) > 1:
            continue  # two atoms look alike: nobody knows which is which
        chinese = _put_back(chinese, forms[0], lacking[forms[0]], hide, hidden)
    if markup is Markup.RST:
        chinese = _CODE.sub(r"``\g<text>``", chinese)
    return _show(chinese, hidden)


def _put_back(
    chinese: str, atom: str, count: int, hide: Callable[[str], str], hidden: list[str]
) -> str:
    """``chinese`` with ``atom`` in place of its text, if that is there just as often."""
    texts = {_shown(atom), plain_atom(atom), _last_name(atom)} - {""}
    # The longest first: "heat()" holds "heat".
    for text in sorted(texts, key=len, reverse=True):
        spaced = r"\s*".join(map(re.escape, text.split())) or re.escape(text)
        # With the marks of another language around it, or with none.
        marked = re.compile(
            rf"(?:\{{[\w:+-]+\}}|:[\w.:+-]+:)?``?\s*~?{spaced}\s*``?|\\\(\s*{spaced}\s*\\\)|\${spaced}\$"
        )
        bare = re.compile(f"{_NAME_BEFORE}{spaced}{_NAME_BEHIND}")
        for pattern in (marked, bare):
            places = pattern.findall(chinese)
            if len(places) == count:
                return pattern.sub(lambda _: hide(atom), chinese)
            if places:
                return chinese  # more or fewer than there should be: not clear
    return chinese


def _shown(atom: str) -> str:
    """What a reader sees of an atom: ``{func}`~jax.jit``` shows as ``jit``."""
    body = atom.strip("`$")
    if _ROLE.match(atom):
        body = atom.partition("`")[2].rstrip("`_")
        title, _, target = body.partition("<")
        if target:
            return title.strip()
        if body.startswith("~"):
            return body.rpartition(".")[2]
        return body.lstrip("!")
    return body.strip("`").strip()


def _last_name(atom: str) -> str:
    """``{func}`jax.numpy.dot``` is often shown as ``dot()``: its last part, for roles only."""
    return f"{plain_atom(atom).rpartition('.')[2]}()" if _ROLE.match(atom) else ""


def _show(text: str, hidden: list[str]) -> str:
    while match := _SHOWN.search(text):
        text = text[: match.start()] + hidden[int(match[1])] + text[match.end() :]
    return text
