# SPDX-License-Identifier: Apache-2.0
"""A cluster that schedules random pods, for scheduling_differential.py: its objects are written, and
the outcome of each pod is awaited. No node runs the pods, so evicted pods end at once."""
import json
import re
import sys
import time

MERGE = "application/merge-patch+json"
GATES = ",".join(f"{name}=true" for name in (
    "DRAAdminAccess", "DRAPrioritizedList", "DRAPartitionableDevices", "DRADeviceTaints",
    "DRADeviceTaintRules", "DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus",
    "DRAConsumableCapacity", "DRAExtendedResource", "DRAListTypeAttributes",
    "DRANodeAllocatableResources", "DRAFractionalCapacityRange", "DRAOptionalNodeOperations",
    "DRADeviceCompatibilityGroups", "DRADerivedAttributes", "GenericWorkload",
    "DRAWorkloadResourceClaims", "TopologyAwareWorkloadScheduling"))
# Kind: (where, whether it is in namespaces); in the order in which they are removed.
KINDS = {"Pod": ("api/v1/pods", True),
         "PodGroup": ("apis/scheduling.k8s.io/v1beta1/podgroups", True),
         "ResourceClaim": ("apis/resource.k8s.io/v1/resourceclaims", True),
         "ResourceClaimTemplate": ("apis/resource.k8s.io/v1/resourceclaimtemplates", True),
         "PersistentVolumeClaim": ("api/v1/persistentvolumeclaims", True),
         "ResourceQuota": ("api/v1/resourcequotas", True),
         "LimitRange": ("api/v1/limitranges", True),
         "ResourceSlice": ("apis/resource.k8s.io/v1/resourceslices", False),
         "DeviceClass": ("apis/resource.k8s.io/v1/deviceclasses", False),
         "StorageClass": ("apis/storage.k8s.io/v1/storageclasses", False),
         "PriorityClass": ("apis/scheduling.k8s.io/v1/priorityclasses", False),
         "Node": ("api/v1/nodes", False),
         "Namespace": ("api/v1/namespaces", False)}
NAMESPACES = ("lab", "others")
POLL_SECONDS = 0.1
SILENT_SECONDS = 1.0  # after which no component reports anything more, once the scheduler is past the pod
EVICTED_SECONDS = 8.0  # in which the scheduler retries a pod for which it evicted others
SETTLED_SECONDS_MAX = 60
MARK = {"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "mark", "namespace": "marks"},
        "spec": {"nodeSelector": {"example.com/mark": "none"}, "priorityClassName": "mark",
                 "terminationGracePeriodSeconds": 0,
                 "containers": [{"name": "main", "image": "registry.example/mark:1"}]}}


