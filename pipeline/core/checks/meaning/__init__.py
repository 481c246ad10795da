"""Checks of the meaning of a translation (M3, M7): heuristics that never block a message.

The words that they compare are in the TOML files here. Agreed terms belong to `terms`.
"""
