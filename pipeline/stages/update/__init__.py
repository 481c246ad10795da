"""Catalogues from the memory, brought up to date with upstream, and back into the memory."""
