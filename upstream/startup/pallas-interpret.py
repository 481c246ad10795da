"""Lets pages about Pallas on TPUs run on a CPU: start-up code of the modes ``pallas-interpret``.

Interpret mode is turned on once a page imports Pallas, and not before: the import takes seconds.
JAX is told as soon as it is imported that programs end before the next one begins.
"""

from __future__ import annotations

import os
from types import ModuleType

from pipeline_startup import on_import


def wait_for_programs(jax: ModuleType) -> None:
    """Let no program run while others are prepared; say so before JAX sets up its devices.

    The interpreter is called back from the program that it runs, and asks JAX for values: with one
    thread to run programs in, the one may wait for the other for ever.
    """
    jax.config.update("jax_cpu_enable_async_dispatch", False)


def interpret(pallas: ModuleType) -> None:
    """Turn interpret mode on for the rest of the process.

    With ``PALLAS_INTERPRET=hlo`` it is the plain interpreter, which lets wrong kernels run to their
    wrong end.
    """
    from jax._src.pallas.mosaic import tpu_info
    from jax.experimental.pallas import tpu

    if os.environ.get("PALLAS_INTERPRET") == "hlo":
        # True is what pallas_call(interpret=True) is given.
        tpu.set_tpu_interpret_mode(True)  # type: ignore[arg-type]
        return
    # Some code asks what chip there is all the same; any one will do.
    tpu_info.registry.setdefault(
        "cpu", lambda: tpu.get_tpu_info_for_chip(tpu.ChipVersion.TPU_V5E, 1)
    )
    tpu.set_tpu_interpret_mode()


on_import("jax", wait_for_programs)
on_import("jax.experimental.pallas", interpret)
