"""Files of a site for programs and servers: sitemap, feed, 404, robots, redirects, plain texts.

The input is the data of the built site. The output is the content of each file by its path;
``build`` writes the files. Addresses are absolute if the site's ``url`` is configured.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import escape as xml_escape

from pipeline.adapters import files
from pipeline.core.execution import code_cells as execution
from pipeline.core.pin.lock import DOCSTRING_SUFFIX, is_reference
from pipeline.core.results import PageResult
from pipeline.errors import InputError
from pipeline.site.configuration import english_folder, own_pages_of
from pipeline.site.documents import to_json
from pipeline.site.manifest import docstring_name, freshness_of_site, source_name
from pipeline.site.names import RECORDS, SEARCH
from pipeline.site.plan import Site
from pipeline.site.progress import environment, source_of, template
from pipeline.site.texts import ENGLISH, interface_language, words


def redirect_pages(
    moved: Mapping[str, str], pages: Collection[str], *, language: str
) -> dict[str, str]:
    """Return HTML by path for every old page that redirects to one of ``pages``.

    ``moved`` maps old names to current ones. An old name is skipped if it is the name of a page
    again, or if it leads out of the folder of the site.
    """
    html_by_path: dict[str, str] = {}
    for old, new in moved.items():
        if old not in pages and new in pages and _is_inside(old):
            target = posixpath.relpath(f"{new}.html", posixpath.dirname(old) or ".")
            html_by_path[f"{old}.html"] = _redirect(target, language)
    return html_by_path


def shared_pages(site: Site) -> dict[str, bytes]:
    """Return HTML by path for shared pages: redirects to the pinned site, which has them."""
    html_by_path: dict[str, bytes] = {}
    for page in site.shared:
        target = f"{'../' * page.count('/')}{site.pinned_folder}{page}.html"
        html_by_path[f"{page}.html"] = _redirect(target, _language(site)).encode()
    return html_by_path


def _redirect(target: str, language: str) -> str:
    """Return the HTML of a page that leads to ``target``."""
    page = template("redirect.html.j2").render(language=language, target=target)
    return f"{page}\n"


def _is_inside(path: str) -> bool:
    """Return whether a path from upstream's configuration stays in the site's folder.

    True for ``old/guide``; false for ``../guide``, ``/guide`` and ``..``.
    """
    # "a//b" and "a/./b" are rejected, because they are other names of "a/b".
    if posixpath.normpath(path) != path:
        return False
    return path.partition("/")[0] not in ("", "..")


FEED = "atom.xml"
ENTRIES = 50  # maximum: the most recently changed pages
# Date of a feed that has no entries, if the commit of the docs has no date.
_NEVER = "1970-01-01T00:00:00Z"


def feed(
    site: Site, rows: Sequence[Mapping[str, Any]], history: Sequence[Mapping[str, Any]]
) -> bytes:
    """Return the Atom feed (RFC 4287) of changed pages.

    ``rows`` are the pages of ``progress.json``. ``history`` are the last changes of pages
    (``last_changes.last_changes``), as dictionaries. If ``history`` is empty, the feed has no
    entries.
    """
    rows_of = {row["page"]: row for row in rows}
    changes = sorted(
        (change for change in history if change["page"] in rows_of),
        key=_moment,
        reverse=True,
    )
    said = words(site.locale, "feed")
    title = site.policy.title or site.upstream.name
    made = environment({"xml": _xml}).from_string(source_of("atom.xml.j2"))
    text = made.render(
        language=_language(site),
        id=_id(site),
        title=title,
        updated=(changes[0]["date"] if changes else site.lock.date) or _NEVER,
        # A feed should contain its own address. This address is known only if the site's ``url`` is
        # configured.
        url=site.policy.url,
        name=FEED,
        author=said["by"].format(title),
        entries=[
            {
                **change,
                **rows_of[change["page"]],
                "id": _id(site, change["page"], change["commit"]),
                "summary": said["summary"].format(**change),
            }
            for change in changes[:ENTRIES]
        ],
    )
    return f"{text}\n".encode()


def _moment(change: Mapping[str, Any]) -> datetime:
    """Return the moment of a change. git's dates have time zones, so strings cannot be compared."""
    return datetime.fromisoformat(change["date"])


def _id(site: Site, *parts: str) -> str:
    """Return an id that stays the same if the site moves, or if upstream is a local copy."""
    upstream = site.upstream.configured_url or site.upstream.url
    name = "\n".join((upstream, site.upstream.name, site.locale, *parts))
    return uuid5(NAMESPACE_URL, name).urn


