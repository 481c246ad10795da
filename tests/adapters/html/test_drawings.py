"""Drawings of others run nothing, also where a browser opens the file itself."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.adapters.html.drawings import clean_drawing, clean_sheet

_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'viewBox="0 0 9 9">'
)
_KEPT = (
    "<style>*{stroke-linejoin: round} @media print {a{fill:red}}</style>",
    '<path d="M0 0" style="fill:url(#g)"/>',
    '<defs><g id="g"/></defs><use xlink:href="#g"/><use href="#g"/>',
    '<image href="data:image/png;base64,AA=="/><text x="1">a <tspan>b</tspan> &lt;script></text>',
    '<a xlink:href="https://a.org/"><title>x</title></a><!-- note -->',
)
_RUNNING = (
    "<script>f()</script>",
    '<script xlink:href="a.js"/>',
    '<g onclick="f()"/>',
    '<g ONLOAD="f()"/>',
    '<a xlink:href="javascript:f()"/>',
    '<a href="java&#9;script:f()"/>',
    '<a><set attributeName="href" to="javascript:f()"/></a>',
    '<foreignObject><b xmlns="http://www.w3.org/1999/xhtml" onclick="f()"/></foreignObject>',
    '<h:script xmlns:h="http://www.w3.org/1999/xhtml">f()</h:script>',
    '<use href="data:image/svg+xml,x#f()"/>',
    '<image href="https://a.org/f().png"/>',
    '<g xmlns:o="https://a.org/other" o:href="f()"/>',
    "<style>@import 'https://a.org/f()';</style>",
    '<g style="fill:url(https://a.org/f())"/>',
    '<handler xmlns="http://www.w3.org/2001/xml-events">f()</handler>',
)


@pytest.mark.parametrize("inner", _KEPT)
def test_drawing_that_runs_nothing_is_the_same(inner: str) -> None:
    data = f"{_HEAD}{inner}</svg>".encode()
    assert clean_drawing(data) == data


@pytest.mark.parametrize("inner", _RUNNING)
def test_what_would_run_goes(inner: str) -> None:
    data = f'{_HEAD}<g>{inner}<path d="M1 2"/></g></svg>'.encode()
    clean = clean_drawing(data)
    assert b"f()" not in clean
    # It is a drawing still, and no second look finds anything.
    assert b'<path d="M1 2"' in clean
    assert ElementTree.fromstring(clean).tag == "{http://www.w3.org/2000/svg}svg"
    assert clean_drawing(clean) == clean


@pytest.mark.parametrize(
    "head",
    [
        '<?xml-stylesheet type="text/xsl" href="f().xsl"?>',
        '<!DOCTYPE svg [<!ENTITY a "<script>f()</script>">]>',
    ],
)
def test_what_stands_before_the_drawing_goes(head: str) -> None:
    for text in (head, f'<?xml version="1.0"?>\n{head}'):
        clean = clean_drawing(f'{text}{_HEAD}<path d="M1 2"/></svg>'.encode())
        assert b"f()" not in clean
        assert b'<path d="M1 2"' in clean


NO_DRAWINGS = (
    b"", b"<svg", b"<svg/>", b"\x1f\x8b", b"<?xml version='1.0' encoding='no-such'?><svg/>",
    b'<html xmlns="http://www.w3.org/1999/xhtml"><script>f()</script></html>',
    b"<!DOCTYPE html><p>f()",
)  # fmt: skip


@pytest.mark.parametrize("data", NO_DRAWINGS)
def test_what_is_no_drawing_is_nothing(data: bytes) -> None:
    assert clean_drawing(data) == b""


def test_only_looks_and_places_are_moved() -> None:
    moves = '<animate attributeName="x1" values="1;2"/>'
    assert moves in clean_drawing(f"{_HEAD}{moves}</svg>".encode()).decode()
    for name in ("href", "xlink:href", " HREF", "onclick", "style", "attributeName"):
        leads = f'{_HEAD}<a><animate attributeName="{name}" to="javascript:f()"/></a></svg>'
        assert b"attributeName" not in clean_drawing(leads.encode())


def test_fonts_from_elsewhere_go_and_the_style_stays() -> None:
    style = "<style>@import url('https://a.org/f();4;5'); a{fill:red}</style>"
    clean = clean_drawing(f"{_HEAD}{style}</svg>".encode())
    assert b"<style> a{fill:red}</style>" in clean


# Style sheets of others colour what stands in their part of a page, and fetch nothing.


CASES = (
    ("td, #a .b:first-child{color:red;}", ".t td,.t #a .b:first-child{color: red}"),
    (
        "/* a */ p { Color : red ; border: 1px solid #ddd }",
        ".t p{color: red;border: 1px solid #ddd}",
    ),
    ("a:is(b, c) > d {stroke: red}", ".t a:is(b, c) > d{stroke: red}"),
    ("@media print { p {color: red} }", "@media print {.t p{color: red}}"),
    ("p {position: fixed; inset: 0; z-index: 9}", ""),
    ("@import 'https://a.org/b.css'; p {color: red}", ".t p{color: red}"),
    ("@media url(a) {p {color: red}} @media", "@media{}"),
    ("@font-face {src: url(a.woff)} @keyframes a {from {color: red}}", ""),
    ("p {background: url(https://a.org/b.png); color: red}", ".t p{color: red}"),
    (r"p {background: u\72 l(//a.org/b)}", ""),
    ("p {background: image-set('//a.org/b' 1x)}", ""),
    ("~ * {display: none} + * {display: none}", ""),
    ("p {color: red} } body {color: red", ".t p{color: red}"),
    ("/* a */ ~ * {display: none}", ""),
    ("</style><script>f()</script> p {color: red}", ""),
    ("p::before {content: '</style>'}", ""),
    ("p {color: '</style><script>'}", ""),
    ("p {color: red; & ~ * {color: blue}}", ".t p{color: red}"),
    ("", ""),
)


@pytest.mark.parametrize(("css", "clean"), CASES)
def test_rules_are_for_their_part_of_the_page(css: str, clean: str) -> None:
    assert clean_sheet(css, inside=".t") == clean


@given(
    st.lists(
        st.sampled_from(
            "p a , { } ( ) [ ] ; : color red url( 'https://a.org' \" \\75rl( @import @media "
            "<style </style> <script> /* */ + ~ > & image-set( \\".split()
        ),
        max_size=16,
    )
)
def test_no_sheet_ends_its_element_or_fetches(parts: list[str]) -> None:
    for css in ("".join(parts), " ".join(parts)):
        clean = clean_sheet(css, inside=".t")
        assert "<" not in clean
        assert "@import" not in clean.replace("@import(", "")
        assert "url(" not in clean


DARK_LETTERED = {
    "background-color: #ccf2cc": True, "background: #eee; padding: 3px": True,
    "background: LightBlue no-repeat": True, "background: rgb(240, 240, 240)": True,
    "background: hsl(50, 100%, 90%)": True, "background: #eee; color: red": False,
    "background: #222": False, "background: rgba(255, 255, 255, .1)": False,
    "background: none": False, "background: transparent": False,
    "background-color: currentColor": False, "background-color: inherit": False,
    "border-color: #eee": False,
}  # fmt: skip


@pytest.mark.parametrize(("declarations", "is_dark_lettered"), DARK_LETTERED.items())
def test_letters_on_a_light_ground_are_dark(declarations: str, *, is_dark_lettered: bool) -> None:
    clean = clean_sheet(f"td {{{declarations}}}", inside=".t")
    assert clean.endswith(";color: #14181e}") is is_dark_lettered
    # Nested in what holds for a medium, as well.
    wide = clean_sheet(f"@media print {{td {{{declarations}}}}}", inside=".t")
    assert ("color: #14181e" in wide) is is_dark_lettered
