"""Records of pages for the extension: blocks, the freshness line below the title, downloads.

A record is a JSON file beside the sources, because the extension runs in Sphinx's process. The
number of a block is its index in the list ``blocks`` of the record. The English on the page, the
panel of changes and the scripts refer to a block by this number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from os.path import commonprefix
from typing import Any
from urllib.parse import quote

from msgspec.structs import replace

from pipeline.core.catalog.origins import OriginKind
from pipeline.core.document.message import Kind
from pipeline.core.execution import code_cells as execution
from pipeline.core.memory.record import digest
from pipeline.core.pin.lock import SourceFile, is_reference
from pipeline.core.reference import PATH
from pipeline.core.results import PageResult
from pipeline.entries import Entry
from pipeline.site.blocks import NAMING, Block, blocks_of, since
from pipeline.site.credits import entries_in
from pipeline.site.documents import PageDocument
from pipeline.site.freshness_line import freshness, shared_line
from pipeline.site.names import ShownState
from pipeline.site.plan import Site
from pipeline.site.terms import term_hints

# Matches "[name]: https://example.org". A footnote, "[^name]: words", is a block, so it does not
# match.
_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S.*$", re.MULTILINE)
_GITHUB = "https://github.com/"
_COLAB = "https://colab.research.google.com/github/"
_KAGGLE = "https://www.kaggle.com/kernels/welcome?src="
# Kinds of messages without glossary hints. Headings also appear in tables of contents, and HTML is
# copied to the page unchanged.
_NO_TERMS = frozenset((Kind.HEADING, Kind.HTML, Kind.IMAGE, Kind.PAGE_TITLE))


def record_of(
    site: Site, shown: PageDocument, included: Sequence[PageDocument] = ()
) -> dict[str, Any]:
    """Return the record of a page. Blocks of included documents follow those of the page.

    Raises InputError if a document cannot be read.
    """
    page = shown.page
    documents = [one for one in (shown, *included) if one.page.files]
    # The page of an API object is generated, so it is no file of upstream. Use its first docstring;
    # if there is none, use the record of the API reference.
    own = documents[0].page.files[0] if documents else SourceFile(path=PATH, blob="")
    blocks: list[Block] = []
    records: list[dict[str, Any]] = []
    remembered: list[Entry] = []
    # All docstrings of a page are in the page's catalogue, so read each catalogue once.
    entries: dict[str, tuple[Entry, ...]] = {}
    lines: dict[str, dict[str, int]] = {}
    for one in documents:
        name = one.page.page
        if name not in entries:
            entries[name] = entries_in(site.paths.catalog(site.locale, name))
            lines[name] = _memory_lines(site, name)
            remembered += entries_in(site.paths.memory(site.locale, name), *NAMING)
        found = blocks_of(one.landings, entries[name])
        records += [
            _block_record(site, one.page, block, lines[name]) for block in found if block.has_place
        ]
        blocks += found
    paths = [one.page.files[0].path for one in documents]
    drafts = sum(block.origin is OriginKind.DRAFT for block in blocks)
    # The freshness line names the sources of the page. For a written page, these are its documents.
    # For the page of an API object, the source is the place of the object in the code, or the first
    # docstring (``paths[:1]``) if the place is unknown.
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
    # Only notebooks get these links: services like Colab open nothing else.
    if shown.is_notebook and site.policy.notebook_url:
        launch = launches(_filled(site.policy.notebook_url, site, page.page))
    return {
        "page": page.page,
        "source": own.path,
        "blob": own.blob,
        "markup": "reST" if shown.path.endswith(".rst") else "Markdown",
        "attributions": [site.attribution(one) for one in paths],
        "definitions": "\n".join(chain.from_iterable(map(_definitions, (shown, *included)))),
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
    """Return the releases that share this page, with the relative addresses of their sites."""
    return {
        row["name"]: f"{'../' * page.count('/')}{row['folder']}index.html"
        for row in site.releases
        if page in row["shared"]
    }


def launches(url: str) -> list[tuple[str, str]]:
    """Return the online services that can run a notebook, with the addresses that open it there.

    ``url`` is the address of the notebook on GitHub, or already an address of Colab.
    """
    path = url.removeprefix(_GITHUB)
    if path == url:
        return [("colab", url)]
    return [("colab", f"{_COLAB}{path}"), ("kaggle", f"{_KAGGLE}{quote(url, safe='')}")]


def _block_record(
    site: Site, page: PageResult, block: Block, lines: Mapping[str, int]
) -> dict[str, Any]:
    """Return the values of one block for the record.

    ``{"text": "你好", "state": "translated", "edit": "https://…", "english": "Hello"}``. There may
    also be ``terms`` (glossary hints), ``kept`` (it is a glossary term whose English stays on the
    line below the translation), ``origin`` and ``rest`` (it is in a section that stays English).
    ``lines`` maps digests of messages to line numbers in the memory file; it is empty if the link
    for editing leads to the catalogue.
    """
    landed = block.landed
    text, english = landed.text, landed.english
    record: dict[str, Any] = {"text": text, "state": block.state}
    if landed.is_rest:
        return {**record, "rest": True}
    address = _edit_address(site, page, block, lines)
    if address:
        record["edit"] = address
    # Leave out ``english`` for an English block: its ``text`` is the English already.
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


def _edit_address(site: Site, page: PageResult, block: Block, lines: Mapping[str, int]) -> str:
    """Return the address for editing a block's translation; empty if there is none.

    If the configured address contains ``{line}``, a block without a line has no address. If the
    address leads to the memory, ``lines`` has the line; otherwise the line in the catalogue is
    used.
    """
    name = digest(block.landed.msgid)
    line = lines.get(name, 0) if lines else block.line
    if not line and "{line}" in site.policy.edit_url:
        return ""
    return _filled(site.policy.edit_url, site, page.page, line=line, digest=name)


def _terms_of(site: Site, block: Block) -> list[tuple[str, str]]:
    """Return the glossary terms for hints in a block: pairs of a Chinese term and its English."""
    landed = block.landed
    if block.state is not ShownState.TRANSLATED or landed.kind in _NO_TERMS:
        return []
    return term_hints(site.glossary, landed.english, landed.text, landed.markup)


def _shorten_addresses(records: Sequence[dict[str, Any]]) -> str:
    """Remove the common start of all addresses for editing from the records, and return it.

    For ``https://…/a.po#L12`` and ``https://…/a.po#L15``, return ``https://…/a.po#L1``. The records
    keep ``2`` and ``5``. That saves a tenth of the size of a page with hundreds of blocks.
    """
    # Skip records without an address: readers of the record prepend the common start, so an empty
    # address would become that start.
    editable = [record for record in records if "edit" in record]
    begin = str(commonprefix([record["edit"] for record in editable]))  # noqa: RUF071 - letters count
    for record in editable:
        record["edit"] = record["edit"].removeprefix(begin)
    return begin


def _definitions(shown: PageDocument) -> Iterator[str]:
    """Yield the link definitions of a page, ``[name]: address``, which its messages may use."""
    if not shown.path.endswith(".ipynb"):
        yield from _DEFINITION.findall(shown.data.decode("utf-8", "replace"))
        return
    for cell in execution.parse_notebook(shown.data, where=shown.path)["cells"]:
        if cell.get("cell_type") == "markdown":
            yield from _DEFINITION.findall(execution.source_of(cell))


def _memory_lines(site: Site, page: str) -> dict[str, int]:
    """Return the line of every live entry in the page's memory, by the digest of its message.

    Return an empty dictionary if the links for editing lead to the catalogue.
    """
    # Most projects commit the memory, not the catalogues. Then the configured address for editing
    # leads to the memory.
    if "/memory/" not in site.policy.edit_url:
        return {}
    entries = entries_in(site.paths.memory(site.locale, page))
    return {entry.msgid: entry.line for entry in entries if not entry.obsolete}


def _filled(template: str, site: Site, page: str, **values: object) -> str:
    """Fill in an address of the configuration, such as ``https://…/{page}.po#L{line}``."""
    # Only the values are quoted, because the template is an address already.
    known = {"locale": site.locale, "name": site.paths.upstream, "page": page, **values}
    return template.format(**{name: quote(str(value), safe="/") for name, value in known.items()})
