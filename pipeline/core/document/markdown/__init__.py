"""Markdown: how pages of MyST and of dialects without MyST are split, merged and guarded.

Modules that do the same for reST have the same names in ``rst/``. Rules shared by both languages
belong one folder up.
"""
