"""export and import: catalogues for editors that do not read our folders, and back.

``exporting`` writes them, as POT and PO, and remembers what it has sent.
``importing`` takes what was done to them into the working catalogues.
"""
