"""The frame that the theme puts around a page: words, headings, metadata and security policy.

Templates, scripts and styles contain no words of a language. Templates get words from ``jz_text``,
scripts from ``words.js``, and style sheets from custom properties (``--jz-said-…``).

On every page, the theme would render all templates to see which are empty, and parse HTML for the
list of headings. This module finds the empty templates and the headings in a faster way.
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
from pipeline.site.extension.records import Context, on_page
from pipeline.site.names import PROGRESS, SEARCH
from pipeline.site.texts import ENGLISH, interface_language, text, words

SCRIPT, WORDS_SHEET = "words.js", "words.css"  # in the folder of static files
# Template values that are words or addresses. ``escape_words`` escapes them, because some templates
# do not.
_ESCAPED = (
    *("docstitle", "project", "shorttitle", "copyright", "release", "version"),
    *("jz_canonical", "jz_description", "jz_english", "jz_english_page"),
    *("jz_repository", "jz_card"),
)
MATHJAX = "_static/mathjax/"
LONGEST_DESCRIPTION = 150  # characters; search engines show no more
# Values that are lists of templates. The theme would render each template of the lists (see
# ``hide_templates``).
PLACES = ("sidebars", "theme_article_header_start", "theme_article_header_end")
BESIDE = "theme_secondary_sidebar_items"
# Tags of a page's table of headings, as Sphinx writes them.
_TOC_MARK = re.compile(r'<ul>|</ul>|<li>|<a class="reference internal"')
_TOC_LIST = "nav section-nav flex-column"
# Scripts of the theme. The theme's layout does not load them here: our inline script does
# (``_scripts``).
_OF_THEME = ("scripts/bootstrap.js", "scripts/pydata-sphinx-theme.js")
_SOURCE = re.compile(r'\bsrc="([^"]*)"')
_RULES = (
    "script-src 'sha256-{digest}' 'strict-dynamic'",
    "object-src 'none'",
    "frame-src 'none'",
    "base-uri 'none'",
    # ``file:`` is for readers who open the site from a folder.
    "form-action 'self' file:",
)


def add_messages(app: Sphinx) -> None:
    """Add our translations to the catalogues of Sphinx and the theme, as a fallback."""
    messages = words(app.config.language, "theme")
    own: Any = gettext.NullTranslations()
    own.gettext = lambda message: messages.get(message, message)
    for catalog in locale.translators.values():
        catalog.add_fallback(own)


def write_words(app: Sphinx) -> None:
    """Write the words of our scripts and styles: ``words.js`` and ``words.css``."""
    static = Path(app.outdir, "_static")
    language = app.config.language
    files.write_if_changed(static / SCRIPT, words_script(language).encode())
    files.write_if_changed(static / WORDS_SHEET, words_sheet(language).encode())


def words_script(language: str) -> str:
    """Return the content of ``words.js``: the words of our scripts, by script."""
    said = {part: dict(words(language, part)) for part in ("reading", "search")}
    return f"const jzWords = {json.dumps(said, ensure_ascii=False)};\n"


def words_sheet(language: str) -> str:
    """Return ``words.css``: words as custom properties, ``:root { --jz-said-fuzzy: "check"; }``."""
    said = "".join(
        f" --jz-said-{name}: {_css_string(value)};"
        for name, value in words(language, "marks").items()
    )
    return f":root {{{said} }}\n"


def _css_string(value: str) -> str:
    """Return a text as a CSS string: ``"two\\A lines"``."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\A ")
    return f'"{escaped}"'


def provide_words(app: Sphinx, page: str, context: Context) -> None:
    """Give the templates ``jz_text``, ``jz_both``, ``jz_language`` and ``theme_toc_title``."""
    language = app.config.language
    context["jz_text"] = lambda key: text(language, key)
    context["jz_both"] = lambda key: own_words_html(language, key)
    context["jz_language"] = own_name(language)
    context["theme_toc_title"] = own_words_html(language, "on this page")


def own_words_html(language: str, key: str) -> str:
    """Return words of the interface as HTML, together with their English."""
    own, original = text(language, key), text(ENGLISH, key)
    return both_html(escape(own), original if original != own else "")


def own_name(language: str) -> str:
    """Return the name of a language in that language: ``de`` → ``Deutsch``."""
    named = text(language, "this language")
    if named:
        return named
    try:
        return Locale.parse(language).language_name or language
    except (UnknownLocaleError, ValueError):
        return language


