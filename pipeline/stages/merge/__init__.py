"""The stage merge: puts translations into upstream's documents, guarded by a proof.

``stage`` walks over the pages, ``files`` finds those that are merged already, and ``page`` merges
the others. Messages without a valid translation stay English. For each merged document, a file in
``blocks/`` records where every message landed. How a translation enters a text belongs in
``core/document/``.
"""
