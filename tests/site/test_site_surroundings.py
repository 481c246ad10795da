"""What stands around the text of a page on the site: its headings, and no module for nothing."""

from __future__ import annotations

import pytest

from pipeline.site.extension.theme import headings_of

LINK = '<a class="reference internal"'
MARKED = '<a class="reference internal nav-link"'
LIST = "nav section-nav flex-column"


def test_headings_are_those_below_the_title() -> None:
    toc = (
        f'<ul>\n<li>{LINK} href="#">Tools</a><ul>\n'
        f'<li>{LINK} href="#saw">The <code>saw</code></a><ul>\n'
        f'<li>{LINK} href="#teeth">Teeth</a><ul>\n'
        f'<li>{LINK} href="#sharp">Sharp ones</a></li>\n</ul>\n</li>\n</ul>\n</li>\n'
        f'<li>{LINK} href="#lamp">The lamp</a></li>\n</ul>\n</li>\n</ul>\n'
    )
    assert headings_of(toc, open_levels=2) == (
        f'<ul class="pst-show_toc_level {LIST}">\n'
        f'<li class="toc-h2 nav-item toc-entry">{MARKED} href="#saw">The <code>saw</code></a>'
        f'<ul class="pst-show_toc_level {LIST}">\n'
        f'<li class="toc-h3 nav-item toc-entry">{MARKED} href="#teeth">Teeth</a>'
        f'<ul class="{LIST}">\n'
        f'<li class="toc-h4 nav-item toc-entry">{MARKED} href="#sharp">Sharp ones</a></li>\n'
        "</ul>\n</li>\n</ul>\n</li>\n"
        f'<li class="toc-h2 nav-item toc-entry">{MARKED} href="#lamp">The lamp</a></li>\n</ul>'
    )


@pytest.mark.parametrize(
    "toc",
    [
        "",
        f'<ul>\n<li>{LINK} href="#">Only a title</a></li>\n</ul>\n',
        # What a hidden list of contents leaves.
        f'<ul>\n<li>{LINK} href="#">Title</a><ul>\n</ul>\n</li>\n</ul>\n',
    ],
)
def test_a_page_with_only_a_title_has_no_headings(toc: str) -> None:
    assert headings_of(toc, open_levels=2) == ""


def test_all_headings_of_a_page_with_several_titles_are_shown() -> None:
    entry = (
        f'<li>{LINK} href="#a">A</a><ul>\n<li>{LINK} href="#b">B</a></li>\n</ul>\n</li>'
    )
    html = headings_of(f"<ul>\n{entry}\n{entry}\n</ul>\n", open_levels=1)
    assert html.count('class="toc-h1 ') == html.count('class="toc-h2 ') == 2
    assert html.startswith(f'<ul class="pst-show_toc_level {LIST}">')