class Cluster:
    """A server whose scheduler and controllers run."""

    def __init__(self, server):
        self.server = server
        self.make({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "marks"}})
        self.make({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": -2000000000,
                   "metadata": {"name": "mark"}})

    def path(self, kind, namespace="", name=""):
        where, is_namespaced = KINDS[kind]
        group, _, plural = where.rpartition("/")
        middle = f"/namespaces/{namespace}" if is_namespaced and namespace else ""
        return f"/{group}{middle}/{plural}" + (f"/{name}" if name else "")

    def make(self, made):
        """Why it is refused, or nothing."""
        metadata = {key: value for key, value in made["metadata"].items() if key != "uid"}
        path = self.path(made["kind"], metadata.get("namespace", ""))
        code, answer = self.server.ask("POST", path, {**made, "metadata": metadata})
        if code == 409 and made["kind"] == "Namespace":
            labels = {"resource.kubernetes.io/admin-access": None, **metadata.get("labels", {})}
            code, answer = self.server.ask("PATCH", f"{path}/{metadata['name']}",
                                           {"metadata": {"labels": labels}}, kind=MERGE)
        if code >= 400:
            return answer.get("message", str(code))
        if made["kind"] == "ResourceClaim" and "status" in made:
            self.server.ask("PATCH", f"{path}/{metadata['name']}/status",
                            {"status": made["status"]}, kind=MERGE)
        return ""

    def all(self, kind):
        _, answer = self.server.ask("GET", self.path(kind))
        items = answer.get("items", [])
        for one in items:
            one.update({"kind": kind, "apiVersion": answer["apiVersion"]})
            one["metadata"].pop("managedFields", None)
        return items

    def dump(self):
        """All objects that decide about pods, once none of them changes any more."""
        before, deadline = None, time.monotonic() + SETTLED_SECONDS_MAX
        while time.monotonic() < deadline:
            now = [one for kind in KINDS for one in self.all(kind) if is_of_ours(one)]
            if now == before and not any(is_orphan(one, now) for one in now):
                return now
            before = now
            time.sleep(POLL_SECONDS)
        sys.exit(f"{self.server.name} does not get quiet")

    def clear(self):
        """Removes what earlier seeds have left."""
        for kind in KINDS:
            if kind == "Namespace":
                continue
            deadline = time.monotonic() + SETTLED_SECONDS_MAX
            while left := [one for one in self.all(kind) if is_of_ours(one)]:
                if time.monotonic() > deadline:
                    sys.exit(f"{self.server.name}: {kind} {left[0]['metadata']['name']} stays")
                for one in left:
                    self.remove(one)
                time.sleep(POLL_SECONDS)

    def remove(self, one):
        metadata = one["metadata"]
        path = self.path(one["kind"], metadata.get("namespace", ""), metadata["name"])
        self.server.ask("DELETE", path, {"gracePeriodSeconds": 0})
        if metadata.get("finalizers"):
            self.server.ask("PATCH", path, {"metadata": {"finalizers": None}}, kind=MERGE)

    def pass_by(self):
        """Waits until the scheduler has tried all pods that it may try now."""
        path = self.path("Pod", "marks", "mark")
        self.make(MARK)
        deadline = time.monotonic() + SETTLED_SECONDS_MAX
        while not condition(self.server.ask("GET", path)[1]):
            if time.monotonic() > deadline:
                sys.exit(f"{self.server.name} has no scheduler")
            time.sleep(POLL_SECONDS / 4)
        self.server.ask("DELETE", path, {"gracePeriodSeconds": 0})

    def pod(self, name):
        return self.server.ask("GET", self.path("Pod", "lab", name))[1]

    def claims_of(self, pod):
        uid = pod["metadata"].get("uid")
        return [claim for claim in self.all("ResourceClaim")
                if any(user["uid"] == uid for user in claim.get("status", {}).get("reservedFor", []))]

    def is_decided(self, name):
        pod = self.pod(name)
        return bool(pod["spec"].get("nodeName") or condition(pod) or self.claims_of(pod))

    def decide(self, names):
        """Waits until the scheduler has reported about each pod, or reports nothing more."""
        claims = time.monotonic() + 2 * SILENT_SECONDS
        while any(lacks_claims(self.pod(name)) for name in names) and time.monotonic() < claims:
            time.sleep(POLL_SECONDS)
        self.pass_by()
        deadline = time.monotonic() + SILENT_SECONDS
        while time.monotonic() < deadline and not all(self.is_decided(name) for name in names):
            time.sleep(POLL_SECONDS)

    def evicted(self):
        return [one for one in self.all("Pod") if "deletionTimestamp" in one["metadata"]
                and one["metadata"]["namespace"] in NAMESPACES]

    def end_evicted(self, names):
        """Ends the pods that the scheduler evicts for these, which are then tried again."""
        gone = []
        while any("preempting" in condition(self.pod(name)).get("message", "") for name in names):
            deadline = time.monotonic() + EVICTED_SECONDS
            while not (going := self.evicted()) and time.monotonic() < deadline:
                time.sleep(POLL_SECONDS)
            for one in going:
                self.remove(one)
                gone.append(f"{one['metadata']['namespace']}/{one['metadata']['name']}")
            words = [condition(self.pod(name)).get("message") for name in names]
            while time.monotonic() < deadline:
                pods = [self.pod(name) for name in names]
                if [condition(pod).get("message") for pod in pods] != words:
                    break
                time.sleep(POLL_SECONDS)
            else:
                break
        return sorted(gone)

    def fate(self, name, evicts):
        pod = self.pod(name)
        claims = self.claims_of(pod)
        said = condition(pod)
        node = pod["spec"].get("nodeName") or (pod["status"].get("nominatedNodeName", "")
                                               if claims else "")
        results = [one for claim in claims
                   for one in claim["status"].get("allocation", {}).get("devices", {}).get("results", [])]
        fits = bool(pod["spec"].get("nodeName") or claims)
        gated = said.get("reason") == "SchedulingGated"
        return {"fits": fits, "node": node, "evicts": evicts,
                "words": "" if fits or gated else said.get("message", ""),
                "devices": sorted(" ".join((one["request"], one["driver"], one["pool"], one["device"]))
                                  for one in results)}


