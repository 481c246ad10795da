"""Both languages of a page: blocks, their English, headings, and how they become HTML."""
