"""Pages as Markdown, for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from folders import write_tree
from notebooks import code, notebook_value, prose
from repositories import DOCS

from pipeline.config.settings import Settings, SitePolicy, Upstream
from pipeline.core.pin.lock import Lock, SourceFile
from pipeline.core.results import PageResult
from pipeline.site.exports import page_as_markdown
from pipeline.site.plan import Site

R = {"name": "ir", "display_name": "R", "language": "R"}
ODD = {"name": "odd", "display_name": "Odd", "language": "a`b\nc"}


def as_markdown(root: Path, notebook: dict[str, Any]) -> str:
    upstream = Upstream(package="tea", version="1", name="demo", url="https://e.org")
    path = "guide.ipynb"
    page = PageResult(page="guide", files=(SourceFile(path=path, blob="0" * 40),))
    site = Site(
        settings=Settings(root=root, locales=("zh_CN",), upstreams={"demo": upstream}),
        upstream=upstream,
        policy=SitePolicy(),
        lock=Lock(
            url="u",
            ref="v1",
            commit="c" * 40,
            date="",
            version="1",
            docs=DOCS,
            files=(),
        ),
        locale="zh_CN",
        pages=[page],
    )
    write_tree(site.paths.merged("zh_CN"), {path: json.dumps(notebook)})
    return page_as_markdown(site, page)


@pytest.mark.parametrize(
    ("source", "kernel", "shown"),
    [
        ("x = 1", {}, "```python\nx = 1\n```"),
        ('"""\n```\na\n```\n"""', {}, '````python\n"""\n```\na\n```\n"""\n````'),
        ("# `````", {}, "``````python\n# `````\n``````"),
        ("x <- 1", R, "```r\nx <- 1\n```"),
        ("x", ODD, "```\nx\n```"),
    ],
)
def test_code_is_in_a_fence_of_its_language(
    source: str, kernel: dict[str, str], shown: str, tmp_path: Path
) -> None:
    metadata: dict[str, Any] = {"kernelspec": kernel} if kernel else {}
    notebook = notebook_value(prose("# 茶"), code(source), prose("水"), **metadata)
    assert as_markdown(tmp_path, notebook) == f"# 茶\n\n{shown}\n\n水\n"
