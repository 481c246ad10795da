"""update: catalogues from the memory, brought up to date with upstream, and back into the memory.

``stage`` takes the three steps: ``opening``, the update itself and ``store``. ``locale`` is the one
reader and writer of a locale's files. ``english`` gives the memory its English back, ``checkouts``
reports what git did, ``merge`` joins a catalogue with its memory. ``verification`` proves that all
agree. What decides without files is in ``core.catalog`` and ``core.memory``.
"""
