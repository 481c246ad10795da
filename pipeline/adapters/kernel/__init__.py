"""Notebooks run by papermill: a pool of workers, their kernels and their limits."""
