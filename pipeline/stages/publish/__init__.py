"""publish: show the result as stand-alone HTML, a file for every page and an index of them.

``sheet`` says what of a page is rendered and how it ran, ``rendering`` makes HTML of it, ``stage``
does so for all pages that have changed. This is the preview; the web site is made by ``site``.
"""
