"""Checks of how Chinese is typeset (M4): spaces, widths, marks, brackets.

They look at masked text (`masked`), and know no markup. What a text says belongs to `meaning`.
"""
