"""The stage "update": updates catalogues and the translation memory to the current upstream.

People edit the catalogues, one ``.po`` file for each page. The memory has the same translations in
the form that git keeps: each entry has the digest of its English instead of the English.

``stage`` runs the three steps. ``opening`` brings changes of the committed memory into the
catalogues. Then the catalogues are updated to the pinned commit of upstream. ``store`` writes the
result to the memory.

``locale`` reads and writes a locale's files, and ``state`` stores what the next run must know about
them. ``english`` finds the English for digests, ``git_changes`` finds out what git has changed,
and ``merge`` merges a catalogue with its memory. ``releases`` and ``view`` are for projects with
several releases of the docs. ``merge_driver`` merges the memory files of two branches for git, and
``verification`` checks that all files agree.

Decisions that need no files belong in ``core.catalog`` and ``core.memory``.
"""
