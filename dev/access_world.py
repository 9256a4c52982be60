# SPDX-License-Identifier: Apache-2.0
"""Worlds of dev/access_differential.py: roles, bindings, nodes, pods and what pods name, by a seed."""
import random

RBAC_GROUP = "rbac.authorization.k8s.io"
AUTHENTICATION = "authentication.k8s.io"
RBAC = f"/apis/{RBAC_GROUP}/v1"
DRA = "/apis/resource.k8s.io/v1"
STORAGE = "/apis/storage.k8s.io/v1"
CERTIFICATES = "/apis/certificates.k8s.io/v1"
MERGE = "application/merge-patch+json"

VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]
MODES = ["user-info", "serviceaccount", "arbitrary-node", "associated-node"]
# The resources of each group that rules and questions are about.
RESOURCES = {"": ["pods", "pods/status", "pods/eviction", "pods/binding", "pods/resize", "configmaps",
                  "secrets", "nodes", "nodes/status", "serviceaccounts", "serviceaccounts/token",
                  "persistentvolumeclaims", "persistentvolumeclaims/status", "persistentvolumes",
                  "namespaces", "namespaces/finalize", "users", "groups", "events", "*/status", "*"],
             "resource.k8s.io": ["resourceclaims", "resourceclaims/status", "resourceslices", "*"],
             "coordination.k8s.io": ["leases"],
             "storage.k8s.io": ["csinodes", "csinodes/status", "volumeattachments", "csidrivers"],
             "certificates.k8s.io": ["certificatesigningrequests", "podcertificaterequests",
                                     "podcertificaterequests/status"],
             RBAC_GROUP: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
             AUTHENTICATION: ["users", "groups", "uids", "userextras/example.com/team",
                              "nodes", "serviceaccounts"]}
CLUSTER = {"nodes", "persistentvolumes", "namespaces", "users", "groups", "uids", "resourceslices",
           "csinodes", "volumeattachments", "csidrivers", "certificatesigningrequests",
           "clusterroles", "clusterrolebindings", "userextras"}
PATHS = ["/version", "/healthz", "/healthz/ping", "/metrics", "/api", "/apis", "/openapi/v2",
         "/logs/a", "/none", "/apis/rbac.authorization.k8s.io"]
GPU = "example.com/gpu"
SIGNERS = ["example.com/a", "example.com/b"]
# A request for a certificate with nothing in it but an Ed25519 key and its signature.
EMPTY_REQUEST = ("MH8wMwIBADAAMCowBQYDK2VwAyEAEQeuBCUkXXKKsB/OFEgke8bk5Vyx8uw3+Y56Zjy+6uigADAFBgMr"
                 "ZXADQQBv+EXnYPeTo3loIDdC05yeUBrprPYutgz9QrxfGi/H/Dg1Ra0UsFrrQLYhi/gNTpd7QQLJ5J8y"
                 "6kAu/yKtZEAC")


class Chance(random.Random):
    """Random choices, always the same for a seed."""

    def pick(self, values):
        return self.choice(values)

    def some(self, values, most=3):
        return self.sample(values, self.randint(1, min(most, len(values))))

    def may(self, share):
        return self.random() < share


