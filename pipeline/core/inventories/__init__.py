"""Inventories of other Sphinx sites, and the names of their objects that the docs refer to.

An inventory comes from another site, so it is untrusted: addresses must stay on the site, and names
must be plain. Only role, name and address of each object are kept, no prose. Fetching inventories
belongs in the stages and adapters.
"""
