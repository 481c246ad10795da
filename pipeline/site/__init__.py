"""Web site of one upstream and locale: its Sphinx sources, records, downloads and data files.

Code that decides what a site contains belongs here. ``build`` is the entry point. ``extension``
runs inside Sphinx's own process, and gets its data from the records that this folder writes. Code
that starts Sphinx (``adapters/sphinx``) or sanitizes markup (``adapters/html``) does not belong
here.
"""
