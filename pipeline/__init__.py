"""Pipeline that keeps translated JAX documentation alive.

Its stages are pull, split, update, merge, execute and publish.
"""

__version__ = "1.0.0"
