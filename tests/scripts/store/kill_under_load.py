#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `dray serve` in the middle of 64 writers over HTTP, starts it again on the same folder, and
looks for losses: every write that was answered 2xx must be there, in the state and under the
resource version that the answer gave; one that was not answered happened wholly or not at all; and
a watch that breaks off with the server resumes from its last event without a gap or a repetition.

    kill_under_load.py DRAY [ROUNDS] [FLAG...]   flags are for dray serve
"""
import http.client
import json
import ssl
import sys
import threading
import time

from cluster import CLAIMS, PATIENCE, Server, ask

WRITERS = 64


def claim(name, label):
    return {"metadata": {"name": name, "labels": {"state": label}},
            "spec": {"devices": {"requests": [
                {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}}


def create(connection, name, label):
    """The version that it gets."""
    code, answer = ask(connection, "POST", CLAIMS, claim(name, label))
    assert code == 201, answer
    return int(answer["metadata"]["resourceVersion"])


class Writer(threading.Thread):
    """Creates, changes and deletes claims of its own until the server is gone."""

    def __init__(self, server, number, first):
        super().__init__()
        self.server, self.number, self.serial = server, number, first
        self.known = {}      # name: (resource version, label) as answered; None when deleted
        self.in_flight = None  # (name, label or None): asked for and not answered
        self.answered = 0

    def run(self):
        try:
            connection = self.server.connect()
            while True:
                self.step(connection)
        except (OSError, http.client.HTTPException, ssl.SSLError, ValueError):
            pass  # the server is gone

    def step(self, connection):
        name = f"w{self.number}-{self.serial}"
        turn = self.answered % 4
        if turn == 0:
            self.serial += 1
            name = f"w{self.number}-{self.serial}"
            self.write(connection, "POST", CLAIMS, name, "created", claim(name, "created"))
        elif turn == 3 and self.serial % 2 == 0:
            self.write(connection, "DELETE", f"{CLAIMS}/{name}", name, None, None)
        else:
            label = f"changed-{self.answered}"
            self.write(connection, "PATCH", f"{CLAIMS}/{name}", name, label,
                       {"metadata": {"labels": {"state": label}}})

    def write(self, connection, method, path, name, label, body):
        self.in_flight = (name, label)
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        code, answer = ask(connection, method, path, body, kind)
        assert code in (200, 201), (code, answer)
        version = int(answer["metadata"]["resourceVersion"]) if label else 0
        self.known[name] = (version, label) if label else None
        self.in_flight = None
        self.answered += 1


class Watcher(threading.Thread):
    """Applies events to a copy of the collection until its stream ends."""

    def __init__(self, server, version, state):
        super().__init__()
        self.server, self.version, self.state = server, version, state
        self.problem = None
        self.until = None

    def run(self):
        connection = self.server.connect()
        connection.request("GET", f"{CLAIMS}?watch=1&resourceVersion={self.version}")
        answer = connection.getresponse()
        try:
            for line in iter(answer.readline, b""):
                if not line.endswith(b"\n"):
                    return  # cut off
                self.apply(json.loads(line))
                if self.until is not None and self.version >= self.until:
                    return
        except (OSError, http.client.HTTPException, ssl.SSLError):
            pass  # the server is gone

    def apply(self, event):
        if event["type"] == "ERROR":
            self.problem = self.problem or event["object"]["message"]
            return
        metadata = event["object"]["metadata"]
        version = int(metadata["resourceVersion"])
        if version <= self.version:
            self.problem = self.problem or f"event {version} after {self.version}"
        self.version = version
        there = metadata["name"] in self.state
        if there != (event["type"] != "ADDED"):
            self.problem = self.problem or f"{event['type']} {metadata['name']}: there before: {there}"
        if event["type"] == "DELETED":
            self.state.pop(metadata["name"], None)
        else:
            self.state[metadata["name"]] = (version, metadata["labels"]["state"])


def read_all(server):
    code, answer = ask(server.connect(), "GET", CLAIMS)
    assert code == 200, answer
    return int(answer["metadata"]["resourceVersion"]), {
        item["metadata"]["name"]: (int(item["metadata"]["resourceVersion"]),
                                   item["metadata"]["labels"]["state"])
        for item in answer["items"]}


def lost(writers, state):
    """Acknowledged writes that are missing in the state."""
    for writer in writers:
        for name, known in writer.known.items():
            now = state.get(name)
            if now == known:
                continue
            unanswered = writer.in_flight
            label = now[1] if now else None
            if unanswered and unanswered == (name, label):
                continue
            yield f"{name}: answered {known}, kept {now}, in flight {unanswered}"


def one_round(dray, flags, number):
    server = Server(dray, "data", flags)
    version, state = read_all(server)
    watcher = Watcher(server, version, state)
    watcher.start()
    writers = [Writer(server, i, number * 1_000_000) for i in range(WRITERS)]
    for writer in writers:
        writer.start()
    wanted = 500 + 137 * number  # different in each round
    while sum(writer.answered for writer in writers) < wanted:
        time.sleep(0.001)
    server.kill()
    for thread in [*writers, watcher]:
        thread.join()
    answered = sum(writer.answered for writer in writers)

    server = Server(dray, "data", flags)
    problems = list(lost(writers, read_all(server)[1]))
    last = create(server.connect(), f"last-{number}", "last")
    newest, kept = read_all(server)
    resumed = Watcher(server, watcher.version, watcher.state)
    resumed.until = last  # an event on claims: the newest revision may be of another kind
    resumed.start()
    resumed.join(PATIENCE)
    problems += [f"watch: {watch.problem}" for watch in (watcher, resumed) if watch.problem]
    if resumed.is_alive():
        problems.append(f"the watch has seen {resumed.version}, and not {last}, after {PATIENCE} s")
    if resumed.state != kept:
        problems.append(f"the watch saw {len(resumed.state)} claims, {len(kept)} are there")
    server.kill()
    print(f"round {number}: {answered} writes answered, {len(kept)} claims kept, "
          f"{newest - version} revisions, {len(problems)} problems")
    return problems


def main():
    dray = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    for number in range(1, rounds + 1):
        problems = one_round(dray, sys.argv[3:], number)
        if problems:
            sys.exit("\n".join(problems[:20]))


if __name__ == "__main__":
    main()
