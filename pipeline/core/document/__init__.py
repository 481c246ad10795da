"""One document: bytes in, messages out; translations in, bytes out.

A document is a page of MyST or reST, or a notebook. What is special about one of the two languages
belongs to ``markdown/`` or ``rst/``; what concerns many pages at once belongs to ``core/catalog/``.
"""
