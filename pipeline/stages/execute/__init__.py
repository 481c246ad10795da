"""execute: run the code of every notebook page once, and put the outputs into the merged notebooks.

``planning`` says what is to run and under which key, ``policy`` how, ``running`` takes outputs from
the cache or from kernels, ``finishing`` judges them and writes executed notebooks, ``remembering``
keeps times and exceptions from run to run.
"""

from pipeline.stages.execute.stage import Executed, execute

__all__ = ["Executed", "execute"]
