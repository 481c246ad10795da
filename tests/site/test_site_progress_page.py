"""The progress page as HTML: numbers, places, texts that are texts."""

from __future__ import annotations

from functools import partial
from html.parser import HTMLParser
from typing import Any

import pytest

from pipeline.site.extension import progress as progress_page
from pipeline.site.extension.progress import NEXT, sections

to_body = partial(progress_page.to_body, locale="zh_CN")

EVIL = "<script>alert(1)</script>\"'>{{ 7*7 }}"
VOID = {"br", "img", "input"}


def page(
    name: str, words: int, translated: int = 0, fuzzy: int = 0, **more: str
) -> dict[str, Any]:
    made = {"page": name, "title": name, "url": f"{name}.html", "group": "正文"} | more
    return made | {
        "words": words,
        "translated": translated,
        "fuzzy": fuzzy,
        "untranslated": words - translated - fuzzy,
    }


def progress(*pages: dict[str, Any], **more: Any) -> dict[str, Any]:
    numbers = {
        name: sum(page[name] for page in pages)
        for name in ("words", "translated", "fuzzy", "untranslated")
    }
    facts = {
        "title": "样例",
        "release": "0.10.2",
        "commit": "0123456789ab",
        "date": "2026-06-15",
        "next": [],
        "contributors": [],
    }
    return facts | numbers | {"pages": list(pages)} | more


class Parsed(HTMLParser):
    """Tags with attributes, and text. Refuses tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def of(self, name: str) -> list[dict[str, str]]:
        return [
            attributes
            for _, attributes in self.tags
            if name in attributes.get("class", "").split()
        ]


def test_shares_are_rounded_down() -> None:
    body = Parsed(to_body(progress(page("a", 1000, 999), page("b", 10, 10))))
    tiles = {tile["style"].split("--done:")[1] for tile in body.of("jz-tile")}
    assert tiles == {"99%;--fuzzy:99%", "100%;--fuzzy:100%"}
    assert "1 / 2" in "".join(body.text)


def test_places_lie_in_the_map_in_both_layouts() -> None:
    for section in sections(
        [
            page(f"p{number}", 10 + number**2, group=f"g{number % 4}")
            for number in range(50)
        ]
    ):
        for shape in (section.shape, *(shape for _, shape in section.pages)):
            for sides in (shape.wide, shape.tall):
                top, right, bottom, left = (
                    float(side.rstrip("%")) for side in sides.split()
                )
                assert 0 <= top <= 100 - bottom <= 100.01
                assert 0 <= left <= 100 - right <= 100.01


def test_the_largest_come_first_and_pages_without_words_have_no_place() -> None:
    found = sections(
        [
            page("a", 5, group="x"),
            page("b", 50, group="y"),
            page("c", 0, group="z"),
            page("d", 10, group="x"),
        ]
    )
    assert [
        (section.name, [page["page"] for page, _ in section.pages]) for section in found
    ] == [
        ("y", ["b"]),
        ("x", ["d", "a"]),
    ]


def test_what_is_next_is_named_in_order_and_not_without_end() -> None:
    pages = [page(f"p{number}", 10, group="g") for number in range(30)]
    body = to_body(
        progress(*pages, next=["gone", *(page["page"] for page in reversed(pages))])
    )
    listed = body.split('<ol class="jz-next">')[1].split("</ol>")[0]
    assert listed.count("<li>") == NEXT
    assert listed.index("p29") < listed.index("p28")


def test_without_next_and_contributors_there_are_no_empty_headings() -> None:
    body = to_body(progress(page("a", 1, 1)))
    assert 'id="next"' not in body
    assert 'id="contributors"' not in body


def test_texts_are_escaped() -> None:
    evil = page("e", 5, title=EVIL, group=EVIL) | {"url": 'x"onclick="alert(1)'}
    body = Parsed(
        to_body(
            progress(
                evil,
                title=EVIL,
                contributors=[{"name": EVIL, "messages": 1}],
                next=["e"],
            )
        )
    )
    assert "script" not in {tag for tag, _ in body.tags}
    assert not any("onclick" in attributes for _, attributes in body.tags)
    assert "".join(body.text).count("<script>alert(1)</script>") >= 5


def test_english_titles_say_that_they_are() -> None:
    titles = Parsed(
        to_body(progress(page("a", 5, title="Pytrees"), page("b", 4, title="用 JAX")))
    ).of("jz-tile-title")
    assert [title.get("lang") for title in titles] == ["en", None]


@pytest.mark.parametrize("pages", [[], [page("a", 0)]])
def test_without_words_all_is_done(pages: list[dict[str, Any]]) -> None:
    body = Parsed(to_body(progress(*pages)))
    assert not body.of("jz-tile")
    assert "100" in body.text
