"""What the copy button leaves out, read from upstream's ``conf.py`` as data."""

from __future__ import annotations

from typing import Any

import pytest
from sphinx.config import Config

from pipeline.site.configuration import PROMPTS, rules_in
from pipeline.site.extension.content.cells import complete_commands

OURS = {f"copybutton_{name}": value for name, value in PROMPTS.items()}
CASES: dict[str, dict[str, Any]] = {
    "copybutton_prompt_text = r'\\$ '\ncopybutton_prompt_is_regexp = True": {
        "copybutton_prompt_text": "\\$ ",
        "copybutton_prompt_is_regexp": True,
    },
    # A plain prompt stays one: as a pattern it would mean something else.
    "copybutton_prompt_text = '$ '": {"copybutton_prompt_text": "$ "},
    "copybutton_exclude = '.linenos, .gp, .go'": {
        "copybutton_exclude": ".linenos, .gp, .go"
    },
    "copybutton_exclude = 'a:not([b=\"c\"]) > *'\ncopybutton_prompt_text = '$ '": {
        "copybutton_exclude": 'a:not([b="c"]) > *',
        "copybutton_prompt_text": "$ ",
    },
    "copybutton_only_copy_prompt_lines = False": {
        "copybutton_only_copy_prompt_lines": False,
        **OURS,
    },
    # What would end the text that it is put into, or is of another kind, is none.
    "copybutton_exclude = \"'); alert(1); ('\"": OURS,
    "copybutton_exclude = 'a\\nb'": OURS,
    "copybutton_exclude = 'a\\\\'": OURS,
    "copybutton_prompt_text = prompts()": OURS,
    "copybutton_prompt_text = ['$ ']\ncopybutton_remove_prompts = 'no'": OURS,
    # Neither a picture nor a file of upstream's comes into the script.
    "copybutton_image_svg = '<svg onload=alert(1)>'\ncopybutton_image_path = 'x.svg'": OURS,
    "copybutton_selector = 'pre'": OURS,
    "": OURS,
    "(": OURS,
}


@pytest.mark.parametrize(("code", "expected"), CASES.items())
def test_values_are_taken_as_data_and_checked(
    code: str, expected: dict[str, Any]
) -> None:
    assert rules_in(code) == expected


def test_another_version_of_the_button_keeps_its_function() -> None:
    config = Config()
    for theirs in ("", "const format = (text) => text;"):
        config.html_context = {"copybutton_format_func": theirs}
        complete_commands(None, config)  # type: ignore[arg-type]
        assert config.html_context["copybutton_format_func"] == theirs
