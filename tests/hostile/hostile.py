#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A good user schedules pods and lists claims while eight others do their worst to the same `dray serve`.

    hostile.py DRAY [--seconds 12] [--judge-times] [--seed 1]

Five of them have no rights at all, three are administrators of one namespace each. Their actions are in ATTACKS;
the seed decides which attacker takes which actions, in which order. Always: every pod of the good user is bound once, every device is
held by one claim, every list is whole, and the store is sound afterwards. With --judge-times also, against as long
without the others: p99 of both at most twice, no pod a second late, and resident memory at most MEMORY_MAX.

The attackers stand for programs on other machines, so the kernel runs them only on processors that no other program needs
(SCHED_IDLE). Where other programs leave them nothing, there is no attack and nothing to judge: that is an error too.
A processor that never rests answers later even so, by 20 ms at p99 on two virtual CPUs. Therefore as many programs as
there are attackers compute beside the good user alone: what is compared is what the attackers' requests do."""
import argparse
import base64
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import ssl
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "scripts" / "store"))
from cluster import Server, ask  # noqa: E402: it stands beside the scripts of the store

PODS_IN_SECOND = 10
DEEDS_IN_SECOND_MIN = 1  # of all attackers; each is some ten to two hundred requests
MEMORY_MAX = 1 << 30
TENANTS = [f"tenant-{number}" for number in range(3)]
STRANGERS = [f"stranger-{number}" for number in range(5)]
RESOURCE = "/apis/resource.k8s.io/v1"
RBAC = "rbac.authorization.k8s.io"


def tokens():
    lines = ['good-token,good,u-good,"people"']
    lines += [f'{name}-token,{name},u-{name},"people"' for name in TENANTS + STRANGERS]
    return "\n".join(lines) + "\n"


class Client:
    """One user's connection."""

    def __init__(self, host, port, token):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.context, self.host, self.port, self.token = context, host, port, token
        self.connection = None

    def connect(self):
        return http.client.HTTPSConnection(self.host, self.port, timeout=600, context=self.context)

    def raw(self):
        """A TLS connection without a request."""
        plain = socket.create_connection((self.host, self.port), timeout=60)
        return self.context.wrap_socket(plain)

    def send(self, method, path, body=None, kind="application/json", headers=()):
        self.connection = self.connection or self.connect()
        said = {"Authorization": "Bearer " + self.token, "Content-Type": kind, **dict(headers)}
        try:
            self.connection.request(method, path, body if body is None or isinstance(body, bytes) else json.dumps(body),
                                    said)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.connection = None
            raise
        return answer.status, text


# One action of an attacker: (client, dice, namespace). Names of namespaces mean something for tenants only.

def forged_tokens(client, dice, _):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    for number in range(200):
        forged = Client(client.host, client.port, ".".join([
            part({"alg": "RS256", "kid": str(number)}), part({"iss": "https://kubernetes.default.svc", "sub": "x"}),
            base64.urlsafe_b64encode(dice.randbytes(256)).decode().rstrip("=")]))
        forged.connection = client.connection = client.connection or client.connect()
        forged.send("GET", "/api/v1/pods")


def hold(client, dice, count, request):
    """Connections that have sent this much, for up to a second."""
    held = [client.raw() for _ in range(count)]
    for one in held:
        one.sendall(request)
    time.sleep(dice.random())
    for one in held:
        one.close()


def head(client, line, more=""):
    return f"{line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {client.token}\r\n{more}\r\n".encode()


def promised_bodies(client, dice, _):
    promise = "Content-Type: application/json\r\nContent-Length: 3000000\r\n"
    hold(client, dice, 40, head(client, "POST /api/v1/namespaces/default/configmaps", promise) + b"{")


def idle_connections(client, dice, _):
    hold(client, dice, 60, b"")


