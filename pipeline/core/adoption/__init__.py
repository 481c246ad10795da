"""Adoption: a translated copy of nobody knows which version comes into the catalogues."""
