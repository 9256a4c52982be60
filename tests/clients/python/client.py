# SPDX-License-Identifier: Apache-2.0
"""Typical calls of programs that use the Python client, with its defaults. One line for each that works;
the first thing that does not ends the program with status 1.

    client.py KUBECONFIG

To test a watch through a restart it writes the file `restart`, and continues when the file is gone.
"""
import pathlib
import sys
import threading
import time

import kubernetes
from kubernetes import client, dynamic, watch

NAMESPACE = "client-python"
DRIVER = "gpu.example.com"
PATIENCE = 600  # seconds, only ever used up by a bug


def expect(good, what):
    if not good:
        raise AssertionError(what)


def refused(reason, call, *arguments, **named):
    """Expects the call to end with a Status of this reason."""
    try:
        call(*arguments, **named)
    except client.ApiException as error:
        expect(f'"reason":"{reason}"' in error.body.replace(" ", ""), f"{reason}: {error}")
        return error
    raise AssertionError(f"was not refused as {reason}")


def claim(name, config=None):
    return client.ResourceV1ResourceClaim(
        api_version="resource.k8s.io/v1",
        kind="ResourceClaim",
        metadata=client.V1ObjectMeta(name=name, labels={"app": "x"}),
        spec=client.V1ResourceClaimSpec(devices=client.V1DeviceClaim(
            requests=[client.V1DeviceRequest(
                name="gpu", exactly=client.V1ExactDeviceRequest(device_class_name="gpu"))],
            config=config)))


def parameters(value):
    return [client.V1DeviceClaimConfiguration(
        opaque=client.V1OpaqueDeviceConfiguration(driver=DRIVER, parameters=value))]


def writes(api):
    client.CoreV1Api().create_namespace({"metadata": {"name": NAMESPACE}})
    api.create_device_class({"metadata": {"name": "gpu"}, "spec": {}})
    created = api.create_namespaced_resource_claim(NAMESPACE, claim("a"))
    expect(created.spec.devices.requests[0].exactly.count == 1, "no defaults")
    created.metadata.labels["app"] = "y"
    replaced = api.replace_namespaced_resource_claim("a", NAMESPACE, created)
    expect(replaced.metadata.labels["app"] == "y", "not replaced")
    expect(replaced.metadata.uid == created.metadata.uid, "another uid")
    refused("Conflict", api.replace_namespaced_resource_claim, "a", NAMESPACE, created)
    refused("AlreadyExists", api.create_namespaced_resource_claim, NAMESPACE, claim("a"))
    refused("Invalid", api.create_namespaced_resource_claim, NAMESPACE, claim("A_b"))
    refused("NotFound", api.read_namespaced_resource_claim, "missing", NAMESPACE)
    set_up = api.create_namespaced_resource_claim(
        NAMESPACE, claim("set-up", parameters({"mode": "fast"})), dry_run="All")
    expect(set_up.spec.devices.config[0].opaque.parameters == {"mode": "fast"}, "other parameters")
    dry = api.create_namespaced_resource_claim(NAMESPACE, claim("dry"), dry_run="All")
    expect(dry.metadata.name == "dry", "no dry run")
    refused("NotFound", api.read_namespaced_resource_claim, "dry", NAMESPACE)


def patches(api):
    # Not of a claim with parameters: their bytes are compared, and this client writes `{"a": 1}`, which
    # the server's patch turns into `{"a":1}`; upstream refuses that as a change of the spec too.
    change = {"metadata": {"annotations": {"note": "x"}}}
    patched = api.patch_namespaced_resource_claim("a", NAMESPACE, change)
    expect(patched.metadata.annotations["note"] == "x", "a merge patch")
    step = [{"op": "replace", "path": "/metadata/annotations/note", "value": "y"}]
    patched = api.patch_namespaced_resource_claim(
        "a", NAMESPACE, step, _content_type="application/json-patch+json")
    expect(patched.metadata.annotations["note"] == "y", "a JSON patch")


def status(api):
    read = api.read_namespaced_resource_claim_status("a", NAMESPACE)
    read.status = client.V1ResourceClaimStatus(
        allocation=client.V1AllocationResult(devices=client.V1DeviceAllocationResult(
            results=[client.V1DeviceRequestAllocationResult(
                request="gpu", driver=DRIVER, pool="node", device="gpu-0")])))
    written = api.replace_namespaced_resource_claim_status("a", NAMESPACE, read)
    expect(written.status.allocation.devices.results[0].device == "gpu-0", "not allocated")
    told = {"status": {"devices": [{
        "driver": DRIVER, "pool": "node", "device": "gpu-0",
        "data": {"temperature": 40},
        "conditions": [{"type": "Ready", "status": "True", "reason": "Up", "message": "",
                        "lastTransitionTime": "2026-01-01T00:00:00Z"}]}]}}
    patched = api.patch_namespaced_resource_claim_status("a", NAMESPACE, told)
    expect(patched.status.devices[0].data == {"temperature": 40}, "no data of the device")
    expect(patched.status.allocation.devices.results[0].device == "gpu-0", "the allocation went")
    again = api.read_namespaced_resource_claim("a", NAMESPACE)
    expect(again.to_dict() == patched.to_dict(), "read is not what was written")


