"""adopt: translated copies of pages come into the catalogues; ``adopting`` is the way through it.

``copies`` reads files, ``versions`` reads upstream's history, ``matching`` finds page, version and
passages of one copy, ``filling`` brings what was found into catalogues and memory.
"""
