"""Keep translated JAX documentation alive: pull, split, update, merge, execute, publish."""

__version__ = "0.1.0"
