"""Pages are called by their paths in NFC, as Sphinx calls them, however the files are named."""

from __future__ import annotations

import pytest

from pipeline.core.pin.lock import SourceFile, hidden_twins, pages_of

NFC, NFD = "\u00e9", "e\u0301"


def files(*paths: str) -> list[SourceFile]:
    return [SourceFile(path=path, blob="0" * 40) for path in paths]


@pytest.mark.parametrize(
    ("paths", "pages", "hidden"),
    [
        ((f"{NFD}.md",), {NFC: [f"{NFD}.md"]}, []),
        ((f"{NFD}/a.rst",), {f"{NFC}/a": [f"{NFD}/a.rst"]}, []),
        (
            (f"{NFD}.md", f"{NFC}.ipynb"),
            {NFC: [f"{NFC}.ipynb", f"{NFD}.md"]},
            [],
        ),
        ((f"{NFD}.md", f"{NFC}.md"), {NFC: [f"{NFC}.md"]}, [f"{NFD}.md"]),
        ((f"{NFC}.md", f"{NFD}.md"), {NFC: [f"{NFC}.md"]}, [f"{NFD}.md"]),
        # Neither is in NFC as a whole: one of them makes the page.
        (
            (f"{NFC}/{NFD}.md", f"{NFD}/{NFC}.md"),
            {f"{NFC}/{NFC}": [f"{NFC}/{NFD}.md"]},
            [f"{NFD}/{NFC}.md"],
        ),
        ((f"_static/{NFD}.md", f"_static/{NFC}.md", f"{NFD}.png"), {}, []),
    ],
)
def test_pages_by_their_names(
    paths: tuple[str, ...], pages: dict[str, list[str]], hidden: list[str]
) -> None:
    made = pages_of(files(*paths))
    assert {page.name: [file.path for file in page.files] for page in made} == pages
    assert [file.path for file in hidden_twins(files(*paths))] == hidden
