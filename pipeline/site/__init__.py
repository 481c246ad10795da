"""Web site of one upstream and locale: its Sphinx sources, records, downloads and data files.

Everything that decides what a site contains belongs here. ``extension`` runs inside Sphinx's own
process and reads only the records. Starting Sphinx (``adapters/sphinx``) and sanitizing markup
(``adapters/html``) do not belong here.
"""