def broken_heads(client, dice, _):
    for _ in range(30):
        one = client.raw()
        one.sendall(dice.choice([b"GET /%00 HTTP/1.1\r\n\r\n", b"\x00" * 100, b"GET " + b"/a" * 4000 + b" HTTP/1.1\r\n\r\n",
                                 b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00" + b"\x00" * 4]))
        one.close()


def big_selectors(client, dice, namespace):
    values = ",".join(f"v{number}" for number in range(dice.choice([10, 2000])))
    for plural in ("pods", "configmaps"):
        client.send("GET", f"/api/v1/namespaces/{namespace}/{plural}?labelSelector=l+notin+({values})")


def many_watches(client, dice, namespace):
    hold(client, dice, 40, head(client, f"GET /api/v1/namespaces/{namespace}/configmaps?watch=1&labelSelector=a!%3Db"))


def unread_answers(client, dice, namespace):
    hold(client, dice, 10, head(client, f"GET /api/v1/namespaces/{namespace}/configmaps"))


def big_objects(client, dice, namespace):
    name = f"c{dice.randrange(20)}"
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    body = {"metadata": {"name": name, "labels": {"l": name}},
            "data": {f"k{number}": "x" * 100 for number in range(2000)}}
    if client.send("POST", path, body)[0] == 409:
        client.send("DELETE", f"{path}/{name}")


def hard_claims(client, dice, namespace):
    name = f"h{dice.randrange(10)}"
    slow = " && ".join(f"device.driver.matches('^(a+)+{number}$')" for number in range(3))
    requests = [{"name": f"r{number}", "exactly": {
        "deviceClassName": "gpu.example.com", "allocationMode": "ExactCount", "count": 1 + number % 2,
        "selectors": [{"cel": {"expression": slow + " || true"}}]}} for number in range(16)]
    claim = {"metadata": {"name": name}, "spec": {"devices": {
        "requests": requests, "constraints": [{"matchAttribute": "gpu.example.com/model"}]}}}
    pod = {"metadata": {"name": name}, "spec": {
        "containers": [{"name": "c", "image": "i"}],
        "resourceClaims": [{"name": "c", "resourceClaimName": name}]}}
    client.send("POST", f"{RESOURCE}/namespaces/{namespace}/resourceclaims", claim)
    client.send("POST", f"/api/v1/namespaces/{namespace}/pods", pod)
    if dice.random() < 0.3:
        client.send("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}", {"gracePeriodSeconds": 0})


def spread_pods(client, dice, namespace):
    name = f"s{dice.randrange(60)}"
    selector = {"matchExpressions": [{"key": "l", "operator": "Exists"}]}
    pod = {"metadata": {"name": name, "labels": {"l": "x"}}, "spec": {
        "containers": [{"name": "c", "image": "i"}],
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": f"k{number}", "whenUnsatisfiable": "DoNotSchedule",
                                       "labelSelector": selector} for number in range(20)],
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector, "namespaceSelector": {}}]}}}}
    if client.send("POST", f"/api/v1/namespaces/{namespace}/pods", pod)[0] == 409:
        client.send("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}", {"gracePeriodSeconds": 0})


