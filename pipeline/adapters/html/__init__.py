"""Stand-alone HTML of documents, and the sanitizer for all foreign markup.

This package contains the renderers of notebooks, MyST and reStructuredText for previews, and the
cleaners of HTML, drawings and style sheets. Sphinx writes the pages of the web site
(``pipeline/site``).
"""
