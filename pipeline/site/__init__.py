"""The Sphinx side of the site: configuration, extension, templates, style sheet and scripts. Only Sphinx imports it."""
