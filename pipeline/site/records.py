"""Records of pages for Sphinx: blocks, the line under the title, downloads.

A record is a JSON file beside the sources, because the extension runs in Sphinx's process. The
number of a block is its place in ``blocks``; everything on the page refers to it by that number.
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
from pipeline.core.results import PageResult
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.site.blocks import Block, blocks_of, entries_with_authors, since
from pipeline.site.documents import Shown, catalog_entries
from pipeline.site.freshness import freshness
from pipeline.site.names import State
from pipeline.site.plan import Site
from pipeline.site.terms import term_hints

# [name]: https://example.org - but a footnote, [^name]: words, is a block of its own
_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S.*$", re.MULTILINE)
_GITHUB = "https://github.com/"
_COLAB = "https://colab.research.google.com/github/"
_KAGGLE = "https://www.kaggle.com/kernels/welcome?src="
# Headings stand in the contents too, and what is HTML is put on the page as it is.
_NO_TERMS = frozenset((Kind.HEADING, Kind.HTML, Kind.IMAGE, Kind.PAGE_TITLE))


def record_of(
    site: Site, shown: Shown, included: Sequence[Shown] = ()
) -> dict[str, Any]:
    """Return the record of a page, with the blocks of what it includes behind its own.

    Raises InputError if its document cannot be read.
    """
    page = shown.page
    path = page.files[0].path
    blocks: list[Block] = []
    records: list[dict[str, Any]] = []
    remembered: list[Entry] = []
    for one in (shown, *included):
        name = one.page.page
        found = blocks_of(one.landings, catalog_entries(site, name))
        lines = _memory_lines(site, name)
        records += [
            _block_record(site, one.page, block, lines)
            for block in found
            if block.has_place
        ]
        blocks += found
        remembered += entries_with_authors(site.paths.memory(site.locale, name))
    paths = [one.page.files[0].path for one in (shown, *included)]
    drafts = sum(block.origin is OriginKind.DRAFT for block in blocks)
    fresh = freshness(
        replace(page, drafts=drafts),
        site.lock,
        locale=site.locale,
        sources={site.lock.docs.shown(one): site.source_url(one) for one in paths},
        license_name=site.upstream.license,
        is_notebook=shown.is_notebook,
        has_outputs=shown.has_outputs,
        fuzzy=sum(block.state is State.FUZZY for block in blocks),
    )
    launch: list[tuple[str, str]] = []
    # They open nothing else.
    if shown.is_notebook and site.policy.notebook_url:
        launch = launches(_filled(site.policy.notebook_url, site, page.page))
    return {
        "page": page.page,
        "source": path,
        "blob": page.files[0].blob,
        "markup": "reST" if path.endswith(".rst") else "Markdown",
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
    }


def launches(url: str) -> list[tuple[str, str]]:
    """Return services that run a notebook without an installation, with addresses.

    Colab and Kaggle open what lies on GitHub; any other address is taken for one of Colab's.
    """
    path = url.removeprefix(_GITHUB)
    if path == url:
        return [("colab", url)]
    return [("colab", f"{_COLAB}{path}"), ("kaggle", f"{_KAGGLE}{quote(url, safe='')}")]


def _block_record(
    site: Site, page: PageResult, block: Block, lines: Mapping[str, int]
) -> dict[str, Any]:
    """Return one block as the record contains it.

    ``{"text": "你好", "state": "translated", "edit": "https://…", "english": "Hello"}``, and
    perhaps ``terms`` and ``kept``. ``lines`` are those of the memory by digest, if the memory is
    what people edit.
    """
    landed = block.landed
    text, english = landed.text, landed.english
    record: dict[str, Any] = {"text": text, "state": block.state}
    if landed.is_rest:
        return {**record, "rest": True}
    address = _edit_address(site, page, block, lines)
    if address:
        record["edit"] = address
    # The same text twice would say no more.
    if block.state is not State.ENGLISH:
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
    """Return where people can change the translation of a block; empty if they cannot.

    Its line is that of the memory, which may lack the block, or else that of the catalogue. Where
    the address names none, blocks that nobody has translated have one too.
    """
    name = digest(block.landed.msgid)
    line = lines.get(name, 0) if lines else block.line
    if not line and "{line}" in site.policy.edit_url:
        return ""
    return _filled(site.policy.edit_url, site, page.page, line=line, digest=name)


def _terms_of(site: Site, block: Block) -> list[tuple[str, str]]:
    """Return the terms that are explained in a block: renderings with their English."""
    landed = block.landed
    if block.state is not State.TRANSLATED or landed.kind in _NO_TERMS:
        return []
    return term_hints(site.glossary, landed.english, landed.text, landed.markup)


def _shorten_addresses(records: Sequence[dict[str, Any]]) -> str:
    """Return how the addresses of all blocks begin; the blocks keep the ends.

    ``https://…/a.po#L12`` and ``https://…/a.po#L15``: the page says ``https://…/a.po#L1``, the
    blocks say ``2`` and ``5``. Of a page with hundreds of blocks that is a tenth.
    """
    editable = [record for record in records if "edit" in record]
    begin = str(commonprefix([record["edit"] for record in editable]))  # noqa: RUF071 - letters count
    for record in editable:
        record["edit"] = record["edit"].removeprefix(begin)
    return begin


def _definitions(shown: Shown) -> Iterator[str]:
    """Yield the definitions of links on a page, which its messages may use."""
    for text in _markdown_texts(shown):
        yield from _DEFINITION.findall(text)


def _markdown_texts(shown: Shown) -> Iterator[str]:
    """Yield the Markdown of a document, cell by cell if it has cells."""
    if not shown.path.endswith(".ipynb"):
        yield shown.data.decode("utf-8", "replace")
        return
    for cell in execution.parse_notebook(shown.data, where=shown.path)["cells"]:
        if cell.get("cell_type") == "markdown":
            yield execution.source_of(cell)


def _memory_lines(site: Site, page: str) -> dict[str, int]:
    """Return the line of every live entry in the page's memory, by digest.

    Empty if people are to edit the catalogue instead: then its own lines count.
    """
    path = site.paths.memory(site.locale, page)
    # Who looks at the repository finds the memory there; the catalogue is not committed.
    if "/memory/" not in site.policy.edit_url or not path.is_file():
        return {}
    try:
        entries = po.read_catalog(
            files.read_bytes(path), where=str(path)
        ).catalog.entries
    except InputError:
        return {}  # the stage that opens the memory has told of it
    return {entry.msgid: entry.line for entry in entries if not entry.obsolete}


def _filled(template: str, site: Site, page: str, **values: object) -> str:
    """Fill a template of the configuration, whose names were checked there."""
    known = {"locale": site.locale, "name": site.upstream.name, "page": page, **values}
    return template.format(
        **{name: quote(str(value), safe="/") for name, value in known.items()}
    )
