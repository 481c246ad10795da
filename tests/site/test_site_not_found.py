"""Old deep links: a server shows for them what leads to the same English address."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from report_results import LOCK
from servers import FileHandler, served
from site_firefox import NO_FIREFOX, firefox
from site_plans import site_at

from pipeline.config.settings import SitePolicy
from pipeline.core.pin.lock import SourceFile
from pipeline.folders import WHOLE, Folders
from pipeline.site.exports import not_found

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

ENGLISH = "http://127.0.0.1:9/en/"  # nobody answers there
LINK = "document.getElementById('english').href"
OLD = ["_autosummary/lamp.on.html#lamp.on", "guide/gone.html?highlight=on", "gone"]
# An address must not become another one by what stands in it.
STRANGE = ["//far.example/a.html", "_autosummary/javascript:hit().html"]


class Publisher(FileHandler):
    """As GitHub Pages does: ``docs/404.html`` for whatever is not there."""

    def send_error(self, code: int, *_: object) -> None:
        body = Path(self.directory, "docs", "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.copyfile(io.BytesIO(body), self.wfile)


@contextmanager
def published(folder: Path, docs: Folders = WHOLE, *paths: str) -> Iterator[str]:
    """The address of a site below ``docs/`` that has nothing but its page for errors.

    It is of docs in the folders ``docs`` that have files at ``paths``.
    """
    files = tuple(SourceFile(path=path, blob="0" * 40) for path in paths)
    lock = replace(LOCK, docs=docs, files=files)
    (folder / "docs").mkdir()
    with served(folder, Publisher) as address:
        home = f"{address}docs/"
        policy = SitePolicy(english_url=ENGLISH, url=home)
        page = not_found(site_at(folder, lock=lock, policy=policy))
        (folder / "docs" / "404.html").write_text(page, encoding="utf-8")
        yield home


def test_old_links_lead_to_the_same_english_address_in_chromium(
    tmp_path: Path, browser: Browser
) -> None:
    with published(tmp_path) as home:
        page = browser.new_page()
        for path in [*OLD, *STRANGE]:
            page.goto(home + path)
            assert page.evaluate(LINK) == ENGLISH + path
        # Beside the site nothing is known of what was meant.
        page.goto(home.removesuffix("docs/") + "other/a.html")
        assert page.evaluate(LINK) == ENGLISH


def test_of_several_folders_the_english_one_is_left_out(tmp_path: Path, browser: Browser) -> None:
    several = Folders(("manual", "examples"))
    with published(tmp_path, several, "manual/conf.py") as home:
        page = browser.new_page()
        for path in OLD:
            # As it is called here, and by who has swapped the English address for ours.
            for begin in ("manual/", ""):
                page.goto(f"{home}{begin}{path}")
                assert page.evaluate(LINK) == ENGLISH + path


@pytest.mark.skipif(bool(NO_FIREFOX), reason=NO_FIREFOX)
def test_old_links_lead_to_the_same_english_address_in_firefox(tmp_path: Path) -> None:
    with published(tmp_path) as home, firefox(tmp_path / "profile") as fox:
        for path in OLD:
            fox.open(home + path)
            assert fox.ask(LINK) == ENGLISH + path
