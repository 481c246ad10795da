"""Markdown: the parser, splitter, placement and guard for MyST and other dialects of Markdown.

The modules for reST have the same names in ``rst/``. Code for both languages belongs to the folder
above.
"""
