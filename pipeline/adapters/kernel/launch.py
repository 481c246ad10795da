"""The first code in a kernel's process: `launch.py online|offline [COMMAND …] -f CONNECTION_FILE`.

Ties the process to its worker, keeps its signals inside, takes the network away if asked to, and
becomes the kernel: COMMAND, or ipykernel. It imports nothing of ours, so that nothing of ours is
where a page's code runs.
`launch.py probe` tells by its exit code whether the network can be taken away here.
"""

from __future__ import annotations

import os
import signal
import sys

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000  # of unshare(2)
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38  # of prctl(2)
LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446  # system calls
LANDLOCK_SCOPE_SIGNAL = 2  # of landlock(7)
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1  # of netdevice(7)


def leave_network() -> bool:
    """Move to a network of our own, where only loopback is.

    False where the system does not let us.
    """
    if sys.platform != "linux":
        return False
    import ctypes

    user, group = os.getuid(), os.getgid()
    if ctypes.CDLL(None).unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return False
    # The same user and group as outside. Groups have to be given up before one may be mapped.
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
    """Code that talks to itself over 127.0.0.1 goes on working."""
    import fcntl
    import socket
    import struct

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        answer = fcntl.ioctl(handle, SIOCGIFFLAGS, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", answer)[1]
        fcntl.ioctl(handle, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))


def keep_signals_inside() -> bool:
    """Let this process, and all that it starts, send signals to one another only.

    A cell can then neither stop nor kill its worker, other pages or the user's session. Return
    False where the system cannot do that: Linux can since 6.12.
    """
    if sys.platform != "linux":
        return False
    import ctypes
    import struct

    system = ctypes.CDLL(None)
    # A ruleset restricts files, the network, and what it calls the scope.
    rules = struct.pack("3Q", 0, 0, LANDLOCK_SCOPE_SIGNAL)
    ruleset = system.syscall(LANDLOCK_CREATE_RULESET, rules, len(rules), 0)
    if ruleset < 0:
        return False
    # The system demands this first: programs that run as root would escape the rules.
    system.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    failed = system.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return not failed


def tie_to_worker() -> None:
    """Die with the worker, go first when the machine runs out of memory, leave no core dumps."""
    if sys.platform == "linux":
        import ctypes
        import resource

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    # The worker may have died before prctl was called, which then comes too late.
    if os.getppid() != int(os.environ["JPY_PARENT_PID"]):
        sys.exit(1)


def leave_debugger_out() -> None:
    """Have the kernel start without its debugger, which takes a quarter of the time.

    Nobody debugs a page. One that imports the debugger itself still gets it.
    """
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # as if it were not installed
    import ipykernel.debugger  # noqa: F401 - looks for it once

    del sys.modules["debugpy"]


def main(mode: str, *command: str) -> None:
    """Become the kernel."""
    if mode == "probe":
        sys.exit(0 if leave_network() else 1)
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
