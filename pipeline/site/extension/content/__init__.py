"""What a page shows besides prose: files, cells, figures, names of the API."""
