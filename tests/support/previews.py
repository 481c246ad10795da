"""A preview to render, for a document that a test writes."""

from __future__ import annotations

from pathlib import Path

from pipeline.adapters.html.images import PageFolder
from pipeline.stages.publish.stage import PreviewPage, RunState


def preview_page(
    folder: Path, name: str, text: str, *, title: str = "Tea", state: str = "failed"
) -> PreviewPage:
    """Write ``text`` to the document ``name`` in ``folder``; return its preview, not rendered."""
    source = folder / name
    source.write_text(text, "utf-8")
    return PreviewPage(
        page="tea",
        source=source,
        outputs=None,
        target=folder / f"{name}.html",
        folder=PageFolder(folder),
        language="zh-CN",
        title=title,
        state=RunState(kind="failed", text=state),
        digest="0" * 64,
    )
