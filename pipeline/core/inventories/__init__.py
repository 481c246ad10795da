"""What other Sphinx sites document, and where: inventories, and the names that docs ask them for.

An inventory is somebody else's file, so nothing in it is taken on trust: an address stays on its
site, and a name is a name. What is kept of it are facts (role, name, address), and no words.
"""
