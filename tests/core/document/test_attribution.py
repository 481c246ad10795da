"""The line under the title: names and terms in it are words, whatever they look like."""

from __future__ import annotations

from dataclasses import replace

import pytest
from docutils.core import publish_parts
from live_html import PAYLOAD, live_in
from markdown_it import MarkdownIt
from report_results import LOCK

from pipeline.core.document.attribution import attribution
from pipeline.core.document.rst.inline import spaced
from pipeline.folders import Folders

NAMES = (
    "a",
    "a<b title=live>'x",
    "a`b",
    "a](javascript:x)",
    "a <javascript:x>`__",
    "a b",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("page_url", ["", "https://example.org/{path}"])
@pytest.mark.parametrize("suffix", [".md", ".rst"])
def test_nothing_in_it_is_markup(name: str, page_url: str, suffix: str) -> None:
    line = attribution(
        locale="zh_CN",
        path=f"{name}{suffix}",
        lock=LOCK,
        page_url=page_url,
        license_name=PAYLOAD,
    )
    assert "\n" not in line
    if suffix == ".md":
        html = MarkdownIt().render(line)
    else:
        html = publish_parts(spaced(line), writer_name="html5")["body"]
    assert live_in(html) == []
    assert html.count("<a ") == bool(page_url)
    assert "&lt;b title=live&gt;x&lt;/b&gt;" in html


def test_usual_names_and_terms_stay_as_they_are() -> None:
    line = attribution(
        locale="zh_CN",
        path="guide/a_b.md",
        lock=LOCK,
        page_url="https://example.org/{path}",
        license_name="Apache-2.0",
    )
    assert "[guide/a_b.md](https://example.org/guide/a_b.md)" in line
    assert "Apache-2.0" in line


def test_a_file_from_outside_of_the_docs_is_named_as_upstream_has_it() -> None:
    lock = replace(LOCK, docs=Folders(("docs",)))
    line = attribution(
        locale="zh_CN",
        path="_outside/NEWS.md",
        lock=lock,
        page_url="https://example.org/docs/{path}",
        license_name="",
    )
    assert "[../NEWS.md](https://example.org/docs/../NEWS.md)" in line
