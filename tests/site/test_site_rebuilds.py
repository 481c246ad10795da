"""Builds after the first one: what has changed is built, what is gone goes, the rest stays."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from workshop import DATA, Workshop, whole_workshop, work

pytestmark = pytest.mark.slow  # each runs Sphinx several times


def test_only_what_changed_is_built_and_what_is_gone_goes(tmp_path: Path) -> None:
    contents = "# Start\n\n```{toctree}\nguide\nwork\ngone\nhidden\n```\n"
    files = {
        "index.md": contents,
        "guide.md": (DATA / "guide.md").read_text(encoding="utf-8"),
        "gone.md": "# Gone\n",
        "hidden.md": "---\nnosearch: true\n---\n\n# Hidden\n",
        "work.ipynb": work(),
    }
    workshop = Workshop.of(tmp_path, files)
    workshop.execute()
    workshop.build()
    before = workshop.times()
    # Nothing is read again.
    assert not any("gone.png" in finding.text for finding in workshop.build())
    assert workshop.times() == before
    searched = workshop.target / "_search" / "pages"
    assert (searched / "gone.0.js").is_file()
    assert (workshop.target / "hidden.html").is_file()
    assert not (searched / "hidden.0.js").exists()

    workshop.change("guide.md", "提示的内容", "提示的新内容")
    workshop.build()
    assert "提示的新内容" in workshop.article("guide")
    assert workshop.times()["gone.html"] == before["gone.html"]

    workshop.change("work.ipynb", "活计", "新活计")
    # The same code, executed before.
    os.utime(workshop.paths.executed("zh_CN") / "work.ipynb", (1, 1))
    workshop.build()
    assert "新活计" in workshop.article("work")
    assert "True" in workshop.article("work")
    # The navigation of every page has the new title.
    assert "新活计" in workshop.html("gone").partition("<article")[0]
    assert "提示的新内容" in (searched / "guide.0.js").read_text(encoding="utf-8")

    (workshop.paths.docs / "gone.md").unlink()
    for path in (workshop.paths.docs / "index.md", workshop.merged("index.md")):
        workshop.put(path, contents.replace("gone\n", ""))
    workshop.change("work.ipynb", "1 < 2", "2 < 3")
    workshop.build()
    # Other code: its outputs are not known.
    assert "True" not in workshop.article("work")
    assert "未附运行结果" in workshop.article("work")
    for name in (
        *("gone.html", "gone.md", "_search/pages/gone.0.js"),
        "_downloads/work.ipynb",
    ):
        assert not (workshop.target / name).exists(), name


def test_a_build_of_a_few_pages_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    workshop = whole_workshop(tmp_path)
    # The first build is of a part: the site has that part, and begins with it.
    few = tuple(page for page in workshop.pages() if page.page in ("guide", "card"))
    workshop.build(pages=few)
    assert sorted(workshop.times()) == [
        *("404.html", "card.html", "glossary-zh.html", "guide.html"),
        # old.html is an old name of guide.html.
        *("index.html", "old.html", "progress.html", "search.html"),
    ]
    assert "url=card.html" in workshop.html("index")

    workshop.build()
    before = workshop.times()
    for name in ("guide.md", "html.md"):
        workshop.put(
            workshop.merged(name),
            f"{workshop.merged(name).read_text('utf-8')}\nMore.\n",
        )
    workshop.build(pages=[page for page in few if page.page == "guide"])
    after = workshop.times()
    rewritten = {name for name, time in after.items() if time != before.get(name)}
    # Those of our own are made in every build, and the index lists the guide.
    assert rewritten == {
        *("guide.html", "index.html"),
        *("progress.html", "glossary-zh.html", "search.html"),
    }
    assert "More." in workshop.article("guide")
    assert "html.html" in workshop.html("guide").partition("<article")[0]
    assert before.keys() == after.keys()
    counts = json.loads(workshop.read("progress.json"))["pages"]
    assert {row["page"] for row in counts} == {page.page for page in workshop.pages()}
    assert (workshop.target / "_downloads" / "work.ipynb").is_file()

    workshop.build()
    assert "More." in workshop.article("html")
