"""The theme's frame around a page: words, headings, metadata, addresses, security policy.

Templates ask ``jz_text`` for words. Scripts find their words in ``words.js``, and styles in custom
properties (``--jz-said-…``), so neither contains words of a language. The theme itself tries every
template on every page and parses HTML for the headings; here both are computed directly.
"""

from __future__ import annotations

import gettext
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

import markupsafe
from babel import Locale, UnknownLocaleError
from docutils import nodes
from sphinx import locale
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain
from sphinx.environment import BuildEnvironment

from pipeline.adapters import files
from pipeline.site.extension.nodes import both_html
from pipeline.site.names import PROGRESS, SEARCH
from pipeline.site.texts import ENGLISH, spoken, text, words

SCRIPT, SHEET = "words.js", "words.css"  # in the folder of static files


class _Interface(gettext.NullTranslations):
    """A catalogue of the few messages of Sphinx and the theme that we have ``messages`` for."""

    def __init__(self, messages: Mapping[str, str]) -> None:
        super().__init__()
        self._messages = messages

    def gettext(self, message: str) -> str:
        """Return the message as readers get it; as it is if we have no words for it either."""
        return self._messages.get(message, message)


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


# What is words, or an address, to templates: ours and the theme's write some of it as it is.
_ESCAPED = (
    *("docstitle", "project", "shorttitle", "copyright", "release", "version"),
    *("jz_canonical", "jz_description", "jz_english", "jz_english_page"),
    *("jz_repository", "jz_card"),
)
LONGEST_DESCRIPTION = 150  # letters: search engines show no more


