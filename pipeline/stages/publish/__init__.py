"""The stage publish: previews of the pages as stand-alone HTML, with an index.

``stage`` decides which pages to render, ``renderer`` renders them, and ``marked_page`` renders
pages for the workbench. The web site belongs in ``site/``.
"""
