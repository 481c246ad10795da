"""Checks of Chinese typography (M4): spaces, widths, punctuation, brackets.

They examine masked text (`masked`), so they need no knowledge of markup. The meaning of a text
belongs to `meaning`.
"""
