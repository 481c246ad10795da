"""Typed facades over outside systems. The only importers of third-party I/O."""
