"""A document and its messages: read, and put together again with translations."""
