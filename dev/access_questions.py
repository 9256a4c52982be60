# SPDX-License-Identifier: Apache-2.0
"""Questions of dev/access_differential.py about the rights in a world: the users and their requests."""
import base64
import json
import re
import urllib.parse

from access_world import (AUTHENTICATION, CERTIFICATES, CLUSTER, DRA, MERGE, MODES, PATHS, RBAC,
                          RBAC_GROUP, RESOURCES, SIGNERS, STORAGE, VERBS, Chance)

USERS = ["system:anonymous", "system:kube-scheduler", "system:kube-controller-manager",
         "system:kube-proxy", "system:serviceaccount:kube-system:namespace-controller",
         "system:serviceaccount:kube-system:generic-garbage-collector",
         "system:serviceaccount:kube-system:resource-claim-controller", "system:node:",
         "system:node:none"]
LABELS = ["a", "kubernetes.io/a", "kubernetes.io/hostname", "kubernetes.io/os", "k8s.io/a",
          "a.k8s.io/a", "node-restriction.kubernetes.io/a", "b.node-restriction.kubernetes.io/a",
          "topology.kubernetes.io/zone", "kubelet.kubernetes.io/a", "b.node.kubernetes.io/a",
          "node-role.kubernetes.io/control-plane", "anode.kubernetes.io/a", "example.com/a"]
UNKNOWN = ["/apis/none.example.com/v1/things", "/apis/none.example.com/v1/namespaces/a/things/x",
           "/api/v1/nothings", "/apis/resource.k8s.io/v1/none", "/api/v1/namespaces/a/pods/x/none"]


def signing_request(name):
    """A certificate request of `name` in PEM. Its signature is not one."""
    def der(tag, *parts):
        content = b"".join(parts)
        size = len(content)
        length = bytes([size]) if size < 128 else bytes([0x81, size])
        return bytes([tag]) + length + content
    ed25519 = der(0x30, der(0x06, bytes([0x2b, 0x65, 0x70])))
    subject = der(0x30, der(0x31, der(0x30, der(0x06, bytes([0x55, 0x04, 0x03])),
                                      der(0x0c, name.encode()))))
    key = der(0x30, ed25519, der(0x03, bytes(1), bytes(range(32))))
    about = der(0x30, der(0x02, bytes(1)), subject, key, der(0xa0))
    text = base64.b64encode(der(0x30, about, ed25519, der(0x03, bytes(1), bytes(64)))).decode()
    return "\n".join(["-----BEGIN CERTIFICATE REQUEST-----", *re.findall(".{1,64}", text),
                      "-----END CERTIFICATE REQUEST-----", ""])


def attributes(method, path):
    """The attributes of a request, as the spec of a SubjectAccessReview has them."""
    path, _, query = path.partition("?")
    query = urllib.parse.parse_qs(query, keep_blank_values=True)
    parts = path.strip("/").split("/")
    verb = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch",
            "DELETE": "delete"}[method]
    depth = 2 if parts[0] == "api" else 3
    if parts[0] not in ("api", "apis") or len(parts) <= depth:
        return {"nonResourceAttributes": {"path": path, "verb": method.lower()}}
    asked = {"group": "" if depth == 2 else parts[1], "namespace": ""}
    rest = parts[depth:]
    by_path = rest[0] == "watch"
    if by_path:
        rest, verb = rest[1:], "watch"
    if rest[0] == "namespaces" and len(rest) > 1:
        asked["namespace"] = rest[1]
        if len(rest) > 2 and rest[2] not in ("status", "finalize"):
            rest = rest[2:]
    asked["resource"] = rest[0]
    asked["name"] = rest[1] if len(rest) > 1 else ""
    asked["subresource"] = rest[2] if len(rest) > 2 else ""
    selector = query.get("fieldSelector", [""])[0]
    if not asked["name"] and verb == "get":
        verb = "watch" if query.get("watch") == ["true"] else "list"
        name = re.fullmatch(r"metadata\.name==?([^,=!]+)", selector)
        asked["name"] = name[1] if name else ""
    elif not asked["name"] and verb == "delete":
        verb = "deletecollection"
    asked["verb"] = verb
    if selector and not by_path and verb in ("list", "watch", "deletecollection"):
        asked["fieldSelector"] = {"rawSelector": selector}
    return {"resourceAttributes": asked}


