"""Pure core: bytes and records in, records out. Imports no I/O."""
