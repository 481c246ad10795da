"""Model of the execution of notebooks: cache key, outputs, expected exceptions, and history.

Only functions on values belong here. Kernels, files and the cache do not.
"""
