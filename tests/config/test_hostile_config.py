"""Every key of the configuration is known to the test that puts payloads there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hostile_config import KEYS, May, as_toml, configuration
from live_html import PAYLOAD
from msgspec.structs import fields

from pipeline.config.reader import read_settings
from pipeline.config.schema import Table
from pipeline.config.settings import DraftPolicy, ExecutionPolicy
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


def test_every_key_is_known() -> None:
    # Of execution and draft no string reaches anything that is shown.
    kinds = {*Table.__subclasses__()} - {ExecutionPolicy, DraftPolicy}
    keys = {kind.__name__: {field.encode_name for field in fields(kind)} for kind in kinds}
    assert keys == {name: set(known) for name, known in KEYS.items()}


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_runs_or_ends_its_attribute_is_refused(
    address: str, tmp_path: Path
) -> None:
    for name in ("UpstreamTable", "SiteTable"):
        for key, may in KEYS[name].items():
            if may is not May.ADDRESS:
                continue
            values = configuration()
            sample = values["upstreams"]["sample"]
            table = sample if name == "UpstreamTable" else sample["site"]
            table[key] = {"x": address} if key == "inventories" else address
            with pytest.raises(ConfigError):
                read_settings(write(tmp_path, values), environ={})
