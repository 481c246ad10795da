"""Search of a site: turns the texts of its pages into index files, which a browser script reads.

We have an engine of our own for two reasons. Readers may open a site from a folder (``file://``),
and any part of a Chinese word must be found without loading the whole index. docs/search.md
compares engines.

The index resembles that of a book: an entry, such as ``jit``, has a list of positions. ``pieces``
splits a page into pieces, and finds the entries of each piece. ``index`` writes the entries of all
pages to many small files. ``static/search.js`` loads the few files that a query needs. Code that
collects the texts from doctrees does not belong here (``extension/search``).
"""
