"""Checks of what a translation says (M3, M7): guesses that block no message.

The words that they compare are in the TOML files here. Agreed terms belong to `terms`.
"""
