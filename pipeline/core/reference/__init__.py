"""The API reference of a package: directives on its pages, and the docstrings that they show.

Pages of a reference contain directives such as ``.. autofunction:: jax.jit``. ``listing`` finds
these directives on upstream's pages. ``adapters.reference`` runs Sphinx on them, and ``objects``
reads the record that it returns: the documented objects and their docstrings. Each docstring
becomes a document, which is split and merged like any other (``core.document.rst.docstring``).
"""
