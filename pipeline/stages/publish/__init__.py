"""The stage publish: previews of the pages as stand-alone HTML, with an index.

``stage`` decides which pages to render, and ``renderer`` renders them. ``marked_page`` renders
pages for the workbench (``serve``). The code of the web site is in ``pipeline/site/``.
"""
