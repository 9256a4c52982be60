#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long pods wait when the server that schedules goes: several `dray serve` on one etcd.

    take_over.py DRAY [--etcd PROGRAM] [--servers N] [--rounds N] [--lease DURATION]

Each round creates a pod with a claim once the leader has been stopped (SIGTERM) or killed (SIGKILL), asks
another server until the pod is bound, and starts the leader again. Prints the seconds of each round.
"""

import argparse
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

TOKEN = "bench-token"
PATIENCE = 120  # seconds for anything that should come


def free_ports(count):
    """That many different ports."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def await_true(what, ask):
    """The first answer of `ask` that is true; ends the program when none comes."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.01)
    sys.exit(f"take_over: waited in vain: {what}")


class Server:
    """One `dray serve` and its folder."""

    def __init__(self, folder, port, command):
        self.log = folder / "serve.log"
        self.port = port
        self.command = [*command, "--data-dir", folder / "data", "--listen", f"127.0.0.1:{self.port}"]
        self.process = None
        folder.mkdir()

    def start(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        await_true(f"{self.log}", lambda: self.ask("GET", "/readyz") is not None)

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait()

    def leads(self):
        """The last thing that its log says about leading."""
        said = self.log.read_text(errors="replace")
        return said.rfind('"leads"') > said.rfind('"leads no more"')

    def ask(self, method, path, body=None):
        """The text of the answer; None when there is none, or it is an error."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method)
        request.add_header("Authorization", f"Bearer {TOKEN}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, OSError):
            return None


def prepare(server):
    """What pods with a claim need."""
    slices = "/apis/resource.k8s.io/v1/resourceslices"
    await_true("slices", lambda: json.loads(server.ask("GET", slices) or '{"items":[]}')["items"])
    server.ask("POST", "/apis/resource.k8s.io/v1/deviceclasses", {
        "metadata": {"name": "gpu"},
        "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]}})
    server.ask("POST", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates", {
        "metadata": {"name": "gpu"},
        "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}}})


def bind(server, name):
    """Creates a pod and waits until it has a node; how many seconds after the call."""
    begin = time.monotonic()
    pods = "/api/v1/namespaces/default/pods"
    pod = {"metadata": {"name": name}, "spec": {
        "containers": [{"name": "main", "image": "pause", "resources": {"claims": [{"name": "gpu"}]}}],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]}}
    await_true(f"creation of {name}", lambda: server.ask("POST", pods, pod))
    await_true(f"{name} to be bound",
               lambda: "nodeName" in json.loads(server.ask("GET", f"{pods}/{name}") or '{"spec":{}}')["spec"])
    return time.monotonic() - begin


def measure(servers, rounds):
    prepare(servers[0])
    print(f"{len(servers)} servers on one etcd; with all of them a pod is bound after {bind(servers[0], 'first'):.2f} s")
    for how, name in ((signal.SIGTERM, "stopped"), (signal.SIGKILL, "killed")):
        waits = []
        for number in range(rounds):
            leader = await_true("a leader", lambda: next((one for one in servers if one.leads()), None))
            other = next(one for one in servers if one is not leader)
            leader.end(how)
            waits.append(bind(other, f"{name}-{number}"))
            leader.start()
            bind(other, f"{name}-{number}-after")
        print(f"the leader is {name:<8} a pod is bound after " + " ".join(f"{wait:.2f}" for wait in sorted(waits)) + " s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dray")
    parser.add_argument("--etcd", default="etcd", help="the program")
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lease", help="--leader-elect-lease-duration of the servers")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tokens = folder / "tokens"
        tokens.write_text(f"{TOKEN},bench,1,system:masters\n")
        ports = free_ports(arguments.servers + 2)
        clients, peers = (f"http://127.0.0.1:{ports.pop()}" for _ in range(2))
        with open(folder / "etcd.log", "wb") as log:
            etcd = subprocess.Popen([arguments.etcd, "--data-dir", folder / "etcd",
                                     "--listen-client-urls", clients, "--advertise-client-urls", clients,
                                     "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                                     "--initial-cluster", f"default={peers}"], stdout=log, stderr=log)
        command = [arguments.dray, "serve", "--etcd-servers", clients, "--token-file", tokens,
                   "--disable-admission-plugins=ServiceAccount", "--nodes", "example=20"]
        if arguments.lease:
            command += ["--leader-elect-lease-duration", arguments.lease]
        servers = [Server(folder / f"server-{number}", port, command) for number, port in enumerate(ports)]
        try:
            for server in servers:
                server.start()
            measure(servers, arguments.rounds)
        finally:
            for server in servers:
                if server.process is not None:
                    server.process.kill()
                    server.process.wait()
            etcd.terminate()
            etcd.wait()


if __name__ == "__main__":
    main()
