"""Both languages of a page. Readers can show the English beside each translated block.

A block is an element of the page that is one message of the catalogue: a paragraph, a heading, a
table cell. Code that finds blocks, renders their English, or places and writes it belongs here.
Links to other pages (``navigation``) and content without messages (``content``) do not.
"""
