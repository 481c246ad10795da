"""reStructuredText: docutils says where prose stands, the text itself is edited by position."""
