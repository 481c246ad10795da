"""The stage "update": memory to catalogues, catalogues to the current upstream, and back.

``stage`` runs the three steps: ``opening``, the update itself, and ``store``. ``locale`` reads and
writes a locale's files, and ``state`` stores what the next run must know about them. ``english``
looks up the English of digests, ``checkouts`` finds out what git did, and ``merge`` merges a
catalogue with its memory. ``releases`` and ``view`` serve releases beside the pin. ``merge_driver``
merges the memory files of two branches for git, and ``verification`` checks that all files agree.

Decisions that need no files belong in ``core.catalog`` and ``core.memory``.
"""
