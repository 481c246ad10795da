"""The web site: its sources and records, and the Sphinx extension that shows them."""
