"""Links between pages: tables of contents, the sidebar, links within the site and to English pages.

Code that resolves, lists or marks links belongs here. Titles in both languages (``bilingual``) and
stubs for missing parts (``content``) do not.
"""
