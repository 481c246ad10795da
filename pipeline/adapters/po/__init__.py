"""Conversion of catalogues between ``.po`` bytes and records.

A catalogue is the ``.po`` file of a page. ``read_catalog`` accepts the files of any tool.
``format_catalog`` writes the layout of GNU gettext, so that other tools leave unchanged lines as
they are. Invariant: a catalogue that is written and read again is the same catalogue.

Only the file format belongs here. The content of catalogues is decided in ``core``.
"""

from pipeline.adapters.po.header import standard_header
from pipeline.adapters.po.reader import ReadCatalog, read_catalog
from pipeline.adapters.po.writer import (
    WrittenCatalog,
    format_catalog,
    replace_msgstrs,
    write_catalog,
)

__all__ = [
    "ReadCatalog",
    "WrittenCatalog",
    "format_catalog",
    "read_catalog",
    "replace_msgstrs",
    "standard_header",
    "write_catalog",
]
