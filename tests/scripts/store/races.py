#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two `dray serve` on one etcd agree: each returns at once the writes that the other has answered, and
no racing reservation of one claim is lost or granted twice.

    races.py DRAY RESERVATIONS
"""
import sys
import threading

from cluster import CLAIMS, Etcd, Server, ask

WORKERS = 16


def claim(name):
    return {"metadata": {"name": name}, "spec": {"devices": {"requests": [
        {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}}


def read_from_the_other(servers, rounds):
    """B must return the object that A answered, in a get and in a list, without delay."""
    connections = [server.connect() for server in servers]
    for number in range(rounds):
        here, there = connections[number % 2], connections[1 - number % 2]
        name = f"seen-{number}"
        code, written = ask(here, "POST", CLAIMS, claim(name))
        assert code == 201, written
        code, read = ask(there, "GET", f"{CLAIMS}/{name}")
        assert (code, read) == (200, written), (code, read, written)
        code, page = ask(there, "GET", CLAIMS)
        assert name in [item["metadata"]["name"] for item in page["items"]], name
        assert int(page["metadata"]["resourceVersion"]) >= int(
            written["metadata"]["resourceVersion"])
        code, _ = ask(here, "DELETE", f"{CLAIMS}/{name}")
        assert code == 200
        code, _ = ask(there, "GET", f"{CLAIMS}/{name}")
        assert code == 404, "deleted through the other server"


class Worker(threading.Thread):
    """Reserves the claim for pods of its own and releases it, counting in an annotation."""

    def __init__(self, server, number, race):
        super().__init__()
        self.server, self.number, self.race = server, number, race
        self.granted = self.refused = 0
        self.problems = []

    def run(self):
        connection = self.server.connect()
        path = f"{CLAIMS}/raced"
        while self.race.goes_on():
            code, now = ask(connection, "GET", path)
            assert code == 200, now
            if now.get("status", {}).get("reservedFor"):
                continue
            pod = f"pod-{self.number}-{self.granted}"
            now.setdefault("status", {})["reservedFor"] = [
                {"resource": "pods", "name": pod, "uid": pod}]
            code, reserved = ask(connection, "PUT", path + "/status", now)
            self.race.tried()
            if code == 409:
                self.refused += 1
                continue
            assert code == 200, reserved
            self.granted += 1
            self.race.enter(pod, self.problems)
            reserved["metadata"].setdefault("annotations", {})
            count = int(reserved["metadata"]["annotations"].get("count", "0"))
            reserved["metadata"]["annotations"]["count"] = str(count + 1)
            code, counted = ask(connection, "PUT", path, reserved)
            assert code == 200, counted  # no other client may change it now
            counted["status"].pop("reservedFor")
            self.race.leave()
            code, freed = ask(connection, "PUT", path + "/status", counted)
            assert code == 200, freed


class Race:
    def __init__(self, attempts):
        self.left, self.holder, self.lock = attempts, None, threading.Lock()

    def goes_on(self):
        with self.lock:
            return self.left > 0

    def tried(self):
        with self.lock:
            self.left -= 1

    def enter(self, pod, problems):
        with self.lock:
            if self.holder is not None:
                problems.append(f"{pod} and {self.holder} both have the claim")
            self.holder = pod

    def leave(self):
        with self.lock:
            self.holder = None


def main():
    dray, attempts = sys.argv[1], int(sys.argv[2])
    etcd = Etcd("etcd-data")
    flags = [f"--etcd-servers={etcd.url}"]
    servers = [Server(dray, "a", flags), Server(dray, "b", flags)]
    read_from_the_other(servers, 100)

    code, _ = ask(servers[0].connect(), "POST", CLAIMS, {
        **claim("raced"), "metadata": {"name": "raced"}})
    assert code == 201
    allocate(servers[0])
    race = Race(attempts)
    workers = [Worker(servers[i % 2], i, race) for i in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    granted = sum(worker.granted for worker in workers)
    refused = sum(worker.refused for worker in workers)
    problems = [problem for worker in workers for problem in worker.problems]
    _, last = ask(servers[1].connect(), "GET", f"{CLAIMS}/raced")
    count = int(last["metadata"]["annotations"]["count"])
    if count != granted:
        problems.append(f"{granted} reservations were granted, the claim counted {count}")
    print(f"{granted + refused} racing reservations: {granted} granted, {refused} refused")
    for server in servers:
        server.kill()
    etcd.kill()
    if problems or granted + refused < attempts:
        sys.exit("\n".join(problems[:20]) or "a worker ended early")


def allocate(server):
    """A claim can be reserved once it is allocated."""
    connection = server.connect()
    _, now = ask(connection, "GET", f"{CLAIMS}/raced")
    now["status"] = {"allocation": {"devices": {"results": [
        {"request": "gpu", "driver": "gpu.example.com", "pool": "p", "device": "d"}]}}}
    code, answer = ask(connection, "PUT", f"{CLAIMS}/raced/status", now)
    assert code == 200, answer


if __name__ == "__main__":
    main()
