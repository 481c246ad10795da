"""Catalogues: how an upstream change turns the old catalogues of a locale into new ones.

Pure functions that update, compare and merge catalogues belong here. Reading and writing ``.po``
files (``adapters/po``) and the digests of the committed memory (``core/memory``) do not.
"""
