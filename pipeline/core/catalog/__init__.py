"""Catalogues: how an upstream change turns the old catalogues of a locale into new ones.

A catalogue is the ``.po`` file of a page: its messages with their translations. Pure functions that
update, compare and merge catalogues belong here. Code that reads and writes ``.po`` files belongs
to ``adapters/po``, and code for the committed translation memory to ``core/memory``.
"""
