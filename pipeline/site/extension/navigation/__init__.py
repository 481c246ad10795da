"""Links between pages: tables of contents, the sidebar, links within the site and to English pages.

Code that resolves, lists or marks such links belongs here. Titles in both languages (``bilingual``)
and links to content that this site lacks (``content.stubs``) do not.
"""
