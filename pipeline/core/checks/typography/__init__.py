"""Checks of Chinese typography (M4): spaces, half and full width, punctuation, brackets.

The checks examine masked texts, in which stand-ins hide the markup (`masked`). Checks that compare
the meaning of two texts belong to `meaning`.
"""
