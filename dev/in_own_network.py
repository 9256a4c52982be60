#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""in_own_network.py PROGRAM [ARGUMENT ...]: becomes the program, in a network that nothing else is in.

Programs with fixed ports, such as suites whose managers serve metrics at port 8080, then meet no other
program there. The network is a namespace of Linux with 127.0.0.1 alone. Where the kernel gives this user none, the
program runs in the usual network, and a line says so.
"""
import ctypes
import fcntl
import os
import socket
import struct
import sys

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def enter():
    """Makes this process the first of a new network; OSError where it may not."""
    user, group = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET | (CLONE_NEWUSER if user else 0)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    if user:  # files and processes still belong to the user
        for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(line)
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))


def main():
    try:
        enter()
    except OSError as error:
        print(f"in_own_network: {error.strerror}: the program shares the ports of this machine", file=sys.stderr)
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
