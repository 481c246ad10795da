"""No room is kept for what a script or a frame would show; what else is empty stays."""

from __future__ import annotations

import time

import pytest

from pipeline.adapters.html.sanitizer import sanitize, sanitize_around, waiting_ids

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
    assert sanitize_around(pieces)[0] == [
        '<div style="height:4em">',
        "</div>",
        '<span id="b"></span>',
    ]


@pytest.mark.parametrize("box", ["<div>", '<div id="a">', "<p>", f"<div>{FRAME}"])
def test_elements_deep_in_each_other_take_no_time(box: str) -> None:
    before = time.process_time()
    sanitize(f"{box * 2000}{SCRIPT}{'</div>' * 2000}")
    assert time.process_time() - before < 10


def test_an_element_with_an_id_and_nothing_in_it_waits_for_a_script() -> None:
    html = '<div class=a id=plot></div><CANVAS id="c"> </canvas><div id="d">a</div><a id="e"></a>'
    assert waiting_ids(html) == ["plot", "c"]
