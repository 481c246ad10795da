"""Inventories of other Sphinx sites, and the names on these sites that the docs refer to.

An inventory (``objects.inv``) lists the objects that a site documents, with their addresses, for
links such as ":func:`numpy.sin`". It comes from another site, so it is untrusted: addresses must
stay on that site, and names must be plain text. Fetching inventories belongs in the stages and
adapters.
"""
