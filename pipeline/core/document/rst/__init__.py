"""reStructuredText: how its pages are split, merged and guarded.

``markdown/`` has the same file names where the concept is the same. docutils takes a while to load,
so modules outside of this folder import it only where a page of reST is at hand.
"""
