"""Putting back what a copy has lost of a message: its code spans, roles, links and formulas.

English and Chinese go in, Chinese comes out. An atom is put back only where it is clear which words
it goes around: where the copy has its text as often as the English lacks it there. Words are never
changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
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
_LATIN = re.compile("[A-Za-z]")
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
    """Images with the targets of the English: a copy has them elsewhere.

    Only if both sides have as many: else nobody knows which is which.
    """
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
        """Its text without marks: by that the links of both sides are compared.

        ``[`jax.jit`](a.md)`` → ``jax.jit``
        """
        return self.text.strip("`*_ ")

    def written(self, target: str, markup: Markup) -> str:
        """The link as the language writes it, with another target.

        Markdown ``[text](target)``, reST `` `text <target>`__ ``.
        """
        if markup is Markup.RST:
            return f"`{self.text.strip('`')} <{target}>`__"
        return f"[{self.text}]({target})"


def _links_in(text: str, pattern: re.Pattern[str]) -> list[_Link]:
    """The links of a text, in order.

    ``pattern`` has a group for the text and one for the target.
    """
    return [_Link(match["text"], match["target"]) for match in pattern.finditer(text)]


def _with_links(english: str, chinese: str, markup: Markup) -> str:
    """Links with the targets of the English, which a page on the web has elsewhere."""
    ours = _links_in(english, _RST_LINK if markup is Markup.RST else _LINK)
    theirs = _links_in(chinese, _LINK)
    # What is the text of an atom, a role for one, is no link in the English.
    names = {plain_atom(atom) for atom in atoms_of(english, markup)}
    relinking = _Relinking(ours, theirs, names)
    targets, lost = relinking.targets()
    links = iter(enumerate(theirs))

    def relinked(match: re.Match[str]) -> str:
        number, link = next(links)
        if number in targets:
            return link.written(targets[number], markup)
        # The page on the web has made a link of a name; the English has none there.
        if relinking.is_name(link) or not ours:
            return link.text
        return match[0]

    return _with_lost_links(_LINK.sub(relinked, chinese), lost, markup)


class _Relinking(NamedTuple):
    """Tells which link of the English each link of a copy is.

    ``names`` are the texts of the English that are no links, but look like some on the web.
    """

    ours: Sequence[_Link]
    theirs: Sequence[_Link]
    names: Container[str]

    def is_name(self, link: _Link) -> bool:
        """Whether a link of the copy is a name in code in the English.

        Sphinx makes a link of ``{func}`jax.jit```, and a web page has that.
        """
        return link.text.strip("`") in self.names

    def targets(self) -> tuple[dict[int, str], list[_Link]]:
        """The target of each link of the copy, by number, and the links that it has lost."""
        targets: dict[int, str] = {}
        left = list(self.ours)
        for is_same in (_is_same_target, _is_same_text):
            for number in self._unknown(targets):
                fits = [our for our in left if is_same(our, self.theirs[number])]
                # Of two that fit nobody knows which it is.
                if len(fits) == 1:
                    targets[number] = fits[0].target
                    left.remove(fits[0])
        # The last one on either side: they belong together, whatever they say.
        unknown = self._unknown(targets)
        unknown = [at for at in unknown if not self.is_name(self.theirs[at])]
        if len(unknown) == len(left) == 1:
            targets[unknown[0]] = left.pop().target
        return targets, left

    def _unknown(self, targets: Container[int]) -> list[int]:
        """The links of the copy, by number, that have no target yet.

        They come in the order of the copy, so that the first of two that are alike is served first.
        """
        return [at for at in range(len(self.theirs)) if at not in targets]


def _with_lost_links(chinese: str, lost: Sequence[_Link], markup: Markup) -> str:
    """Links whose text stands in the copy as it is in the English, once: a name."""
    for link in lost:
        if not _LATIN.search(link.bare):
            continue
        name = re.escape(link.text.strip("`*_"))
        pattern = re.compile(f"{_LINK_BEFORE}`?{name}`?{_LINK_BEHIND}")
        taken = _linked(chinese)
        places = [
            match.span()
            for match in pattern.finditer(chinese)
            if taken.isdisjoint(range(*match.span()))
        ]
        if len(places) == 1:
            start, end = places[0]
            written = link.written(link.target, markup)
            chinese = f"{chinese[:start]}{written}{chinese[end:]}"
    return chinese


def _linked(text: str) -> set[int]:
    """The offsets of a text that links and images take.

    A link that is put there would be a link in a link, which no language has.
    """
    taken: set[int] = set()
    for pattern in (_LINK, _RST_LINK, _IMAGE):
        for match in pattern.finditer(text):
            taken.update(range(*match.span()))
    return taken


def _is_same_target(ours: _Link, theirs: _Link) -> bool:
    """Whether two links lead to the same page, whatever it is called where the copy stands.

    ``../notebooks/quickstart.html#id1`` and ``quickstart.md#id1`` do; two empty ones do not.
    """
    return _page(ours.target) == _page(theirs.target) != ""


def _is_same_text(ours: _Link, theirs: _Link) -> bool:
    """Whether two links say the same, whatever marks stand around it.

    ``[`jax.jit`](a)`` and ``[Jax.jit](b)`` do.
    """
    return ours.bare.lower() == theirs.bare.lower()


def _page(target: str) -> str:
    """``../notebooks/quickstart.html#id1`` → ``quickstart#id1``."""
    path, _, fragment = target.partition("#")
    name = path.rstrip("/").rpartition("/")[2]
    name = re.sub(r"\.(?:html|md|ipynb|rst)$", "", name).lower()
    return f"{name}#{fragment.lower()}" if fragment else name


