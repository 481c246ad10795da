"""execute: run the code of every notebook page once; put the outputs into each locale's merged
notebook.

``planning`` says what is to run and under which key, ``running`` takes outputs from the cache or
from kernels, ``finishing`` judges them and writes executed notebooks, ``remembering`` keeps times
and exceptions from run to run.
"""

from pipeline.stages.execute.running import Executed, execute

__all__ = ["Executed", "execute"]
