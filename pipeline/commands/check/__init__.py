"""check: what is wrong with the translations in catalogues, told from the files alone.

``choosing`` says which catalogues are meant, ``checking`` looks at them under the rules of the
team. ``catalogs`` reads one file, and says what is wrong with it as a file; ``mending`` mends it.
``looking`` runs the checks over the entries of many. ``memories`` does so for files of the memory,
with the English that ``english`` finds.
"""
