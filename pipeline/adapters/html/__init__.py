"""Stand-alone HTML of documents, and the sanitizer for all foreign markup.

Renderers of notebooks, MyST and reStructuredText for previews belong here, as do the guards for
markup, drawings and style sheets. The web site's pages, which Sphinx writes, do not.
"""
