"""Screenshots of built sites, for people to look at.

``python -m screenshots OUT SITE…`` writes OUT/NAME-PAGE-SCREEN-VIEW.png.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from servers import served
from site_chromium import DESKTOP, PHONE, REASON, Reader, chromium

# Those of them that the site has.
PAGES = ("index", "notebooks/thinking_in_jax", "grad", "progress")
TOUCH = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": DESKTOP},
    "phone": {"viewport": PHONE, **TOUCH},
    "dark": {"viewport": DESKTOP, "color_scheme": "dark"},
}
VIEWS = ("zh", "both")
LONGEST = 3_000  # pixels: what comes further down looks the same


def take(site: Path, out: Path) -> Iterator[Path]:
    """Take screenshots of the pages of ``site``. Yield the path of each image."""
    out.mkdir(parents=True, exist_ok=True)
    with served(site) as address, chromium() as browser:
        for screen, options in SCREENS.items():
            reader = Reader(browser, address, reduced_motion="reduce", **options)
            for page in (page for page in PAGES if (site / f"{page}.html").is_file()):
                name = f"{site.name}-{page.rpartition('/')[2]}-{screen}"
                for view in VIEWS if page != "progress" else VIEWS[:1]:
                    path = out / f"{name}-{view}.png"
                    _photograph(reader, f"{page}.html", view, path)
                    yield path
            reader.close()


def _photograph(reader: Reader, page: str, view: str, path: Path) -> None:
    shown = reader.open(page)
    shown.evaluate(f"document.documentElement.dataset.jzView = '{view}'")
    size = shown.viewport_size
    assert size is not None
    height = int(shown.evaluate("document.documentElement.scrollHeight"))
    # A window as high as the page, instead of Playwright's full_page: that sends the theme's side
    # bar sliding while the picture is taken.
    shown.set_viewport_size({"width": size["width"], "height": min(height, LONGEST)})
    shown.wait_for_timeout(400)
    shown.screenshot(path=path, animations="disabled")
    shown.set_viewport_size(size)


def has_chinese_font() -> bool:
    """Return whether a font with Chinese is installed; True if fontconfig is missing."""
    if not shutil.which("fc-list"):
        return True
    fonts = subprocess.run(["fc-list", ":lang=zh"], capture_output=True, check=False)
    return bool(fonts.stdout.strip())


def main() -> int:
    """Take the screenshots that the command line asks for. Return the exit code."""
    parser = argparse.ArgumentParser("python -m screenshots", description=__doc__)
    parser.add_argument("out", metavar="OUT", type=Path, help="folder for the pictures")
    parser.add_argument("sites", metavar="SITE", type=Path, nargs="+", help="folders")
    words = parser.parse_args()
    if REASON:
        print(REASON, file=sys.stderr)
        return 1
    if not has_chinese_font():
        warning = "no font has Chinese, which shows as boxes: install fonts-noto-cjk"
        print(f"warning: {warning}", file=sys.stderr)
    for site in words.sites:
        for path in take(site.resolve(), words.out):
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
