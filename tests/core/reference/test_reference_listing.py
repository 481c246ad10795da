"""Lists of names on upstream's pages: what of a page is handed to Sphinx."""

from __future__ import annotations

from pipeline.core.reference.listing import listing, settings_in

PAGE = """\
Tea
===

.. currentmodule:: tea

.. raw:: html

   <script>steep()</script>

Words about tea.

  .. autosummary::
     :toctree: _autosummary

     pour

     brew

.. autoclass:: Pot
   :members:
"""


def test_only_modules_and_lists_are_kept() -> None:
    assert listing("tea.rst", PAGE) == (
        "\n\n\n.. currentmodule:: tea\n\n\n\n\n\n\n\n"
        ".. autosummary::\n   :toctree: _autosummary\n\n   pour\n\n   brew\n\n"
        ".. autoclass:: Pot\n   :members:\n"
    )


def test_lines_keep_their_numbers() -> None:
    kept = listing("tea.rst", PAGE).split("\n")
    for number, line in enumerate(PAGE.split("\n")):
        assert not kept[number] or kept[number].strip() == line.strip()


def test_lists_that_the_docs_make_are_kept_by_name() -> None:
    page = "Tea\n===\n\n.. list_teas::\n\n.. list_pots::\n"
    assert listing("tea.rst", page) == ""
    assert listing("tea.rst", page, others=["list_teas"]) == "\n\n\n.. list_teas::\n"


def test_page_without_names_is_empty() -> None:
    assert listing("tea.rst", ".. currentmodule:: tea\n\nWords.\n") == ""


def test_markdown_has_lists_in_evaluated_blocks_only() -> None:
    text = "# Tea\n\n.. autofunction:: no\n\n```{eval-rst}\n.. autofunction:: tea.pour\n```\n"
    assert listing("tea.md", text) == "\n\n\n\n\n.. autofunction:: tea.pour\n"
    assert listing("tea.md", "# Tea\n\n.. autofunction:: no\n") == ""


def test_settings_of_other_extensions_stay_out() -> None:
    values = {
        "autodoc_typehints": "description",
        "extensions": ["os"],
        "html_theme": "x",
    }
    assert settings_in(values) == {"autodoc_typehints": "description"}
