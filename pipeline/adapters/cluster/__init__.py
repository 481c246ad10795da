"""Notebooks run on a Dask cluster: ``scheduler`` sends them, ``worker`` runs them there."""
