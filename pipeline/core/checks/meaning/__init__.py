"""Checks of the content and meaning of a translation (M3, M7), such as lost numbers or negations.

These checks are heuristics, so they only warn: none keeps a translation out of its page. The TOML
files here list the words to compare. Terms of the glossary belong to `terms`.
"""
