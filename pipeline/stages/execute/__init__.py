"""execute: run the code of every notebook page once, and put the outputs into merged notebooks.

``plan`` decides which pages run, how, and under which key; ``startup`` reads code to run first.
``stage`` takes outputs from the cache or from kernels, judges them and writes executed notebooks.
``history`` stores times and exceptions between runs.
"""

from pipeline.stages.execute.stage import Executed, execute

__all__ = ["Executed", "execute"]
