"""What counts as prose: the words of a block once its atoms are taken away."""

from __future__ import annotations

import re
from collections.abc import Callable

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[^\W\d_]{{2,}}|[{CJK}]")
_COUNTED = re.compile(rf"[{CJK}]|[^\W_{CJK}](?:[^\W_{CJK}]|['’-](?=\w))*")
# One pass, leftmost first: what stands in a code span cannot open a link, and so on. Each alternative begins with a plain
# character, so that `re` skips to the next one that counts: several times faster.
_ATOM = re.compile(
    r"""
      \{[\w+:-]+\}(?P<role>`+)(?!`).+?(?<!`)(?P=role)(?!`)       # role
    | `(?P<ticks>`*)(?!`).+?(?<!`)`(?P=ticks)(?!`)               # code span
    | \\begin\{(?P<env>\w+\*?)\}.*?\\end\{(?P=env)\}             # LaTeX environment
    | \$(?<!\\\$)\$.+?\$\$ | \$(?<!\\\$)[^$\n]+\$                 # math
    | !\[[^\[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])  # image
    | <!--.*?--> | </?[A-Za-z][^<>]*>                            # HTML
    | <[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]*>                         # autolink
    | \]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)                       # link target
    | https?://\S+ | \{\{.*?\}\} | \[\^[^\]\s]+\]                 # URL, substitution, footnote mark
    | &\#?\w+;                                                   # character reference
    """,
    re.VERBOSE | re.DOTALL,
)
_ENVIRONMENT = re.compile(r"\\begin\{(\w+\*?)\}.*\\end\{\1\}", re.DOTALL)
_DATA_URI = re.compile(r"data:(?:[\w.+/-]+)?(?:;[\w=.-]+)*,[A-Za-z0-9+/=%_.~-]{24,}")
_PLACEHOLDER = re.compile(r"data:#(\d+)")


def mask(text: str) -> str:
    """``text`` with every atom (code, math, images, targets, HTML) replaced by a space."""
    return _ATOM.sub(" ", text)


def atoms_of(text: str) -> list[str]:
    """The atoms of a text, as they are written, in order."""
    return [match[0] for match in _ATOM.finditer(text)]


def replace_atoms(text: str, by: Callable[[str], str]) -> str:
    """``text`` with what ``by`` gives for each atom in its place: as long as the atom where positions are to hold."""
    return _ATOM.sub(lambda match: by(match[0]), text)


def has_words(text: str) -> bool:
    """Whether a block of Markdown holds anything to translate."""
    if not _WORD.search(text):
        return False
    if text.startswith("\\begin{") and _ENVIRONMENT.fullmatch(text):
        return False
    return bool(_WORD.search(mask(text)))


def count_words(text: str) -> int:
    """Words of English and characters of Chinese in a block of Markdown, atoms left out."""
    return len(_COUNTED.findall(mask(text)))


def hide_payloads(text: str) -> tuple[str, tuple[str, ...]]:
    """Replace each data URI by ``data:#N``; return the text and the URIs in order."""
    if "data:" not in text:
        return text, ()
    payloads: list[str] = []

    def number(match: re.Match[str]) -> str:
        payloads.append(match[0])
        return f"data:#{len(payloads)}"

    return _DATA_URI.sub(number, text), tuple(payloads)


def show_payloads(text: str, payloads: tuple[str, ...]) -> str:
    """Undo :func:`hide_payloads`; numbers that were never given stay as they are."""
    if not payloads:
        return text
    return _PLACEHOLDER.sub(lambda m: payloads[int(m[1]) - 1] if 0 < int(m[1]) <= len(payloads) else m[0], text)
