"""Ways to other pages: tables of contents, the sidebar, links here and to English."""
