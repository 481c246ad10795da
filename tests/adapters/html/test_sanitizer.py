"""The sanitizer: what markup of others may do, and what stays of its places."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.adapters.html.sanitizer import (
    is_safe_address,
    sanitize,
    sanitize_around,
    waiting_ids,
)

KEPT = (
    '<p class="a" id="b" style="color:red" title="c">x</p>',
    '<a href="page.html#part">x</a><a href="https://a.org/">y</a><a href="mailto:a@b.cd">z</a>',
    '<img src="a.png" alt="A"><img src="data:image/png;base64,AA==">',
    '<table border="1"><tbody><tr><td colspan="2">b</td></tr></tbody></table>',
    '<details open=""><summary>a</summary>b</details>',
    "<math><mfrac><mi>x</mi><mn>2</mn></mfrac></math>",
    '<svg viewBox="0 0 1 1"><linearGradient id="g"></linearGradient></svg>',
    '<svg><path fill="url(#g)"></path><use xlink:href="#g"></use></svg>',
    '<input type="checkbox" checked="" disabled="">',
    '<svg><line x1="0"><animate attributeName="x1" values="1;2" dur="4s"></animate></line></svg>',
    # An attribute is words, whatever stands in it.
    '<img src="a.png" alt="图 onx=1"> b',
    '<img src="a.png" alt="href=data:! style=position:fixed on\'onx=\'z\'error=f() 字">',
    "a &lt;b&gt; &amp; c",
)


@pytest.mark.parametrize("html", KEPT)
def test_what_readers_need_stays(html: str) -> None:
    kept = sanitize(html)
    assert kept.html == html
    assert kept.lost == ()


CLEANED = (
    ("<b onclick=f()>x</b>", "<b>x</b>", ("onclick",)),
    ("a<script>f()</script>b", "ab", ("<script>",)),
    ("a<script src=x>", "a", ("<script>",)),
    ("<SCRIPT/x>f()</SCRIPT >", "", ("<script>",)),
    ("<meta http-equiv=refresh content=0>x", "x", ("<meta>",)),
    ("<base href=//a.b/>x", "x", ("<base>",)),
    ("<form action=x><button formaction=y>z</button></form>", "z", ("<button>", "<form>")),
    ("<style>p{color:red}</style>x", "x", ("<style>",)),
    ("<object data=a.swf></object><embed src=a.swf>x", "x", ("<embed>", "<object>")),
    ('<a href="javascript:f()">x</a>', "<a>x</a>", ("href",)),
    ('<a href="jav&#x61;&#9;script:f()">x</a>', "<a>x</a>", ("href",)),
    ('<a href="data:text/html,x">x</a>', "<a>x</a>", ("href",)),
    ('<img src="data:text/html,x" alt="k">', "k", ()),
    ('<svg><use href="//a.b/c#d"></use></svg>', "<svg><use></use></svg>", ("href",)),
    ("<svg><animate attributeName=href values=0></animate></svg>",
     "<svg></svg>", ("<animate>",)),
    ("<svg><set attributeName=href to=javascript:f()></svg>", "<svg></svg>", ("<set>",)),
    ('<svg><path fill="url(//a.b/c)"></path></svg>', "<svg><path></path></svg>", ("fill",)),
    ('<p style="background:url(//a.b/c)">x</p>', "<p>x</p>", ("style",)),
    (r'<p style="background:u\72l(//a.b/c)">x</p>', "<p>x</p>", ("style",)),
    (r'<p style="color:red;background:URL( //a.b/c)">x</p>', "<p>x</p>", ("style",)),
    ('<p style="position:fixed;inset:0;color:red">x</p>', '<p style="color:red">x</p>', ()),
    ("<math><mtext><script>f()</script>x</mtext></math>", "<math><mtext>x</mtext></math>",
     ("<script>",)),
    ("<input type=text value=x>", '<input disabled="">', ("type", "value")),
    ("<!-- a --><![CDATA[b]]><?c d?>e", "e", ()),
    ("<b>\ud800</b>", "<b>\ufffd</b>", ()),
)  # fmt: skip


@pytest.mark.parametrize(("html", "cleaned", "lost"), CLEANED)
def test_what_acts_goes_named(html: str, cleaned: str, lost: tuple[str, ...]) -> None:
    found = sanitize(html)
    assert found.html == cleaned
    assert found.lost == lost


LINKED = (
    ('<img src="https://a.org/b.png" alt="B">',
     '<a class="jz-remote" href="https://a.org/b.png">B</a>'),
    ('<img src="//a.org/b.png">', '<a class="jz-remote" href="//a.org/b.png">//a.org/b.png</a>'),
    (r'<img src="\\a.org\b.png" alt="B">', '<a class="jz-remote" href="//a.org/b.png">B</a>'),
    ('<iframe src="https://a.org/"></iframe>',
     '<a class="jz-remote jz-frame" href="https://a.org/">https://a.org/</a>'),
    ('<a href="c.html"><img src="http://a.org/b.png" alt="B"></a>', '<a href="c.html">B</a>'),
    ('<a href="c"><img src="//a.org/b.png" alt="">C</a>', '<a href="c">C</a>'),
    ('<iframe src="https://a.org/" title="A talk"></iframe>',
     '<a class="jz-remote jz-frame" href="https://a.org/">A talk</a>'),
    ('<video controls><source src="https://a.org/b.mp4"><source src="//a.org/c"></video>',
     '<a class="jz-remote jz-frame" href="https://a.org/b.mp4">https://a.org/b.mp4</a>'),
    ('<iframe src="//www.youtube-nocookie.com/embed/a_B-9?rel=0" title="A talk"></iframe>',
     '<a class="jz-remote jz-frame" href="https://www.youtube.com/watch?v=a_B-9">A talk</a>'),
    ('a<source src="//a.org/b">b', "ab"),
    ('<img src="file:///etc/passwd" alt="B"><video src="film.mp4"></video>', "B"),
    ('<object data="a.svg" style="width:60%">no SVG</object>',
     '<img src="a.svg" style="width:60%">'),
    ('<object data="//a.org/b.html"></object>',
     '<a class="jz-remote jz-frame" href="//a.org/b.html">//a.org/b.html</a>'),
    ("<object data=a.png><object data=b.png></object></object>", '<img src="a.png">'),
    ("<object data=javascript:f()>x</object>", ""),
)  # fmt: skip


@pytest.mark.parametrize(("html", "linked"), LINKED)
def test_what_is_elsewhere_becomes_a_link(html: str, linked: str) -> None:
    assert sanitize(html).html == linked


NOTICED = (
    ("<script>f()</script><p onclick=f()>a</p><script>g()</script>", ("script", "script")),
    ("<form><select><option>a</select><canvas></canvas></form>", ("canvas", "form", "select")),
    ("<iframe srcdoc=x></iframe><img src=>", ("iframe", "img")),
    ('<iframe src="//a.b/"></iframe><img src="//a.b/c" alt="d">', ()),
    ("<style>p{}</style><p onclick=f()>a</p>", ()),
)  # fmt: skip


@pytest.mark.parametrize(("html", "noticed"), NOTICED)
def test_what_a_reader_misses_is_counted(html: str, noticed: tuple[str, ...]) -> None:
    assert sanitize(html).noticeable_losses == noticed


ODD = (
    ("<![if IE]>a<![endif]>", "a"),
    ("<![x[y]]>a", "a"),
    ("<![", ""),
    ("<pre>\n\n a</pre>", "<pre>\n\n a</pre>"),
    ("<p>a<select><p>b", "<p>a</p><p>b</p><p></p>"),
)


@pytest.mark.parametrize(("html", "cleaned"), ODD)
def test_odd_markup_is_read_as_browsers_do(html: str, cleaned: str) -> None:
    assert sanitize(html).html == cleaned
    assert sanitize(cleaned).html == cleaned


def test_markup_that_never_settles_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.adapters.html.sanitizer._PASSES", 1)
    assert sanitize("<b>a").html == "&lt;b&gt;a&lt;/b&gt;"


@pytest.mark.parametrize("html", ["<div>" * 6000 + "a", "<b>" * 6000 + "</b>" * 6000])
def test_what_no_parser_reads_in_time_is_shown_as_text(html: str) -> None:
    assert "<" not in sanitize(html).html


def test_a_long_page_is_read() -> None:
    html = "<p>a<br>b</p>" * 6000
    assert sanitize(html).html == html


def test_an_attribute_of_ours_stays() -> None:
    html = '<b data-ours="1">x</b>'
    assert sanitize(html, ours="data-ours").html == html
    assert sanitize(html).html == "<b>x</b>"


PIECES = (
    (["<details><summary>a</summary>", "</details>"],) * 2,
    (["<table><tbody><tr><td>", "</td></tr></tbody></table>"],) * 2,
    (["<b>", "</i>"], ["<b>", "</b>"]),
    (["<div>", ""], ["<div>", "</div>"]),
    (["</div></main>", "x"], ["", "x"]),
    (["<b onclick=f()>", "</b>"], ["<b>", "</b>"]),
    # The parts between would be words, or be lost, or change places: each piece is read alone.
    (["<select>", "</select>"], ["", ""]),
    (["<textarea>", "</textarea>"], ["", ""]),
    (["a<!-- ", " -->b"], ["a", " -->b"]),
    (["a<script>", "</script>b"], ["a", "b"]),
    (["<table><tr><td>", "</td>", "</tr></table>"],
     ["<table><tbody><tr><td></td></tr></tbody></table>", "", ""]),
    # Nobody else can make what stands for them.
    (['a<jz-hole n="1"></jz-hole>', "b"], ["a", "b"]),
    (['a<JZ-HOLE n="1"></JZ-HOLE>', 'b<jz-hole-x n="1"></jz-hole-x>'], ["a", "b"]),
)  # fmt: skip


@pytest.mark.parametrize(("pieces", "cleaned"), PIECES)
def test_pieces_are_read_as_one(pieces: list[str], cleaned: list[str]) -> None:
    assert sanitize_around(pieces)[0] == cleaned


class Found(HTMLParser):
    """What a parser that is not the sanitizer's finds in its results."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes.update(name for name, _ in attrs)


