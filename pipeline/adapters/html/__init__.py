"""Documents as stand-alone HTML, for reading: a notebook, MyST or reStructuredText to one file."""