def describe(
    app: Sphinx, page: str, _: str, context: Context, document: nodes.document | None
) -> None:
    """Give the templates the page's description, canonical address and preview image."""
    site = app.config.jz_site
    url = site["url"]
    # Only Chinese sites of JAX have the preview image, because it shows Chinese words about JAX.
    has_card = site["package"] == "jax" and interface_language(app.config.language) == "zh"
    found = description(document) if document else ""
    context["jz_description"] = found or site["hero"] or app.config.project
    # If several releases have the page, the canonical address is that of the stable release. Search
    # engines then show only this address.
    stable = [row for row in site["releases"] if row["is_stable"] and page in row["pages"]]
    if url and stable:
        url = stable[0]["url"]
    context["jz_canonical"] = f"{url}{page}.html" if url else ""
    context["jz_card"] = f"{url}_static/card.png" if has_card else ""


def description(document: nodes.document) -> str:
    """Return the first prose paragraph of a page, shortened to ``LONGEST_DESCRIPTION``."""
    for paragraph in document.findall(nodes.paragraph):
        # Skip a paragraph that consists of links: it is a row of badges, or a menu.
        said = [part for part in paragraph.children if part.astext().strip()]
        has_words = not all(isinstance(part, nodes.reference) for part in said)
        is_prose = has_words and isinstance(paragraph.parent, nodes.section)
        prose = " ".join(paragraph.astext().split())
        if is_prose and len(prose) > 15:
            is_long = len(prose) > LONGEST_DESCRIPTION
            return f"{prose[: LONGEST_DESCRIPTION - 1]}…" if is_long else prose
    return ""


def provide_releases(app: Sphinx, page: str, context: Context) -> None:
    """Give the templates the releases of the docs, with the address of this page in each.

    Each page contains these addresses, because a page that is opened from a folder can load no
    data.
    """
    language = app.config.language
    rows = app.config.jz_site["releases"]
    context["jz_releases"] = [
        {
            **row,
            "address": _address_in(row, page, context),
            "has_this_page": page in row["shared"],
        }
        for row in rows
    ]
    if not rows or not app.config.jz_site["is_beside"]:
        return
    (this,) = (row for row in rows if row["is_this"])
    (stable,) = (row for row in context["jz_releases"] if row["is_stable"])
    said = text(language, "not stable").format(release=this["name"])
    key = "same page" if page in stable["pages"] else "stable home"
    words = text(language, key).format(stable=stable["name"])
    link = f'<a href="{escape(stable["address"])}">{escape(words)}</a>'
    context["theme_announcement"] = f"{escape(said)} {link}"


def _address_in(row: Mapping[str, Any], page: str, context: Context) -> str:
    """Return the relative address of a page in another release.

    If the site of that release does not have the page, return the address of the site's first page.
    It lacks pages that the release does not have, and shared pages, which only the pinned site has.
    """
    is_there = page in row["pages"] and page not in row["shared"]
    name = page if is_there else "index"
    address: str = context["pathto"](f"{row['folder']}{name}.html", 1)
    return address


def escape_words(app: Sphinx, page: str, context: Context) -> None:
    """Escape template values that come from the configuration, unless they are escaped already."""
    for name in _ESCAPED:
        context[name] = markupsafe.escape(context.get(name) or "")


def provide_addresses(app: Sphinx, page: str, context: Context) -> None:
    """Give the templates the names of our own pages, ``jz_own``.

    Also replace the function ``pathto``, by which the theme makes links. The replacement makes the
    theme's link to the page ``search`` lead to our page of results. If upstream has a page
    ``search``, our page has another name.
    """
    own = app.config.jz_site["own_pages"]
    context["jz_own"] = own
    context["pathto"] = partial(_path_to, context["pathto"], own[SEARCH])


def _path_to(pathto: Any, search: str, name: str, *args: Any, **options: Any) -> str:
    """Return the relative address of a page. ``search`` becomes our page of results."""
    path: str = pathto(search if name == SEARCH else name, *args, **options)
    return path


def allow_generated_names(app: Sphinx, env: BuildEnvironment, pages: Sequence[str]) -> None:
    """Allow pages of upstream that have the name of one of Sphinx's own pages, such as ``search``.

    Otherwise tables of contents would link to Sphinx's page of that name.
    """
    for page in env.found_docs & StandardDomain._virtual_doc_names.keys():
        del StandardDomain._virtual_doc_names[page]


def hide_templates(app: Sphinx, page: str, context: Context) -> None:
    """Hide the lists of templates from the theme, which would render each of them."""
    context["jz_places"] = {place: context.pop(place, []) for place in PLACES}
    context.pop(BESIDE, None)


def restore_templates(app: Sphinx, page: str, context: Context) -> None:
    """Restore the hidden lists, without the templates that are empty on this page."""
    levels = int(context["theme_show_toc_level"])
    headings = headings_of(context.get("toc", ""), open_levels=levels)
    context["generate_toc_html"] = lambda: headings
    context["secondary_sidebar_items"] = ["page-toc.html"] if headings else []
    is_shown = {
        "jz-breadcrumbs.html": page != app.config.root_doc,
        "jz-links.html": context["jz_english_page"] or context["jz_repository"],
    }
    for place, templates in context.pop("jz_places").items():
        context[place] = [name for name in templates if is_shown.get(name, True)]