FRAGMENTS = (
    "<script", "</script>", "<scr", "ipt", ">", "<", "</", " src=x", " onerror=f()", "<img", "'",
    '"', "`", "=", "/", "<svg", "<math", "<mtext", "<style", "</style>", "<noscript>", "<title>",
    "<!--", "-->", "<table>", "<select>", "<template>", "<a href=", "javascript:f()", "&#x3c;",
    "&lt;", "x", " ", "\n", "<p ", "<base>", "<meta http-equiv=refresh>", "<iframe src=//a.b>",
    "字",
)  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
def test_nothing_puts_itself_together_again(html: str) -> None:
    once = sanitize(html)
    found = Found(once.html)
    assert not found.elements & {*"script style meta base iframe template".split()}
    assert not any(name.startswith("on") for name in found.attributes)
    assert sanitize(once.html).html == once.html


ADDRESSES = {
    "HTTPS://a.org/": True, "//a.org/b": True, "../a:b.html": True, "guide.html#part": True,
    "mailto:a@b.cd": True, "data:image/png;base64,AA==": True, "data:text/html,x": False,
    "javascript:f()": False, " JavaScript:f()": False, "java\tscript:f()": False,
    "\x01javascript://a.b/%0af()": False, "vbscript:f": False, "blob:x": False,
}  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_that_are_programs_are_known(address: str) -> None:
    assert is_safe_address(address) is ADDRESSES[address]


