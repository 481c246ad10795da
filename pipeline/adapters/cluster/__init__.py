"""Notebooks run on a Dask cluster."""
