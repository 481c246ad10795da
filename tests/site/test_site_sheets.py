"""One sheet made of many: what each takes from its own place still leads there."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.site.extension.assets import SHEET, one_sheet


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