def _xml(text: str) -> str:
    """Return a text for XML: escaped, without characters that XML cannot contain."""
    return xml_escape("".join(filter(_is_in_xml, text)))


def _is_in_xml(letter: str) -> bool:
    """Return whether XML 1.0 allows a character."""
    if letter < " ":
        # The only control characters in XML: tab, line feed and carriage return.
        return letter in "\t\n\r"
    return not ("\ud800" <= letter <= "\udfff" or letter in "\ufffe\uffff")


def _language(site: Site) -> str:
    """Return the locale as a language tag: ``zh-CN``."""
    return site.locale.replace("_", "-")


# Characters that could start HTML or a link in Markdown.
_MARKUP = re.compile(r"[\\<\[\]]")
_BACKTICKS = re.compile("`+")
# Matches names of languages that are valid after a fence. A notebook may give any text as its
# language.
_LANGUAGE = re.compile(r"[\w+#.-]+")


def files_for_programs(site: Site) -> dict[str, bytes]:
    """Return all files for programs except ``freshness.json``, by path in the site."""
    path = site.target / "progress.json"
    rows: list[Mapping[str, Any]] = json.loads(files.read_bytes(path))["pages"]
    made = {
        "robots.txt": robots(site.policy.url, site.upstream.beside),
        "llms.txt": llms(site, rows),
        "404.html": not_found(site, rows),
    }
    if site.policy.url:
        made["sitemap.xml"] = sitemap(site.policy.url, rows, site.lock.date[:10])
    texts = {name: text.encode("utf-8", "replace") for name, text in made.items()}
    texts[FEED] = feed(site, rows, history_of(site))
    if site.releases and site.policy.url and not site.upstream.is_beside:
        texts["switcher.json"] = switcher(site.releases)
    for page in (*site.pages, *site.included.values()):
        if page.page in site.shared:
            continue
        if site.is_made(page.page):
            texts[f"{page.page}.md"] = _words_of(site, page.page).encode()
            continue
        source = page.files[0].path
        # The Markdown file of a reST page has only the words of the page, so publish its reST
        # source, too.
        if source.endswith(".rst"):
            texts[source_name(page.page)] = files.read_bytes(site.document(source))
        if markdown := page_as_markdown(site, page):
            texts[f"{page.page}.md"] = markdown.encode("utf-8", "replace")
    for file in site.lock.files if site.reference else ():
        if file.path.endswith(DOCSTRING_SUFFIX):
            texts[docstring_name(file.path)] = files.read_bytes(site.document(file.path))
    return texts


def freshness_file(site: Site) -> bytes:
    """Return ``freshness.json``. Write all other files first, because it has their digests."""
    path = site.target / "progress.json"
    rows: list[Mapping[str, Any]] = json.loads(files.read_bytes(path))["pages"]
    return to_json(freshness_of_site(site, rows, history_of(site)))


def history_of(site: Site) -> list[Mapping[str, Any]]:
    """Return the last change of each page, from a record that ``sources.assemble`` has written."""
    path = site.sources / RECORDS / "history.json"
    changes: list[Mapping[str, Any]] = json.loads(files.read_bytes(path))
    return changes


def robots(url: str, beside: Sequence[str] = ()) -> str:
    """Return a robots.txt that allows all pages and names the sitemaps, if ``url`` is known.

    ``beside`` are the releases with a site of their own below ``url``.
    """
    lines = "User-agent: *\nAllow: /\n"
    if not url:
        return lines
    folders = ("", *(f"{release}/" for release in beside))
    return lines + "".join(f"Sitemap: {url}{folder}sitemap.xml\n" for folder in folders)


def switcher(releases: Sequence[Mapping[str, Any]]) -> bytes:
    """Return ``switcher.json``: all releases, in the format of pydata-sphinx-theme's switcher.

    https://pydata-sphinx-theme.readthedocs.io/en/stable/user_guide/version-dropdown.html
    """
    rows = [
        {key: release[key] for key in ("name", "version", "url")}
        | {"preferred": release["is_stable"]}
        for release in releases
    ]
    return to_json(rows)


def sitemap(url: str, rows: Sequence[Mapping[str, Any]], date: str) -> str:
    """Return the sitemap (https://www.sitemaps.org/protocol.html); ``date`` may be empty."""
    places = [row["url"] for row in rows if not row["url"].startswith("../")]
    page = template("sitemap.xml.j2").render(url=url, places=places, date=date)
    return f"{page}\n"


