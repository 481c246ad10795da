"""memory: open the committed memory into working catalogues before the update, store them in it after, prove that they agree.

What both sides of a merge started from is kept in ``build/<locale>/<name>/memory.json``, written last: memory, then
catalogues, then this file. Whatever stops a run, the next one compares entry by entry, and nothing is lost.
"""

from pipeline.stages.memory.opening import open_memory
from pipeline.stages.memory.storing import store_memory
from pipeline.stages.memory.verifying import verify_memory
from pipeline.stages.memory.workspace import MemoryResult

__all__ = ["MemoryResult", "open_memory", "store_memory", "verify_memory"]
