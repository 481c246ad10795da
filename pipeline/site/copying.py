"""What the copy button leaves out of code: prompts, and what the code has printed.

Upstream's ``conf.py`` says it to sphinx-copybutton in plain values. They come in as data and go out
for our own ``conf.py``; what upstream leaves unsaid is as in the button's own documentation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pipeline.adapters import files
from pipeline.core.pin.sphinx_config import sphinx_values
from pipeline.site.folders import english_folder
from pipeline.site.plan import Site

PREFIX = "copybutton_"
# Of Python's console, a shell and IPython.
PROMPTS: Mapping[str, Any] = {
    "prompt_text": r">>> |\.\.\. |\$ |In \[\d*\]: | {2,5}\.\.\.: | {5,8}: ",
    "prompt_is_regexp": True,
}
_TYPES: Mapping[str, type] = {
    "prompt_text": str,
    "prompt_is_regexp": bool,
    "only_copy_prompt_lines": bool,
    "remove_prompts": bool,
    "copy_empty_lines": bool,
    "line_continuation_character": str,
    "here_doc_delimiter": str,
    "exclude": str,
}
# The button puts it between quotation marks, into a script.
_SELECTOR = re.compile(r"[\w .#:,>+~*()=\"\[\]-]*", re.ASCII)


def copy_rules(site: Site) -> dict[str, Any]:
    """Return the values for sphinx-copybutton, by name."""
    path = site.paths.docs / f"{english_folder(site.lock)}conf.py"
    if not path.is_file():
        return {f"{PREFIX}{name}": value for name, value in PROMPTS.items()}
    return rules_in(files.read_bytes(path).decode("utf-8", "replace"))


def rules_in(code: str) -> dict[str, Any]:
    """Return the values for sphinx-copybutton that a ``conf.py`` leads to."""
    values = sphinx_values(code)
    rules: dict[str, Any] = {}
    for name, kind in _TYPES.items():
        value = values.get(f"{PREFIX}{name}")
        if type(value) is kind:
            rules[name] = value
    if not _SELECTOR.fullmatch(str(rules.get("exclude", ""))):
        del rules["exclude"]
    if not rules.get("prompt_text") and "exclude" not in rules:
        rules |= PROMPTS
    return {f"{PREFIX}{name}": value for name, value in rules.items()}
