"""What Sphinx is told of a page: its blocks with their English, the line under its title, its downloads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pipeline.adapters import files, po
from pipeline.core.document.message import Kind
from pipeline.core.document.read import Document, read_document
from pipeline.core.memory.record import digest
from pipeline.core.results import PageResult
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.site.freshness import freshness
from pipeline.site.pairing import ENGLISH, FUZZY, TRANSLATED, Block, pair
from pipeline.site.plan import DOWNLOADS, Site
from pipeline.site.terms import term_hints

_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S.*$", re.MULTILINE)
_NO_TERMS = frozenset((Kind.HEADING, Kind.HTML, Kind.IMAGE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The document that Sphinx reads for a page. ``has_outputs``: it holds what its code printed."""

    page: PageResult
    path: str
    data: bytes
    file: Path | None = None  # the file that has it, if one has
    has_outputs: bool = False
    is_notebook: bool = False

    def downloads(self) -> dict[str, str]:
        """What can be downloaded: kind (executed, clean) and path, from the root of the site."""
        if not self.is_notebook:
            return {}
        executed = {"executed": f"{DOWNLOADS}/{self.page.page}.ipynb"} if self.has_outputs else {}
        return {**executed, "clean": f"{DOWNLOADS}/clean/{self.page.page}.ipynb"}


def record_of(site: Site, shown: Shown) -> dict[str, Any]:
    """The record of a page, plain values. Raises InputError if one of its documents cannot be read."""
    page = shown.page
    path = page.files[0].path
    left_out = site.attribution(path)
    blocks, definitions = _blocks(site, shown, left_out)
    places = _places(site, page.page)
    records = [
        _block(site, page, block, places) for block in blocks if block.kind is not Kind.IMAGE
    ]
    return {
        "page": page.page,
        "source": path,
        "markup": "reST" if path.endswith(".rst") else "Markdown",
        "attribution": left_out,
        "definitions": definitions,
        "fresh": freshness(
            page,
            site.lock,
            locale=site.locale,
            source_url=site.source_url(path),
            license_name=site.upstream.license,
            is_notebook=shown.is_notebook,
            has_outputs=shown.has_outputs,
            fuzzy=sum(block.state == FUZZY for block in blocks),
        ),
        "downloads": list(shown.downloads().items()),
        "launch": _filled(site.policy.notebook_url, site, page.page) if shown.is_notebook else "",
        "edit": _shorten_addresses(records),
        "blocks": records,
    }


def _shorten_addresses(records: Sequence[dict[str, Any]]) -> str:
    """How the addresses of all blocks begin; what is left with the blocks are their ends."""
    begin = str(commonprefix([record["edit"] for record in records if "edit" in record]))  # noqa: RUF071 - letters count
    for record in records:
        if "edit" in record:
            record["edit"] = record["edit"].removeprefix(begin)
    return begin


def _blocks(site: Site, shown: Shown, left_out: str) -> tuple[tuple[Block, ...], str]:
    """The blocks of a page, and the definitions of links that hold for all of it."""
    page = shown.page
    source = page.files[0].path
    upstream = read_document(source, files.read_bytes(site.paths.docs / source))
    document = read_document(shown.path, shown.data)
    return pair(upstream, document, _entries(site, page.page), left_out=left_out), "\n".join(
        _definitions(document)
    )


def _definitions(document: Document) -> Iterator[str]:
    for unit in document.units:
        yield from _DEFINITION.findall(unit.split.text)


def _entries(site: Site, page: str) -> tuple[Entry, ...]:
    return _read_entries(site.paths.catalog(site.locale, page))


def _read_entries(path: Path) -> tuple[Entry, ...]:
    try:
        return po.read_catalog(files.read_bytes(path), where=str(path)).catalog.entries
    except InputError:
        return ()  # none yet, or one that merge has complained of


def _block(site: Site, page: PageResult, block: Block, places: Mapping[str, int]) -> dict[str, Any]:
    found: dict[str, Any] = {"text": block.text, "english": block.english, "state": block.state}
    line = places.get(digest(block.msgid), 0) if places else block.line
    if line and site.policy.edit_url:
        found["edit"] = _filled(
            site.policy.edit_url, site, page.page, line=line, digest=digest(block.msgid)
        )
    if block.state == TRANSLATED and block.kind not in _NO_TERMS:
        terms = term_hints(site.glossary, block.english, block.text, block.markup)
        found |= {"terms": terms} if terms else {}
    if block.is_kept:
        found["kept"] = True
    if block.state == ENGLISH:
        del found["english"]
    return found


def _places(site: Site, page: str) -> dict[str, int]:
    """Lines of the page's memory by digest, if that is what people are to edit; else none, and those of the catalogue count."""
    path = site.paths.memory(site.locale, page)
    if "/memory/" not in site.policy.edit_url or not path.is_file():
        return {}
    return {entry.msgid: entry.line for entry in _read_entries(path) if not entry.obsolete}


def _filled(template: str, site: Site, page: str, **values: object) -> str:
    """A template of the configuration, which has looked at its names; empty if it is."""
    known = {"locale": site.locale, "name": site.upstream.name, "page": page, **values}
    return template.format(**{key: quote(str(value), safe="/") for key, value in known.items()})
