"""What Sphinx and the theme say, in Chinese, where their own catalogues leave it in English."""

from __future__ import annotations

import gettext

from sphinx import locale
from sphinx.application import Sphinx

from pipeline.site.extension.texts import INTERFACE


class _Interface(gettext.NullTranslations):
    """A catalogue of the few messages in ``INTERFACE``."""

    def gettext(self, message: str) -> str:
        """The message in Chinese; as it is if we have no words for it either."""
        return INTERFACE.get(message, message)


def setup(app: Sphinx) -> None:
    """Connect it. All catalogues are loaded by then."""
    app.connect("builder-inited", speak, priority=900)


def speak(app: Sphinx) -> None:
    """Ask our own words last."""
    if app.config.language.startswith("zh"):
        for catalog in locale.translators.values():
            # Sphinx and the theme have a catalogue each.
            catalog.add_fallback(_Interface())
