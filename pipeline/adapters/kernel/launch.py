"""Script that starts a kernel: `launch.py online|offline PROCESSES FOLDERS [COMMAND …] -f FILE`.

The script first restricts its own process. It ties the process to its worker, limits the number of
processes, confines signals and writes, and with `offline` removes the network. Then it becomes the
kernel: COMMAND, or ipykernel without one. PROCESSES is the folder of a cgroup, or a number. FOLDERS
are the folders that a page may change, separated as in PATH. The script imports no module of this
project, so that the code of a page sees none.

`launch.py probe` exits with 0 if the network can be removed on this machine.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000  # flags of unshare(2)
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38  # options of prctl(2)
# System calls and flags of landlock(7)
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_CREATE_RULESET_VERSION, LANDLOCK_RULE_PATH_BENEATH = 1, 1
LANDLOCK_SCOPE_SIGNAL = 2
# First versions of Landlock that confine changes of files (Linux 6.2), and signals (Linux 6.12).
CONFINES_WRITES, CONFINES_SIGNALS = 3, 6
OPENED = 1 << 1 | 1 << 14  # rights to open a file for writing, and to truncate it
# The same rights, and the rights to create, remove and move files and folders.
CHANGED = OPENED | sum(1 << right for right in range(4, 14))
DEVICES, SHARED_MEMORY = "/dev", "/dev/shm"  # noqa: S108 - folders of the system
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1  # of netdevice(7)


def leave_network() -> bool:
    """Move this process to a network namespace that has only a loopback interface.

    Return False if the system does not permit it.
    """
    if sys.platform != "linux":
        return False
    import ctypes

    user, group = os.getuid(), os.getgid()
    if ctypes.CDLL(None).unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return False
    # Map to the same user and group as outside. `setgroups` must be denied before mapping a group.
    for name, text in [
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ]:
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    _raise_loopback()
    return True


def _raise_loopback() -> None:
    """Enable the loopback interface, so that connections to 127.0.0.1 still work."""
    import fcntl
    import socket
    import struct

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        answer = fcntl.ioctl(handle, SIOCGIFFLAGS, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", answer)[1]
        fcntl.ioctl(handle, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))


def landlock_version() -> int:
    """Return the version of Landlock, Linux's restriction of processes; 0 or less without it."""
    if sys.platform != "linux":
        return 0
    import ctypes

    ask = LANDLOCK_CREATE_RULESET_VERSION
    return int(ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, 0, ask))


def confine(folders: list[str]) -> bool:
    """Confine signals and writes of this process and its children, using Landlock.

    Afterwards a cell can neither stop nor kill its worker, other pages or the user's session. A
    cell can only change files in ``folders``, devices and shared memory. But if ``folders`` is
    empty, writes are not confined. Return whether everything that should be confined is confined.
    """
    version = landlock_version()
    if version < 1:
        return False
    import ctypes
    import struct

    system = ctypes.CDLL(None)
    is_writing = bool(folders) and version >= CONFINES_WRITES
    is_signalling = version >= CONFINES_SIGNALS
    # The ruleset's fields are restrictions on files, on the network, and on scopes.
    fields = (CHANGED * is_writing, 0, LANDLOCK_SCOPE_SIGNAL * is_signalling)
    rules = struct.pack("3Q", *fields)
    ruleset = system.syscall(LANDLOCK_CREATE_RULESET, rules, len(rules), 0)
    if ruleset < 0:
        return False
    if is_writing:
        for folder in (*folders, SHARED_MEMORY):
            _permit(system, ruleset, folder, CHANGED)
        _permit(system, ruleset, DEVICES, OPENED)
    # The system requires this: without it, set-user-ID programs would escape the rules.
    system.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    failed = system.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return not failed and is_signalling and is_writing is bool(folders)


def _permit(system: ctypes.CDLL, ruleset: int, folder: str, rights: int) -> None:
    """Add ``rights`` in ``folder`` and below to the ruleset, if the folder exists."""
    import struct

    with suppress(FileNotFoundError):
        opened = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        rule = struct.pack("=Qi", rights, opened)
        system.syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0)
        os.close(opened)


def tie_to_worker() -> None:
    """Make the system kill this process when the worker dies.

    Also make the system kill this process before others if memory runs out, and write no core dump.
    """
    if sys.platform == "linux":
        import ctypes
        import resource

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    # If the worker died before the call of prctl, no signal will come.
    if os.getppid() != int(os.environ["JPY_PARENT_PID"]):
        sys.exit(1)


def limit_processes(limit: str) -> None:
    """Join the cgroup in the folder ``limit``.

    If ``limit`` is a number, limit the user's processes to that number. If ``limit`` is empty, do
    nothing.
    """
    if not limit:
        return
    if not limit.isdigit():
        # Some systems let a user make a cgroup, but not join it.
        with (
            suppress(OSError),
            open(f"{limit}/cgroup.procs", "w", encoding="ascii") as file,
        ):
            file.write("0")  # this process
    elif sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
        most = int(limit) if hard == resource.RLIM_INFINITY else min(int(limit), hard)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def leave_debugger_out() -> None:
    """Make ipykernel start without its debugger, which takes a quarter of the start-up time.

    A page that imports the debugger itself still gets it.
    """
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # as if it were not installed
    import ipykernel.debugger  # noqa: F401 - looks for it once

    del sys.modules["debugpy"]


def main(mode: str, limit: str = "", folders: str = "", *command: str) -> None:
    """Become the kernel, or probe the network. The arguments are those of the script."""
    if mode == "probe":
        sys.exit(0 if leave_network() else 1)
    # Limit processes first: in the new namespace of ``leave_network``, the user has no rights
    # outside of it.
    limit_processes(limit)
    if mode == "offline":
        leave_network()
    tie_to_worker()
    confine(folders.split(os.pathsep) if folders else [])
    if command[0] != "-f":
        os.execvp(command[0], command)  # noqa: S606 - no shell is needed
    leave_debugger_out()
    from ipykernel import kernelapp

    sys.argv = ["ipykernel", *command]
    kernelapp.launch_new_instance()


if __name__ == "__main__":
    main(*sys.argv[1:])
