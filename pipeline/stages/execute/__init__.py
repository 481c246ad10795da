"""The stage execute: runs the code of each notebook once; adds the outputs to merged notebooks.

``plan`` decides which pages run, how, and under which cache key. ``startup`` reads the files whose
code runs before a page. ``stage`` takes outputs from the cache or from kernels, judges them and
writes executed notebooks. ``run_history`` stores durations and exceptions for the next run.
"""
