"""Pipeline that keeps translated documentation in sync with its English original.

Its stages are pull, split, update, merge, execute and publish. ARCHITECTURE.md describes them.
"""

__version__ = "1.0.0"
