"""The progress page as HTML: numbers, places, texts that are texts."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from strict_html import strict_html, words_in

from pipeline.site.extension import own_pages
from pipeline.site.extension.own_pages import NEXT

to_body = partial(own_pages.to_body, locale="zh_CN")

EVIL = "<script>alert(1)</script>\"'>{{ 7*7 }}"


def page(name: str, words: int, translated: int = 0, fuzzy: int = 0, **more: str) -> dict[str, Any]:
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


def test_shares_are_rounded_down() -> None:
    body = strict_html(to_body(progress(page("a", 1000, 999), page("b", 10, 10))))
    bars = {bar["style"] for bar in body.select(".jz-bar")}
    assert bars == {"--done:99%;--fuzzy:99%", "--done:100%;--fuzzy:100%"}
    assert "1 / 2" in words_in(body)


def test_what_is_next_is_named_in_order_and_not_without_end() -> None:
    pages = [page(f"p{number}", 10, group="g") for number in range(30)]
    names = [f"p{number}" for number in range(30)]
    body = to_body(progress(*pages, next=["gone", *reversed(names)]))
    listed = body.split('<ol class="jz-next">')[1].split("</ol>")[0]
    assert listed.count("<li>") == NEXT
    assert listed.index("p29") < listed.index("p28")


def test_without_next_and_contributors_there_are_no_empty_headings() -> None:
    body = to_body(progress(page("a", 1, 1)))
    assert 'id="next"' not in body
    assert 'id="contributors"' not in body


def test_texts_are_escaped() -> None:
    evil = page("e", 5, title=EVIL, group=EVIL) | {"url": 'x"onclick="alert(1)'}
    person = {"name": EVIL, "messages": 1}
    facts = progress(evil, title=EVIL, contributors=[person], next=["e"])
    body = strict_html(to_body(facts))
    assert not body.select("script, [onclick]")
    assert body.text.count("<script>alert(1)</script>") >= 4


def test_english_titles_say_that_they_are() -> None:
    body = strict_html(
        to_body(progress(page("a", 5, title="Pytrees"), page("b", 4, title="用 JAX")))
    )
    languages = {link["href"]: link.get("lang") for link in body.select("a")}
    assert (languages["a.html"], languages["b.html"]) == ("en", None)


@pytest.mark.parametrize("pages", [[], [page("a", 0)]])
def test_without_words_all_is_done(pages: list[dict[str, Any]]) -> None:
    body = strict_html(to_body(progress(*pages)))
    assert "100" in body.text
