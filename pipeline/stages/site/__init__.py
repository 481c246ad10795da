"""site: the pages of one locale as a web site.

``assembling`` makes the folder of sources, ``records`` says of each page what its blocks are, Sphinx builds it, ``finishing`` adds what
is no page.
"""

from pipeline.stages.site.building import build_site

__all__ = ["build_site"]
