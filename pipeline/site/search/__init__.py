"""The search of a site: texts of pages to files that a script in the browser looks up.

No engine that there is finds every part of a Chinese word from a folder (``file://``) without
loading its whole index; ARCHITECTURE says what was measured. Ours is what books have, an index of
places: ``words`` says which entries a text has, ``pieces`` cuts a page into places, and ``index``
writes the entries of all pages to files of equal size, of which a query needs a few.
``static/search.js`` reads them.
"""
