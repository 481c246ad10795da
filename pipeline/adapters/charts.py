"""Renderer of Mermaid charts to SVG, without a browser.

Charts are untrusted text, and native code draws them. This code runs in a separate process with a
time limit, so a chart can neither block nor crash a build. The drawings are sanitized: they contain
no scripts and fetch nothing.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

from msgspec import Struct

from pipeline.adapters.html.drawings import clean_drawing
from pipeline.errors import InputError

SECONDS = 30.0  # time limit; a typical chart takes 0.1 s
# Code of the process that draws. It reads a JSON list of charts, and writes the drawings or the
# error of the drawing library. It imports no module of the pipeline, so that it starts fast. A
# panic of the library's Rust code is a BaseException, but not an Exception.
_CHILD = """
import json, sys
try:
    import mmdr
    answer = {"drawings": [mmdr.render(text).svg() for text in json.load(sys.stdin)]}
except ImportError as error:
    answer = {"problem": f"{error}. Install the package mmdr"}
except BaseException as error:
    answer = {"problem": str(error).partition("\\n")[0]}
json.dump(answer, sys.stdout)
"""
# A line that sets colours of a chart. A chart with such a line is designed for a light background.
_OWN_COLOURS = re.compile(
    r"^\s*(?:classDef|linkStyle|style)\s|\b(?:look|theme)\w*[\"']?\s*:", re.MULTILINE
)
# Format string: a chart, and the name of a theme. The theme cannot come first, because a chart may
# begin with front matter.
_THEME = '{}\n%%{{init: {{"look": "classic", "theme": "{}"}}}}%%\n'
_WIDTH = re.compile(rb'viewBox="[-\d.]+ [-\d.]+ (\d+)')


class Chart(Struct, frozen=True, kw_only=True):
    """Drawings of a chart, as SVG; ``dark`` is None if the chart sets its own colours."""

    light: bytes
    dark: bytes | None
    width: int  # pixels


def draw_chart(source: str, *, seconds: float = SECONDS) -> Chart:
    """Return the drawings of a Mermaid chart for light and dark pages.

    ``seconds`` is the time limit for both drawings together. Raises InputError if the chart cannot
    be drawn.
    """
    texts = [source]
    if not _OWN_COLOURS.search(source):
        texts = [_THEME.format(source, theme) for theme in ("default", "dark")]
    drawings = [clean_drawing(svg.encode()) for svg in _drawn(texts, seconds)]
    width = _WIDTH.search(drawings[0])
    if width is None or not all(drawings):
        raise InputError("the Mermaid chart cannot be drawn: its drawing is not SVG")
    dark = drawings[1] if len(drawings) > 1 else None
    return Chart(light=drawings[0], dark=dark, width=int(width[1]))


def _drawn(texts: list[str], seconds: float) -> list[str]:
    """Draw all charts in a single separate process; return the drawings. Raises InputError."""
    try:
        ended = subprocess.run(
            [sys.executable, "-c", _CHILD],
            input=json.dumps(texts).encode(),
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        answer = json.loads(ended.stdout)
    except subprocess.TimeoutExpired:
        answer = {"problem": f"it takes more than {seconds:.0f} s"}
    except ValueError:
        answer = {"problem": f"the process that draws it ended with {ended.returncode}"}
    if "problem" in answer:
        raise InputError(f"the Mermaid chart cannot be drawn: {answer['problem']}")
    drawings: list[str] = answer["drawings"]
    return drawings