class World:
    """The objects for one seed. `requesters` accounts impersonate, each in one question."""

    def __init__(self, seed, requesters):
        self.chance = Chance(str(seed))
        self.prefix = f"w{seed}-"
        self.namespaces = [self.prefix + "a", self.prefix + "b"]
        self.nodes = [self.prefix + "n1", self.prefix + "n2"]
        self.names = ["x", "y", "z"]
        self.volumes = [self.prefix + f"v{i}" for i in range(4)]
        self.users = [self.prefix + f"u{i}" for i in range(3)]
        self.groups = [self.prefix + f"g{i}" for i in range(2)]
        self.drivers = [self.prefix + "d1.example.com", self.prefix + "d2.example.com"]
        self.requesters = requesters
        self.rules = []  # of all roles so far

    # ----------------------------------------------------------------------------------- rights

    def all_names(self):
        return (self.names + self.nodes + self.users + self.groups + self.volumes +
                [self.prefix + "r0", "bank", "vault", "*"])

    def rule(self, in_cluster=False):
        chance = self.chance
        what = chance.random()
        if in_cluster and what < 0.1:
            return {"verbs": chance.some(["get", "post", "*"]),
                    "nonResourceURLs": chance.some(
                        PATHS + ["/healthz/*", "/openapi*", "*", "/lo*", "/apis/**"])}
        if what < 0.2:
            return self.impersonation()
        if what < 0.3:
            return self.named({"verbs": chance.some(["bind", "escalate", *VERBS[3:6], "*"], 4),
                               "apiGroups": [RBAC_GROUP],
                               "resources": chance.some(RESOURCES[RBAC_GROUP], 4)}, 0.4)
        if what < 0.35:
            return self.named({"verbs": ["request-serviceaccounts-token-audience",
                                         "request-serviceaccounts-podcertificate-signer"],
                               "apiGroups": chance.some(["", "certificates.k8s.io", "*"]),
                               "resources": chance.some(["bank", "example.com:a", "*"])}, 0.3)
        group = chance.pick(list(RESOURCES))
        resources = chance.some(RESOURCES[group], 6)
        return self.named({"verbs": chance.some(VERBS + ["*"], 8),
                           "apiGroups": [chance.pick([group, group, "*"])],
                           "resources": resources}, 0.3)

    def impersonation(self):
        chance = self.chance
        if chance.may(0.5):
            return self.named({"verbs": chance.some(["impersonate"] +
                                                    [f"impersonate:{mode}" for mode in MODES]),
                               "apiGroups": chance.some(["", AUTHENTICATION, "*"]),
                               "resources": chance.some(
                                   ["users", "groups", "uids", "serviceaccounts", "nodes",
                                    "userextras/example.com/team", "userextras/*", "*/*", "*"], 5)},
                              0.3)
        group = chance.pick(["", "", "resource.k8s.io"])
        return self.named({"verbs": chance.some([f"impersonate-on:{mode}:{verb}" for mode in MODES
                                                 for verb in ("get", "list", "create", "delete")], 8),
                           "apiGroups": [chance.pick([group, "*"])],
                           "resources": chance.some(["pods", "configmaps", "resourceclaims", "*"])},
                          0.1)

    def named(self, rule, share):
        if self.chance.may(share):
            rule["resourceNames"] = self.chance.some(self.all_names())
        return rule

    def subject(self):
        chance = self.chance
        what = chance.random()
        if what < 0.35:
            return {"kind": "User", "apiGroup": RBAC_GROUP, "name": chance.pick(self.users)}
        if what < 0.6:
            return {"kind": "Group", "apiGroup": RBAC_GROUP,
                    "name": chance.pick(self.groups + ["system:authenticated"] +
                                        [f"system:serviceaccounts:{namespace}"
                                         for namespace in self.namespaces])}
        if what < 0.75:
            return {"kind": "User", "apiGroup": RBAC_GROUP,
                    "name": "system:node:" + chance.pick(self.nodes)}
        return {"kind": "ServiceAccount", "name": chance.pick(self.names),
                "namespace": chance.pick(self.namespaces)}

    def binding(self, name, kind, role):
        return {"metadata": {"name": name},
                "roleRef": {"apiGroup": RBAC_GROUP, "kind": kind, "name": role},
                "subjects": [self.subject() for _ in range(self.chance.randint(1, 3))]}

    def role(self, name, in_cluster=False):
        rules = [self.rule(in_cluster) for _ in range(self.chance.randint(1, 4))]
        self.rules += rules
        return {"metadata": {"name": name}, "rules": rules}

    # ------------------------------------------------------------------------------------- pods

    def secret_reference(self):
        return {"name": self.chance.pick(self.names), "namespace": self.chance.pick(self.namespaces)}

    def volume(self):
        chance = self.chance
        name = chance.pick(self.names)
        driver = chance.pick(self.drivers + ["none.example.com"])
        claim = {"spec": {"accessModes": ["ReadWriteOnce"],
                          "resources": {"requests": {"storage": "1Gi"}}}}
        return chance.pick([
            {"secret": {"secretName": name}}, {"configMap": {"name": name}},
            {"persistentVolumeClaim": {"claimName": name}},
            {"persistentVolumeClaim": {"claimName": name}}, {"emptyDir": {}},
            {"hostPath": {"path": "/tmp"}}, {"nfs": {"server": "s", "path": "/"}},
            {"ephemeral": {"volumeClaimTemplate": claim}},
            {"csi": {"driver": driver}},
            {"csi": {"driver": driver, "nodePublishSecretRef": {"name": name}}},
            {"azureFile": {"secretName": name, "shareName": "s"}},
            {"cephfs": {"monitors": ["m"], "secretRef": {"name": name}}},
            {"rbd": {"monitors": ["m"], "image": "i", "secretRef": {"name": name}}},
            {"flexVolume": {"driver": "a/b", "secretRef": {"name": name}}},
            {"iscsi": {"targetPortal": "127.0.0.1:1", "iqn": "iqn.2015-02.com.example:a", "lun": 1,
                       "secretRef": {"name": name}}},
            {"projected": {"sources": [chance.pick([
                {"secret": {"name": name}}, {"configMap": {"name": name}},
                {"downwardAPI": {"items": [{"path": "a",
                                            "fieldRef": {"fieldPath": "metadata.name"}}]}},
                {"clusterTrustBundle": {"name": name, "path": "b"}},
                {"podCertificate": {"signerName": chance.pick(SIGNERS), "keyType": "ED25519",
                                    "credentialBundlePath": "c"}}])]}},
            {"projected": {"sources": [
                {"serviceAccountToken": {"path": "t", "audience": chance.pick(["", "vault"])}}]}}])

    def container(self):
        chance = self.chance
        container = {"name": "c", "image": "i"}
        if chance.may(0.2):
            what = chance.pick(["secretKeyRef", "configMapKeyRef"])
            container["env"] = [{"name": "e", "valueFrom": {
                what: {"name": chance.pick(self.names), "key": "k"}}}]
        if chance.may(0.2):
            container["envFrom"] = [{chance.pick(["secretRef", "configMapRef"]):
                                     {"name": chance.pick(self.names)}}]
        if chance.may(0.3):
            container["resources"] = {"limits": {GPU: "1"}}
        return container

    def pod(self, name, node=None, mirror=False):
        chance = self.chance
        spec = {"containers": [self.container()], "volumes": []}
        for i in range(chance.randint(0, 2)):
            spec["volumes"].append({"name": f"v{i}", **self.volume()})
        if node:
            spec["nodeName"] = node
        if chance.may(0.2):
            spec["initContainers"] = [{**self.container(), "name": "i"}]
        if chance.may(0.1):
            spec["imagePullSecrets"] = [{"name": chance.pick(self.names)}]
        if chance.may(0.6):
            spec["serviceAccountName"] = chance.pick(self.names)
        if chance.may(0.4) and not mirror:
            named = chance.pick(["resourceClaimName", "resourceClaimTemplateName"])
            spec["resourceClaims"] = [{"name": "r", named: chance.pick(self.names)}]
        pod = {"metadata": {"name": name}, "spec": spec}
        if mirror:
            pod["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
        return pod

    def persistent_volume(self, name):
        chance = self.chance
        spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
        reference = self.secret_reference()
        parts = chance.some(["nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef",
                             "controllerPublishSecretRef", "controllerExpandSecretRef"])
        csi = {"driver": chance.pick(self.drivers + ["none.example.com"]), "volumeHandle": "h"}
        spec.update(chance.pick([
            {"csi": csi}, {"csi": {**csi, **{part: self.secret_reference() for part in parts}}},
            {"hostPath": {"path": "/tmp"}},
            {"azureFile": {"secretName": reference["name"], "shareName": "s",
                           **chance.pick([{}, {"secretNamespace": reference["namespace"]}])}},
            {"cephfs": {"monitors": ["m"], "secretRef": reference}},
            {"rbd": {"monitors": ["m"], "image": "i", "secretRef": {"name": reference["name"]}}},
            {"flexVolume": {"driver": "a/b", "secretRef": reference}},
            {"iscsi": {"targetPortal": "127.0.0.1:1", "iqn": "iqn.2015-02.com.example:a", "lun": 1,
                       "chapAuthSession": True, "secretRef": reference}}]))
        if chance.may(0.8):
            spec["claimRef"] = {"kind": "PersistentVolumeClaim", "name": chance.pick(self.names),
                                "namespace": chance.pick(self.namespaces)}
        return {"metadata": {"name": name}, "spec": spec}

    @staticmethod
    def volume_claim(name, volume):
        return {"metadata": {"name": name},
                "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": volume,
                         "resources": {"requests": {"storage": "1Gi"}}}}

    @staticmethod
    def slice(name, node):
        spec = {"driver": "d.example.com", "pool": {"name": node or "all", "generation": 1,
                                                    "resourceSliceCount": 1}, "devices": []}
        spec.update({"nodeName": node} if node else {"allNodes": True})
        return {"metadata": {"name": name}, "spec": spec}

    @staticmethod
    def attachment(name, node, volume):
        return {"metadata": {"name": name},
                "spec": {"attacher": "a.example.com", "nodeName": node,
                         "source": {"persistentVolumeName": volume}}}

    @staticmethod
    def certificate(name, node, pod, account, uids=("n", "p", "a"), signer=SIGNERS[0]):
        """A request for a certificate of a pod; `uids` of node, pod and account."""
        return {"metadata": {"name": name},
                "spec": {"signerName": signer, "podName": pod, "podUID": uids[1],
                         "serviceAccountName": account, "serviceAccountUID": uids[2],
                         "nodeName": node, "nodeUID": uids[0],
                         "stubPKCS10Request": EMPTY_REQUEST}}

    # --------------------------------------------------------------------------------- all of it

    def requester(self, number):
        """(name, namespace, node) of an account; with a node, its token is bound to a pod there."""
        node = self.nodes[number // 3 % 2] if number % 3 == 0 else ""
        return f"i{number}", self.namespaces[number % 2], node

    def objects(self):
        """(method, path, object) in the order in which they are made."""
        for namespace in self.namespaces:
            yield "POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}
        for node in self.nodes:
            yield "POST", "/api/v1/nodes", {"metadata": {
                "name": node, "labels": {"topology.kubernetes.io/zone": "a", "kubernetes.io/a": "b"}}}
        for driver, audience in zip(self.drivers, ["bank", ""]):
            yield "POST", f"{STORAGE}/csidrivers", {
                "metadata": {"name": driver},
                "spec": {"tokenRequests": [{"audience": audience}]}}
        yield from self.cluster_roles()
        yield from self.wide_roles()
        for name in self.volumes:
            yield "POST", "/api/v1/persistentvolumes", self.persistent_volume(name)
        for namespace in self.namespaces:
            yield from self.objects_of(namespace)
        for number in range(self.requesters):
            yield from self.objects_of_requester(number)
        for i, node in enumerate(self.nodes):
            yield "POST", f"{DRA}/resourceslices", self.slice(f"{self.prefix}s{i}", node)
            yield "POST", f"{STORAGE}/volumeattachments", self.attachment(
                f"{self.prefix}t{i}", node, self.volumes[i])
        yield "POST", f"{DRA}/resourceslices", self.slice(f"{self.prefix}s2", "")
        yield from self.marks()

    def cluster_roles(self):
        for i in range(3):
            name = f"{self.prefix}r{i}"
            role = self.role(name, in_cluster=True)
            if self.chance.may(0.2):
                role["aggregationRule"] = {
                    "clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
            yield "POST", f"{RBAC}/clusterroles", role
            yield "POST", f"{RBAC}/clusterrolebindings", self.binding(
                name, "ClusterRole", self.chance.pick([name, name, name, self.prefix + "none"]))

    def wide_roles(self):
        """Roles that let some requests pass the first checks, so that the later checks are asked too."""
        user, group = ({"apiGroup": RBAC_GROUP, "kind": kind} for kind in ("User", "Group"))
        impersonate = [
            {"verbs": [f"impersonate-on:{mode}:{verb}" for mode in MODES for verb in VERBS],
             "apiGroups": ["*"], "resources": ["*"]},
            {"verbs": [f"impersonate:{mode}" for mode in MODES], "apiGroups": [AUTHENTICATION],
             "resources": ["users", *self.chance.some(
                 ["groups", "uids", "serviceaccounts", "nodes", "userextras/example.com/team",
                  "userextras/*"], 5)]}]
        give = [{"verbs": VERBS, "apiGroups": [RBAC_GROUP], "resources": ["*"]}]
        of_node = [{"verbs": ["*"], "apiGroups": ["*"],
                    "resources": ["pods", "pods/binding", "pods/resize", "persistentvolumeclaims",
                                  "nodes", "leases", "csinodes/status", "podcertificaterequests",
                                  "podcertificaterequests/status"]}]
        for name, rules, subjects in (
                ("wi", impersonate, [{**group, "name": "system:serviceaccounts:" +
                                      self.namespaces[0]}]),
                ("wr", give, [{**user, "name": self.users[0]}, {**group, "name": self.groups[0]}]),
                ("wn", of_node, [{**user, "name": "system:node:" + self.nodes[0]}])):
            yield "POST", f"{RBAC}/clusterroles", {"metadata": {"name": self.prefix + name},
                                                   "rules": rules}
            yield "POST", f"{RBAC}/clusterrolebindings", {
                "metadata": {"name": self.prefix + name}, "subjects": subjects,
                "roleRef": {"apiGroup": RBAC_GROUP, "kind": "ClusterRole",
                            "name": self.prefix + name}}

    def objects_of(self, namespace):
        chance = self.chance
        core = f"/api/v1/namespaces/{namespace}"
        roles = f"{RBAC}/namespaces/{namespace}"
        for name in self.names:
            for resource in ("serviceaccounts", "secrets", "configmaps"):
                yield "POST", f"{core}/{resource}", {"metadata": {"name": name}}
            yield "POST", f"{core}/persistentvolumeclaims", self.volume_claim(
                name, chance.pick(self.volumes))
            yield "POST", f"{roles}/roles", self.role(name)
            yield "POST", f"{roles}/rolebindings", self.binding(name, *chance.pick(
                [("Role", name), ("Role", name), ("ClusterRole", self.prefix + "r0"),
                 ("Role", "none")]))
            pod = self.pod(name, chance.pick(self.nodes), chance.may(0.2))
            yield "POST", f"{core}/pods", pod
            if chance.may(0.5):
                yield "PATCH", f"{core}/pods/{name}/status", {"status": self.claim_status(pod)}
            yield "POST", f"{CERTIFICATES}/namespaces/{namespace}/podcertificaterequests", (
                self.certificate(name, chance.pick(self.nodes), name, "x"))

    def claim_status(self, pod):
        status = {}
        if "resourceClaims" in pod["spec"]:
            status["resourceClaimStatuses"] = [
                {"name": "r", **self.chance.pick([{}, {"resourceClaimName": "y"}])}]
        if "resources" in pod["spec"]["containers"][0]:
            status["extendedResourceClaimStatus"] = {
                "resourceClaimName": self.chance.pick(self.names),
                "requestMappings": [{"containerName": "c", "resourceName": GPU,
                                     "requestName": "r"}]}
        return status

    def objects_of_requester(self, number):
        name, namespace, node = self.requester(number)
        core = f"/api/v1/namespaces/{namespace}"
        yield "POST", f"{core}/serviceaccounts", {"metadata": {"name": name}}
        if node:
            yield "POST", f"{core}/pods", {
                "metadata": {"name": name},
                "spec": {"nodeName": node, "serviceAccountName": name,
                         "containers": [{"name": "c", "image": "i"}]}}

    # ------------------------------------------------------------------------------------- marks

    def marks(self):
        """The last object of each kind. A server that applies these applies all."""
        namespace, mark = self.namespaces[1], self.prefix + "mark"
        core = f"/api/v1/namespaces/{namespace}"
        yield "POST", "/api/v1/nodes", {"metadata": {"name": mark}}
        rules = [{"verbs": ["marked"], "apiGroups": [""], "resources": ["marks"]}]
        subjects = [{"kind": "User", "apiGroup": RBAC_GROUP, "name": mark}]
        for place, kind in (("cluster", "ClusterRole"), (f"namespaces/{namespace}/", "Role")):
            yield "POST", f"{RBAC}/{place}roles", {"metadata": {"name": mark}, "rules": rules}
            yield "POST", f"{RBAC}/{place}rolebindings", {
                "metadata": {"name": mark}, "subjects": subjects,
                "roleRef": {"apiGroup": RBAC_GROUP, "kind": kind, "name": mark}}
        yield "POST", f"{STORAGE}/csidrivers", {
            "metadata": {"name": mark}, "spec": {"tokenRequests": [{"audience": mark}]}}
        yield "POST", "/api/v1/persistentvolumes", {
            "metadata": {"name": mark},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                     "csi": {"driver": mark, "volumeHandle": "h"},
                     "claimRef": {"namespace": namespace, "name": mark}}}
        yield "POST", f"{core}/persistentvolumeclaims", self.volume_claim(mark, mark)
        yield "POST", f"{core}/serviceaccounts", {"metadata": {"name": mark}}
        yield "POST", f"{core}/pods", {
            "metadata": {"name": mark},
            "spec": {"nodeName": mark, "serviceAccountName": mark,
                     "containers": [{"name": "c", "image": "i"}],
                     "resourceClaims": [{"name": "r", "resourceClaimTemplateName": "t"}],
                     "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": mark}},
                                 {"name": "p", "projected": {"sources": [{"podCertificate": {
                                     "signerName": SIGNERS[0], "keyType": "ED25519",
                                     "credentialBundlePath": "c"}}]}}]}}
        yield "PATCH", f"{core}/pods/{mark}/status", {
            "status": {"resourceClaimStatuses": [{"name": "r", "resourceClaimName": mark}]}}
        yield "POST", f"{DRA}/resourceslices", self.slice(mark, mark)
        yield "POST", f"{STORAGE}/volumeattachments", self.attachment(mark, mark, mark)
        yield "POST", f"{CERTIFICATES}/namespaces/{namespace}/podcertificaterequests", (
            self.certificate(mark, mark, mark, mark))

    def questions_of_marks(self):
        """SubjectAccessReviews that are allowed once the marks are known."""
        namespace, mark = self.namespaces[1], self.prefix + "mark"
        for place in ("", namespace):
            yield {"user": mark, "resourceAttributes": {"verb": "marked", "resource": "marks",
                                                        "namespace": place}}
        for group, resource, place in (("", "persistentvolumes", ""),
                                       ("resource.k8s.io", "resourceclaims", namespace),
                                       ("resource.k8s.io", "resourceslices", ""),
                                       ("storage.k8s.io", "volumeattachments", ""),
                                       ("certificates.k8s.io", "podcertificaterequests", namespace)):
            yield {"user": "system:node:" + mark, "groups": ["system:nodes"],
                   "resourceAttributes": {"verb": "get", "group": group, "resource": resource,
                                          "namespace": place, "name": mark}}

    def requests_of_marks(self, uids):
        """(path, body) of requests of the marked node that are not refused once the marks are known."""
        namespace, mark = self.namespaces[1], self.prefix + "mark"
        core = f"/api/v1/namespaces/{namespace}"
        pod = uids[f"{core}/pods/{mark}"]
        yield f"{core}/serviceaccounts/{mark}/token", {
            "spec": {"audiences": [mark],
                     "boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": mark,
                                        "uid": pod}}}
        yield f"{CERTIFICATES}/namespaces/{namespace}/podcertificaterequests", self.certificate(
            "new", mark, mark, mark,
            (uids[f"/api/v1/nodes/{mark}"], pod, uids[f"{core}/serviceaccounts/{mark}"]))
