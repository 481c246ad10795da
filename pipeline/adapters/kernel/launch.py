"""Start of a kernel's process: `launch.py online|offline PROCESSES [COMMAND …] -f FILE`.

It ties the process to its worker, limits the number of processes, confines its signals, removes the
network if requested, and becomes the kernel: COMMAND, or ipykernel. PROCESSES is the folder of a
cgroup, or a number. It imports no module of this project, so that a page's code sees none.

`launch.py probe` exits with 0 if the network can be removed on this machine.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000  # flags of unshare(2)
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38  # options of prctl(2)
LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446  # system calls
LANDLOCK_SCOPE_SIGNAL = 2  # of landlock(7)
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


def keep_signals_inside() -> bool:
    """Confine signals of this process and its children to themselves, using Landlock.

    A cell can then neither stop nor kill its worker, other pages or the user's session. Return
    False if the system does not support that: Linux does since 6.12.
    """
    if sys.platform != "linux":
        return False
    import ctypes
    import struct

    system = ctypes.CDLL(None)
    # The ruleset's fields are restrictions on files, on the network, and on scopes.
    rules = struct.pack("3Q", 0, 0, LANDLOCK_SCOPE_SIGNAL)
    ruleset = system.syscall(LANDLOCK_CREATE_RULESET, rules, len(rules), 0)
    if ruleset < 0:
        return False
    # Required by the system: otherwise set-user-ID programs would escape the rules.
    system.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    failed = system.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return not failed


def tie_to_worker() -> None:
    """Die with the worker, be first in line when memory runs out, and write no core dumps."""
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
    """Join the cgroup in the folder ``limit``; if ``limit`` is a number, limit the user to it."""
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


def main(mode: str, limit: str = "", *command: str) -> None:
    """Become the kernel, or probe the network."""
    if mode == "probe":
        sys.exit(0 if leave_network() else 1)
    # Limit first: in the new namespace of ``leave_network``, the user has no rights outside.
    limit_processes(limit)
    if mode == "offline":
        leave_network()
    tie_to_worker()
    keep_signals_inside()
    if command[0] != "-f":
        os.execvp(command[0], command)  # noqa: S606 - there is no shell to be wanted
    leave_debugger_out()
    from ipykernel import kernelapp

    sys.argv = ["ipykernel", *command]
    kernelapp.launch_new_instance()


if __name__ == "__main__":
    main(*sys.argv[1:])