class _Hiding:
    """Takes what is in its place out of a text, so that it is not looked at again."""

    def __init__(self) -> None:
        self._hidden: list[str] = []

    def hide(self, atom: str) -> str:
        """What stands for ``atom`` from now on."""
        self._hidden.append(atom)
        return _HIDDEN.format(len(self._hidden) - 1)

    def show(self, text: str) -> str:
        """``text`` with all that was hidden; what is hidden may hold what was hidden before it."""
        while match := _SHOWN.search(text):
            atom = self._hidden[int(match[1])]
            text = f"{text[: match.start()]}{atom}{text[match.end() :]}"
        return text


def _with_spans(english: str, chinese: str, markup: Markup) -> str:
    """Code spans, roles and formulas as the English has them.

    What is in its place already stays there; of the rest, what is clear is put back.
    """
    hiding = _Hiding()
    lacking = Counter(atom for atom in atoms_of(english, markup) if plain_atom(atom))
    for atom in sorted(lacking, key=len, reverse=True):
        # What is there already stays.
        for _ in range(min(chinese.count(atom), lacking[atom])):
            chinese = chinese.replace(atom, hiding.hide(atom), 1)
            lacking[atom] -= 1
    # So does what leads somewhere.
    chinese = _URL.sub(lambda url: hiding.hide(url[0]), chinese)
    for atom in _clear(+lacking):
        chinese = _put_back(chinese, atom, lacking[atom], hiding)
    if markup is Markup.RST:
        chinese = _CODE.sub(r"``\g<text>``", chinese)
    return hiding.show(chinese)


def _clear(atoms: Iterable[str]) -> list[str]:
    """Those of ``atoms`` that look like no other one of them: else nobody knows which is which.

    The longest comes first: ``jnp.array`` holds ``array``.
    """
    by_text: dict[str, list[str]] = {}
    for atom in atoms:
        by_text.setdefault(_shown(atom), []).append(atom)
    texts = sorted(by_text, key=len, reverse=True)
    return [by_text[text][0] for text in texts if len(by_text[text]) == 1]


def _put_back(chinese: str, atom: str, count: int, hiding: _Hiding) -> str:
    """``chinese`` with ``atom`` in place of its text, if that is there just as often.

    ``count`` says how often the English has it and the copy has not. The longest text is tried
    first: ``heat()`` holds ``heat``.
    """
    texts = {_shown(atom), plain_atom(atom), _last_name(atom)} - {""}
    for text in sorted(texts, key=len, reverse=True):
        for pattern in _patterns(text):
            places = pattern.findall(chinese)
            if len(places) == count:
                return pattern.sub(lambda _: hiding.hide(atom), chinese)
            if places:
                return chinese  # more or fewer than there should be: not clear
    return chinese


def _patterns(text: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What the text of an atom looks like: with the marks of another language, and with none."""
    spaced = r"\s*".join(map(re.escape, text.split())) or re.escape(text)
    marked = re.compile(
        rf"(?:\{{[\w:+-]+\}}|:[\w.:+-]+:)?``?\s*~?{spaced}\s*``?|\\\(\s*{spaced}\s*\\\)|\${spaced}\$"
    )
    return marked, re.compile(f"{_NAME_BEFORE}{spaced}{_NAME_BEHIND}")


def _shown(atom: str) -> str:
    """What a reader sees of an atom: ``{func}`~jax.jit``` shows as ``jit``."""
    if not _ROLE.match(atom):
        return atom.strip("`$").strip()
    body = atom.strip("`$").partition("`")[2].rstrip("`_")
    title, _, target = body.partition("<")
    if target:
        return title.strip()
    if body.startswith("~"):
        return body.rpartition(".")[2]
    return body.lstrip("!")


def _last_name(atom: str) -> str:
    """The last part of a role with brackets, as Sphinx shows it; empty for what is no role.

    ``{func}`jax.numpy.dot``` → ``dot()``. A code span is shown as it is.
    """
    if not _ROLE.match(atom):
        return ""
    return f"{plain_atom(atom).rpartition('.')[2]}()"
