"""The pin: the lock, the requirement in pyproject.toml, and the releases to move to."""
