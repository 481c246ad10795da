"""merge: translations into upstream's documents, guarded; English wherever there is none.

``stage`` goes through the pages, ``files`` finds out which are merged already, ``page`` merges
the others. Beside each merged document, in ``blocks/``, stands where every message has landed.
"""
