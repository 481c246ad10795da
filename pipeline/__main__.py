"""Start of the program: ``python -m pipeline``, or ``jax-docs-zh``.

This module checks the Python version before it imports others. If Python is too old or a package is
missing, it prints instructions. Older Pythons must be able to parse this file.
"""

from __future__ import annotations

import sys

OLDEST = (3, 11)
USAGE = 2  # the exit code of errors.ConfigError, which cannot be imported yet


def main() -> int:
    """Run one command; return the exit code."""
    if sys.version_info < OLDEST:
        return _refuse(
            "this is Python {}.{}, but {}.{} or later is required\n"
            "  Use a newer one: python3.12 -m pipeline, or uv run --python 3.12.".format(
                *sys.version_info[:2], *OLDEST
            )
        )
    from pipeline.packages import missing_text

    try:
        from pipeline import cli
    except ImportError as error:
        text = missing_text(error)
        if not text:
            raise
        return _refuse(text)
    return cli.main()


def _refuse(text: str) -> int:
    sys.stderr.write(f"error: {text}\n")
    return USAGE


if __name__ == "__main__":
    sys.exit(main())
