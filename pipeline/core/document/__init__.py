"""One document: splits its bytes into messages, and merges translations back into bytes.

A document is a MyST page, a reST page, a docstring or a notebook. A message is a translatable block
of prose, such as a paragraph or a heading. The steps and their modules are:

- `reader` decodes a document into units: the text of a page, or one Markdown cell of a notebook.
- The splitter of the markup language finds the messages of a unit, with their positions.
- `merge` puts translations at these positions. `splice` applies the edits.
- `guard` proves that only prose has changed. It keeps unsafe translations out of the page.
- `landing` records where each message is in the merged document.

Code for only one of the two markup languages belongs in ``markdown/`` or ``rst/``. Code that works
across pages belongs in ``core/catalog/``.
"""
