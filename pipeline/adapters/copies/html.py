"""A web page as Markdown: its text proper, without the navigation around it.

HTML goes in, Markdown comes out. Nothing of the page is run or fetched: scripts, styles and frames
are dropped, and links stay as text. What is left is read like any copy in Markdown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.errors import InputError

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

# What is never the text of a page.
_DROPPED = (
    "style, nav, body > header, footer, aside, form, button, select, textarea, iframe, "
    "object, embed, noscript, template, svg, canvas, audio, video, head, "
    ".headerlink, .anchor-link, [role=navigation], [role=search], [role=banner], "
    ".linenos, .lineno, .gutter, .prompt, .jp-Prompt, .jp-OutputArea, .output_area, .cell_output, "
    ".toctree-wrapper, .breadcrumbs, .sphinxsidebar, .copybtn"
)
# Where formulas stand in pages of Sphinx, MathJax and KaTeX.
_TEX = "annotation[encoding='application/x-tex'], script[type^='math/tex']"
_MATHJAX = ".MathJax, .MathJax_Preview, .MathJax_Display, mjx-container"
_KATEX = re.compile(r"^katex(?:-display)?$")
_DISPLAY = re.compile("katex-display|display")
_SHOWN_TEX = re.compile(r"^\s*(?:\\\[(.*)\\\]|\$\$(.*)\$\$)\s*$", re.DOTALL)
_INLINE_TEX = re.compile(r"^\s*(?:\\\((.*)\\\)|\$(.*)\$)\s*$", re.DOTALL)
# Where the text proper of a page is, if it says so.
_MAIN = "main, [role=main], article"
# Two line breaks are how editors on the web part paragraphs.
_BREAKS = re.compile(r"(?:\\\n[ \t]*){2,}")
_HEADINGS = re.compile(r"^(#{1,6} .*?)[ \t]*[¶#\uf0c1][ \t]*$", re.MULTILINE)


def html_to_markdown(text: str, *, where: str) -> str:
    """The text of a web page as Markdown.

    Nothing is fetched, nothing is run. Raises InputError if it is nested beyond reason.
    """
    from bs4 import BeautifulSoup
    from markdownify import ATX, MarkdownConverter

    try:
        soup = BeautifulSoup(text, "lxml")
        _set_formulas(soup)
        _open_tables(soup)
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
    except RecursionError as error:
        raise InputError(
            "is nested too deeply for a page",
            where=where,
            hint="Copy its text into a file, and adopt that.",
        ) from error
    return _BREAKS.sub("\n\n", _HEADINGS.sub(r"\1", markdown))


def _is_no_text(string: object) -> bool:
    """Whether it is a comment, a declaration, or anything else that is not shown.

    BeautifulSoup has them all as strings of one class.
    """
    from bs4.element import PreformattedString

    return isinstance(string, PreformattedString)


def _set_formulas(soup: BeautifulSoup) -> None:
    """Write every formula as TeX between dollar signs, where it stands."""
    for source in soup.select(_TEX):
        tex = source.get_text().strip()
        katex = source.find_parent(class_=_KATEX) or source
        is_shown = "display" in str(source.get("type")) or source.find_parent(
            class_=_DISPLAY
        )
        katex.replace_with(f"\n\n$${tex}$$\n\n" if is_shown else f"${tex}$")
    for element in soup.select(".math, .arithmatex"):
        tex = element.get_text()
        if shown := _SHOWN_TEX.match(tex):
            element.replace_with(f"\n\n$$\n{(shown[1] or shown[2]).strip()}\n$$\n\n")
        elif inline := _INLINE_TEX.match(tex):
            element.replace_with(f"${(inline[1] or inline[2]).strip()}$")
    # What is left of MathJax is the picture of a formula whose source was taken.
    for element in soup.select(_MATHJAX):
        element.decompose()


def _open_tables(soup: BeautifulSoup) -> None:
    """Make divisions of tables that hold code: they are there for its layout.

    As a table the code would be a single line. Many a page has all of its text in one, the English
    on the left.
    """
    for table in soup.select("table:has(pre)"):
        for part in [table, *table.select("table, thead, tbody, tfoot, tr, th, td")]:
            part.name = "div"
