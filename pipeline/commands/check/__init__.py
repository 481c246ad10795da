"""check: what is wrong with the translations in catalogues, told from the files alone.

``choosing`` says which catalogues are meant, ``checking`` looks at them under the rules of the
team. ``catalogs`` has one file each: read, mended, and what there is to say of it. ``looking`` runs
the checks over the entries of many.
"""
