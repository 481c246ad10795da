"""Prose: the words of a block without its atoms.

Atoms are the parts that a translation must keep: code, formulas, images, targets, HTML. Patterns
find them in one pass over the text, without a parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from pipeline.core.document.message import Markup
from pipeline.tables import read_table

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[^\W\d_]{{2,}}|[{CJK}]")
_COUNTED = re.compile(rf"[{CJK}]|[^\W_{CJK}](?:[^\W_{CJK}]|['’-](?=\w))*")
_ATOMS = {
    Markup(name): re.compile(pattern)
    for name, pattern in read_table(__name__, "patterns")["atoms"].items()
}
_ENVIRONMENT = re.compile(r"\\begin\{(\w+\*?)\}.*\\end\{\1\}", re.DOTALL)
_DATA_URI = re.compile(r"data:(?:[\w.+/-]+)?(?:;[\w=.-]+)*,[A-Za-z0-9+/=%_.~-]{24,}")
_PLACEHOLDER = re.compile(r"data:#(\d+)")
_SEVERAL_WORDS = re.compile(rf"\s|[{CJK}]")
_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.IGNORECASE)
# A single file name with a suffix. Many code listings have a file name as their caption.
_PATH = re.compile(r"`*[\w./\\-]*[\w-]\.[A-Za-z]\w{0,5}`*")
# A word without inner capitals, digits or underscores, which is probably not an identifier.
_PLAIN_WORD = re.compile(r"[^\W\d_](?:(?![A-Z])[^\W\d_]|[-'’.:!?](?=[^\W\d_A-Z]|\Z))+")
# Jupyter and Markdown editors insert these as the text of an image.
_FORMATS = frozenset("png jpg jpeg gif svg webp img alt image".split())


def mask(text: str, markup: Markup = Markup.MARKDOWN) -> str:
    """Return ``text`` with a space in the place of every atom.

    The words of a link are prose: "see [the `jit` page](a.md)" becomes "see [the   page ".
    """
    return " ".join(parts_of(text, markup)[::2])


def atoms_of(text: str, markup: Markup = Markup.MARKDOWN) -> list[str]:
    """Return the atoms of a text as written, in order.

    For "see [the `jit` page](a.md)" they are "`jit`" and "](a.md)".
    """
    return list(parts_of(text, markup)[1::2])


@lru_cache(maxsize=1 << 10)  # several checks in a row examine the same text
def parts_of(text: str, markup: Markup = Markup.MARKDOWN) -> tuple[str, ...]:
    """Return the parts of a text: prose at even indices, atoms at odd indices.

    The joined parts equal the text.
    """
    parts: list[str] = []
    at = 0
    for match in _ATOMS[markup].finditer(text):
        parts += (text[at : match.start()], match[0])
        at = match.end()
    return (*parts, text[at:])


def replace_atoms(text: str, by: Callable[[str], str], markup: Markup = Markup.MARKDOWN) -> str:
    """Return ``text`` with each atom replaced by the result of ``by``.

    If the caller needs positions to stay valid, ``by`` must return a text of the same length.
    """
    parts = list(parts_of(text, markup))
    if len(parts) == 1:
        return text
    parts[1::2] = map(by, parts[1::2])
    return "".join(parts)


def has_words(text: str, markup: Markup = Markup.MARKDOWN) -> bool:
    """Return whether a block has anything to translate.

    It must have a word of at least two letters, or a CJK character, outside of atoms:

    Use `jit`.      True
    `jit`           False: it is code
    x = 1           False
    """
    if not _WORD.search(text):
        return False
    # A block from \begin to \end is all math, even if an atom pattern ends earlier.
    if text.startswith("\\begin{") and _ENVIRONMENT.fullmatch(text):
        return False
    return bool(_WORD.search(mask(text, markup)))


# Parts of HTML without prose.
HTML_CODE = re.compile(
    r"<(?P<tag>script|style|pre|code)\b.*?</(?P=tag)\s*>|<!--.*?-->",
    re.DOTALL | re.IGNORECASE,
)


_LONG_WORD = re.compile(r"[^\W\d_]{3,}")  # shorter ones are mostly codes: "bf", "px"


def why_raw(formats: str, content: str) -> str:
    """Return the reason to report a raw directive whose words stay English, or an empty string.

    ``formats`` are the output formats of the directive, separated by spaces. Report only words that
    readers of the HTML see.
    """
    text = mask(HTML_CODE.sub(" ", content))
    if "html" not in formats.split() or not _LONG_WORD.search(text):
        return ""
    return "it is raw HTML in a directive"


def is_caption(text: str) -> bool:
    """Return whether a caption has words to translate: ``"The sum"``, but not ``"src/sum.py"``."""
    return has_words(text) and not _PATH.fullmatch(text.strip())


def is_image_text(text: str) -> bool:
    """Return whether the text of an image should be translated.

    True for ``"a plot"``, ``"Plot"`` and ``"图"``. False for a file name (``"my plot.png"``), a
    format (``"png"``) and an identifier (``"JAX"``, ``"all_gather"``).
    """
    text = text.strip()
    if not has_words(text) or _FILE_NAME.search(text):
        return False
    if _SEVERAL_WORDS.search(text):
        return True
    return bool(_PLAIN_WORD.fullmatch(text)) and text.lower() not in _FORMATS


# Cache the counts: both the update of a catalogue and the merge of its page count each message.
@lru_cache(maxsize=1 << 15)
def count_words(text: str, markup: Markup = Markup.MARKDOWN) -> int:
    """Return the number of English words and CJK characters in a block, excluding atoms.

    "don't use `jit`" → 2, "不要用 jit" → 4
    """
    return len(_COUNTED.findall(mask(text, markup)))


def hide_payloads(text: str) -> tuple[str, tuple[str, ...]]:
    """Replace each data URI by the placeholder ``data:#N``; return the text and the URIs in order.

    Without placeholders, an inline image would put thousands of characters into the catalogue.
    """
    if "data:" not in text:
        return text, ()
    payloads: list[str] = []

    def number(match: re.Match[str]) -> str:
        """Save the URI, and return its placeholder. The numbers start at 1."""
        payloads.append(match[0])
        return f"data:#{len(payloads)}"

    return _DATA_URI.sub(number, text), tuple(payloads)


def show_payloads(text: str, payloads: tuple[str, ...]) -> str:
    """Undo :func:`hide_payloads`; keep placeholders with unknown numbers."""
    if not payloads:
        return text

    def payload(match: re.Match[str]) -> str:
        """Return the URI for a placeholder."""
        number = int(match[1])
        if 0 < number <= len(payloads):
            return payloads[number - 1]
        return match[0]

    return _PLACEHOLDER.sub(payload, text)
