"""Script that draws Mermaid charts, in a process that ``charts`` starts.

Input on stdin: a JSON list of charts. Output on stdout: ``{"drawings": ["<svg …>", …]}`` or
``{"problem": "…"}``. The script imports no module of the pipeline, so that it starts fast.
"""

from __future__ import annotations

import json
import sys


def drawn(texts: list[str]) -> dict[str, object]:
    """Return the drawings of charts, or the error of the drawing library as ``problem``."""
    try:
        import mmdr

        return {"drawings": [mmdr.render(text).svg() for text in texts]}
    except ImportError as error:
        return {"problem": f"{error}. Install the package mmdr"}
    # A panic of the library's Rust code is a BaseException, but not an Exception.
    except BaseException as error:  # noqa: BLE001
        return {"problem": str(error).partition("\n")[0]}


if __name__ == "__main__":
    json.dump(drawn(json.load(sys.stdin)), sys.stdout)
