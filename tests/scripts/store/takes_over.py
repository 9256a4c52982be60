#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two `dray serve` with all components on one etcd: one leads. When it stops, the other takes over
at once, and pods still get nodes and devices; the first server follows when it is back.

    takes_over.py DRAY
"""
import signal
import sys
import time

from cluster import CLAIMS, PATIENCE, Etcd, Server, ask

LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/dray"
PODS = "/api/v1/namespaces/default/pods"


def eventually(what, look):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.02)  # between polls; no result depends on it
    sys.exit(f"never: {what}")


def holder(server):
    code, lease = ask(server.connect(), "GET", LEASE)
    return lease["spec"].get("holderIdentity") if code == 200 else None


def run_pod(server, name):
    connection = server.connect()
    code, answer = ask(connection, "POST", PODS, {
        "metadata": {"name": name}, "spec": {
            "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "gpu"}]}}],
            "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]}})
    assert code == 201, answer
    def running():
        _, pod = ask(connection, "GET", f"{PODS}/{name}")
        return pod["status"].get("phase") == "Running" and pod
    pod = eventually(f"{name} runs", running)
    _, claims = ask(connection, "GET", CLAIMS)
    owned = [claim for claim in claims["items"]
             if claim["metadata"]["ownerReferences"][0]["uid"] == pod["metadata"]["uid"]]
    assert len(owned) == 1, f"{name} has {len(owned)} claims"
    assert owned[0]["status"]["reservedFor"][0]["name"] == name


def main():
    dray = sys.argv[1]
    etcd = Etcd("etcd-data")
    flags = [f"--etcd-servers={etcd.url}", "--components=apiserver,scheduler,controllers,nodes",
             "--nodes=example=1"]
    first = Server(dray, "a", flags)
    leader = eventually("the first leads", lambda: holder(first))
    second = Server(dray, "b", flags)
    connection = second.connect()
    for path, body in (
            ("/apis/resource.k8s.io/v1/deviceclasses",
             {"metadata": {"name": "gpu.example.com"}, "spec": {}}),
            ("/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
             {"metadata": {"name": "gpu"}, "spec": {"spec": {"devices": {"requests": [
                 {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}}})):
        code, answer = ask(connection, "POST", path, body)
        assert code == 201, answer
    run_pod(second, "before")
    assert holder(second) == leader

    first.process.send_signal(signal.SIGTERM)
    assert first.process.wait() == 0
    eventually("the second leads", lambda: holder(second) not in (None, "", leader))
    run_pod(second, "after")
    leader = holder(second)
    third = Server(dray, "a", flags)
    run_pod(third, "later")
    assert holder(third) == leader
    for server in (second, third):
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait() == 0
    etcd.kill()


if __name__ == "__main__":
    main()