def describe(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates the description and the address of a page."""
    url = app.config.jz_site["url"]
    words = description(document) if document else ""
    context["jz_description"] = (
        words or app.config.jz_site["hero"] or app.config.project
    )
    context["jz_canonical"] = f"{url}{page}.html" if url else ""
    context["jz_card"] = f"{url}_static/card.png" if _has_card(app) else ""


def _has_card(app: Sphinx) -> bool:
    """Return whether the picture of a link fits the site: its words are Chinese, about JAX."""
    is_of_jax = app.config.jz_site["package"] == "jax"
    return is_of_jax and spoken(app.config.language) == "zh"


def escape_words(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Let no words of the configuration be markup; those that are escaped stay as they are."""
    for name in _ESCAPED:
        context[name] = markupsafe.escape(context.get(name) or "")


def description(document: nodes.document) -> str:
    """The first sentences of a page that are prose, cut where they are long."""
    for paragraph in document.findall(nodes.paragraph):
        # Links alone are badges, or a way on.
        said = [part for part in paragraph.children if part.astext().strip()]
        has_words = not all(isinstance(part, nodes.reference) for part in said)
        is_prose = has_words and isinstance(paragraph.parent, nodes.section)
        words = " ".join(paragraph.astext().split())
        if is_prose and len(words) > 15:
            return (
                words
                if len(words) <= LONGEST_DESCRIPTION
                else f"{words[: LONGEST_DESCRIPTION - 1]}…"
            )
    return ""


def give_addresses(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates ``jz_own``, and let the theme's search lead to our page of results."""
    own = app.config.jz_site["own_pages"]
    context["jz_own"] = own
    context["pathto"] = partial(_path_to, context["pathto"], own[SEARCH])


def _path_to(pathto: Any, search: str, name: str, *args: Any, **options: Any) -> str:
    """Return the way to a page; the theme's ``search`` is ours."""
    path: str = pathto(search if name == SEARCH else name, *args, **options)
    return path


def list_upstreams(app: Sphinx, env: BuildEnvironment, pages: Sequence[str]) -> None:
    """Let contents list upstream's pages that have names of Sphinx's own pages."""
    for page in env.found_docs & StandardDomain._virtual_doc_names.keys():
        del StandardDomain._virtual_doc_names[page]


# Where the configuration has templates, and the theme would try them.
PLACES = ("sidebars", "theme_article_header_start", "theme_article_header_end")
BESIDE = "theme_secondary_sidebar_items"
# The lists and links of a page's headings, as Sphinx writes them.
_TOC_MARK = re.compile(r'<ul>|</ul>|<li>|<a class="reference internal"')
_TOC_LIST = "nav section-nav flex-column"


def withhold(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Let the theme have no templates to try."""
    context["jz_places"] = {place: context.pop(place, []) for place in PLACES}
    context.pop(BESIDE, None)


def give_back(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates their places, but those that have nothing to say here."""
    levels = int(context["theme_show_toc_level"])
    headings = headings_of(context.get("toc", ""), open_levels=levels)
    context["generate_toc_html"] = lambda: headings
    context["secondary_sidebar_items"] = ["page-toc.html"] if headings else []
    is_said = {
        "jz-breadcrumbs.html": page != app.config.root_doc,
        "jz-links.html": context["jz_english_page"] or context["jz_repository"],
    }
    for place, templates in context.pop("jz_places").items():
        context[place] = [name for name in templates if is_said.get(name, True)]


def headings_of(toc: str, *, open_levels: int) -> str:
    """The headings of a page as HTML, with the theme's classes; empty if there is but the title.

    ``toc`` is what Sphinx makes of them: lists in lists, of which the title is the only entry of
    the first. So many levels below it are open.
    """
    level = 0
    entries = Counter[int]()
    html: list[str] = []
    below_title = slice(0, 0)  # of html
    for before, mark in _marks_in(toc):
        html.append(before)
        if mark == "</ul>":
            html.append(mark)
            level -= 1
            if level == 1:
                below_title = slice(below_title.start, len(html))
        elif mark == "<ul>":
            level += 1
            if level == 2 and not entries[2]:
                below_title = slice(len(html), 0)
            is_open = "pst-show_toc_level " if level <= open_levels + 1 else ""
            html.append(f'<ul class="{is_open}{_TOC_LIST}">')
        elif mark == "<li>":
            entries[level] += 1
            html.append(f'<li class="toc-h{level} nav-item toc-entry">')
        elif mark:
            html.append('<a class="reference internal nav-link"')
    if entries[1] != 1:
        return "".join(html)
    return "".join(html[below_title]) if entries[2] else ""


def _marks_in(toc: str) -> Iterator[tuple[str, str]]:
    """What stands before each mark, and the mark; at last what is left, and no mark."""
    start = 0
    for mark in _TOC_MARK.finditer(toc):
        yield toc[start : mark.start()], mark[0]
        start = mark.end()
    yield toc[start:], ""


# Of the theme, whose layout would load them at the end of a page.
_OF_THEME = ("scripts/bootstrap.js", "scripts/pydata-sphinx-theme.js")
_SOURCE = re.compile(r'\bsrc="([^"]*)"')
_RULES = (
    "script-src 'sha256-{digest}' 'strict-dynamic'",
    "object-src 'none'",
    "frame-src 'none'",
    "base-uri 'none'",
    # ``file:`` is for who opens the site as a folder.
    "form-action 'self' file:",
)


def add_policy(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates the policy, the one script that stands in every page, and what it loads."""
    context["jz_first"] = first_script()
    context["jz_policy"] = policy()
    context["jz_scripts"] = " ".join(
        _scripts(page, context, app.config.jz_site["own_pages"])
    )


def _scripts(
    page: str, context: dict[str, Any], own_pages: Mapping[str, str]
) -> Iterator[str]:
    """Yield the addresses of the scripts of a page, in their order, as HTML."""
    for file in context["script_files"]:
        # What stands in a page, or lies elsewhere, is not to run.
        source = _SOURCE.search(context["js_tag"](file))
        if source and "//" not in source[1]:
            yield source[1]
    if page == own_pages[PROGRESS]:
        yield context["pathto"]("_static/progress.js", 1)
    for name in _OF_THEME:
        address = context["pathto"](f"_static/{name}", 1)
        yield f"{address}?v={context.get('jz_theme_version', '')}"


@cache
def policy() -> str:
    """The policy of every page."""
    digest = b64encode(sha256(first_script().encode()).digest()).decode()
    return "; ".join(_RULES).format(digest=digest)


@cache
def first_script() -> str:
    """What runs before the first paint: as a file of its own it would hold up the page."""
    script = resources.files("pipeline.site").joinpath("templates", "first.js")
    return script.read_text(encoding="utf-8").strip()


def setup(app: Sphinx) -> None:
    """Register this part of the extension."""
    app.connect("builder-inited", speak, priority=900)
    # Before pages are written, which say the digest of each script and sheet.
    app.connect("builder-inited", write_words, priority=900)
    app.connect("html-page-context", give_words)
    # Before the scripts that ask for it.
    app.add_js_file(SCRIPT, priority=300, loading_method="defer")
    app.connect("html-page-context", describe, priority=600)
    # Last of all, when everybody has put words there.
    app.connect("html-page-context", escape_words, priority=990)
    app.connect("html-page-context", give_addresses, priority=600)
    app.connect("env-before-read-docs", list_upstreams)
    app.connect("html-page-context", withhold, priority=450)
    app.connect("html-page-context", give_back, priority=700)
    app.connect("html-page-context", add_policy, priority=950)
