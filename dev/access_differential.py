#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks two servers random questions about rights, and prints where they decide differently.

    dev/access_differential.py --server URL,TOKEN --server URL,TOKEN
    dev/access_differential.py --dray PROGRAM           the same of PROGRAM twice: nothing may differ
    dev/access_differential.py --dray PROGRAM --server URL,TOKEN
    dev/access_differential.py --server URL,TOKEN --record FILE
    dev/access_differential.py --dray PROGRAM --replay FILE

URL,TOKEN is a server and the token of a user in system:masters; kube-apiserver with
--authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction
--disable-admission-plugins=ServiceAccount, without controllers. Each world, by a seed, has roles,
bindings, nodes, pods and what pods name, in namespaces of its own (access_world.py). Users,
accounts, nodes and accounts that impersonate ask (access_questions.py): by a request, which writes
nothing (dryRun=All), by a SubjectAccessReview of the same, and by reviews of other rights. What
counts is which requests are refused, and with which text. Exit status 1: some differ.
"""
import argparse
import concurrent.futures
import hashlib
import http.client
import json
import pathlib
import re
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

from access_questions import Question, attributes, plain_rules, subject
from access_world import MERGE, World

MASTER = "differential-token"
REVIEWS = "/apis/authorization.k8s.io/v1/"
MADE = '["made", '  # how objects of worlds begin, which are no questions
EACH_REQUESTER = 8  # questions for each one that an impersonating account asks
SETTLED_SECONDS_MAX = 60
# Patterns of text that differs from one server, or one moment, to the next.
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
LISTED = re.compile(r"\[([^\[\]]* not found(?:, [^\[\]]* not found)*)\]")
# A difference between two objects in Go's words.
GO_DIFFERENCE = re.compile(r"(fields other than status\.quantity and status\.conditions).*", re.DOTALL)


class Server:
    """One server, asked by a user in system:masters who impersonates the users of the questions."""

    def __init__(self, name, url, token):
        self.name, self.url, self.token = name, urllib.parse.urlparse(url), token
        self.connection = None

    def connect(self):
        if self.connection is None:
            if self.url.scheme == "https":
                context = ssl.create_default_context()
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                self.connection = http.client.HTTPSConnection(self.url.netloc, timeout=120,
                                                              context=context)
            else:
                self.connection = http.client.HTTPConnection(self.url.netloc, timeout=120)
        return self.connection

    def disconnect(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def ask(self, method, path, body=None, headers=(), kind=None, token=None):
        """(code, decoded answer); the answer of a watch that begins is not read."""
        for attempt in (1, 2):  # a connection may have ended since the last request
            try:
                answer = self.send(method, path, body, headers, kind, token)
                break
            except (http.client.HTTPException, OSError):
                self.disconnect()
                if attempt == 2:
                    raise
        if answer.status == 200 and ("watch=true" in path or "/watch/" in path):
            self.disconnect()
            return answer.status, {}
        said = answer.read()
        try:
            return answer.status, json.loads(said)
        except ValueError:
            return answer.status, {"message": said.decode("utf-8", "replace")}

    def send(self, method, path, body, headers, kind, token):
        connection = self.connect()
        connection.putrequest(method, path)
        connection.putheader("Authorization", "Bearer " + (token or self.token))
        for name, value in headers:
            connection.putheader(name, value)
        text = None if body is None else json.dumps(body).encode()
        if text is not None:
            connection.putheader("Content-Type", kind or "application/json")
            connection.putheader("Content-Length", str(len(text)))
        connection.endheaders(text)
        return connection.getresponse()

    def allows(self, spec):
        """The status of a SubjectAccessReview, in words."""
        _, answer = self.ask("POST", REVIEWS + "subjectaccessreviews", {"spec": spec})
        status = answer.get("status", {})
        if not isinstance(status, dict):
            return answer.get("message", "")
        # The binding that is named is chance if several allow it.
        return "allowed" if status.get("allowed") else "no: " + plain(status.get("reason", ""))


def plain(text):
    """The text without its random parts, its reasons in one order."""
    text = LISTED.sub(lambda found: f"[{', '.join(sorted(found[1].split(', ')))}]",
                      GO_DIFFERENCE.sub(r"\1", UID.sub("UID", text)))
    return "\n".join(sorted(text.split("\n")))


def refusal(code, answer):
    return f"403 {plain(answer.get('message', ''))}" if code == 403 else "let through"


class Played:
    """A world on one server: its objects, and the answers of the server."""

    def __init__(self, server, seed, questions):
        self.server, self.seed, self.questions = server, seed, questions
        self.world = World(seed, (questions + EACH_REQUESTER - 1) // EACH_REQUESTER)
        self.uids, self.tokens, self.found = {}, [], []

    def answers(self):
        """[(question, answer)], those of the objects first."""
        self.build()
        self.settle()
        for number in range(self.questions):
            question = Question(self.world, f"{self.seed}/{number}", self.uids)
            if number % EACH_REQUESTER == 0:
                self.impersonate(question, number // EACH_REQUESTER)
            else:
                self.ask(question)
        self.clear()
        return self.found

    def note(self, asked, answered):
        self.found.append((UID.sub("UID", json.dumps(asked)), answered))

    def build(self):
        for method, path, made in self.world.objects():
            code, answer = self.server.ask(method, path, made,
                                           kind=MERGE if method == "PATCH" else None)
            uid = answer.get("metadata", {}).get("uid", "")
            self.note(["made", method, path, made], str(code) if code < 400 else f"{code} " +
                      plain(answer.get("message", "")))
            if method == "POST" and uid:
                self.uids[f"{path}/{made['metadata']['name']}"] = uid
        for number in range(self.world.requesters):
            self.tokens.append(self.token_of(*self.world.requester(number)))

    def token_of(self, name, namespace, node):
        core = f"/api/v1/namespaces/{namespace}"
        bound = {"kind": "Pod", "apiVersion": "v1", "name": name,
                 "uid": self.uids.get(f"{core}/pods/{name}")}
        _, answer = self.server.ask("POST", f"{core}/serviceaccounts/{name}/token",
                                    {"spec": {"boundObjectRef": bound} if node else {}})
        return answer.get("status", {}).get("token", "none")

    def settle(self):
        """Waits until the server applies all objects, because upstream's receives them by watches."""
        deadline = time.monotonic() + SETTLED_SECONDS_MAX
        mark = self.world.prefix + "mark"
        node = [("Impersonate-User", "system:node:" + mark), ("Impersonate-Group", "system:nodes")]

        def is_settled():
            if any(self.server.allows(spec) != "allowed"
                   for spec in self.world.questions_of_marks()):
                return False
            return all(self.server.ask("POST", path + "?dryRun=All", body, node)[0] == 201
                       for path, body in self.world.requests_of_marks(self.uids))

        while not is_settled():
            if time.monotonic() > deadline:
                sys.exit(f"{self.server.name} does not go by its objects: the controllers must "
                         "not run, and rights and NodeRestriction be on")
            time.sleep(0.02)

    def impersonate(self, question, requester):
        headers = question.impersonated()
        method, path, body, kind = question.request(False)
        code, answer = self.sent(method, path, body, kind, headers, self.tokens[requester])
        self.note([f"i{requester}", headers, method, path, body], refusal(code, answer))

    def ask(self, question):
        headers = question.identity()
        what = question.chance.random()
        if what < 0.25:
            spec = question.review(headers)
            return self.note(spec, self.server.allows(spec))
        if what < 0.28:
            return self.review_rules(headers, question.namespace)
        method, path, body, kind = question.request("system:nodes" in dict(headers).values())
        code, answer = self.sent(method, path, body, kind, headers)
        self.note([headers, method, path, body], refusal(code, answer))
        spec = {**subject(headers), **attributes(method, path)}
        return self.note(spec, self.server.allows(spec))

    def sent(self, method, path, body, kind, headers, token=None):
        if method != "GET":
            path += ("&" if "?" in path else "?") + "dryRun=All"
        return self.server.ask(method, path, body, headers, kind, token)

    def review_rules(self, headers, namespace):
        _, answer = self.server.ask("POST", REVIEWS + "selfsubjectrulesreviews",
                                    {"spec": {"namespace": namespace}}, headers)
        status = answer.get("status", {})
        if not isinstance(status, dict):
            return self.note([headers, "rules", namespace], plain(answer.get("message", "")))
        rules = plain_rules(status)
        digest = hashlib.sha256("\n".join(rules).encode()).hexdigest()[:16]
        trouble = sorted(status.get("evaluationError", "").strip("[]").split(", "))
        return self.note([headers, "rules", namespace],
                  f"{len(rules)} rules, {digest}, {status.get('incomplete')}, {trouble}")

    def clear(self):
        """Removes what would be in the way of the next worlds."""
        for path in self.uids:
            if "/namespaces/" not in path:
                self.server.ask("DELETE", path, {"gracePeriodSeconds": 0})
        for namespace in self.world.namespaces:
            for path in ("api/v1/pods", "apis/rbac.authorization.k8s.io/v1/rolebindings",
                         "apis/rbac.authorization.k8s.io/v1/roles", "api/v1/serviceaccounts"):
                group, _, resource = path.rpartition("/")
                self.server.ask("DELETE", f"/{group}/namespaces/{namespace}/{resource}",
                                {"gracePeriodSeconds": 0})
            self.server.ask("DELETE", f"/api/v1/namespaces/{namespace}")


