"""reStructuredText: how its pages are split, merged and guarded.

Modules that do the same for Markdown have the same names in ``markdown/``. Modules outside this
folder import it only when they have a reST page, because docutils loads slowly.
"""
