"""Style sheets: joined into one, and without the rules that no page can use."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.site.extension.assets import SHEET, one_sheet
from pipeline.site.styles import prune, words_in_html, words_in_script

WORDS = frozenset({"used", "also", "-Color", "-Color-Bold-Red", "w:1/2", "main"})


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (".used{a:b}.other{a:b}", ".used{a:b}"),
        (".used.other{a:b}", ""),
        (".used .other>p{a:b}", ""),
        (".other,.used:hover{a:b}", ".used:hover{a:b}"),
        ("p,h1::after{a:b}", "p,h1::after{a:b}"),
        ("#main{a:b}#gone{a:b}", "#main{a:b}"),
        (
            ".-Color[class*=-Red]{a:b}.-Color[class*=-Blue]{a:b}",
            ".-Color[class*=-Red]{a:b}",
        ),
        ('.used[class*="-C1"]{a:b}[class*="se"]{a:b}', '[class*="se"]{a:b}'),
        (".used[class*='more.other']{a:b}", '.used[class*="more.other"]{a:b}'),
        ("p:not([class*=other]){a:b}", "p:not([class*=other]){a:b}"),
        (
            ":is([class*=other],[class*=se]) p{a:b}:is([class*=other]) p{a:b}",
            ":is([class*=other],[class*=se]) p{a:b}",
        ),
        (":is(:not(.other),.more) p{a:b}", ":is(:not(.other),.more) p{a:b}"),
        (r".w\:1\/2{a:b}.x\:1{a:b}", r".w\:1\/2{a:b}"),
        ("p:not(.other){a:b}", "p:not(.other){a:b}"),
        ("p:not(:is(.other,.more)).used{a:b}", "p:not(:is(.other,.more)).used{a:b}"),
        (":is(.other,.used) p{a:b}", ":is(.other,.used) p{a:b}"),
        (":is(.other,.more) p{a:b}", ""),
        # A list in :has() is one of alternatives as well.
        (":has(.other,.used) p{a:b}", ":has(.other,.used) p{a:b}"),
        (":has(.other,.more) p{a:b}", ""),
        (':is([a="b"],[c]) .used{a:b}', ':is([a="b"],[c]) .used{a:b}'),
        ('[class="other"]{a:b}', '[class="other"]{a:b}'),
        ("@media (width<9px){.other{a:b}}", ""),
        ("@media (width<9px){.other{a:b}.used{a:b}}", "@media (width<9px){.used{a:b}}"),
        (
            "@supports (a:b){@media print{.used{a:b}}}",
            "@supports (a:b){@media print{.used{a:b}}}",
        ),
        ("@layer a;@media print;", "@layer a;@media print;"),
        (
            "@font-face{font-family:x}@keyframes other{0%{a:b}to{a:c}}",
            "@font-face{font-family:x}@keyframes other{0%{a:b}to{a:c}}",
        ),
        (
            '@charset "UTF-8";@import "other.css";.other{a:b}',
            '@charset "UTF-8";@import "other.css";',
        ),
        ("/* .other{ */.used{a:b}/* gone */", ".used{a:b}"),
        ("/*! by .other { */.used{a:b}", "/*! by .other { */.used{a:b}"),
        ('.used{content:"}.other{"}', '.used{content:"}.other{"}'),
        (".used{content:'/* \\' */  '}", '.used{content:"/* \' */  "}'),
        (".used {\n  a: b;\n\n  --x: ;\n}\n", ".used{a: b; --x: ;}"),
        (".used{a:b", ".used{a:b}"),
        # As browsers read it: what cannot be a selector is no rule.
        (".used{a:b}.also", ".used{a:b}"),
        ("", ""),
    ],
)
def test_rules_that_match_nothing_are_dropped(css: str, expected: str) -> None:
    assert prune(css, WORDS) == expected


@given(st.text(alphabet=".#{}()[]/*!'\"\\:;,@ \nusedother-", max_size=60))
def test_no_text_is_too_broken_to_be_pruned(css: str) -> None:
    assert prune(f"p{{a:b}}{css}", WORDS).startswith("p{a:b}")


def test_words_of_pages_and_scripts() -> None:
    html = """<p class="used also" id='main'><b class=plain>class="text"</b><i data-x="y">"""
    assert words_in_html(html) == {"used", "also", "main", "plain", "text"}
    assert words_in_script("el.classList.add('is-open');x.className=`fa-${y}`") >= {
        "is-open",
        "fa-",
        "classList",
    }


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """A folder of static files with two of the parts, one of which imports another sheet."""
    for path, css in (
        ("styles/theme.css", '@charset "utf-8";@import "../basic.css";b{top:0}'),
        ("basic.css", "i{background:url(i.svg)}"),
        ("other.css", "u{top:0}"),
        ("site.css", "p{color:red}"),
    ):
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(css, encoding="utf-8")
    return tmp_path


def test_parts_stand_in_their_order_behind_what_they_import(static: Path) -> None:
    assert one_sheet(static) == (
        '@charset "utf-8";\ni{background:url(../i.svg)}b{top:0}\np{color:red}'
    )


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a{b:url(x.svg)}", "a{b:url(../x.svg)}"),
        ("a{b:url( 'x.svg?v=1#y' )}", "a{b:url( '../x.svg?v=1#y' )}"),
        ('a{b:url("styles/x.svg")}', 'a{b:url("x.svg")}'),
        ("a{b:url(data:image/svg+xml,x)}", "a{b:url(data:image/svg+xml,x)}"),
        ("a{b:url(#x)}", "a{b:url(#x)}"),
        ("a{b:url(/x.svg)}", "a{b:url(/x.svg)}"),
        ("a{b:url(https://a.org/x.svg)}", "a{b:url(https://a.org/x.svg)}"),
        ("@import 'other.css' ;", "u{top:0}"),
        ('@import url("other.css");', "u{top:0}"),
        ("@import url(other.css);", "u{top:0}"),
        ("@import url(//a.org/x.css);", "@import url(//a.org/x.css);"),
    ],
)
def test_addresses_still_lead_there(static: Path, css: str, expected: str) -> None:
    static.joinpath("site.css").write_text(css, encoding="utf-8")
    assert one_sheet(static).endswith(f"\n{expected}")


def test_what_is_made_of_it_says_the_same(static: Path) -> None:
    whole = one_sheet(static)
    (static / SHEET).write_text(whole, encoding="utf-8")
    assert one_sheet(static) == whole