def llms(site: Site, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return ``llms.txt``: the pages as a Markdown list by chapter, as in https://llmstxt.org."""
    docs = site.lock.release or site.upstream.name
    said = words(site.locale, "llms")
    translation = said["translation"].format(docs=docs, ref=site.lock.ref or site.lock.commit)
    lines = [
        f"# {_plain(site.policy.title or site.upstream.name)}",
        "",
        f"> {translation}",
        f"> {said['twins']}",
    ]
    # Chapters of the same name are merged.
    chapters: dict[str, list[str]] = {}
    for row in rows:
        # Pages with fewer than half of their words translated get this note, by the same rule as
        # the mark EN on links (``english_links``).
        note = "" if 2 * row["translated"] >= row["words"] else said["english"]
        page = row["url"].removesuffix(".html")
        address = f"{site.policy.url}{quote(page)}.md"
        line = f"- [{_plain(row['title'])}]({address}){note}"
        for part in site.included_in(row["page"]):
            if is_reference(part.page):
                continue  # the Markdown of a page contains its docstrings, so they have no entries
            path = part.files[0].path
            text = source_name(part.page) if path.endswith(".rst") else f"{part.page}.md"
            name = _plain(site.lock.docs.shown(path))
            line += f" + [{name}]({site.policy.url}{quote(text)})"
        chapters.setdefault(row["group"] or said["chapter"], []).append(line)
    for chapter, pages in chapters.items():
        lines += ["", f"## {_plain(chapter)}", "", *pages]
    return "\n".join(lines) + "\n"


def _plain(title: str) -> str:
    """Return a title for Markdown, with HTML and links escaped: ``a \\<b>``."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(title.split()))


def not_found(site: Site, rows: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return the page that servers show for missing pages.

    Servers show it at any address, so its links are absolute if the site's address is known. It
    links to the first page of each chapter in ``rows``, the pages of ``progress.json``.
    """
    home = site.policy.url or "index.html"
    chapters: dict[str, str] = {}
    for row in rows:
        if row["group"]:
            chapters.setdefault(row["group"], site.policy.url + row["url"])
    # The page shows only words of the interface. So its ``lang`` is the language of these words:
    # English if the locale has no table.
    said = site.locale if interface_language(site.locale) != ENGLISH else ENGLISH
    page = template("404.html.j2").render(
        language=said.replace("_", "-"),
        english=site.policy.english_url or home,
        home=home,
        search=f"{site.policy.url}{own_pages_of(site)[SEARCH]}.html",
        search_words=words(site.locale, "page")["search"],
        chapters=chapters,
        chapters_language=site.locale.replace("_", "-"),
        base=site.policy.url or "./",
        top=english_folder(site.lock),
        **words(site.locale, "not found"),
    )
    return f"{page}\n"


def page_as_markdown(site: Site, page: PageResult) -> str:
    """Return a page as Markdown; empty if the page cannot be read.

    For a Markdown page, return the merged document, which ``verify-site`` compares. For a reST
    page, return headings and texts from its search record.
    """
    path = page.files[0].path
    if path.endswith(".rst"):
        return _words_of(site, page.page)
    data = files.read_bytes(site.document(path))
    if not path.endswith(".ipynb"):
        return data.decode("utf-8", "replace")
    try:
        notebook = execution.parse_notebook(data, where=path)
    except InputError:
        return ""  # ``sources.assemble`` has reported the error
    language = execution.kernel_of(notebook)[1]
    cells = (_cell(cell, language) for cell in notebook["cells"])
    return "\n\n".join(cells) + "\n"


def _cell(cell: Mapping[str, Any], language: str) -> str:
    """Return a cell as Markdown, with code in a fence that names ``language``."""
    source = execution.source_of(cell)
    if cell.get("cell_type") != "code":
        return source
    # A fence must be longer than any run of backticks inside it.
    longest = max(map(len, _BACKTICKS.findall(source)), default=0)
    fence = "`" * max(3, longest + 1)
    info = language if _LANGUAGE.fullmatch(language) else ""
    return f"{fence}{info}\n{source}\n{fence}"


def _words_of(site: Site, page: str) -> str:
    """Return headings and texts of a page as Markdown, from its record for the search."""
    path = site.doctrees / "search" / f"{page}.json"
    if not path.is_file():
        return ""
    record = json.loads(files.read_bytes(path))
    parts = [f"# {record['title']}"]
    seen = record["title"]
    for _, heading, text, english in record["pieces"]:
        # A long section has several pieces with the same heading.
        if heading != seen:
            parts.append(f"## {heading}")
            seen = heading
        parts.append(text or english)
    return "\n\n".join(filter(None, parts)) + "\n"
