"""Stand-alone script: draws Mermaid texts, as JSON on stdin, to SVG on stdout.

It must not import anything of the pipeline.
"""

from __future__ import annotations

import json
import sys


def drawn(texts: list[str]) -> dict[str, object]:
    """Return the drawings of charts, or the library's error as ``problem``."""
    try:
        import mmdr

        return {"drawings": [mmdr.render(text).svg() for text in texts]}
    except ImportError as error:
        return {"problem": f"{error}. Install the package mmdr"}
    # A panic of the native code is a BaseException, not an Exception.
    except BaseException as error:  # noqa: BLE001
        return {"problem": str(error).partition("\n")[0]}


if __name__ == "__main__":
    json.dump(drawn(json.load(sys.stdin)), sys.stdout)
