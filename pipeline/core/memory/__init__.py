"""The translation memory: catalogues with digests in place of the English."""