def wide_roles(client, dice, namespace):
    words = [f"r{number}" for number in range(100)]
    role = {"metadata": {"name": f"w{dice.randrange(20)}"},
            "rules": [{"apiGroups": words, "resources": words, "verbs": words}] * 3}
    client.send("POST", f"/apis/{RBAC}/v1/namespaces/{namespace}/roles", role)
    client.send("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {"spec": {"namespace": namespace}})


OF_ALL = [forged_tokens, promised_bodies, idle_connections, broken_heads, big_selectors, many_watches, unread_answers]
OF_TENANTS = [big_objects, hard_claims, spread_pods, wide_roles]
ATTACKS = OF_ALL + OF_TENANTS


def attack(host, port, name, seed, deeds_done, stop):
    """One attacker, until `stop` is set; refusals of its requests do not matter."""
    # As if on another machine: the server's threads and the good user take a processor from it at once.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    dice = random.Random(f"{seed}/{name}")
    client = Client(host, port, name + "-token")
    while not stop.is_set():
        deeds = ATTACKS if name in TENANTS else OF_ALL
        try:
            dice.choice(deeds)(client, dice, name if name in TENANTS else "default")
            with deeds_done.get_lock():
                deeds_done.value += 1
        except (OSError, http.client.HTTPException):
            time.sleep(0.01)  # the connection is refused: the attacker tries again


def compute(stop):
    """Takes the processor as an attacker does, and sends nothing."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while not stop.is_set():
        sum(range(10_000))


class Others:
    """As many processes as there are attackers, with the arguments of its name; they are over at the end of the block."""

    def __init__(self, target, arguments_of):
        self.stop = multiprocessing.Event()
        self.processes = [multiprocessing.Process(target=target, args=(*arguments_of(name), self.stop))
                          for name in TENANTS + STRANGERS]

    def __enter__(self):
        for one in self.processes:
            one.start()

    def __exit__(self, *_):
        self.stop.set()
        for one in self.processes:
            if one.is_alive():  # on a busy machine its running requests would take long to end
                os.sched_setscheduler(one.pid, os.SCHED_OTHER, os.sched_param(0))
            one.join()


class GoodUser:
    """Pods at a fixed rate, each with a claim of its own, and lists; seconds of each."""

    def __init__(self, host, port, number):
        self.host, self.port, self.number = host, port, number
        self.bound_at, self.created_at, self.lists, self.wrong = {}, {}, [], []
        self.ended = threading.Event()

    def client(self):
        return Client(self.host, self.port, "good-token")

    def watch(self):
        client = self.client()
        connection = client.connect()
        connection.request("GET", "/api/v1/namespaces/good/pods?watch=1", headers={"Authorization": "Bearer good-token"})
        cleaner = self.client()
        for line in connection.getresponse():
            if self.ended.is_set():
                return
            event = json.loads(line)
            pod = event.get("object", {})
            name = pod.get("metadata", {}).get("name", "")
            node = pod.get("spec", {}).get("nodeName")
            if event["type"] == "ERROR":
                self.wrong.append(f"the watch ended: {pod.get('message')}")
                return
            if node and name not in self.bound_at and name in self.created_at:
                self.bound_at[name] = time.monotonic()
                cleaner.send("DELETE", f"/api/v1/namespaces/good/pods/{name}", {"gracePeriodSeconds": 0})
                cleaner.send("DELETE", f"{RESOURCE}/namespaces/good/resourceclaims/{name}")

    def create(self, client, name):
        claim = {"metadata": {"name": name}, "spec": {"devices": {"requests": [
            {"name": "r", "exactly": {"deviceClassName": "gpu.example.com"}}]}}}
        pod = {"metadata": {"name": name}, "spec": {
            "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "c"}]}}],
            "resourceClaims": [{"name": "c", "resourceClaimName": name}]}}
        self.created_at[name] = time.monotonic()
        for path, body in ((f"{RESOURCE}/namespaces/good/resourceclaims", claim),
                           ("/api/v1/namespaces/good/pods", pod)):
            code, text = client.send("POST", path, body)
            if code != 201:
                self.wrong.append(f"{path} {name}: {code} {text[:200]!r}")

    def list_claims(self, client):
        begun = time.monotonic()
        code, text = client.send("GET", f"{RESOURCE}/namespaces/good/resourceclaims")
        self.lists.append(time.monotonic() - begun)
        if code != 200:
            self.wrong.append(f"a list: {code} {text[:200]!r}")
            return
        holders = {}
        for claim in json.loads(text)["items"]:
            results = claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
            for device in ((result["driver"], result["pool"], result["device"]) for result in results):
                if device in holders:
                    self.wrong.append(f"{device} is held by {holders[device]} and {claim['metadata']['name']}")
                holders[device] = claim["metadata"]["name"]

    def work(self, seconds):
        threading.Thread(target=self.watch, daemon=True).start()
        client, begun = self.client(), time.monotonic()
        for number in range(int(seconds * PODS_IN_SECOND)):
            wait = begun + number / PODS_IN_SECOND - time.monotonic()
            if wait > 0:
                time.sleep(wait)  # the rate is what is asked for; no result depends on it
            self.create(client, f"p{self.number}-{number}")
            self.list_claims(client)
        end = time.monotonic() + 600
        while len(self.bound_at) < len(self.created_at) and time.monotonic() < end and not self.wrong:
            self.list_claims(client)
        lost = set(self.created_at) - set(self.bound_at)
        if lost:
            self.wrong.append(f"{len(lost)} pods were never bound, {sorted(lost)[0]} among them")
        self.ended.set()
        return sorted(self.bound_at[name] - self.created_at[name] for name in self.bound_at), sorted(self.lists)


def p99(values):
    return values[min(len(values) - 1, len(values) * 99 // 100)]


def prepare(server):
    connection = server.connect()

    def make(path, body):
        code, answer = ask(connection, "POST", path, body)
        assert code == 201, answer

    make(f"{RESOURCE}/deviceclasses", {"metadata": {"name": "gpu.example.com"}, "spec": {"selectors": [
        {"cel": {"expression": "device.driver == 'gpu.example.com'"}}]}})
    for name in ["good", *TENANTS]:
        make("/api/v1/namespaces", {"metadata": {"name": name}})
        make(f"/apis/{RBAC}/v1/namespaces/{name}/rolebindings", {
            "metadata": {"name": "own"}, "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "admin"},
            "subjects": [{"kind": "User", "apiGroup": RBAC, "name": name}]})
    make(f"/apis/{RBAC}/v1/clusterroles", {"metadata": {"name": "claims"}, "rules": [
        {"apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims"], "verbs": ["*"]}]})
    for name in ["good", *TENANTS]:
        make(f"/apis/{RBAC}/v1/namespaces/{name}/rolebindings", {
            "metadata": {"name": "claims"}, "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "claims"},
            "subjects": [{"kind": "User", "apiGroup": RBAC, "name": name}]})


def peak_memory(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) << 10


def cpu_seconds(process):
    """The resources that the process has used so far."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def judge_times(alone, beside, memory):
    wrong = []
    for what, one, other in zip(("a pod is bound", "a list is answered"), alone, beside):
        print(f"hostile: p99 until {what}: alone {p99(one) * 1e3:.1f} ms, beside the others {p99(other) * 1e3:.1f} ms")
        if p99(other) > 2 * p99(one):
            wrong.append(f"until {what}, p99 is {p99(other) / p99(one):.1f} times that of alone")
    if beside[0][-1] > alone[0][-1] + 1:
        wrong.append(f"a pod waited {beside[0][-1]:.1f} s")
    if memory > MEMORY_MAX:
        wrong.append(f"the server held {memory >> 20} MiB, of {MEMORY_MAX >> 20}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dray", type=os.path.abspath)
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--judge-times", action="store_true")
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        return compare(options)


def compare(options):
    """The good user alone, then beside the others; in the current folder, which is empty."""
    pathlib.Path("tokens.csv").write_text(tokens(), encoding="ascii")
    server = Server(options.dray, "data", ["--components=apiserver,scheduler,controllers,nodes", "--nodes", "example=4", "--token-file", "tokens.csv"])
    prepare(server)
    where = (server.url.hostname, server.url.port)
    print(f"hostile: seed {options.seed}, {options.seconds} s alone", flush=True)
    good, victim = GoodUser(*where, 0), GoodUser(*where, 1)
    used = cpu_seconds(server.process)
    with Others(compute, lambda _: ()):
        alone = good.work(options.seconds)
    print(f"hostile: the server used {cpu_seconds(server.process) - used:.1f} CPU-seconds", flush=True)
    print(f"hostile: {options.seconds} s beside {len(TENANTS + STRANGERS)} others", flush=True)
    deeds = multiprocessing.Value("Q", 0)
    used = cpu_seconds(server.process)
    with Others(attack, lambda name: (*where, name, options.seed, deeds)):
        beside = victim.work(options.seconds)
        used = cpu_seconds(server.process) - used
    print(f"hostile: the server used {used:.1f} CPU-seconds; they attacked {deeds.value} times", flush=True)
    wrong = good.wrong + victim.wrong
    memory = peak_memory(server.process)
    if options.judge_times:
        wrong += judge_times(alone, beside, memory)
        if deeds.value < DEEDS_IN_SECOND_MIN * options.seconds:
            wrong.append("the attackers got no processor: other programs take part in this machine")
    server.process.terminate()
    if server.process.wait() != 0:
        wrong.append(f"the server ended with {server.process.returncode}")
    if subprocess.run([options.dray, "store", "verify", "--data-dir", "data"], check=False).returncode != 0:
        wrong.append("the store is not sound")
    for one in wrong[:20]:
        print("hostile: " + one)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
