"""Checks of markup (M1) and of atoms, which translation must preserve (M2).

Most modules have a function for Markdown and one for reST; `by_markup` selects one of them. Parsing
does not belong here, but in `parsed`.
"""
