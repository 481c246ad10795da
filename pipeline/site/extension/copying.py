"""The copy button: whole commands, without prompts and without what they have printed.

sphinx-copybutton leaves prompts out line by line. Our script gives each line of a command a prompt
before that, so that none is lost: see ``copying.js``.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

_SCRIPT = Path(__file__).with_suffix(".js")
_FUNCTION = "function formatCopyText("
# Only a pattern tells which lines have a prompt.
_OURS = """
function formatCopyText(text, prompts, isRegexp, ...rules) {
  const whole = isRegexp ? withPrompts(text, prompts) : text;
  return formatLines(whole, prompts, isRegexp, ...rules);
}
"""


def complete_commands(_: Sphinx, config: Config) -> None:
    """Let the script of the button copy whole commands."""
    theirs = config.html_context.get("copybutton_format_func", "")
    # Another version of it may call its function otherwise.
    if _FUNCTION in theirs:
        script = _SCRIPT.read_text(encoding="utf-8")
        renamed = theirs.replace(_FUNCTION, "function formatLines(")
        config.html_context["copybutton_format_func"] = f"{script}{renamed}{_OURS}"


def setup(app: Sphinx) -> None:
    """Come after sphinx-copybutton has put its function there."""
    app.connect("config-inited", complete_commands, priority=900)
