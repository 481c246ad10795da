"""merge: translations into upstream's documents, guarded; English wherever there is none.

``stage`` goes through the pages, ``known`` tells which of them are merged already, ``making`` makes
the others. Beside each merged document, in ``blocks/``, stands where every message has landed.
"""