def lists(api):
    for i in range(7):
        api.create_namespaced_resource_claim(NAMESPACE, claim(f"list-{i}"))
    names, token = [], None
    while True:
        page = api.list_namespaced_resource_claim(
            NAMESPACE, limit=3, label_selector="app=x", _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    expect(names == [f"list-{i}" for i in range(7)], f"names are {names}")
    api.delete_collection_namespaced_resource_claim(NAMESPACE, label_selector="app=x")
    left = [item.metadata.name for item in api.list_namespaced_resource_claim(NAMESPACE).items]
    expect(left == ["a"], f"left are {left}")


def watch_through_restart(api):
    # Watches classes, because for claims this client looks up a type of its own that it lacks.
    version = api.list_device_class().metadata.resource_version
    api.create_device_class({"metadata": {"name": "before"}, "spec": {}})

    def next_event(stream):
        event = next(stream)
        found = event["object"].metadata
        return event["type"], found.name, found.resource_version

    follow = watch.Watch()
    stream = follow.stream(api.list_device_class, resource_version=version)
    kind, name, version = next_event(stream)
    expect((kind, name) == ("ADDED", "before"), f"{kind} {name}")
    marker = pathlib.Path("restart")
    marker.touch()
    end = time.monotonic() + PATIENCE
    while marker.exists():
        expect(time.monotonic() < end, "the server was not restarted in time")
        time.sleep(0.02)  # between polls of another process
    api.delete_device_class("before")
    api.create_device_class({"metadata": {"name": "after"}, "spec": {}})
    stream = follow.stream(api.list_device_class, resource_version=version)
    seen = [next_event(stream)[:2] for _ in range(2)]
    expect(seen == [("DELETED", "before"), ("ADDED", "after")], f"seen were {seen}")
    follow.stop()


def reservations(api):
    """Consumers that all add themselves to reservedFor: none is lost."""
    consumers = [f"p{i}" for i in range(8)]
    trouble = []

    def reserve(name):
        try:
            own = client.ResourceV1Api(client.ApiClient())
            while True:
                read = own.read_namespaced_resource_claim("a", NAMESPACE)
                read.status.reserved_for = (read.status.reserved_for or []) + [
                    client.V1ResourceClaimConsumerReference(resource="pods", name=name, uid=name)]
                try:
                    own.replace_namespaced_resource_claim_status("a", NAMESPACE, read)
                    return
                except client.ApiException as error:
                    expect(error.status == 409, f"{error}")
        except Exception as error:  # reported by the waiting thread
            trouble.append(error)

    threads = [threading.Thread(target=reserve, args=(name,)) for name in consumers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not trouble, trouble)
    reserved = api.read_namespaced_resource_claim("a", NAMESPACE).status.reserved_for
    expect(sorted(each.name for each in reserved) == consumers, f"reserved for {reserved}")


def apply(_):
    cluster = dynamic.DynamicClient(client.ApiClient())
    claims = cluster.resources.get(api_version="resource.k8s.io/v1", kind="ResourceClaim")

    def configuration(app):
        wanted = client.ApiClient().sanitize_for_serialization(claim("applied"))
        wanted["metadata"]["labels"] = {"app": app}
        # The list is applied whole, so it includes the server's defaults; else every apply would change it.
        exactly = wanted["spec"]["devices"]["requests"][0]["exactly"]
        exactly.update({"allocationMode": "ExactCount", "count": 1})
        return wanted

    def send(manager, app, **named):
        return claims.server_side_apply(body=configuration(app), name="applied",
                                        namespace=NAMESPACE, field_manager=manager, **named)

    expect(send("one", "x").metadata.labels.app == "x", "not applied")
    try:
        send("two", "y")
        raise AssertionError("no conflict")
    except dynamic.exceptions.ConflictError as error:
        expect(".metadata.labels.app" in error.summary(), error.summary())
    forced = send("two", "y", force_conflicts=True)
    managers = {each.manager: each.operation for each in forced.metadata.managedFields}
    expect(forced.metadata.labels.app == "y", "not forced")
    expect(managers == {"one": "Apply", "two": "Apply"}, f"managers are {managers}")


def old_versions(_):
    """A claim as the clients of 1.31 see it."""
    cluster = dynamic.DynamicClient(client.ApiClient())
    old = cluster.resources.get(api_version="resource.k8s.io/v1alpha3", kind="ResourceClaim")
    made = old.create(namespace=NAMESPACE, body={
        "metadata": {"name": "old"},
        "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "gpu"}]}}})
    expect(made.spec.devices.requests[0].allocationMode == "ExactCount", "no defaults")
    new = client.ResourceV1Api().read_namespaced_resource_claim("old", NAMESPACE)
    expect(new.spec.devices.requests[0].exactly.device_class_name == "gpu", "not seen by v1")


def main():
    kubernetes.config.load_kube_config(sys.argv[1])
    api = client.ResourceV1Api()
    for name, step in [
            ("writes and their errors", writes),
            ("patches", patches),
            ("status", status),
            ("lists in pages", lists),
            ("a watch through a restart", watch_through_restart),
            ("races for reservations", reservations),
            ("apply and its conflicts", apply),
            ("old versions", old_versions),
    ]:
        try:
            step(api)
        except Exception as error:  # the line shows where any error came from
            print(f"{name}: {type(error).__name__}: {error}")
            sys.exit(1)
        print(name, flush=True)


if __name__ == "__main__":
    main()
