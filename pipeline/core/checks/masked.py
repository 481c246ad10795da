"""Masked texts, in which stand-ins hide markup and atoms, and the sentences of such texts.

:func:`masked` replaces each character of markup and atoms by one stand-in character. The length is
unchanged, so a position in the masked text is also valid in the original. The checks of typography
and meaning read masked texts, so they need not parse markup.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from pipeline.core.document import prose
from pipeline.core.document.message import Markup
from pipeline.tables import read_table

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# The stand-ins are private-use code points, so they never occur in a text itself.
WORD = "\ue000"  # code, a formula or a role: a reader sees a word
URL = "\ue001"  # a bare URL: like a word, but it needs a space after it
# Opening markup, which is invisible: ``**``, the ``[`` of a link, ``<a>``. It belongs to
# the text after it.
OPEN = "\ue002"
# Closing markup, which is invisible: ``**``, ``](target)``, ``</a>``, ``[^1]``. It
# belongs to the text before it.
CLOSE = "\ue003"
# An image, an escaped character or ``<br>``. Any character may be next to it.
OTHER = "\ue004"
# The end of a link, ``](target)``. `_without_marks` replaces it by CLOSE.
_TARGET = "\ue005"
_PATTERNS = read_table(__name__, "patterns")


def read_pattern(name: str, **values: str) -> str:
    """Return a pattern of ``patterns.toml`` with values in the place of names such as ``«HAN»``."""
    pattern: str = _PATTERNS[name]
    values |= {"HAN": HAN, "WORD": WORD, "URL": URL, "OPEN": OPEN, "CLOSE": CLOSE}
    for key, value in values.items():
        pattern = pattern.replace(f"«{key}»", value)
    return pattern


# A text without a match has nothing to mask.
_ANY = {
    Markup.MARKDOWN: re.compile(r"[`*_~$<>\[\]{}&\\]|http"),
    Markup.RST: re.compile(r"[`*_|\\]|http"),
}
_WIDE = rf"{HAN}\u3000-\u303f\uff00-\uffef"
_URL_END = re.compile(rf"[{_WIDE}“”‘’…—]|[.,;:!?)\]\"'*]+(?:$|(?=[{_WIDE}]))")
_ROLE = re.compile(r"(\{[\w+:-]+\}`+)(.*?)(\s*<[^<>`]*>`+|`+)", re.DOTALL)
_VOID = re.compile(r"<(?:area|br|col|hr|img|input|wbr)\b|<!--|.*/>", re.DOTALL | re.IGNORECASE)
_AUTOLINK = re.compile(r"<[A-Za-z][\w+.-]*:")
_RST_ROLE = re.compile(r"(:[\w.+:-]+:`|`)(.*?)(\s*<[^<>`]*>`|`_|`(?::[\w.+:-]+:)?)", re.DOTALL)
_RST_MARK = re.compile(r"\\(?P<gap>\s)|\\.|(?P<run>\*{1,2})", re.DOTALL)
_MAYBE_MARK = re.compile(rf"[\\*_~\[\]{_TARGET}]")
_MARK = re.compile(read_pattern("mark", TARGET=_TARGET), re.VERBOSE)


@lru_cache(maxsize=256)
def masked(text: str, markup: Markup = Markup.MARKDOWN) -> str:
    """Return ``text`` with each character of atoms and markup replaced by a stand-in.

    The length is unchanged. In this example, O is :data:`OPEN`, C is :data:`CLOSE` and W is
    :data:`WORD`::

        用 **`f`** 求[梯度](a.md)  ->  用 OOWWWCC 求O梯度CCCCCCC
    """
    if not _ANY[markup].search(text):
        return text
    # Mask the atoms first, because a star inside code or a target is not markup.
    if markup is Markup.RST:
        return _without_marks(prose.replace_atoms(text, _rst_stand_in, markup), _RST_MARK)
    return _without_marks(prose.replace_atoms(text, _stand_in), _MARK)


def _stand_in(atom: str) -> str:
    """Return stand-ins for a Markdown atom, as many as it has characters.

    The first character identifies the class of the atom. The atom of a bare URL extends to the next
    white space, so it may include Chinese text after the URL. That text is not masked.
    """
    size = len(atom)
    match atom[0]:
        case "]":  # ](target)
            return _TARGET * size
        case "[":  # [^1]
            return CLOSE * size
        case "&" | "!":  # &lt; or an image
            return OTHER * size
        case "h":  # https://…
            end = _url_end(atom)
            return URL * end + atom[end:]
        case "<":
            return _tag(atom) * size
        case "{" if role := _ROLE.fullmatch(atom):
            return _role(*role.groups())
        case _:
            return WORD * size


def _rst_stand_in(atom: str) -> str:
    """Return stand-ins for a reST atom, as many as it has characters.

    A link such as "`词 <https://a.b>`_" consists of two atoms with the translatable words between
    them. The first atom is the backquote, the second one is ``<https://a.b>`_``.
    """
    size = len(atom)
    if atom == "`":  # the start of a link
        return OPEN
    if atom[0] in " \t\n<[" or atom == "`__":  # the target of a link, a footnote mark
        return CLOSE * size
    if atom.startswith("http"):
        return _stand_in(atom)
    if atom[0] == "|":  # a substitution: its replacement is unknown
        return OTHER * size
    if atom.startswith("``"):  # code, which the pattern of roles would match as well
        return WORD * size
    if role := _RST_ROLE.fullmatch(atom):
        return _role(*role.groups())
    return WORD * size


def _url_end(url: str) -> int:
    """Return the length of the bare URL at the start of an atom, in characters.

    The atom extends to the next white space: ``https://a.b/c，再看`` -> 13
    """
    match = _URL_END.search(url)
    if not match:
        return len(url)
    return match.start()


def _tag(atom: str) -> str:
    """Return the stand-in character for an HTML tag, a comment or an autolink."""
    if atom.startswith("</"):
        return CLOSE
    if _AUTOLINK.match(atom):  # <https://a.b> reads as a word
        return WORD
    if _VOID.match(atom):  # <br> and <img> have no closing tag
        return OTHER
    return OPEN  # <b> opens an element


def _role(opening: str, title: str, closing: str) -> str:
    """Return the stand-ins for a role: only :data:`WORD`, unless its title contains Chinese.

    ``opening`` and ``closing`` are the source before and after the title. Keep the first and the
    last character of a Chinese title. The checks of spaces compare them with the text around the
    role::

        {ref}`梯度表 <a>`  ->  OOOOOO梯.表CCCCC      (. is `OTHER`)
    """
    if not re.search(f"[{HAN}]", title):
        return WORD * (len(opening) + len(title) + len(closing))
    seen = [OTHER] * len(title)
    for edge in (0, -1):
        if title[edge].isalnum():
            seen[edge] = title[edge]
    return OPEN * len(opening) + "".join(seen) + CLOSE * len(closing)


class _Run(Struct):
    """A run of equal emphasis marks (``*``, ``_`` or ``~``) that opens emphasis.

    ``size`` is the number of marks that are still open: 1 for ``***`` after a later ``**`` has
    closed two of them.
    """

    start: int
    mark: str
    size: int


def _without_marks(text: str, marks: re.Pattern[str]) -> str:
    """Return ``text`` with stand-ins for the marks of emphasis and links; the length is unchanged.

    ``marks`` is `_MARK` or `_RST_MARK`. The name of its matching group classifies the mark:
    ``run``, ``open``, ``close`` or ``gap``. A mark without a partner is visible on the page, as in
    ``2 * 3``; it becomes `OTHER`.
    """
    if not _MAYBE_MARK.search(text):
        return text
    shown = list(text)
    runs: list[_Run] = []
    brackets: list[int] = []  # positions of each [ that may start a link
    for match in marks.finditer(text):
        start, end = match.span()
        match match.lastgroup:
            case "run":
                shown[start:end] = _emphasis(match, runs) * (end - start)
            case "open":
                brackets.append(start)
            case "close":
                shown[start:end] = CLOSE * (end - start)
                for opening in brackets[-1:]:  # none if "](a)" has no "["
                    shown[opening] = OPEN
                del brackets[-1:]
            case "gap":
                # "\ " separates marks from words in reST, and is invisible.
                shown[start:end] = CLOSE * 2
            case _ if match[0] == "]":
                # [words] without a target is no link: both brackets are visible.
                del brackets[-1:]
            case _:
                # A backslash and the escaped character.
                shown[start:end] = OTHER * 2
    for run in runs:  # these marks were never closed, so they are visible
        shown[run.start : run.start + run.size] = OTHER * run.size
    return "".join(shown)


def _emphasis(match: re.Match[str], runs: list[_Run]) -> str:
    """Return the stand-in for a run of marks: `OPEN`, `CLOSE`, or `OTHER` if it is visible.

    Update ``runs``, the runs that are still open. A star with white space on both sides, as in
    ``2 * 3``, is visible.
    """
    text, start, end = match.string, match.start(), match.end()
    can_open = bool(text[end : end + 1].strip())
    can_close = bool(text[start - 1 : start].strip())
    alike = [run for run in runs if run.mark == text[start]]
    size = end - start
    if can_close and _closes(alike, size, can_open=can_open):
        _take_marks(alike, size)
        runs[:] = [run for run in runs if run.size]
        return CLOSE
    if can_open:
        runs.append(_Run(start, text[start], size))
        return OPEN
    return OTHER


def _closes(alike: list[_Run], size: int, *, can_open: bool) -> bool:
    """Return whether a run of ``size`` marks after a word closes marks of the open runs ``alike``.

    If white space follows (``**词** 用``), the marks close any open run. If a word follows
    (``**词**用``), they may also open a new run (``can_open``). In that case they close only as
    many marks as the last run has, or all open runs together (``**词 *词***``).
    """
    if not alike:
        return False
    if not can_open:
        return True
    return size in (alike[-1].size, sum(run.size for run in alike))


def _take_marks(alike: list[_Run], size: int) -> None:
    """Remove ``size`` marks from the open runs, starting with the last one."""
    for run in reversed(alike):
        taken = min(size, run.size)
        run.size -= taken
        size -= taken


def keeps_atoms(before: str, after: str, markup: Markup = Markup.MARKDOWN) -> bool:
    """Return whether two texts have the same atoms, equally often and in any order."""
    return _atoms(before, markup) == _atoms(after, markup)


def _atoms(text: str, markup: Markup) -> list[str]:
    """Return the atoms of a text, sorted. Chinese after a bare URL is not part of the atom."""
    atoms = []
    for atom in prose.atoms_of(text, markup):
        end = len(atom)
        if atom.startswith("http"):
            end = _url_end(atom)
        atoms.append(atom[:end])
    return sorted(atoms)


# A full stop after one of these does not end a sentence. The last pattern matches an
# initial, as in "J. Smith".
_ABBREVIATIONS = r"e\.g i\.e etc vs cf Fig Eq Sec no [A-Z]"
_NO_END = "".join(rf"(?<!\b{word})" for word in _ABBREVIATIONS.split())
# The lookahead tests for a mark first. This is faster than testing the lookbehinds at every
# character.
ENGLISH_END = re.compile(rf"(?=[.!?]){_NO_END}[.!?]+[\"'”’)\]{CLOSE}]*(?=\s|$)")
CHINESE_END = re.compile(rf"(?:[。！？]+|……|[.!?](?=\s|$))[”’）」』)\]{CLOSE}]*")


class SentencePair(NamedTuple):
    """A sentence and its translation, or both whole texts if their sentences do not correspond."""

    english: str  # in lower case, so that words can be found in any case
    chinese: str


def sentence_pairs(msgid: str, msgstr: str) -> tuple[SentencePair, ...]:
    """Return the sentences of two masked texts in pairs, if they correspond.

    They correspond if both texts have equally many sentences, and both sentences of each pair have
    equally many :data:`WORD`. Otherwise return both texts as a single pair.
    """
    sentences = [sentence.lower() for sentence in _cut_sentences(msgid, ENGLISH_END)]
    translations = _cut_sentences(msgstr, CHINESE_END)
    if len(sentences) == len(translations):
        pairs = tuple(map(SentencePair, sentences, translations))
        if all(pair.english.count(WORD) == pair.chinese.count(WORD) for pair in pairs):
            return pairs
    return (SentencePair(msgid.lower(), msgstr),)


def _cut_sentences(text: str, end: re.Pattern[str]) -> list[str]:
    """Return the parts of ``text``, split after every match of ``end``."""
    sentences: list[str] = []
    start = 0
    for match in end.finditer(text):
        sentences.append(text[start : match.end()])
        start = match.end()
    if text[start:].strip():
        sentences.append(text[start:])
    return sentences
