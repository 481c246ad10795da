"""Code in colours: kept from build to build, and coloured again when anything about it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from sphinx.highlighting import PygmentsBridge

from pipeline.site.extension import highlighting
from pipeline.site.extension.highlighting import KeepingHighlighter

CODE = "lamp = 1\n"


class Builds:
    """Builds of one page, each by a new process as it were, and how often they colour code."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = file
        self.coloured: list[str] = []
        colour = PygmentsBridge.highlight_block

        def counted(
            bridge: PygmentsBridge, source: str, *rest: object, **options: object
        ) -> str:
            self.coloured.append(source)
            return colour(bridge, source, *rest, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(PygmentsBridge, "highlight_block", counted)

    def build(self, *blocks: str, lang: str = "python", **options: object) -> list[str]:
        """The HTML of the blocks of code on the page."""
        highlighter = KeepingHighlighter(PygmentsBridge("html"))
        with highlighter.for_page(self.file):
            return [
                highlighter.highlight_block(block, lang, **options) for block in blocks
            ]


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Builds:
    return Builds(tmp_path / "guide" / "page.json", monkeypatch)


def test_the_same_code_is_coloured_once(builds: Builds) -> None:
    (first,) = builds.build(CODE)
    assert first == PygmentsBridge("html").highlight_block(CODE, "python")
    builds.coloured.clear()
    # Where it stands makes no difference.
    assert builds.build(CODE, CODE, location=object()) == [first, first]
    assert builds.coloured == []


def test_other_code_or_another_way_to_show_it_is_coloured(builds: Builds) -> None:
    (first,) = builds.build(CODE)
    assert builds.build("vase = 1\n") != [first]
    assert builds.build(CODE, lang="console") != [first]
    (numbered,) = builds.build(CODE, linenos="inline")
    assert "linenos" in numbered
    assert len(builds.coloured) == 4


def test_another_release_of_what_colours_begins_anew(
    builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds.build(CODE)
    monkeypatch.setattr(highlighting, "versions_of", lambda names: [*names, "99"])
    builds.build(CODE)
    assert builds.coloured == [CODE, CODE]


def test_a_page_keeps_only_what_it_shows(builds: Builds) -> None:
    builds.build(CODE, "vase = 1\n")
    size = builds.file.stat().st_size
    builds.build(CODE)
    assert builds.file.stat().st_size < size
    builds.build(CODE, "vase = 1\n")
    assert builds.coloured == [CODE, "vase = 1\n", "vase = 1\n"]


@pytest.mark.parametrize("damage", ["", "{", '{"a": ["b", 3]}', "\x00"])
def test_a_damaged_file_is_an_empty_one(builds: Builds, damage: str) -> None:
    expected = builds.build(CODE)
    builds.file.write_text(damage, encoding="utf-8")
    assert builds.build(CODE) == expected


def test_code_that_no_file_can_hold_is_shown_all_the_same(builds: Builds) -> None:
    odd = "name = '\ud800'\n"
    (shown,) = builds.build(odd)
    assert "\ud800" in shown
    assert builds.build(odd) == [shown]
    assert builds.coloured == [odd, odd]


def test_code_outside_of_pages_is_not_kept(builds: Builds) -> None:
    highlighter = KeepingHighlighter(PygmentsBridge("html"))
    assert highlighter.highlight_block(CODE, "python")
    assert not builds.file.exists()
