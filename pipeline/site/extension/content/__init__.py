"""Page content besides prose: files, code cells, figures, and names of the API.

Directives, roles and transforms for such content belong here. Code that shows two languages
(``bilingual``) or removes unsafe HTML (``safety``) does not.
"""
