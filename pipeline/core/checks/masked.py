"""A message as its reader sees it, with every character where it was: what is not prose becomes a stand-in of the same length."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pipeline.core.document import prose
from pipeline.core.document.message import Markup

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Stand-ins, one for each character that they stand for.
WORD = "\ue000"  # code, math, a role: seen as a word
URL = "\ue001"  # a bare URL: a word that needs a space behind it
OPEN = "\ue002"  # not seen, belongs to what follows: ``**``, the ``[`` of a link, ``<a>``
CLOSE = "\ue003"  # not seen, belongs to what is before: ``**``, ``](target)``, ``</a>``, a footnote mark
OTHER = "\ue004"  # an image, an escaped character, ``<br>``: no rule about what may stand beside it
_TARGET = "\ue005"  # CLOSE of a link, as long as its ``[`` is not found

_ANY = {
    Markup.MARKDOWN: re.compile(r"[`*_~$<>\[\]{}&\\]|http"),
    Markup.RST: re.compile(r"[`*_|\\]|http"),
}
_URL_END = re.compile(
    rf"[{HAN}\u3000-\u303f\uff00-\uffef“”‘’…—]|[.,;:!?)\]\"'*]+(?:$|(?=[{HAN}\u3000-\u303f\uff00-\uffef]))"
)
_ROLE = re.compile(r"(\{[\w+:-]+\}`+)(.*?)(\s*<[^<>`]*>`+|`+)", re.DOTALL)
_VOID = re.compile(r"<(?:area|br|col|hr|img|input|wbr)\b|<!--|.*/>", re.DOTALL | re.IGNORECASE)
_AUTOLINK = re.compile(r"<[A-Za-z][\w+.-]*:")
_RST_ROLE = re.compile(r"(:[\w.+:-]+:`|`)(.*?)(\s*<[^<>`]*>`|`_|`(?::[\w.+:-]+:)?)", re.DOTALL)
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
    """``text`` with the characters of atoms and marks replaced by stand-ins: as long as it was, so that positions hold."""
    if not _ANY[markup].search(text):
        return text
    if markup is Markup.RST:
        return _without_marks(prose.replace_atoms(text, _rst_stand_in, markup), _RST_MARK)
    return _without_marks(prose.replace_atoms(text, _stand_in), _MARK)


def _stand_in(atom: str) -> str:
    size = len(atom)
    match atom[0]:
        case "]":
            return _TARGET * size
        case "[":
            return CLOSE * size
        case "&" | "!":
            return OTHER * size
        case "h":
            end = match.start() if (match := _URL_END.search(atom)) else size
            return URL * end + atom[end:]
        case "<":
            return _tag(atom) * size
        case "{" if match := _ROLE.fullmatch(atom):
            return _role(*match.groups())
    return WORD * size


def _rst_stand_in(atom: str) -> str:
    size = len(atom)
    if atom == "`":
        return OPEN
    if atom[0] in " \t\n<[" or atom == "`__":
        return CLOSE * size
    if atom.startswith("http"):
        return _stand_in(atom)
    if atom[0] == "|":  # a substitution shows whatever it stands for
        return OTHER * size
    if atom[:2] != "``" and (match := _RST_ROLE.fullmatch(atom)):
        return _role(*match.groups())
    return WORD * size


def _tag(atom: str) -> str:
    if atom.startswith("</"):
        return CLOSE
    if _AUTOLINK.match(atom):
        return WORD
    return OTHER if _VOID.match(atom) else OPEN


def _role(opening: str, title: str, closing: str) -> str:
    """A role is a word, but a Chinese title is read as Chinese: its first and last character are seen."""
    if not re.search(f"[{HAN}]", title):
        return WORD * (len(opening) + len(title) + len(closing))
    edges = (0, len(title) - 1)
    seen = (
        character if at in edges and character.isalnum() else OTHER
        for at, character in enumerate(title)
    )
    return OPEN * len(opening) + "".join(seen) + CLOSE * len(closing)


@dataclass
class _Run:
    """A run of emphasis marks that has opened something; ``size`` of its marks wait to be closed."""

    start: int
    mark: str
    size: int


def _without_marks(text: str, marks: re.Pattern[str]) -> str:
    if not _MAYBE_MARK.search(text):
        return text
    shown = list(text)
    runs: list[_Run] = []
    brackets: list[int] = []
    for match in marks.finditer(text):
        start, end = match.span()
        found = match.lastgroup
        if found == "run":
            shown[start:end] = _emphasis(match, runs) * (end - start)
        elif found == "open":
            brackets.append(start)
        elif found == "close":
            shown[start:end] = CLOSE * (end - start)
            if brackets:
                shown[brackets.pop()] = OPEN
        elif found == "gap":  # what parts marks from words in reStructuredText, and is not seen
            shown[start:end] = CLOSE * 2
        elif match[0] == "]":
            del brackets[-1:]
        else:
            shown[start:end] = OTHER * 2
    for run in runs:  # never closed: they are seen as they are
        shown[run.start : run.start + run.size] = OTHER * run.size
    return "".join(shown)


def _emphasis(match: re.Match[str], runs: list[_Run]) -> str:
    """What a run of marks is, told by the runs still open, which are kept up to date."""
    text, (start, end) = match.string, match.span()
    opens, closes = (
        end < len(text) and not text[end].isspace(),
        start > 0 and not text[start - 1].isspace(),
    )
    alike = [run for run in runs if run.mark == text[start]]
    size = end - start
    if closes and alike and (not opens or size in (alike[-1].size, sum(run.size for run in alike))):
        for run in reversed(alike):
            taken = min(size, run.size)
            run.size, size = run.size - taken, size - taken
        runs[:] = [run for run in runs if run.size]
        return CLOSE
    if opens:
        runs.append(_Run(start, text[start], size))
        return OPEN
    return OTHER


def keeps_atoms(before: str, after: str, markup: Markup = Markup.MARKDOWN) -> bool:
    """Whether the same atoms stand in both texts, in any order. A bare URL ends where Chinese begins."""
    return _atoms(before, markup) == _atoms(after, markup)


def _atoms(text: str, markup: Markup) -> list[str]:
    atoms = prose.atoms_of(text, markup)
    return sorted(
        atom[: _stand_in(atom).count(URL)] if atom.startswith("http") else atom for atom in atoms
    )
