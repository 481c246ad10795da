"""Catalogues between ``.po`` bytes and records.

``read_catalog`` takes the bytes of a file, from whatever tool they come. ``format_catalog`` gives
the bytes that we write, in GNU's own layout, so that other tools leave the lines as they are.
The one undoes the other: a catalogue that is written and read again is the same catalogue.
"""

from pipeline.adapters.po.header import standard_header
from pipeline.adapters.po.reader import ReadCatalog, read_catalog
from pipeline.adapters.po.writer import format_catalog, replace_msgstrs
from pipeline.entries import NEUTRAL_DATE

__all__ = [
    "NEUTRAL_DATE",
    "ReadCatalog",
    "format_catalog",
    "read_catalog",
    "replace_msgstrs",
    "standard_header",
]
