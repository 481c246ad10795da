"""Every key of the configuration is known to the test that puts payloads there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hostile_config import KEYS, May, as_toml, configuration
from live_html import PAYLOAD

from pipeline.config import read_settings
from pipeline.config.tables import Table
from pipeline.errors import ConfigError

ADDRESSES = (
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\tscript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "https://x/'><b>",
    'https://x/" onload=x',
    "https://x/`",
    "https://x/\\",
    "https://x/ y",
    PAYLOAD,
)


def write(folder: Path, values: dict[str, Any]) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(as_toml(values), encoding="utf-8")
    return path


def test_every_key_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, set[str]] = {}
    allow = Table.allow

    def note(self: Table, *known: str) -> None:
        parts = self.name.replace("[", ".").split(".")
        names = [part for part in parts if part in KEYS] or ["tool.pipeline"]
        seen.setdefault(names[-1], set()).update(known)
        allow(self, *known)

    monkeypatch.setattr(Table, "allow", note)
    read_settings(write(tmp_path, configuration()), environ={})
    # Of these no string reaches anything that is shown.
    for name in ("execution", "draft"):
        seen.pop(name)
    assert seen == {name: set(keys) for name, keys in KEYS.items() if keys}


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_runs_or_ends_its_attribute_is_refused(
    address: str, tmp_path: Path
) -> None:
    for name in ("upstreams", "site"):
        for key, may in KEYS[name].items():
            if may is not May.ADDRESS:
                continue
            values = configuration()
            sample = values["upstreams"]["sample"]
            table = sample if name == "upstreams" else sample["site"]
            table[key] = {"x": address} if key == "inventories" else address
            with pytest.raises(ConfigError):
                read_settings(write(tmp_path, values), environ={})
