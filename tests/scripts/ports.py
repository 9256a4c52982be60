# SPDX-License-Identifier: Apache-2.0
"""Ports of 127.0.0.1 that no other test gets, as lib.sh and store/etcd/testing/etcd_process.h choose them."""
import errno
import fcntl
import os
import pathlib
import random
import socket

FIRST = 10_000
EPHEMERAL_USUAL = 32_768

held = []  # locks, until this process ends


def first_ephemeral():
    """The first port that the system may give to a connecting socket, which cannot be reserved."""
    try:
        first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        return EPHEMERAL_USUAL
    return first if first > FIRST else EPHEMERAL_USUAL


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return False
    return True


def reserve_port():
    """A port on which no program listens. It stays reserved between two servers of a test."""
    folder = pathlib.Path(f"/tmp/dray-test-ports-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    while True:
        port = random.randrange(FIRST, first_ephemeral())
        lock = open(folder / str(port), "ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        if is_free(port):
            held.append(lock)
            return port
        lock.close()
