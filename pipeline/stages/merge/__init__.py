"""The stage merge: puts translations into upstream's documents, and checks the result.

``stage`` goes through the pages, ``incremental`` finds pages that are merged already, and ``page``
merges the others. A message without a valid translation stays English. For each merged document, a
file in ``blocks/`` records the position of every message. ``core/document/`` has the code that
inserts a translation into a text, and the guard that compares the result with upstream's document.
"""
