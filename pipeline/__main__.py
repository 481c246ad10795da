"""``python -m pipeline``, and the program ``jax-docs-zh``.

Before it imports other modules, this one checks the Python version. An old Python or a missing
package gives a message with instructions. Therefore this file must also parse on older Pythons.
"""

from __future__ import annotations

import sys

OLDEST = (3, 11)
USAGE = 2  # the exit code of errors.ConfigError, which cannot be imported yet


def main() -> int:
    """Run one command; return the exit code."""
    if sys.version_info < OLDEST:
        return _refuse(
            "this is Python {}.{}, and {}.{} is the oldest that will do\n"
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
