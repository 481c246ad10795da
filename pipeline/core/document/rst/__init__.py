"""reStructuredText: the parser, splitter, placement and guard for pages and docstrings.

The modules for Markdown have the same names in ``markdown/``. Other modules import these ones only
for a reST document, because docutils loads slowly.
"""