def subject(headers):
    """The subject of a SubjectAccessReview: the user that `headers` impersonate, as the server knows it."""
    user = dict(headers)["Impersonate-User"]
    groups = [value for name, value in headers if name == "Impersonate-Group"]
    if user.startswith("system:serviceaccount:") and not groups:
        groups = ["system:serviceaccounts", "system:serviceaccounts:" + user.split(":")[2]]
    if user == "system:anonymous":
        return {"user": user, "groups": groups + ["system:unauthenticated"]}
    return {"user": user, "groups": groups + ["system:authenticated"]}


class Question:
    """A question about a world, by a seed. `uids` are those of one server's objects, by path."""

    def __init__(self, world, seed, uids):
        self.world, self.uids = world, uids
        self.chance = world.chance = Chance(seed)
        self.namespace = self.chance.pick(world.namespaces)
        self.name = self.chance.pick(world.names)
        self.node = self.chance.pick(world.nodes)  # subject of the questions, and often their author
        self.core = f"/api/v1/namespaces/{self.namespace}"

    def pick(self, values):
        return self.chance.pick(values)

    def uid(self, path, share=0.7):
        """That of an object, or another one."""
        known = self.uids.get(path, "")
        return known if self.chance.may(share) else self.pick(["other", "", known])

    def any_node(self):
        return self.pick([self.node, self.node, *self.world.nodes, "none"])

    # ---------------------------------------------------------------------------------------- who

    def identity(self):
        """Headers that name a user, whom the master impersonates."""
        chance, world = self.chance, self.world
        what = chance.random()
        if what < 0.45:
            return [("Impersonate-User", "system:node:" + self.node),
                    ("Impersonate-Group", "system:nodes")]
        if what < 0.6:
            return [("Impersonate-User", f"system:serviceaccount:{self.pick(world.namespaces)}:"
                                         f"{self.pick(world.names)}")]
        if what < 0.7:
            # With a group, so that the identity does not depend on earlier questions
            # (docs/differences.md, impersonation).
            groups = chance.pick([["system:nodes"], ["system:monitoring"],
                                  ["system:nodes", "system:monitoring"], ["none"]])
            return [("Impersonate-User", self.pick(USERS))] + [
                ("Impersonate-Group", group) for group in groups]
        return [("Impersonate-User", self.pick(world.users))] + [
            ("Impersonate-Group", group) for group in world.groups if chance.may(0.7)]

    def impersonated(self):
        """Headers by which an account impersonates a user."""
        chance, world = self.chance, self.world
        headers = [("Impersonate-User", self.pick([
            self.pick(world.users), self.pick(world.users), "system:node:" + self.node,
            "system:node:" + self.node, f"system:serviceaccount:{self.namespace}:{self.name}",
            f"system:serviceaccount:{self.namespace}:{self.name}", "system:anonymous",
            "system:node:Not_A_Node", "system:serviceaccount:not_one:x", "system:admin"]))]
        if chance.may(0.3):
            groups = world.groups + ["system:nodes", "system:authenticated", "system:masters", "",
                                     "system:unauthenticated", "a", "b"]
            headers += [("Impersonate-Group", group) for group in chance.some(groups, 5)]
        if chance.may(0.2):
            headers.append(("Impersonate-Uid", "1"))
        if chance.may(0.25):
            key = self.pick(["example.com%2fteam", "example.com%2fteam", "team", "Example.com%2f%C3",
                             "example.com%2f"])
            headers += [("Impersonate-Extra-" + key, value)
                        for value in chance.some(["a", "bank", "vault", "c", "d", ""], 5)]
        return headers

    # --------------------------------------------------------------------------------------- what

    def request(self, is_node):
        """(method, path, body, content type)"""
        kinds = [self.read, self.list, self.write, self.role, self.other]
        of_nodes = [self.read, self.list, self.new_pod, self.pod_part, self.node_object, self.token,
                    self.certificate, self.volume_claim, self.slice, self.own_object, self.write]
        if is_node and self.chance.may(0.9):
            return self.pick(of_nodes)()
        return self.pick(kinds * 2 + [self.role] * 5 + of_nodes)()

    def collection(self):
        """(path of a collection, name of one in it)"""
        world = self.world
        if self.chance.may(0.7):
            resource = self.pick(["pods", "configmaps", "secrets", "serviceaccounts",
                                  "persistentvolumeclaims", "events"])
            path = self.pick([
                f"{self.core}/{resource}", f"{self.core}/{resource}",
                f"{DRA}/namespaces/{self.namespace}/resourceclaims",
                f"{CERTIFICATES}/namespaces/{self.namespace}/podcertificaterequests"])
            return path, self.name
        return self.pick([
            ("/api/v1/nodes", self.any_node()),
            ("/api/v1/persistentvolumes", self.pick(world.volumes)),
            ("/api/v1/namespaces", self.namespace),
            (f"{DRA}/resourceslices", f"{world.prefix}s{self.chance.randint(0, 3)}"),
            (f"{STORAGE}/volumeattachments", f"{world.prefix}t{self.chance.randint(0, 2)}"),
            (f"{STORAGE}/csinodes", self.any_node()), (f"{STORAGE}/csidrivers", world.drivers[0]),
            (f"{CERTIFICATES}/certificatesigningrequests", "none"),
            (f"{RBAC}/clusterroles", world.prefix + "r0")])

    def selector(self):
        return "fieldSelector=" + urllib.parse.quote(self.pick([
            f"metadata.name={self.name}", f"spec.nodeName={self.node}",
            f"spec.nodeName={self.node}", f"spec.nodeName=={self.any_node()}",
            f"spec.nodeName!={self.node}", f"metadata.name!={self.name}",
            f"metadata.name={self.name},spec.nodeName={self.node}", "a",
            f"a=b\\,spec.nodeName={self.node}", "metadata.name=a/b", ""]), safe="")

    def read(self):
        path, name = self.collection()
        part = self.pick(["", "", "", "", "/status"])
        return "GET", f"{path}/{name}{part}", None, None

    def list(self):
        path, name = self.collection()
        what = self.chance.random()
        if what < 0.1:
            path, resource = "/api/v1/", self.pick(["pods", "secrets", "configmaps"])
            path += resource
        if what > 0.95:
            return "GET", path.replace("/v1/", "/v1/watch/", 1) + self.pick(
                ["", "?" + self.selector(), "/" + name]), None, None
        query = self.pick(["", "?" + self.selector(), "?" + self.selector()])
        if self.chance.may(0.15):
            query += ("&" if query else "?") + "watch=true"
        if self.chance.may(0.25):
            return "DELETE", path + query, None, None
        return "GET", path + query, None, None

    def write(self):
        path, name = self.collection()
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}}
        labels = {"metadata": {"labels": {"a": "b"}}}
        return self.pick([
            ("DELETE", f"{path}/{name}", None, None), ("DELETE", f"{path}/{name}", None, None),
            ("PATCH", f"{path}/{name}", labels, MERGE), ("PATCH", f"{path}/{name}", labels, MERGE),
            ("POST", f"{self.core}/configmaps?{self.selector()}", config_map, None),
            ("PUT", f"{self.core}/configmaps/new", config_map, None),
            ("PATCH", f"{self.core}/configmaps/new?fieldManager=d", config_map,
             "application/apply-patch+yaml"),
            ("POST", f"{self.core}/serviceaccounts", {"metadata": {"name": "new"}}, None)])

    def other(self):
        path = self.pick(PATHS + UNKNOWN)
        if self.chance.may(0.8):
            return "GET", path, None, None
        return self.pick(["POST", "DELETE"]), path, {}, None

    # ------------------------------------------------------------------------- who may give rights

    def rules(self):
        """Rules that a user has, or parts of them, and now and then others."""
        chance = self.chance
        rules = []
        for rule in chance.some(self.world.rules, 2):
            rule = dict(rule)
            for part in ("verbs", "resources", "apiGroups", "nonResourceURLs", "resourceNames"):
                if part in rule and chance.may(0.6):
                    rule[part] = chance.some(rule[part], 2)
            rules.append(rule)
        if chance.may(0.3):
            rules.append({"verbs": chance.some(VERBS, 4), "apiGroups": [self.pick(["", "*"])],
                          "resources": chance.some(RESOURCES[""], 3),
                          **self.pick([{}, {"resourceNames": ["x", "y"]}])})
        if chance.may(0.1):
            rules.append({"verbs": ["get", "put"], "nonResourceURLs": ["/healthz", "/none/*"]})
        return rules

    def role(self):
        chance, world = self.chance, self.world
        place = self.pick(["cluster", f"namespaces/{self.namespace}/"])
        is_cluster = place == "cluster"
        name = world.prefix + self.pick(["r0", "r1"]) if is_cluster else self.name
        if chance.may(0.5):
            kind, ref = self.pick([("ClusterRole", world.prefix + self.pick(["r0", "r1", "none"])),
                                   ("ClusterRole", self.pick(["view", "system:basic-user"])),
                                   ("Role", self.pick([self.name, "none"]))])
            binding = world.binding("new", kind, ref)
            if chance.may(0.7):
                return "POST", f"{RBAC}/{place}rolebindings", binding, None
            return "PATCH", f"{RBAC}/{place}rolebindings/{name}", self.pick([
                {"metadata": {"labels": {"a": "b"}}}, {"subjects": binding["subjects"]},
                {"metadata": {"finalizers": ["example.com/a"]}}]), MERGE
        role = {"rules": self.rules()}
        if not is_cluster:
            for rule in role["rules"]:
                rule.pop("nonResourceURLs", None)
        elif chance.may(0.25):
            role["aggregationRule"] = self.pick([
                {}, {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}])
        if chance.may(0.6):
            role["metadata"] = {"name": "new"}
            return "POST", f"{RBAC}/{place}roles", role, None
        return "PATCH", f"{RBAC}/{place}roles/{name}", self.pick([
            role, role, {"metadata": {"labels": {"a": "b"}}}, {"aggregationRule": None},
            {"metadata": {"finalizers": ["example.com/a"]}}]), MERGE

    # ------------------------------------------------------------------------------ what nodes do

    def new_pod(self):
        chance = self.chance
        if chance.may(0.4):
            pod = self.world.pod("m", self.any_node(), chance.may(0.9))
        else:  # one that names little
            pod = {"metadata": {"name": "m", "annotations": {"kubernetes.io/config.mirror": "x"}},
                   "spec": {"nodeName": self.node, "containers": [{"name": "c", "image": "i"}],
                            "volumes": [{"name": "v", **self.world.volume()}]}}
        owner = {"apiVersion": "v1", "kind": "Node", "name": self.node, "controller": True,
                 "uid": self.uid(f"/api/v1/nodes/{self.node}") or "none"}
        owner.update(self.pick([{}] * 8 + [
            {"controller": False}, {"blockOwnerDeletion": True}, {"name": "none"},
            {"kind": "Pod"}, {"apiVersion": "v2"}]))
        if chance.may(0.05):
            pod["metadata"].pop("annotations", None)
        pod["metadata"]["ownerReferences"] = [owner] * self.pick([1] * 8 + [0, 2])
        if chance.may(0.05):
            pod["metadata"]["generateName"] = pod["metadata"].pop("name")
        return "POST", f"{self.core}/pods", pod, None

    def pod_part(self):
        path = f"{self.core}/pods/{self.name}"
        claims = [{"name": "r", "resourceClaimName": "x"}]
        status = self.pick([
            {"status": {"message": "m"}}, {"status": {"message": "m"}},
            {"metadata": {"labels": {"a": "b"}}}, {"status": {"resourceClaimStatuses": claims}},
            {"status": {"extendedResourceClaimStatus": {
                "resourceClaimName": "z", "requestMappings": [
                    {"containerName": "c", "resourceName": "example.com/gpu", "requestName": "r"}]}}},
            {"status": {"extendedResourceClaimStatus": None}},
            {"status": {"nodeAllocatableResourceClaimStatuses": [
                {"resourceClaimName": "x", "mapping": [{"name": "cpu", "quantity": "1"}]}]}}])
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": self.name}}
        none = f"{self.core}/pods/none"
        return self.pick([
            ("PATCH", f"{path}/status", status, MERGE), ("PATCH", f"{path}/status", status, MERGE),
            ("PATCH", f"{path}/status", status, MERGE),
            ("POST", f"{path}/eviction", eviction, None),
            ("POST", f"{path}/eviction", eviction, None),
            ("DELETE", path, None, None), ("DELETE", path, None, None),
            ("DELETE", none, None, None), ("POST", f"{none}/eviction", {
                **eviction, "metadata": {"name": "none"}}, None),
            ("POST", f"{path}/binding", {"target": {"kind": "Node", "name": self.node}}, None),
            ("PATCH", f"{path}/resize", {"metadata": {"labels": {"a": "b"}}}, MERGE),
            ("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, MERGE)])

    def node_object(self):
        chance = self.chance
        name = self.any_node()
        labels = {label: self.pick(["a", "b"]) for label in chance.some(LABELS, 2)}
        if chance.may(0.2):
            labels["kubernetes.io/a"] = None
        source = {"configMap": {"name": "a", "namespace": "b", "kubeletConfigKey": "c"}}
        change = self.pick([
            {"metadata": {"labels": labels}}, {"metadata": {"labels": labels}},
            {"metadata": {"labels": labels}}, {"spec": {"configSource": source}},
            {"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}, {"spec": {"taints": None}},
            {"spec": {"unschedulable": True}}, {"status": {"phase": "Running"}},
            {"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n",
                                               "uid": "u"}]}}])
        new = {"metadata": {"name": self.pick([name, "none"]),
                            "labels": {label: value for label, value in labels.items() if value}}}
        if chance.may(0.2):
            new["spec"] = {"configSource": source}
        if chance.may(0.1):
            new["metadata"]["generateName"] = new["metadata"].pop("name")
        return self.pick([("PATCH", f"/api/v1/nodes/{name}", change, MERGE),
                          ("PATCH", f"/api/v1/nodes/{name}", change, MERGE),
                          ("PATCH", f"/api/v1/nodes/{name}/status", change, MERGE),
                          ("POST", "/api/v1/nodes", new, None),
                          ("DELETE", f"/api/v1/nodes/{name}", None, None)])

    def token(self):
        pod = self.pick([self.name] * 5 + ["none"])
        bound = {"kind": "Pod", "apiVersion": "v1", "name": pod,
                 "uid": self.uid(f"{self.core}/pods/{pod}", 0.85)}
        bound.update(self.pick([{}] * 8 + [{"kind": "Node"}, {"apiVersion": "v2"}, {"name": ""}]))
        audiences = self.pick([[], ["vault"], ["bank"], ["bank"], ["none"], ["vault", "bank"]])
        spec = {"audiences": audiences, **self.pick([{"boundObjectRef": bound}] * 8 + [{}])}
        return "POST", f"{self.core}/serviceaccounts/{self.name}/token", {"spec": spec}, None

    def certificate(self):
        chance, world = self.chance, self.world
        if chance.may(0.3):
            name = self.pick([f"system:node:{self.node}", f"system:node:{self.any_node()}", "a"])
            text = self.pick([signing_request(name)] * 5 + ["none"])
            return "POST", f"{CERTIFICATES}/certificatesigningrequests", {
                "metadata": {"name": "new"},
                "spec": {"request": base64.b64encode(text.encode()).decode(),
                         "usages": ["client auth"],
                         "signerName": self.pick(["kubernetes.io/kube-apiserver-client-kubelet",
                                                  "kubernetes.io/kubelet-serving", SIGNERS[0]])}}, None
        path = f"{CERTIFICATES}/namespaces/{self.namespace}/podcertificaterequests"
        if chance.may(0.1):
            return "PATCH", f"{path}/{self.name}{self.pick(['', '/status'])}", {
                "metadata": {"labels": {"a": "b"}}}, MERGE
        node, pod = self.any_node(), self.pick([self.name] * 5 + ["none"])
        account = self.pick(world.names + ["none"])
        uids = (self.uid(f"/api/v1/nodes/{node}", 0.9) or "none",
                self.uid(f"{self.core}/pods/{pod}", 0.9) or "none",
                self.uid(f"{self.core}/serviceaccounts/{account}", 0.9) or "none")
        return "POST", path, world.certificate("new", node, pod, account, uids,
                                               self.pick(SIGNERS)), None

    def volume_claim(self):
        path = f"{self.core}/persistentvolumeclaims/{self.name}"
        change = self.pick([
            {"status": {"capacity": {"storage": "2Gi"}}}, {"status": {"phase": "Bound"}},
            {"metadata": {"labels": {"a": "b"}}}, {"status": {"conditions": []}},
            {"status": {"allocatedResources": {"storage": "2Gi"}}}])
        return "PATCH", path + self.pick(["/status", "/status", ""]), change, MERGE

    def slice(self):
        path, world = f"{DRA}/resourceslices", self.world
        name = f"{path}/{world.prefix}s{self.chance.randint(0, 3)}"
        return self.pick([
            ("POST", path, world.slice("new", self.pick([self.node, self.any_node(), ""])), None),
            ("DELETE", name, None, None),
            ("PATCH", name, {"metadata": {"labels": {"a": "b"}}}, MERGE),
            ("DELETE", f"{path}?{self.selector()}", None, None),
            ("GET", f"{path}?{self.selector()}", None, None)])

    def own_object(self):
        """Leases and CSINodes."""
        name, other = self.any_node(), self.any_node()
        if self.chance.may(0.5):
            namespace = self.pick(["kube-node-lease"] * 3 + [self.namespace])
            path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
            one = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                   "metadata": {"name": other}}
        else:
            path, one = f"{STORAGE}/csinodes", {
                "apiVersion": "storage.k8s.io/v1", "kind": "CSINode",
                "metadata": {"name": other}, "spec": {"drivers": []}}
        part = self.pick([""] * 8 + ["/status"])
        if self.chance.may(0.05):
            one["metadata"] = {"generateName": other}
        return self.pick([("POST", path, one, None),
                          ("PUT", f"{path}/{other}{part}", one, None),
                          ("PATCH", f"{path}/{name}{part}", {"metadata": {"labels": {"a": "b"}}},
                           MERGE),
                          ("DELETE", f"{path}/{name}", None, None),
                          ("GET", f"{path}/{name}{part}", None, None),
                          ("GET", path, None, None)])

    # -------------------------------------------------------------------------------- reviews

    def review(self, headers):
        """The spec of a SubjectAccessReview about the identity."""
        world = self.world
        if self.chance.may(0.1):
            return {**subject(headers), "nonResourceAttributes": {
                "path": self.pick(PATHS), "verb": self.pick(["get", "post", "put"])}}
        group = self.pick(list(RESOURCES))
        resource, _, part = self.pick(RESOURCES[group]).partition("/")
        verbs = VERBS + ["*", "bind", "escalate", "impersonate", "none"]
        verbs += [f"impersonate:{mode}" for mode in MODES]
        asked = {"verb": self.pick(verbs), "group": group, "resource": resource,
                 "subresource": part,
                 "name": self.pick(["", *world.names, *world.nodes, *world.volumes,
                                    *[f"{world.prefix}{what}" for what in ("s0", "t0", "r0")]])}
        if resource not in CLUSTER or self.chance.may(0.1):
            asked["namespace"] = self.pick(world.namespaces + [""])
        if self.chance.may(0.2):
            asked["fieldSelector"] = self.pick([
                {"rawSelector": f"spec.nodeName={self.node}"}, {"rawSelector": "a"},
                {"requirements": [{"key": "spec.nodeName", "operator": self.pick(["In", "NotIn"]),
                                   "values": [self.node]}]},
                {"requirements": [{"key": "spec.nodeName", "operator": "In",
                                   "values": [self.node, "none"]}]}])
        return {**subject(headers), "resourceAttributes": asked}


def plain_rules(status):
    """The rules of a SelfSubjectRulesReview in one order, each once."""
    texts = set()
    for rule in status.get("resourceRules", []) + status.get("nonResourceRules", []):
        texts.add(json.dumps({part: sorted(set(words)) for part, words in rule.items()},
                             sort_keys=True))
    return sorted(texts)
