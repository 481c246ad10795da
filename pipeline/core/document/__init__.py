"""One document: splits its bytes into messages, and merges translations back into bytes.

A document is a MyST page, a reST page or a notebook. Code for only one of the two markup languages
belongs in ``markdown/`` or ``rst/``. Code that works across pages belongs in ``core/catalog/``.
"""
