"""What counts as prose: the words of a block once its atoms are taken away.

Atoms are what must survive a translation as it is: code, math, images, targets, HTML. They are
found by their look, in one pass over the text; no parser is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from pipeline.core.document.message import Markup

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[^\W\d_]{{2,}}|[{CJK}]")
_COUNTED = re.compile(rf"[{CJK}]|[^\W_{CJK}](?:[^\W_{CJK}]|['’-](?=\w))*")
# Leftmost first: what stands in a code span cannot open a link, and so on. Each alternative begins
# with a plain character, so that `re` skips to the next one that counts: several times faster.
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
# The same for reStructuredText. What stands around an atom does not count: a translation need not
# have white space there. Of a link with its target, and of an anonymous one, the words are no part
# of an atom: only the marks before and behind them.
_RST_ATOM = re.compile(
    r"""
      (?<!\\)(?:
        :[A-Za-z][\w.+:-]*:`(?!`)(?:\\.|[^`\\])+`                  # role
      | ``(?=\S).*?\S``(?!`)                                        # literal
      | _`[^`]+`                                                    # target
      | `(?=(?:\\.|[^`<>\\])+(?:\s<[^<>`]+>`_|`__)(?!\w))          # link: what opens it …
      | \s<[^<>`]+>`__?(?!\w) | `__(?!\w)                           # … and its target
      | `(?!`)(?:\\.|[^`\\])+`(?:_(?!\w)|:[A-Za-z][\w.+:-]*:)?     # reference, interpreted text
      | \|(?=[^\s|])[^|\n]*?(?<=[^\s|])\|_{0,2}                     # substitution
      | \[(?:\d+|\#[\w.-]*|\*|[A-Za-z][\w.-]*)\]_(?!\w)             # footnote mark, citation
      )
    | https?://[^\s<>`]+                                            # URL
    | (?<![\w:.-])[A-Za-z0-9]+(?:[-._+:][A-Za-z0-9]+)*__?(?![\w`])  # reference in one word
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_ATOMS = {
    Markup.MARKDOWN: _ATOM,
    Markup.RST: _RST_ATOM,
}
_ENVIRONMENT = re.compile(r"\\begin\{(\w+\*?)\}.*\\end\{\1\}", re.DOTALL)
_DATA_URI = re.compile(r"data:(?:[\w.+/-]+)?(?:;[\w=.-]+)*,[A-Za-z0-9+/=%_.~-]{24,}")
_PLACEHOLDER = re.compile(r"data:#(\d+)")
_SEVERAL_WORDS = re.compile(rf"\s|[{CJK}]")
_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.IGNORECASE)
# A name in one piece that has an ending: the caption of many a listing.
_PATH = re.compile(r"`*[\w./\\-]*[\w-]\.[A-Za-z]\w{0,5}`*")
# No capital but the first, no digit, no underscore: not a name, as far as can be told.
_PLAIN_WORD = re.compile(r"[^\W\d_](?:(?![A-Z])[^\W\d_]|[-'’.:!?](?=[^\W\d_A-Z]|\Z))+")
# What tools write where an author gave no text: Jupyter and Markdown editors.
_FORMATS = frozenset("png jpg jpeg gif svg webp img alt image".split())


def mask(text: str, markup: Markup = Markup.MARKDOWN) -> str:
    """``text`` with every atom (code, math, images, targets, HTML) replaced by a space.

    Of ``"see [the `jit` page](a.md)"`` it leaves ``"see [the   page "``: the words of a link count.
    """
    return " ".join(parts_of(text, markup)[::2])


def atoms_of(text: str, markup: Markup = Markup.MARKDOWN) -> list[str]:
    """The atoms of a text, as they are written, in order.

    Those of ``"see [the `jit` page](a.md)"`` are ``"`jit`"`` and ``"](a.md)"``.
    """
    return list(parts_of(text, markup)[1::2])


@lru_cache(maxsize=1 << 10)  # checks look at the same texts several times, page by page
def parts_of(text: str, markup: Markup = Markup.MARKDOWN) -> tuple[str, ...]:
    """Split a text at its atoms: prose at even places, atoms at odd ones.

    Joined they are the text.
    """
    parts: list[str] = []
    at = 0
    for match in _ATOMS[markup].finditer(text):
        parts += (text[at : match.start()], match[0])
        at = match.end()
    return (*parts, text[at:])


def replace_atoms(
    text: str, by: Callable[[str], str], markup: Markup = Markup.MARKDOWN
) -> str:
    """``text`` with what ``by`` gives for each atom in its place.

    ``by`` gives as many characters as the atom has, where positions are to hold.
    """
    parts = list(parts_of(text, markup))
    if len(parts) == 1:
        return text
    parts[1::2] = map(by, parts[1::2])
    return "".join(parts)


def has_words(text: str, markup: Markup = Markup.MARKDOWN) -> bool:
    """Whether a block holds anything to translate: a word of two letters, or Chinese.

    Use `jit`.      yes
    `jit`           no: it is code
    x = 1           no
    """
    if not _WORD.search(text):
        return False
    # From \begin to \end a block is math, whatever stands between them.
    if text.startswith("\\begin{") and _ENVIRONMENT.fullmatch(text):
        return False
    return bool(_WORD.search(mask(text, markup)))


def is_caption(text: str) -> bool:
    """Whether a caption says something: ``"The sum"`` does, ``"src/sum.py"`` does not."""
    return has_words(text) and not _PATH.fullmatch(text.strip())


def is_image_text(text: str) -> bool:
    """Whether the text of an image says something, so that it is worth translating.

    ``"a plot"``, ``"Plot"`` and ``"图"`` do. A file name (``"my plot.png"``), the name of a format
    (``"png"``) and a name (``"JAX"``, ``"all_gather"``) do not.
    """
    text = text.strip()
    if not has_words(text) or _FILE_NAME.search(text):
        return False
    if _SEVERAL_WORDS.search(text):
        return True
    return bool(_PLAIN_WORD.fullmatch(text)) and text.lower() not in _FORMATS


# A message is counted when its catalogue is updated, and again when its page is merged.
@lru_cache(maxsize=1 << 15)
def count_words(text: str, markup: Markup = Markup.MARKDOWN) -> int:
    """Words of English and characters of Chinese in a block, atoms left out.

    ``"don't use `jit`"`` counts 2, ``"不要用 jit"`` counts 4.
    """
    return len(_COUNTED.findall(mask(text, markup)))


def hide_payloads(text: str) -> tuple[str, tuple[str, ...]]:
    """Replace each data URI by ``data:#N``; return the text and the URIs in order.

    A catalogue is for people: an image of a hundred thousand characters is no text for them.
    """
    if "data:" not in text:
        return text, ()
    payloads: list[str] = []

    def number(match: re.Match[str]) -> str:
        """What stands for one data URI; they count from 1."""
        payloads.append(match[0])
        return f"data:#{len(payloads)}"

    return _DATA_URI.sub(number, text), tuple(payloads)


def show_payloads(text: str, payloads: tuple[str, ...]) -> str:
    """Undo :func:`hide_payloads`; numbers that were never given stay as they are."""
    if not payloads:
        return text

    def payload(match: re.Match[str]) -> str:
        """The data URI of one number."""
        number = int(match[1])
        if 0 < number <= len(payloads):
            return payloads[number - 1]
        return match[0]

    return _PLACEHOLDER.sub(payload, text)
