"""Inventories of other Sphinx sites, and the names of their objects that the docs refer to.

An inventory comes from another site, so it is untrusted: addresses must stay on the site, and names
must be plain. Only facts are kept of it (role, name, address), no prose. Fetching inventories
belongs in the stages and adapters.
"""