def is_of_ours(one):
    metadata = one["metadata"]
    namespace = metadata["name"] if one["kind"] == "Namespace" else metadata.get("namespace", "lab")
    return namespace in NAMESPACES and not (
        one["kind"] == "PriorityClass" and (metadata["name"] == "mark" or
                                            metadata["name"].startswith("system-")))


def is_orphan(one, others):
    """Whether the controllers will remove it, because its pod no longer exists."""
    uids = {other["metadata"]["uid"] for other in others}
    return one["kind"] == "ResourceClaim" and any(
        owner["uid"] not in uids for owner in one["metadata"].get("ownerReferences", []))


def condition(pod):
    """The scheduler's report about a pod that has no node; {}: none."""
    return next((one for one in pod.get("status", {}).get("conditions", [])
                 if one["type"] == "PodScheduled" and one["status"] == "False"), {})


def lacks_claims(pod):
    wanted = [one for one in pod["spec"].get("resourceClaims", []) if "resourceClaimTemplateName" in one]
    return len(pod.get("status", {}).get("resourceClaimStatuses", [])) < len(wanted)


def together(pods):
    """Pods that come together: those of a group, or one."""
    found, last = [], None
    for pod in pods:
        group = pod["spec"].get("schedulingGroup", {}).get("podGroupName")
        if not group or group != last:
            found.append([])
        found[-1].append(pod)
        last = group
    return found


def turns(cluster, objects):
    """Writes the objects, and then pod after pod; of each turn the cluster before it, the pods, and
    their outcomes."""
    cluster.clear()
    for made in objects:
        if made["kind"] != "Pod":
            cluster.make(made)
    cluster.pass_by()
    for pods in together([one for one in objects if one["kind"] == "Pod"]):
        pods = [{**pod, "metadata": {key: value for key, value in pod["metadata"].items()
                                     if key != "uid"}} for pod in pods]
        dump = cluster.dump()
        cluster.pass_by()
        fates = {}
        for pod in pods:
            if refusal := cluster.make(pod):
                fates[pod["metadata"]["name"]] = {"fits": False, "node": "", "devices": [],
                                                  "evicts": [], "words": refusal}
        names = [pod["metadata"]["name"] for pod in pods if pod["metadata"]["name"] not in fates]
        cluster.decide(names)
        evicts = cluster.end_evicted(names)
        for name in names:
            fates[name] = cluster.fate(name, evicts)
        yield {"cluster": dump, "pods": pods, "fates": fates}
        for name in names:  # pods that do not fit are removed, so that they take no room that becomes free later
            if not fates[name]["fits"]:
                cluster.remove({"kind": "Pod", "metadata": {"namespace": "lab", "name": name}})
