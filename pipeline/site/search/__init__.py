"""Search of a site: the texts of its pages become index files that a browser script looks up.

No existing engine finds every part of a Chinese word from a folder (``file://``) without loading
its whole index; docs/search.md has the measurements. Our index lists positions, as in a book:
``pieces`` splits a page into pieces and finds their entries; ``index`` writes the entries of all
pages to files of similar size, a few of which serve a query. ``static/search.js`` reads these
files. Collecting the texts from doctrees does not belong here (``extension/search``).
"""
