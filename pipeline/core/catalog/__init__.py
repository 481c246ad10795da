"""Catalogues: how those of one commit become those of another."""
