"""Keep translated JAX documentation alive: pull, split, update, merge, execute, publish."""

__version__ = "1.0.0"
