"""Style sheets of others colour what stands in their part of a page, and fetch nothing."""

from __future__ import annotations

import pytest

pytest.importorskip("tinycss2", reason="it is not installed")

from hypothesis import given
from hypothesis import strategies as st

from pipeline.adapters.html.drawings import clean_sheet

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


@pytest.mark.parametrize(
    ("declarations", "is_dark_lettered"),
    [
        ("background-color: #ccf2cc", True),
        ("background: #eee; padding: 3px", True),
        ("background: LightBlue no-repeat", True),
        ("background: rgb(240, 240, 240)", True),
        ("background: hsl(50, 100%, 90%)", True),
        ("background: #eee; color: red", False),
        ("background: #222", False),
        ("background: rgba(255, 255, 255, .1)", False),
        ("background: none", False),
        ("background: transparent", False),
        ("background-color: currentColor", False),
        ("background-color: inherit", False),
        ("border-color: #eee", False),
    ],
)
def test_letters_on_a_light_ground_are_dark(
    declarations: str, *, is_dark_lettered: bool
) -> None:
    clean = clean_sheet(f"td {{{declarations}}}", inside=".t")
    assert clean.endswith(";color: #14181e}") is is_dark_lettered
    # Nested in what holds for a medium, as well.
    wide = clean_sheet(f"@media print {{td {{{declarations}}}}}", inside=".t")
    assert ("color: #14181e" in wide) is is_dark_lettered