SCRIPT = "<script>draw()</script>"
FRAME = '<iframe src="//a.org/" title="A talk"></iframe>'
LINK = '<a class="jz-remote jz-frame" href="//a.org/">A talk</a>'
CASES = (
    # A place that a script would fill: its anchor stays, its style and class go.
    (f'<div id="plot" class="tall" style="height:9em"></div>{SCRIPT}',
     '<span id="plot"></span>'),
    (f'<div class="tall"><div id="plot">\n</div></div>{SCRIPT}', '<span id="plot">\n</span>'),
    ('<div class="tall"><canvas height="300"></canvas></div><p>a</p>', "<p>a</p>"),
    (f'<div id="a"><div id="b">{SCRIPT}</div></div>',
     '<span id="a"><span id="b"></span></span>'),
    # A frame in the box that gives it a shape.
    (f'<div id="film" class="ratio" style="height:0;padding-bottom:56%">{FRAME}</div>',
     f'<div id="film">{LINK}</div>'),
    (f'<div class="ratio"><div style="height:9em">{FRAME}</div></div>',
     f"<div><div>{LINK}</div></div>"),
    (f'<center><object data="//a.org/b.html"></object></center>{SCRIPT}',
     '<center><a class="jz-remote jz-frame" href="//a.org/b.html">//a.org/b.html</a></center>'),
    # What has words, an image or a link of its own is no such place.
    (f'<div class="tall">a</div>{SCRIPT}', '<div class="tall">a</div>'),
    (f'<div class="tall"><img src="a.png"></div>{SCRIPT}',
     '<div class="tall"><img src="a.png"></div>'),
    (f'<div class="tall">{FRAME} or <a href="b">b</a></div>',
     f'<div class="tall">{LINK} or <a href="b">b</a></div>'),
    (f'<p class="b"><span class="icon"></span></p><table class="t"></table>{SCRIPT}',
     '<p class="b"><span class="icon"></span></p><table class="t"></table>'),
    # Where nothing is lost an empty element may be a look.
    ('<div class="line"></div>', '<div class="line"></div>'),
    ('<div class="line"></div><button>a</button>', '<div class="line"></div>a'),
)  # fmt: skip


@pytest.mark.parametrize(("html", "shown"), CASES)
def test_no_room_is_kept_for_what_is_not_shown(html: str, shown: str) -> None:
    assert sanitize(html).html == shown
    assert sanitize(shown).html == shown


def test_what_stands_between_two_pieces_is_in_the_element_around_it() -> None:
    pieces = [f'<div style="height:4em">{SCRIPT}', "</div>", '<div id="b"></div>']
    cleaned = ['<div style="height:4em">', "</div>", '<span id="b"></span>']
    assert sanitize_around(pieces)[0] == cleaned


@pytest.mark.parametrize("box", ["<div>", '<div id="a">', "<p>", f"<div>{FRAME}"])
def test_elements_deep_in_each_other_take_no_time(box: str) -> None:
    before = time.process_time()
    sanitize(f"{box * 2000}{SCRIPT}{'</div>' * 2000}")
    assert time.process_time() - before < 10


def test_an_element_with_an_id_and_nothing_in_it_waits_for_a_script() -> None:
    html = '<div class=a id=plot></div><CANVAS id="c"> </canvas><div id="d">a</div><a id="e"></a>'
    assert waiting_ids(html) == ["plot", "c"]
