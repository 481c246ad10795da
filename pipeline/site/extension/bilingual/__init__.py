"""Both languages of a page: blocks, their English, headings, and their HTML.

Code that matches, renders, places or writes the two languages belongs here. Links to other pages
(``navigation``) and content without messages (``content``) do not.
"""
