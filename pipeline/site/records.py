"""Records of pages for the extension: blocks, the line under the title, downloads.

A record is a JSON file beside the sources, because the extension runs in Sphinx's process. The
number of a block is its index in ``blocks``; everything on the page refers to it by this number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os.path import commonprefix
from typing import Any
from urllib.parse import quote

from pipeline.adapters import files, po
from pipeline.core.catalog.origins import OriginKind
from pipeline.core.document.message import Kind
from pipeline.core.execution import notebook as execution
from pipeline.core.memory.record import digest
from pipeline.core.pin.lock import SourceFile, is_reference
from pipeline.core.reference.objects import PATH
from pipeline.core.results import PageResult
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.site.blocks import Block, blocks_of, entries_with_authors, since
from pipeline.site.documents import PageDocument, catalog_entries
from pipeline.site.freshness import freshness, shared_line
from pipeline.site.names import ShownState
from pipeline.site.plan import Site
from pipeline.site.terms import term_hints

# [name]: https://example.org - but a footnote, [^name]: words, is a block of its own
_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S.*$", re.MULTILINE)
_GITHUB = "https://github.com/"
_COLAB = "https://colab.research.google.com/github/"
_KAGGLE = "https://www.kaggle.com/kernels/welcome?src="
# Headings also appear in the contents, and HTML is copied to the page unchanged.
_NO_TERMS = frozenset((Kind.HEADING, Kind.HTML, Kind.IMAGE, Kind.PAGE_TITLE))


def record_of(
    site: Site, shown: PageDocument, included: Sequence[PageDocument] = ()
) -> dict[str, Any]:
    """Return the record of a page. Blocks of included documents follow the page's own.

    Raises InputError if its document cannot be read.
    """
    page = shown.page
    documents = [one for one in (shown, *included) if one.page.files]
    # The page of an object has no document of its own.
    own = documents[0].page.files[0] if documents else SourceFile(path=PATH, blob="")
    blocks: list[Block] = []
    records: list[dict[str, Any]] = []
    remembered: list[Entry] = []
    # The docstrings of a page share its catalogue.
    entries: dict[str, tuple[Entry, ...]] = {}
    lines: dict[str, dict[str, int]] = {}
    for one in documents:
        name = one.page.page
        if name not in entries:
            entries[name] = catalog_entries(site, name)
            lines[name] = _memory_lines(site, name)
            remembered += entries_with_authors(site.paths.memory(site.locale, name))
        found = blocks_of(one.landings, entries[name])
        records += [
            _block_record(site, one.page, block, lines[name])
            for block in found
            if block.has_place
        ]
        blocks += found
    paths = [one.page.files[0].path for one in documents]
    drafts = sum(block.origin is OriginKind.DRAFT for block in blocks)
    # A guide names its own documents; the page of an object names the modules of its docstrings.
    named = [path for path in paths if not is_reference(path)] or paths[:1]
    fresh = freshness(
        replace(page, drafts=drafts),
        site.lock,
        locale=site.locale,
        sources=site.sources_of(page.page, named),
        license_name=site.upstream.license,
        is_notebook=shown.is_notebook,
        outputs=shown.outputs,
        fuzzy=sum(block.state is ShownState.FUZZY for block in blocks),
    )
    if releases := _shared_with(site, page.page):
        has_code = shown.is_notebook and bool(page.code_cells)
        line = shared_line(releases, locale=site.locale, has_code=has_code)
        fresh = f"{fresh} · {line}"
    launch: list[tuple[str, str]] = []
    # These services open notebooks only.
    if shown.is_notebook and site.policy.notebook_url:
        launch = launches(_filled(site.policy.notebook_url, site, page.page))
    return {
        "page": page.page,
        "source": own.path,
        "blob": own.blob,
        "markup": "reST" if shown.path.endswith(".rst") else "Markdown",
        "attributions": [site.attribution(one) for one in paths],
        "definitions": "\n".join(
            chain.from_iterable(map(_definitions, (shown, *included)))
        ),
        "fresh": fresh,
        "downloads": list(shown.downloads.items()),
        "launch": launch,
        "since": since(blocks, remembered),
        "edit": _shorten_addresses(records),
        "blocks": records,
        "included": [
            {
                "page": one.page.page,
                "source": one.page.files[0].path,
                "blob": one.page.files[0].blob,
            }
            for one in included
        ],
        "reference": site.reference.values_of(page.page) if site.reference else {},
    }


def _shared_with(site: Site, page: str) -> dict[str, str]:
    """Return the releases that have the same page, with the address of their first page."""
    return {
        row["name"]: f"{'../' * page.count('/')}{row['folder']}index.html"
        for row in site.releases
        if page in row["shared"]
    }


def launches(url: str) -> list[tuple[str, str]]:
    """Return services that run a notebook without an installation, with their addresses.

    Colab and Kaggle open notebooks from GitHub. Any other address must be one of Colab itself.
    """
    path = url.removeprefix(_GITHUB)
    if path == url:
        return [("colab", url)]
    return [("colab", f"{_COLAB}{path}"), ("kaggle", f"{_KAGGLE}{quote(url, safe='')}")]


def _block_record(
    site: Site, page: PageResult, block: Block, lines: Mapping[str, int]
) -> dict[str, Any]:
    """Return one block as the record contains it.

    ``{"text": "你好", "state": "translated", "edit": "https://…", "english": "Hello"}``, with
    optional ``terms``, ``kept``, ``origin`` and ``rest``. ``lines`` maps digests to lines of the
    memory; it is empty if people edit the catalogue.
    """
    landed = block.landed
    text, english = landed.text, landed.english
    record: dict[str, Any] = {"text": text, "state": block.state}
    if landed.is_rest:
        return {**record, "rest": True}
    address = _edit_address(site, page, block, lines)
    if address:
        record["edit"] = address
    # The English of an English block would only repeat its text.
    if block.state is not ShownState.ENGLISH:
        record["english"] = english
    terms = _terms_of(site, block)
    if terms:
        record["terms"] = terms
    if landed.is_kept:
        record["kept"] = True
    if block.origin:
        record["origin"] = str(block.origin)
    return record


def _edit_address(
    site: Site, page: PageResult, block: Block, lines: Mapping[str, int]
) -> str:
    """Return the address for editing a block's translation; empty if it cannot be edited.

    The line is that of the memory if people edit the memory, otherwise that of the catalogue. A
    block without a line has an address only if the configured address contains no line.
    """
    name = digest(block.landed.msgid)
    line = lines.get(name, 0) if lines else block.line
    if not line and "{line}" in site.policy.edit_url:
        return ""
    return _filled(site.policy.edit_url, site, page.page, line=line, digest=name)


def _terms_of(site: Site, block: Block) -> list[tuple[str, str]]:
    """Return the glossary terms to explain in a block: Chinese terms with their English."""
    landed = block.landed
    if block.state is not ShownState.TRANSLATED or landed.kind in _NO_TERMS:
        return []
    return term_hints(site.glossary, landed.english, landed.text, landed.markup)


def _shorten_addresses(records: Sequence[dict[str, Any]]) -> str:
    """Return the common start of all edit addresses; the records keep only the rest.

    ``https://…/a.po#L12`` and ``https://…/a.po#L15``: the page has ``https://…/a.po#L1``, the
    blocks have ``2`` and ``5``. That saves a tenth of a page with hundreds of blocks.
    """
    # A record without an address gets none: an empty rest would mean the common start.
    editable = [record for record in records if "edit" in record]
    begin = str(commonprefix([record["edit"] for record in editable]))  # noqa: RUF071 - letters count
    for record in editable:
        record["edit"] = record["edit"].removeprefix(begin)
    return begin


def _definitions(shown: PageDocument) -> Iterator[str]:
    """Yield the link definitions of a page, which its messages may refer to."""
    for text in _markdown_texts(shown):
        yield from _DEFINITION.findall(text)


def _markdown_texts(shown: PageDocument) -> Iterator[str]:
    """Yield the Markdown of a document; of a notebook, cell by cell."""
    if not shown.path.endswith(".ipynb"):
        yield shown.data.decode("utf-8", "replace")
        return
    for cell in execution.parse_notebook(shown.data, where=shown.path)["cells"]:
        if cell.get("cell_type") == "markdown":
            yield execution.source_of(cell)


def _memory_lines(site: Site, page: str) -> dict[str, int]:
    """Return the line of every live entry in the page's memory, by digest.

    The result is empty if edit links lead to the catalogue instead.
    """
    path = site.paths.memory(site.locale, page)
    # The repository contains the memory, not the catalogue, so edit links point to the memory.
    if "/memory/" not in site.policy.edit_url or not path.is_file():
        return {}
    try:
        entries = po.read_catalog(
            files.read_bytes(path), where=str(path)
        ).catalog.entries
    except InputError:
        return {}  # the stage that opens the memory has reported it
    return {entry.msgid: entry.line for entry in entries if not entry.obsolete}


def _filled(template: str, site: Site, page: str, **values: object) -> str:
    """Fill in a template of the configuration. Its fields were validated when it was read."""
    # Values are quoted one by one, so that the slashes of the template itself stay.
    known = {"locale": site.locale, "name": site.paths.upstream, "page": page, **values}
    return template.format(
        **{name: quote(str(value), safe="/") for name, value in known.items()}
    )
