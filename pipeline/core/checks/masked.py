"""A message as its reader sees it, with every character where it was, and its sentences.

What is not prose becomes a stand-in of the same length, so that a position in the masked text is
one in the message. The rules of typography then need not know any markup.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pipeline.core.document import prose
from pipeline.core.document.message import Markup

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Stand-ins, one for each character that they stand for. The code points are of private use.
WORD = "\ue000"  # code, math, a role: seen as a word
URL = "\ue001"  # a bare URL: a word that needs a space behind it
# Not seen, and belongs to what follows: ``**``, the ``[`` of a link, ``<a>``.
OPEN = "\ue002"
# Not seen, and belongs to what is before: ``**``, ``](target)``, ``</a>``, ``[^1]``.
CLOSE = "\ue003"
# An image, an escaped character, ``<br>``: there is no rule about what may stand beside it.
OTHER = "\ue004"
_TARGET = "\ue005"  # CLOSE of a link, as long as its ``[`` is not found
# Without any of these a text has nothing to mask.
_ANY = {
    Markup.MARKDOWN: re.compile(r"[`*_~$<>\[\]{}&\\]|http"),
    Markup.RST: re.compile(r"[`*_|\\]|http"),
}
_WIDE = rf"{HAN}\u3000-\u303f\uff00-\uffef"
_URL_END = re.compile(rf"[{_WIDE}“”‘’…—]|[.,;:!?)\]\"'*]+(?:$|(?=[{_WIDE}]))")
_ROLE = re.compile(r"(\{[\w+:-]+\}`+)(.*?)(\s*<[^<>`]*>`+|`+)", re.DOTALL)
_VOID = re.compile(
    r"<(?:area|br|col|hr|img|input|wbr)\b|<!--|.*/>", re.DOTALL | re.IGNORECASE
)
_AUTOLINK = re.compile(r"<[A-Za-z][\w+.-]*:")
_RST_ROLE = re.compile(
    r"(:[\w.+:-]+:`|`)(.*?)(\s*<[^<>`]*>`|`_|`(?::[\w.+:-]+:)?)", re.DOTALL
)
_RST_MARK = re.compile(r"\\(?P<gap>\s)|\\.|(?P<run>\*{1,2})", re.DOTALL)
_MAYBE_MARK = re.compile(rf"[\\*_~\[\]{_TARGET}]")
_MARK = re.compile(
    rf"""
      \\[!-/:-@\[-`{{-~]                                     # escaped
    | (?P<run>\*+|~~|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)) # emphasis
    | (?P<open>\[)
    | (?P<close>{_TARGET}+|\]\[[^\[\]\n]*\]|\]\([^()\n"]*(?:"[^"\n]*")?[^()\n"]*\))
    | \]
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=256)
def masked(text: str, markup: Markup = Markup.MARKDOWN) -> str:
    """Return ``text`` with the characters of atoms and marks replaced by stand-ins.

    It is as long as it was, so that positions hold. With O for :data:`OPEN`, C for
    :data:`CLOSE` and W for :data:`WORD`::

        用 **`f`** 求[梯度](a.md)  ->  用 OOWWWCC 求O梯度CCCCCCC
    """
    if not _ANY[markup].search(text):
        return text
    # Atoms first: what stands in code or in a target is no mark.
    if markup is Markup.RST:
        return _without_marks(
            prose.replace_atoms(text, _rst_stand_in, markup), _RST_MARK
        )
    return _without_marks(prose.replace_atoms(text, _stand_in), _MARK)


def _stand_in(atom: str) -> str:
    """Return what stands for an atom of Markdown. Its first character shows its class.

    The result is as long as the atom, but for a bare URL: what splits texts into atoms
    reads it up to the next white space, and the Chinese behind it stays as it is.
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
    """Return what stands for an atom of reStructuredText; it is as long as the atom.

    Of ```词 <https://a.b>`_`` the words are no atom: there are two, a backquote before
    them, and the target with its marks behind them.
    """
    size = len(atom)
    if atom == "`":  # what opens a link with words
        return OPEN
    if atom[0] in " \t\n<[" or atom == "`__":  # the target of a link, a footnote mark
        return CLOSE * size
    if atom.startswith("http"):
        return _stand_in(atom)
    if atom[0] == "|":  # a substitution shows whatever it stands for
        return OTHER * size
    if atom.startswith("``"):  # code, which looks like a role with backquotes in it
        return WORD * size
    if role := _RST_ROLE.fullmatch(atom):
        return _role(*role.groups())
    return WORD * size


def _url_end(url: str) -> int:
    """Return how many characters of an atom are a bare URL.

    The atom goes on up to the next white space: of ``https://a.b/c，再看`` the first 13 count.
    """
    match = _URL_END.search(url)
    if not match:
        return len(url)
    return match.start()


def _tag(atom: str) -> str:
    """Return what stands for each character of an HTML tag, a comment or an autolink."""
    if atom.startswith("</"):
        return CLOSE
    if _AUTOLINK.match(atom):  # <https://a.b> shows as a word
        return WORD
    if _VOID.match(atom):  # <br> and <img> stand for themselves
        return OTHER
    return OPEN  # <b> begins something


def _role(opening: str, title: str, closing: str) -> str:
    """Return what stands for a role: a word. A Chinese title is read as Chinese, though.

    Of that the first and the last character are seen, for those have neighbours outside::

        {ref}`梯度表 <a>`  ->  OOOOOO梯.表CCCCC      (. is `OTHER`)
    """
    if not re.search(f"[{HAN}]", title):
        return WORD * (len(opening) + len(title) + len(closing))
    seen = [OTHER] * len(title)
    for edge in (0, -1):
        if title[edge].isalnum():
            seen[edge] = title[edge]
    return OPEN * len(opening) + "".join(seen) + CLOSE * len(closing)


@dataclass(slots=True)
class _Run:
    """A run of emphasis marks that has opened something.

    ``size`` of its marks are still open: of ``***`` one, once a ``**`` has closed two.
    """

    start: int
    mark: str
    size: int


def _without_marks(text: str, marks: re.Pattern[str]) -> str:
    """Return ``text``, of equal length, with stand-ins for the marks of emphasis and links.

    The groups of the pattern ``marks`` say what a match is: ``run``, ``open``, ``close``
    or ``gap``. Marks without a partner, as in ``2 * 3``, are seen, and become `OTHER`.
    """
    if not _MAYBE_MARK.search(text):
        return text
    shown = list(text)
    runs: list[_Run] = []
    brackets: list[int] = []  # where a [ waits for the target of its link
    for match in marks.finditer(text):
        start, end = match.span()
        match match.lastgroup:
            case "run":
                shown[start:end] = _emphasis(match, runs) * (end - start)
            case "open":
                brackets.append(start)
            case "close":
                shown[start:end] = CLOSE * (end - start)
                if brackets:
                    shown[brackets.pop()] = OPEN
            case "gap":
                # It parts marks from words in reStructuredText, and is not seen.
                shown[start:end] = CLOSE * 2
            case _ if match[0] == "]":
                # [words] without a target: both brackets are seen.
                del brackets[-1:]
            case _:
                # A backslash, and the character that it escapes.
                shown[start:end] = OTHER * 2
    for run in runs:  # never closed: they are seen as they are
        shown[run.start : run.start + run.size] = OTHER * run.size
    return "".join(shown)


def _emphasis(match: re.Match[str], runs: list[_Run]) -> str:
    """Return what a run of marks is: `OPEN`, `CLOSE`, or `OTHER` if it is seen.

    ``runs`` are the runs that are still open; they are kept up to date. With white space
    on both sides, as in ``2 * 3``, a star is seen.
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
    """Return whether ``size`` marks behind a word close something of the open runs ``alike``.

    Before white space (``**词** 用``) they close whatever is open. Between words, as in
    ``**词**用``, they might open something. So they close what has just as many marks: all
    runs together (``**词 *词***``), or the last one.
    """
    if not alike:
        return False
    if not can_open:
        return True
    return size in (alike[-1].size, sum(run.size for run in alike))


def _take_marks(alike: list[_Run], size: int) -> None:
    """Take ``size`` marks from the open runs, the last one first."""
    for run in reversed(alike):
        taken = min(size, run.size)
        run.size -= taken
        size -= taken


def keeps_atoms(before: str, after: str, markup: Markup = Markup.MARKDOWN) -> bool:
    """Return whether the same atoms stand in both texts, in any order."""
    return _atoms(before, markup) == _atoms(after, markup)


def _atoms(text: str, markup: Markup) -> list[str]:
    """Return the atoms of a text, sorted. A bare URL ends where Chinese begins."""
    atoms = []
    for atom in prose.atoms_of(text, markup):
        end = len(atom)
        if atom.startswith("http"):
            end = _url_end(atom)
        atoms.append(atom[:end])
    return sorted(atoms)


# A full stop behind one of these ends no sentence; the last one is an initial.
_ABBREVIATIONS = r"e\.g i\.e etc vs cf Fig Eq Sec no [A-Z]"
_NO_END = "".join(rf"(?<!\b{word})" for word in _ABBREVIATIONS.split())
# Looking for the mark first is quicker than looking behind at every character.
ENGLISH_END = re.compile(rf"(?=[.!?]){_NO_END}[.!?]+[\"'”’)\]{CLOSE}]*(?=\s|$)")
CHINESE_END = re.compile(rf"(?:[。！？]+|……|[.!?](?=\s|$))[”’）」』)\]{CLOSE}]*")


class SentencePair(NamedTuple):
    """A sentence and its translation, or all of a message where it cannot be split."""

    english: str  # in lower case: words are looked up in it
    chinese: str


def sentence_pairs(msgid: str, msgstr: str) -> tuple[SentencePair, ...]:
    """Return the sentences of two masked texts side by side, if they seem to belong to each other.

    Then there are as many of them in both, and each has as much code as the one beside it.
    """
    sentences = [sentence.lower() for sentence in _cut_sentences(msgid, ENGLISH_END)]
    translations = _cut_sentences(msgstr, CHINESE_END)
    if len(sentences) == len(translations):
        pairs = tuple(map(SentencePair, sentences, translations))
        if all(pair.english.count(WORD) == pair.chinese.count(WORD) for pair in pairs):
            return pairs
    return (SentencePair(msgid.lower(), msgstr),)


def _cut_sentences(text: str, end: re.Pattern[str]) -> list[str]:
    """Return ``text`` cut behind every match of ``end``."""
    sentences: list[str] = []
    start = 0
    for match in end.finditer(text):
        sentences.append(text[start : match.end()])
        start = match.end()
    if text[start:].strip():
        sentences.append(text[start:])
    return sentences
