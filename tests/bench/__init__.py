"""What the pipeline costs beside the tools that people use for the same job: ``nox -s bench``.

It gives figures and is never a test. ``measure`` runs commands and does the arithmetic, ``scenes``
and ``execution`` say what the tools are given to do. ``catalogs``, ``notebooks`` and ``mdpo_pages``
run as processes of their own, so that this one stays small: a child's peak memory is never reported
below that of the process it was forked from.
"""
