"""Catalogues: how an upstream change turns the old catalogues of a locale into new ones.

A catalogue is the ``.po`` file of a page: its messages with their translations. Pure functions that
update, compare and merge catalogues belong here. Reading and writing ``.po`` files
(``adapters/po``) and the committed translation memory (``core/memory``) do not.
"""
