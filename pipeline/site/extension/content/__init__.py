"""Page content besides prose: files, code cells, figures, and names of the API.

Directives, roles and transforms for such content belong here. Its translation (``bilingual``) and
sanitizing (``safety``) do not.
"""
