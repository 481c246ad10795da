"""Checks of markup (M1) and of atoms, the parts that translation must preserve (M2).

Most checks have a function for Markdown and one for reST; `by_markup` in `model` selects one of
them. The checks compare texts that `parsed` has parsed.
"""