def started(program, folder, options=("--components=apiserver",)):
    """A server of Dray on loopback: (process, Server)."""
    path = pathlib.Path(folder)
    path.mkdir()
    (path / "tokens").write_text(f'{MASTER},differential,1,"system:masters"\n')
    process = subprocess.Popen(
        [program, "serve", *options, "--memory", "--data-dir", str(path / "data"),
         "--listen", "127.0.0.1:0", "--token-file", str(path / "tokens")],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = process.stdout.readline()  # reports that the server is ready
    found = re.search(r"https?://\S+", line)
    if not found:
        sys.exit(f"{program} does not start: {line}")
    return process, Server(folder, found[0].rstrip(";,"), MASTER)


def compared(name, first, second):
    """How many of the answers differ; prints them."""
    different = abs(len(first) - len(second))
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
    parser.add_argument("--record", metavar="FILE", help="add the answers to this file")
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


def worlds_in(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["worlds"]


def record(path, server, world):
    """Adds the answers of a server about a world to a file, which names the server."""
    file = pathlib.Path(path)
    worlds = worlds_in(path) if file.exists() else []
    version = server.ask("GET", "/version")[1].get("gitVersion", "")
    source = f"answers of {version}, measured by dev/access_differential.py --record"
    file.write_text(json.dumps({"source": source, "worlds": worlds + [world]}, indent=0) + "\n",
                    encoding="utf-8")


def play(options, servers):
    recorded = worlds_in(options.replay) if options.replay else []
    worlds = [one["world"] for one in recorded] or [options.seed + i for i in range(options.worlds)]
    different = asked = 0
    with concurrent.futures.ThreadPoolExecutor(len(servers)) as pool:
        for number, seed in enumerate(worlds):
            count = recorded[number]["questions"] if recorded else options.questions
            found = list(pool.map(lambda server, s=seed, c=count: Played(server, s, c).answers(),
                                  servers))
            if options.record:
                record(options.record, servers[0], {
                    "world": seed, "questions": count,
                    "answers": [said for _, said in found[0]]})
            if recorded:
                found.append([("recorded", said) for said in recorded[number]["answers"]])
            asked += sum(not text.startswith(MADE) for text, _ in found[0])
            if len(found) > 1:
                different += compared(f"world {seed}", found[0], found[1])
    print(f"{asked} questions, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
