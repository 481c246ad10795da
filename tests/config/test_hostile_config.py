"""Every key of the configuration is known to the test that puts payloads there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hostile_config import KEYS, May, as_toml, configuration
from live_html import PAYLOAD

from pipeline.config.reader import read_settings
from pipeline.config.schema import Table
from pipeline.config.settings import (
    Acknowledgement,
    ChecksTable,
    DraftPolicy,
    ExecutionPolicy,
    IgnoreRule,
    ModeTable,
    PartRule,
    PipelineTable,
    ReferenceTable,
    RunTable,
    SiteTable,
    SkipRule,
    UpstreamTable,
)
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


# Of execution and draft no string reaches anything that is shown.
TABLES: dict[str, type[Table]] = {
    "tool.pipeline": PipelineTable,
    "modes": ModeTable,
    "upstreams": UpstreamTable,
    "reference": ReferenceTable,
    "partly": PartRule,
    "skip": SkipRule,
    "run": RunTable,
    "acknowledge": Acknowledgement,
    "site": SiteTable,
    "checks": ChecksTable,
    "ignore": IgnoreRule,
}


def test_every_key_is_known() -> None:
    assert {*TABLES, "execution", "draft"} == set(KEYS)
    assert {*TABLES.values(), ExecutionPolicy, DraftPolicy} == set(
        Table.__subclasses__()
    )
    for name, kind in TABLES.items():
        keys = {field.encode_name for field in msgspec.structs.fields(kind)}
        assert keys == set(KEYS[name])


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
