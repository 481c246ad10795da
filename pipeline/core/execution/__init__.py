"""Model of execution: shape, cache key, outputs, expectations and history of notebooks.

Only functions on values belong here; kernels, files and the cache do not.
"""
