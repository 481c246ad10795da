"""The Atom feed of a site (RFC 4287): the pages whose translation has changed, newest first.

The last change of each page comes in, as git tells it; XML goes out. Equal histories are an equal
feed: no date is that of a build, and an entry's id is made of its page and commit alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from pipeline.site.plan import Site
from pipeline.site.texts import words

NAME = "atom.xml"
ENTRIES = 50  # pages at most: the newest
_ATOM = "http://www.w3.org/2005/Atom"
_NEVER = "1970-01-01T00:00:00Z"  # of docs without a date, and without a change


def feed(
    site: Site, rows: Sequence[Mapping[str, Any]], history: Sequence[Mapping[str, Any]]
) -> bytes:
    """The feed; without entries if there is no history.

    ``rows`` are those of ``progress.json``; ``history`` is as ``freshness_of_site`` takes it.
    """
    rows_of = {row["page"]: row for row in rows}
    told = [change for change in history if change["page"] in rows_of]
    told.sort(key=_moment, reverse=True)
    title = site.policy.title or site.upstream.name
    root = ElementTree.Element("feed", {"xmlns": _ATOM, "xml:lang": _language(site)})
    _add(root, "id", _id(site))
    _add(root, "title", title)
    newest = told[0]["date"] if told else site.lock.date
    _add(root, "updated", newest or _NEVER)
    _link(root, "alternate", site.policy.url or "index.html")
    # Whoever keeps a copy finds the feed again; unknown where the site does not know its address.
    if site.policy.url:
        _link(root, "self", f"{site.policy.url}{NAME}")
    _author(root, words(site.locale, "feed")["by"].format(title))
    for change in told[:ENTRIES]:
        _add_entry(root, site, rows_of[change["page"]], change)
    ElementTree.indent(root, " ")
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _add_entry(
    root: ElementTree.Element,
    site: Site,
    row: Mapping[str, Any],
    change: Mapping[str, Any],
) -> None:
    """One page with its last change."""
    entry = ElementTree.SubElement(root, "entry")
    _add(entry, "id", _id(site, change["page"], change["commit"]))
    _add(entry, "title", row["title"])
    _add(entry, "updated", change["date"])
    _link(entry, "alternate", f"{site.policy.url}{row['url']}")
    _author(entry, change["author"])
    summary = words(site.locale, "feed")["summary"]
    _add(entry, "summary", summary.format(**change))


def _moment(change: Mapping[str, Any]) -> datetime:
    """When it was: dates of git have the time zones of those who committed."""
    return datetime.fromisoformat(change["date"])


def _id(site: Site, *parts: str) -> str:
    """An id that is the same wherever the site lies, and whatever copy upstream is read from."""
    upstream = site.upstream.configured_url or site.upstream.url
    name = "\n".join((upstream, site.upstream.name, site.locale, *parts))
    return uuid5(NAMESPACE_URL, name).urn


def _add(parent: ElementTree.Element, name: str, content: str) -> None:
    """An element with text. What XML cannot hold is left out."""
    ElementTree.SubElement(parent, name).text = "".join(filter(_is_in_xml, content))


def _is_in_xml(letter: str) -> bool:
    """Whether XML 1.0 has a character: of control characters it has three."""
    if letter < " ":
        return letter in "\t\n\r"
    return not ("\ud800" <= letter <= "\udfff" or letter in "\ufffe\uffff")


def _link(parent: ElementTree.Element, relation: str, address: str) -> None:
    ElementTree.SubElement(parent, "link", {"rel": relation, "href": address})


def _author(parent: ElementTree.Element, name: str) -> None:
    """Who made it; an author without a name is none in Atom."""
    _add(ElementTree.SubElement(parent, "author"), "name", name or "?")


def _language(site: Site) -> str:
    """The locale as XML names it: ``zh-CN``."""
    return site.locale.replace("_", "-")
