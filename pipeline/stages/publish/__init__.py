"""publish: show the result as stand-alone HTML, a file for every page and an index of them.

``stage`` decides what of each page is rendered and whether it changed, ``renderer`` makes HTML of
it, ``marked_page`` serves the workbench. This is the preview; ``site`` makes the web site.
"""
