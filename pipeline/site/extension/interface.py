"""What is said around the text of a page: words for templates, scripts and styles, and the theme's.

Templates ask ``jz_text``. Scripts find their words in ``words.js``, and styles in custom properties
(``--jz-said-…``), so that neither has words of a language of its own.
"""

from __future__ import annotations

import gettext
import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from babel import Locale, UnknownLocaleError
from docutils import nodes
from sphinx import locale
from sphinx.application import Sphinx

from pipeline.adapters import files
from pipeline.site.extension.nodes import both_html
from pipeline.site.texts import ENGLISH, text, words

SCRIPT, SHEET = "words.js", "words.css"  # in the folder of static files


class _Interface(gettext.NullTranslations):
    """A catalogue of the few messages of Sphinx and the theme that we have ``messages`` for."""

    def __init__(self, messages: Mapping[str, str]) -> None:
        super().__init__()
        self._messages = messages

    def gettext(self, message: str) -> str:
        """Return the message as readers get it; as it is if we have no words for it either."""
        return self._messages.get(message, message)


def setup(app: Sphinx) -> None:
    """Connect it. All catalogues are loaded by then."""
    app.connect("builder-inited", speak, priority=900)
    # Before pages are written, which say the digest of each script and sheet.
    app.connect("builder-inited", write_words, priority=900)
    app.connect("html-page-context", give_words)
    # Before the scripts that ask for it.
    app.add_js_file(SCRIPT, priority=300, loading_method="defer")


def speak(app: Sphinx) -> None:
    """Ask our own words last."""
    for catalog in locale.translators.values():
        # Sphinx and the theme have a catalogue each.
        catalog.add_fallback(_Interface(words(app.config.language, "theme")))


def write_words(app: Sphinx) -> None:
    """Write the words of our scripts and styles; the sheet becomes part of the one that is read."""
    if app.builder.format == "html":
        static = Path(app.outdir, "_static")
        language = app.config.language
        files.write_if_changed(static / SCRIPT, words_script(language).encode())
        files.write_if_changed(static / SHEET, words_sheet(language).encode())


def words_script(language: str) -> str:
    """Return ``words.js``: what our scripts say, by the script."""
    said = {part: dict(words(language, part)) for part in ("reading", "search")}
    return f"const jzWords = {json.dumps(said, ensure_ascii=False)};\n"


def words_sheet(language: str) -> str:
    """Return what styles say as custom properties: ``:root { --jz-said-fuzzy: "check"; }``."""
    said = "".join(
        f" --jz-said-{name}: {_css_string(value)};"
        for name, value in words(language, "marks").items()
    )
    return f":root {{{said} }}\n"


def _css_string(value: str) -> str:
    """Return a text as CSS writes it: ``"two\\A lines"``."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\A ")
    return f'"{escaped}"'


def give_words(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates ``jz_text``, ``jz_both`` and ``jz_language``, and the theme a heading."""
    context["jz_text"] = lambda key: text(app.config.language, key)
    context["jz_both"] = lambda key: own_words_html(app.config.language, key)
    context["jz_language"] = own_name(app.config.language)
    context["theme_toc_title"] = own_words_html(app.config.language, "on this page")


def own_words_html(language: str, key: str) -> str:
    """Return words of the navigation that are our own as HTML, with their English."""
    own, original = text(language, key), text(ENGLISH, key)
    return both_html(escape(own), original if original != own else "")


def own_name(language: str) -> str:
    """Return what a language calls itself: ``de`` → ``Deutsch``."""
    named = text(language, "this language")
    if named:
        return named
    try:
        return Locale.parse(language).language_name or language
    except (UnknownLocaleError, ValueError):
        return language
