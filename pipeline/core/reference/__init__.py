"""The API reference of a package: what its pages list, and the record of what Sphinx made of it.

``listing`` finds the directives of autodoc and autosummary on upstream's pages; ``objects`` has
what they stand for, and turns it into docstrings as documents. Docstrings are split and merged like
any document (``core.document.rst.docstring``). Running Sphinx belongs in ``adapters.reference``.
"""
