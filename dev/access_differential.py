#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks two servers random questions about rights, and prints where they decide differently.

    dev/access_differential.py --server URL,TOKEN --server URL,TOKEN
    dev/access_differential.py --dray PROGRAM           the same of PROGRAM twice: nothing may differ
    dev/access_differential.py --dray PROGRAM --server URL,TOKEN
    dev/access_differential.py --server URL,TOKEN --record FILE
    dev/access_differential.py --dray PROGRAM --replay FILE

URL,TOKEN is a server (kube-apiserver with --authorization-mode=Node,RBAC and the admission plug-in
NodeRestriction, started by ../shared/peers/kubernetes with ONLY_SERVER=1 and such flags) and the
token of somebody in system:masters. Each world, by a seed, has roles, bindings, nodes, pods and what
pods name, in namespaces of its own. Identities are users, accounts, nodes and those who impersonate;
a question is a request, which writes nothing (dryRun=All), and for most the same as a
SubjectAccessReview. What counts is who is refused, and in which words. Exit status 1: some differ.
"""
import argparse
import concurrent.futures
import http.client
import json
import pathlib
import random
import re
import ssl
import subprocess
import sys
import tempfile
import urllib.parse

RBAC = "/apis/rbac.authorization.k8s.io/v1"
RBAC_GROUP = "rbac.authorization.k8s.io"
DRA = "/apis/resource.k8s.io/v1"
MASTER = "differential-token"
VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*",
         "bind", "escalate", "impersonate", "impersonate:user-info", "impersonate:serviceaccount",
         "impersonate:arbitrary-node", "impersonate-on:user-info:list",
         "impersonate-on:serviceaccount:get", "impersonate-on:arbitrary-node:list"]
RESOURCES = {"": ["pods", "pods/status", "pods/eviction", "configmaps", "secrets", "nodes",
                  "nodes/status", "serviceaccounts", "serviceaccounts/token",
                  "persistentvolumeclaims", "persistentvolumeclaims/status", "persistentvolumes",
                  "namespaces", "users", "groups", "*/status", "*"],
             "resource.k8s.io": ["resourceclaims", "resourceclaims/status", "resourceslices", "*"],
             "coordination.k8s.io": ["leases"],
             "storage.k8s.io": ["csinodes", "volumeattachments"],
             RBAC_GROUP: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
             "authentication.k8s.io": ["users", "groups", "uids", "userextras/example.com/team",
                                       "nodes", "serviceaccounts"]}
CLUSTER = {"nodes", "persistentvolumes", "namespaces", "users", "groups", "uids", "resourceslices",
           "csinodes", "volumeattachments", "clusterroles", "clusterrolebindings", "userextras"}
# What differs from one server, or one moment, to the next.
CHANCE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Server:
    """One server, asked as somebody in system:masters who impersonates whoever asks."""

    def __init__(self, name, url, token):
        self.name, self.url, self.token = name, urllib.parse.urlparse(url), token

    def ask(self, method, path, body=None, headers=()):
        """(code, decoded answer)"""
        if self.url.scheme == "https":
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            connection = http.client.HTTPSConnection(self.url.netloc, timeout=120, context=context)
        else:
            connection = http.client.HTTPConnection(self.url.netloc, timeout=120)
        try:
            connection.putrequest(method, path)
            connection.putheader("Authorization", "Bearer " + self.token)
            text = None if body is None else json.dumps(body).encode()
            for name, value in headers:
                connection.putheader(name, value)
            if text is not None:
                if not any(name == "Content-Type" for name, _ in headers):
                    connection.putheader("Content-Type", "application/json")
                connection.putheader("Content-Length", str(len(text)))
            connection.endheaders(text)
            answer = connection.getresponse()
            said = answer.read()
        finally:
            connection.close()
        try:
            return answer.status, json.loads(said)
        except ValueError:
            return answer.status, {"message": said.decode("utf-8", "replace")}

    def make(self, path, kind_object):
        code, answer = self.ask("POST", path, kind_object)
        return code, answer.get("metadata", {}).get("uid", "")


class World:
    """Roles, bindings and objects by a seed, and questions about them."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.namespaces = [f"w{seed}-a", f"w{seed}-b"]
        self.nodes = [f"w{seed}-n1", f"w{seed}-n2"]
        self.names = ["x", "y", "z"]
        self.users = [f"w{seed}-u{i}" for i in range(3)]
        self.groups = [f"w{seed}-g{i}" for i in range(2)]
        self.prefix = f"w{seed}-"

    def pick(self, values):
        return self.chance.choice(values)

    def some(self, values, most=3):
        return self.chance.sample(values, self.chance.randint(1, min(most, len(values))))

    # ---------------------------------------------------------------------------- what is there

    def rule(self):
        group = self.pick(list(RESOURCES))
        verbs = self.some(VERBS[:8], 8) if self.chance.random() < 0.7 else self.some(VERBS)
        rule = {"verbs": verbs, "apiGroups": [self.pick([group, group, "*"])],
                "resources": self.some(RESOURCES[group], 6)}
        if self.chance.random() < 0.3:
            rule["resourceNames"] = self.some(self.names + self.nodes + self.users + self.groups +
                                              ["*"])
        return rule

    def subject(self):
        what = self.chance.random()
        if what < 0.4:
            return {"kind": "User", "apiGroup": RBAC_GROUP, "name": self.pick(self.users)}
        if what < 0.6:
            return {"kind": "Group", "apiGroup": RBAC_GROUP,
                    "name": self.pick(self.groups + ["system:authenticated"])}
        if what < 0.7:
            return {"kind": "User", "apiGroup": RBAC_GROUP,
                    "name": "system:node:" + self.pick(self.nodes)}
        return {"kind": "ServiceAccount", "name": self.pick(self.names),
                "namespace": self.pick(self.namespaces)}

    def binding(self, name, kind, role):
        return {"metadata": {"name": name},
                "roleRef": {"apiGroup": RBAC_GROUP, "kind": kind, "name": role},
                "subjects": [self.subject() for _ in range(self.chance.randint(1, 3))]}

    def volume(self):
        name = self.pick(self.names)
        return self.pick([{"secret": {"secretName": name}}, {"configMap": {"name": name}},
                          {"persistentVolumeClaim": {"claimName": name}}, {"emptyDir": {}},
                          {"projected": {"sources": [{"secret": {"name": name}}]}},
                          {"projected": {"sources": [
                              {"serviceAccountToken": {"path": "t",
                                                       "audience": self.pick(["", "vault"])}}]}}])

    def pod(self, name, node=None, mirror=False):
        spec = {"containers": [{"name": "c", "image": "i"}], "volumes": []}
        for i in range(self.chance.randint(0, 2)):
            spec["volumes"].append({"name": f"v{i}", **self.volume()})
        if node:
            spec["nodeName"] = node
        if self.chance.random() < 0.6:
            spec["serviceAccountName"] = self.pick(self.names)
        if self.chance.random() < 0.3:
            spec["resourceClaims"] = [{"name": "r", "resourceClaimName": self.pick(self.names)}]
        pod = {"metadata": {"name": name}, "spec": spec}
        if mirror:
            pod["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
        return pod

    def objects(self):
        """(path, object) in the order in which they are made."""
        for namespace in self.namespaces:
            yield "/api/v1/namespaces", {"metadata": {"name": namespace}}
        for node in self.nodes:
            yield "/api/v1/nodes", {"metadata": {"name": node}}
        for i in range(3):
            name = f"{self.prefix}r{i}"
            yield f"{RBAC}/clusterroles", {"metadata": {"name": name},
                                           "rules": [self.rule() for _ in range(3)]}
            yield f"{RBAC}/clusterrolebindings", self.binding(
                name, "ClusterRole", self.pick([name, name, self.prefix + "none"]))
        for namespace in self.namespaces:
            core = f"/api/v1/namespaces/{namespace}"
            for name in self.names:
                yield f"{core}/serviceaccounts", {"metadata": {"name": name}}
                yield f"{core}/secrets", {"metadata": {"name": name}}
                yield f"{core}/configmaps", {"metadata": {"name": name}}
                yield f"{RBAC}/namespaces/{namespace}/roles", {
                    "metadata": {"name": name}, "rules": [self.rule() for _ in range(3)]}
                yield f"{RBAC}/namespaces/{namespace}/rolebindings", self.binding(
                    name, *self.pick([("Role", name), ("ClusterRole", self.prefix + "r0")]))
                yield f"{core}/pods", self.pod(name, self.pick(self.nodes),
                                               self.chance.random() < 0.2)
        for i, node in enumerate(self.nodes):
            yield f"{DRA}/resourceslices", self.slice(f"{self.prefix}s{i}", node)

    @staticmethod
    def slice(name, node):
        return {"metadata": {"name": name},
                "spec": {"driver": "d.example.com", "nodeName": node,
                         "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                         "devices": []}}

    # -------------------------------------------------------------------------------- questions

    def identity(self):
        """Headers that name somebody."""
        what = self.chance.random()
        if what < 0.35:
            node = self.pick(self.nodes)
            return [("Impersonate-User", "system:node:" + node),
                    ("Impersonate-Group", "system:nodes")]
        if what < 0.6:
            return [("Impersonate-User", f"system:serviceaccount:{self.pick(self.namespaces)}:"
                                         f"{self.pick(self.names)}")]
        return [("Impersonate-User", self.pick(self.users))] + [
            ("Impersonate-Group", group) for group in self.groups if self.chance.random() < 0.7]

    def request(self, node, uids):
        """(method, path, body, content type)"""
        namespace, name = self.pick(self.namespaces), self.pick(self.names)
        core = f"/api/v1/namespaces/{namespace}"
        claims = f"{DRA}/namespaces/{namespace}/resourceclaims"
        selector = urllib.parse.quote(self.pick([
            f"metadata.name={name}", f"spec.nodeName={node}", f"spec.nodeName=={node}",
            f"metadata.name!={name}", f"a=b\\,spec.nodeName={node}"]), safe="")
        merge = "application/merge-patch+json"
        pod_uid = uids.get(f"{core}/pods/{name}", "")
        bound = {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": name,
                                    "uid": self.pick([pod_uid, pod_uid, "other", ""])}}
        audiences = self.pick([[], ["vault"], ["bank"], ["vault", "bank"]])
        mirror = self.pod("m", self.pick(self.nodes), self.chance.random() < 0.8)
        if self.chance.random() < 0.7:
            mirror["metadata"]["ownerReferences"] = [
                {"apiVersion": "v1", "kind": "Node", "name": node, "controller": True,
                 "uid": uids.get(f"/api/v1/nodes/{node}", "")}]
        labels = self.pick([{"a": "b"}, {"kubernetes.io/a": "b"},
                            {"node-restriction.kubernetes.io/a": "b"},
                            {"topology.kubernetes.io/zone": "b"}])
        resource = self.pick(["pods", "configmaps", "secrets", "serviceaccounts"])
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}}
        return self.pick([
            ("GET", f"{core}/{resource}/{name}", None, None),
            ("GET", f"{core}/{resource}", None, None),
            ("GET", f"{core}/{resource}?fieldSelector={selector}", None, None),
            ("GET", f"/api/v1/pods?fieldSelector={selector}", None, None),
            ("GET", f"{claims}/{name}", None, None),
            ("GET", f"{DRA}/resourceslices?fieldSelector={selector}", None, None),
            ("GET", f"/api/v1/nodes/{self.pick(self.nodes)}", None, None),
            ("POST", f"{core}/configmaps?fieldSelector={selector}", config_map, None),
            ("DELETE", f"{core}/{resource}?fieldSelector={selector}", {}, None),
            ("DELETE", f"{core}/{resource}/{name}", {}, None),
            ("PATCH", f"{core}/configmaps/new?fieldManager=d", config_map,
             "application/apply-patch+yaml"),
            ("PATCH", f"{core}/{resource}/{name}", {"metadata": {"labels": {"a": "b"}}}, merge),
            ("POST", f"{core}/pods", mirror, None),
            ("PATCH", f"{core}/pods/{name}/status", self.pick([
                {"status": {"message": "m"}}, {"metadata": {"labels": {"a": "b"}}},
                {"status": {"resourceClaimStatuses": [
                    {"name": "r", "resourceClaimName": "x"}]}}]), merge),
            ("POST", f"{core}/pods/{name}/eviction",
             {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}, None),
            ("POST", f"{core}/serviceaccounts/{name}/token",
             {"spec": {"audiences": audiences, **self.pick([bound, bound, {}])}}, None),
            ("PATCH", f"/api/v1/nodes/{self.pick(self.nodes)}", self.pick([
                {"metadata": {"labels": labels}},
                {"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}]), merge),
            ("POST", f"{DRA}/resourceslices", self.slice("new", self.pick(self.nodes)), None),
            ("POST", "/apis/storage.k8s.io/v1/csinodes",
             {"metadata": {"name": self.pick(self.nodes)}, "spec": {"drivers": []}}, None),
            ("PUT", f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/"
                    f"{self.pick(self.nodes)}",
             {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
              "metadata": {"name": node}}, None),
            ("POST", f"{RBAC}/namespaces/{namespace}/roles",
             {"metadata": {"name": "new"}, "rules": [self.rule()]}, None),
            ("POST", f"{RBAC}/namespaces/{namespace}/rolebindings",
             self.binding("new", "Role", name), None)])

    def review(self, headers):
        """A SubjectAccessReview about the identity."""
        group = self.pick(list(RESOURCES))
        resource, _, part = self.pick(RESOURCES[group]).partition("/")
        asked = {"verb": self.pick(VERBS), "group": group, "resource": resource,
                 "subresource": part, "name": self.pick(["", *self.names, *self.nodes])}
        if resource not in CLUSTER:
            asked["namespace"] = self.pick(self.namespaces)
        if self.chance.random() < 0.2:
            asked["fieldSelector"] = {"rawSelector": "spec.nodeName=" + self.pick(self.nodes)}
        said = dict(headers)
        groups = [value for name, value in headers if name == "Impersonate-Group"]
        return {"spec": {"user": said["Impersonate-User"], "groups": groups,
                         "resourceAttributes": asked}}

    def question(self, uids):
        """A function of a server and of the identifiers of its objects, and what it is in words."""
        headers = self.identity()
        state = self.chance.getstate()
        if self.chance.random() < 0.35:
            review = self.review(headers)
            return (lambda server, _: decided(server, review)), json.dumps(review)

        # Identifiers differ from server to server, so the request is made anew for each.
        def ask(server, own):
            self.chance.setstate(state)
            self.chance.random()
            method, path, body, kind = self.request(self.pick(self.nodes), own)
            more = [("Content-Type", kind)] if kind else []
            if method != "GET":
                path += ("&" if "?" in path else "?") + "dryRun=All"
            code, answer = server.ask(method, path, body, headers + more)
            return refusal(code, answer)

        method, path, body, _ = self.request(self.pick(self.nodes), uids)
        return ask, json.dumps([headers, method, path, body])


def plain(text):
    """The text without what is chance, its reasons in one order."""
    return "\n".join(sorted(CHANCE.sub("UID", text).split("\n")))


def refusal(code, answer):
    return f"403 {plain(answer.get('message', ''))}" if code == 403 else "let through"


def decided(server, review):
    _, answer = server.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    status = answer.get("status", {})
    if not isinstance(status, dict):
        return answer.get("message", "")
    # Which of several bindings allows it is chance.
    return "allowed" if status.get("allowed") else "no: " + plain(status.get("reason", ""))


def build(server, seed):
    """Makes the objects of a world on a server. (what it answered, {path: uid})"""
    codes, uids = [], {}
    for path, made in World(seed).objects():
        code, uid = server.make(path, made)
        codes.append(f"{code} {path}")
        uids[f"{path}/{made['metadata']['name']}"] = uid
    return codes, uids


def answers(server, seed, questions):
    """[(what is asked, what is answered)] of a world, its objects first."""
    codes, uids = build(server, seed)
    found = [("POST", code) for code in codes]
    world = World(f"{seed}-questions")
    fixed = World(seed)
    for member in ("namespaces", "nodes", "users", "groups", "prefix"):
        setattr(world, member, getattr(fixed, member))
    for number in range(questions):
        world.chance.seed(f"{seed}/{number}")
        ask, words = world.question(uids)
        found.append((CHANCE.sub("UID", words), ask(server, uids)))
    for namespace in fixed.namespaces:
        server.ask("DELETE", f"/api/v1/namespaces/{namespace}")
    return found


def started(program, folder):
    """A server of Dray on loopback: (process, Server)."""
    path = pathlib.Path(folder)
    path.mkdir()
    (path / "tokens").write_text(f'{MASTER},differential,1,"system:masters"\n')
    process = subprocess.Popen(
        [program, "serve", "--components=apiserver", "--memory", "--data-dir", str(path / "data"),
         "--listen", "127.0.0.1:0", "--token-file", str(path / "tokens")],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = process.stdout.readline()  # the one that says it is ready
    found = re.search(r"https?://\S+", line)
    if not found:
        sys.exit(f"{program} does not start: {line}")
    return process, Server(folder, found[0].rstrip(";,"), MASTER)


def compared(name, first, second):
    """How many of the answers differ; prints them."""
    different = 0
    for (asked, one), (_, other) in zip(first, second):
        if one == other:
            continue
        different += 1
        print(f"{name}: {asked}\n  one:   {one}\n  other: {other}", flush=True)
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", action="append", default=[], metavar="URL,TOKEN")
    parser.add_argument("--dray", help="start this program; twice, if no server is named")
    parser.add_argument("--worlds", type=int, default=4)
    parser.add_argument("--questions", type=int, default=100, help="of each world")
    parser.add_argument("--seed", type=int, default=1, help="of the first world")
    parser.add_argument("--record", metavar="FILE", help="write the answers, a world a line")
    parser.add_argument("--replay", metavar="FILE", help="compare with answers of such a file")
    options = parser.parse_args()
    processes = []
    servers = [Server(text.split(",")[0], *text.split(",", 1)) for text in options.server]
    with tempfile.TemporaryDirectory() as folder:
        wanted = 1 if servers or options.record or options.replay else 2
        for i in range(wanted if options.dray else 0):
            process, server = started(options.dray, f"{folder}/{i}")
            processes.append(process)
            servers.append(server)
        try:
            return play(options, servers)
        finally:
            for process in processes:
                process.terminate()
                process.wait()


def play(options, servers):
    lines = pathlib.Path(options.replay).read_text().splitlines() if options.replay else []
    recorded = [json.loads(line) for line in lines]
    worlds = [one["world"] for one in recorded] or [options.seed + i for i in range(options.worlds)]
    different = asked = 0
    with concurrent.futures.ThreadPoolExecutor(len(servers)) as pool:
        for number, seed in enumerate(worlds):
            count = recorded[number]["questions"] if recorded else options.questions
            found = list(pool.map(lambda server, s=seed, c=count: answers(server, s, c), servers))
            if options.record:
                with open(options.record, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"world": seed, "questions": count,
                                           "answers": found[0]}) + "\n")
            if recorded:
                found.append([tuple(pair) for pair in recorded[number]["answers"]])
            asked += len(found[0])
            if len(found) > 1:
                different += compared(f"world {seed}", found[0], found[1])
    print(f"{asked} questions, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