def headings_of(toc: str, *, open_levels: int) -> str:
    """Return the list of headings of a page as HTML, with the theme's classes.

    ``toc`` is Sphinx's HTML: nested lists. Usually the outermost list has one entry, the title of
    the page. In that case, return only the headings below the title; empty if there are none.
    ``open_levels`` is the number of levels that are expanded.
    """
    level = 0
    entries = Counter[int]()
    html: list[str] = []
    below_title = slice(0, 0)  # the part of ``html`` below the title
    start = 0
    for mark in _TOC_MARK.finditer(toc):
        html.append(toc[start : mark.start()])
        start = mark.end()
        if mark[0] == "</ul>":
            html.append(mark[0])
            level -= 1
            if level == 1:
                below_title = slice(below_title.start, len(html))
        elif mark[0] == "<ul>":
            level += 1
            if level == 2 and not entries[2]:
                below_title = slice(len(html), 0)
            is_open = "pst-show_toc_level " if level <= open_levels + 1 else ""
            html.append(f'<ul class="{is_open}{_TOC_LIST}">')
        elif mark[0] == "<li>":
            entries[level] += 1
            html.append(f'<li class="toc-h{level} nav-item toc-entry">')
        else:
            html.append('<a class="reference internal nav-link"')
    html.append(toc[start:])
    if entries[1] != 1:
        return "".join(html)
    return "".join(html[below_title]) if entries[2] else ""


def add_policy(app: Sphinx, page: str, context: Context) -> None:
    """Give the templates the security policy, the one inline script, and the scripts that it loads.

    The policy (Content-Security-Policy) is in the page itself, because we do not know which server
    will serve the site. It allows one script, named by its digest. That script inserts all others.
    So browsers do not run a ``<script>`` that ``safety`` has overlooked in a page.
    """
    context["jz_first"] = first_script()
    context["jz_policy"] = policy()
    context["jz_scripts"] = " ".join(_scripts(app.config.jz_site, page, context))


def _scripts(site: Mapping[str, Any], page: str, context: Context) -> Iterator[str]:
    """Yield the addresses of a page's scripts in loading order, escaped for HTML."""
    for file in context["script_files"]:
        # Leave out inline scripts and scripts of other sites, because they must not run.
        source = _SOURCE.search(context["js_tag"](file))
        if source and "//" not in source[1]:
            # On the site of another release, lead to MathJax on the pinned site.
            yield source[1].replace(MATHJAX, f"{site['pinned']}{MATHJAX}")
    if page == site["own_pages"][PROGRESS]:
        yield context["pathto"]("_static/progress.js", 1)
    for name in _OF_THEME:
        address = context["pathto"](f"_static/{name}", 1)
        yield f"{address}?v={context.get('jz_theme_version', '')}"


@cache
def policy() -> str:
    """Return the content security policy of every page."""
    digest = b64encode(sha256(first_script().encode()).digest()).decode()
    return "; ".join(_RULES).format(digest=digest)


@cache
def first_script() -> str:
    """Return the inline script. Unlike a file, it runs before the browser shows anything."""
    script = resources.files("pipeline.site").joinpath("templates", "first.js")
    return script.read_text(encoding="utf-8").strip()


def setup(app: Sphinx) -> None:
    """Connect the handlers. Their priorities place them before or after those of the theme."""
    # After all catalogues are loaded, and before pages are written: pages contain the digests of
    # the files that ``write_words`` writes.
    app.connect("builder-inited", add_messages, priority=900)
    app.connect("builder-inited", write_words, priority=900)
    app.connect("env-before-read-docs", allow_generated_names)
    # Hide the templates before the theme renders them.
    on_page(app, hide_templates, priority=450)
    on_page(app, provide_words)
    app.connect("html-page-context", describe, priority=600)
    on_page(app, provide_releases)
    # ``provide_addresses`` replaces ``pathto``. The handlers before it need Sphinx's own
    # ``pathto``: for them, ``search`` must mean upstream's page of this name.
    on_page(app, provide_addresses, priority=600)
    on_page(app, restore_templates, priority=700)
    # Add the policy after the last handler that adds or removes scripts.
    on_page(app, add_policy, priority=950)
    # Escape last, when all other handlers have set their values.
    on_page(app, escape_words, priority=990)
    # Loaded before the scripts that use the words.
    app.add_js_file(SCRIPT, priority=300, loading_method="defer")
