"""What is broken stays as small as it can: pages, docs, extensions, a target, Sphinx itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec import structs
from workshop import DATA, POLICY, Workshop

from pipeline.adapters.files import WriteError
from pipeline.errors import ConfigError, PublishError
from pipeline.findings import Severity

pytestmark = pytest.mark.slow  # each runs Sphinx, or looks at what it made

START = {"index.md": "# Start\n"}


def test_an_unknown_directive_shows_its_source(built: Workshop) -> None:
    (broken,) = [finding for finding in built.findings if finding.exit_code == 7]
    assert (broken.page, broken.severity) == ("broken", Severity.ERROR)
    assert "nonsense" in broken.text
    article = built.article("broken")
    assert "```{nonsense}\nx &lt;b&gt;y&lt;/b&gt;\n```" in article
    assert re.search(r'<p class="jz-block [^>]*>Whole\.</p>', article)
    # The line under the title does not claim that all of it is there.
    assert 'jz-unshown">1 处无法显示，现为源文本</span></p>' in article


def test_what_is_missing_is_said(built: Workshop) -> None:
    missing = [one for one in built.findings if "image file is missing" in one.text]
    assert "guide" in [finding.page for finding in missing]
    assert '<span class="jz-missing">图片缺失：gone</span>' in built.article("guide")
    assert "<h1>Bare" in built.article("bare")


def install(workshop: Workshop, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put an extension of Sphinx into the path of Python."""
    text = (DATA / f"{name}.txt").read_text(encoding="utf-8")
    workshop.put(workshop.root / "modules" / f"{name}.py", text)
    monkeypatch.syspath_prepend(workshop.root / "modules")


def test_what_is_broken_stays_as_small_as_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "index.md": "# The workshop\n\nAll is well.\n",
        "odd.md": (DATA / "odd.md").read_text(encoding="utf-8"),
        "text.rst": (DATA / "odd.rst").read_text(encoding="utf-8"),
        "transform.md": "# The guide\n\nTRANSFORM\n",
        "writer.md": "# The guide\n\n```{unwritable}\n```\n",
    }
    workshop = Workshop.of(tmp_path, files)
    install(workshop, "raising", monkeypatch)
    findings = workshop.build(structs.replace(POLICY, extensions=("raising",)))
    errors = {one.page: one.text for one in findings if one.severity is Severity.ERROR}
    assert errors.keys() == {"odd", "text", "transform", "writer"}
    assert "All is well." in workshop.article("index")
    for page in ("odd", "text"):
        article = workshop.article(page)
        # Only what is broken is shown as it is written.
        for words in (
            *("The page goes on.</p>", "Some words of it.", "knows"),
            "无法显示，现为源文本",
        ):
            assert words in article
        assert "system-message" not in article
    assert workshop.article("odd").count("<hr") == 5
    assert "A quote that begins with a rule." in workshop.article("odd")
    for page, problem in {"transform": "cannot transform", "writer": "Odd"}.items():
        article = workshop.article(page)
        assert problem in article
        assert "# The guide" in article  # the source
        assert problem in errors[page]
    assert "译文无法显示，以下为英文源文本" in workshop.article("transform")
    assert "已译" not in workshop.article("transform")


def test_an_extension_that_is_not_installed_is_named(tmp_path: Path) -> None:
    workshop = Workshop.of(tmp_path, START)
    for name in ("not_there", "not_there.at_all"):
        with pytest.raises(ConfigError, match=f"extension '{name}' is not installed"):
            workshop.build(structs.replace(POLICY, extensions=(name,)))


def test_an_extension_finds_what_sites_do_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop = Workshop.of(tmp_path, START)
    install(workshop, "needing", monkeypatch)
    policy = structs.replace(POLICY, extensions=("needing",), english_url="")
    assert workshop.build(policy) == ()


# The first one comes before Sphinx has run at all: nothing runs it either.
CONFIGURATIONS = {
    "exit": b"open('ran', 'w')\nraise SystemExit('nobody runs this')\n",
    "syntax": b"def broken(:\n",
    "bytes": b"\xff\xfe\0rediraffe_redirects",
    "deep": b"rediraffe_redirects = " + b"[" * 5_000,
}


def test_an_upstream_may_have_pages_only(tmp_path: Path, subtests: pytest.Subtests) -> None:
    hostile = "<script>hit()</script>\n<p onclick=hit()>Drunk warm.</p>"
    files = {
        "milk.md": "# Milk\n\nCold.\n",
        "tea.md": f"# Tea\n\n{hostile}\n\n```{{raw}} html\n{hostile}\n```\n",
    }
    workshop = Workshop.of(tmp_path, files)
    for name, text in CONFIGURATIONS.items():
        with subtests.test(name):
            (workshop.paths.docs / "conf.py").write_bytes(text)
            # No page is the first one, no inventory is there; what conf.py says is not needed.
            assert [finding.code for finding in workshop.build()] == ["inventory"]
            assert "url=milk.html" in workshop.html("index")
            assert "Drunk warm." in workshop.article("tea")
            # The panel quotes it: there it is a text.
            html = workshop.html("tea")
            assert "<p onclick" not in html
            assert "<script>hit" not in html
            assert not list(tmp_path.rglob("ran"))


def test_a_target_that_cannot_be_written(tmp_path: Path) -> None:
    workshop = Workshop.of(tmp_path, START)
    # A file in the way, as a folder that is read-only is.
    workshop.put(workshop.target.parent, "")
    with pytest.raises(WriteError, match="cannot be written"):
        workshop.build()


def test_sphinx_that_ends_without_a_site(tmp_path: Path) -> None:
    workshop = Workshop.of(tmp_path, START)
    workshop.put(workshop.target / "_static", "in the way")
    with pytest.raises(PublishError, match="Sphinx ended with"):
        workshop.build()
