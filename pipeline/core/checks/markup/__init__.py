"""Checks of markup (M1) and of what must survive translation as it is (M2).

Markdown and reStructuredText stand side by side here; `by_markup` chooses. How a text is parsed
belongs to `parsed`.
"""
