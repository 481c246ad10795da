"""Work in a process of its own, one after the other: what it takes of memory goes with it.

On Linux a child is a copy of this process as it is, so that what is loaded here is loaded once for
all children. In goes a function of a module with its arguments, out comes what it hands over.
"""

from __future__ import annotations

import gc
import multiprocessing
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

GRACE = 2.0  # seconds for a child to end that was interrupted as well
PATIENCE = 30.0  # seconds for a child that is interrupted to stop its kernels


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a child ended; a ``code`` below 0 is a signal, as ``subprocess`` has it."""

    code: int
    handed: Any = None  # what it handed over; None if it came to nothing


def run_in_child(work: Callable[..., int], *arguments: object) -> Ended:
    """Call ``work(hand_over, *arguments)`` in a child, which ends with the number returned.

    Interrupted while it waits, this process interrupts the child and waits for its end.
    """
    # Elsewhere a copy of a process may lack what its system libraries keep in threads.
    if sys.platform == "linux":
        context = multiprocessing.get_context("fork")
    else:
        context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    # Objects that are here already are not looked through, and so not copied, by the child.
    gc.freeze()
    child = context.Process(target=_child, args=(sender, receiver, work, arguments))
    child.start()
    sender.close()
    handed = None
    try:
        with suppress(EOFError):  # it ended without a word
            handed = receiver.recv()
        child.join()
    except BaseException:
        # Ctrl-C in a terminal goes to both; a signal that was sent to this process does not.
        child.join(GRACE)
        if child.is_alive():
            child.terminate()
            child.join(PATIENCE)
        raise
    finally:
        receiver.close()
        gc.unfreeze()
    return Ended(code=child.exitcode or 0, handed=handed)


def _child(
    sender: Connection,
    receiver: Connection,
    work: Callable[..., int],
    arguments: tuple[object, ...],
) -> None:
    receiver.close()
    code = work(sender.send, *arguments)
    sender.close()
    sys.exit(code)
