"""Catalogues in files, which tests read and edit as a translator's editor does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.entries import Catalog, Entry

# Fields that a translator's editor writes into the header.
LI = {
    "Last-Translator": "Li Lei <li@example.org>",
    "PO-Revision-Date": "2026-01-02 03:04+0800",
}


def read_catalog(path: Path) -> Catalog:
    return po.read_catalog(path.read_bytes(), where=path.name).catalog


def edit_catalog(
    path: Path,
    change: Callable[[Entry], Entry],
    header: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Change each entry of a catalogue, or of a memory, and fields of its header."""
    catalog = read_catalog(path)
    edited = replace(
        catalog,
        header={**catalog.header, **header},
        entries=tuple(map(change, catalog.entries)),
    )
    path.write_bytes(po.format_catalog(edited))
