"""Drawings of others run nothing, also where a browser opens the file itself."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from pipeline.adapters.html.drawings import clean_drawing

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


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg",
        b"<svg/>",
        b"\x1f\x8b",
        b"<?xml version='1.0' encoding='no-such'?><svg/>",
        b'<html xmlns="http://www.w3.org/1999/xhtml"><script>f()</script></html>',
        b"<!DOCTYPE html><p>f()",
    ],
)
def test_what_is_no_drawing_is_nothing(data: bytes) -> None:
    assert clean_drawing(data) == b""


def test_only_looks_and_places_are_moved() -> None:
    moves = '<animate attributeName="x1" values="1;2"/>'
    assert moves in clean_drawing(f"{_HEAD}{moves}</svg>".encode()).decode()
    for name in ("href", "xlink:href", " HREF", "onclick", "style", "attributeName"):
        leads = (
            f'{_HEAD}<a><animate attributeName="{name}" to="javascript:f()"/></a></svg>'
        )
        assert b"attributeName" not in clean_drawing(leads.encode())


def test_fonts_from_elsewhere_go_and_the_style_stays() -> None:
    style = "<style>@import url('https://a.org/f();4;5'); a{fill:red}</style>"
    clean = clean_drawing(f"{_HEAD}{style}</svg>".encode())
    assert b"<style> a{fill:red}</style>" in clean
