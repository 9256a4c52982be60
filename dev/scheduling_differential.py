#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets a cluster schedule random pods, and prints where `dray whatif` and `dray explain` differ from it.

    dev/scheduling_differential.py --dray PROGRAM --vectors PROGRAM --server URL,TOKEN
    dev/scheduling_differential.py --dray PROGRAM --vectors PROGRAM       the same against `dray serve`
    dev/scheduling_differential.py --dray PROGRAM --vectors PROGRAM --server URL,TOKEN --record FILE
    dev/scheduling_differential.py --dray PROGRAM --replay FILE

URL,TOKEN is a kube-apiserver of 1.37 with kube-scheduler and the controllers for claims, quotas,
namespaces and garbage of kube-controller-manager, but nothing that looks after nodes; all with the
gates of GATES. --vectors is `dray-vectors`, whose random clusters (tests/judges/random_pods.h) are
written there object by object. Before each pod, or group of pods, is created, `dray` is asked about
it and the cluster as it is then. Compared are whether it fits, its devices on the node where it went,
which pods are evicted for it, and the words of its condition PodScheduled or of its refusal. Exit
status 1: something differs.
"""
import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

from access_differential import Server, started
from scheduling_world import GATES, Cluster, turns

RELEASE = "1.37"
USUAL = "default-scheduler"
# Differences that chance allows: which of equal nodes a pod gets (the devices are compared on that
# one; for a group it cannot be asked), and the node whose error is reported, where several have one.
EQUAL_NODE, NODE_OF_GROUP = "another node, equally", "another node of a group"
ANOTHER_ERROR = "the error of another node"
BY_CHANCE = (EQUAL_NODE, NODE_OF_GROUP, ANOTHER_ERROR)
FILTER_FAILED = 'running "DynamicResources" filter plugin: '


class Dray:
    """The program's predictions about pods that a cluster does not have yet."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)

    def ask(self, *words):
        asked = subprocess.run([self.program, *words, "--release", RELEASE, "--feature-gates", GATES,
                                "-n", "lab", "-o", "json"], capture_output=True, text=True, check=False)
        try:
            return json.loads(asked.stdout)
        except ValueError:
            return {"error": asked.stderr.strip()}

    def answers(self, cluster, pods, nodes):
        """The predicted outcome of the pods, by name; `nodes` are those where they went."""
        for name, objects in (("cluster", cluster), ("pods", pods)):
            (self.folder / name).write_text(json.dumps({"kind": "List", "apiVersion": "v1",
                                                        "items": objects}))
        plan = self.planned()
        explained = self.ask("explain", "-f", str(self.folder / "cluster"), "-f",
                             str(self.folder / "pods"))
        answers = {}
        for pod in pods:
            name = pod["metadata"]["name"]
            answer = answered(plan, name)
            node = nodes.get(name, "")
            if answer.get("fits") and node and answer["node"] != node and len(pods) == 1:
                answer = {**answered(self.planned("--node", node), name), "of": answer["node"]}
            answers[name] = {"planned": answer,
                             "explained": found_in(explained.get("explanations", []), name)}
        return answers

    def planned(self, *words):
        return self.ask("whatif", "-f", str(self.folder / "pods"), "--cluster",
                        str(self.folder / "cluster"), *words)


def found_in(answers, name):
    return next((one for one in answers if one["for"] == f"pod lab/{name}"), {})


def answered(plan, name):
    if "error" in plan:
        return {"error": plan["error"]}
    answer = found_in(plan["answers"], name)
    return {"fits": answer.get("fits", False), "node": answer.get("node", ""),
            "devices": devices(answer.get("devices", [])), "evicts": sorted(answer.get("evicts", [])),
            "words": answer.get("reason", "")}


def devices(results):
    """Without the names of claims: a server invents those of claims that it makes."""
    return sorted(" ".join((one["request"], one["driver"], one["pool"], one["device"]))
                  for one in results)


def differences(pod, fate, answer):
    """The differences between an answer about a pod and its outcome: [(kind, text)]."""
    plan, explained = answer["planned"], answer["explained"]
    if "error" in plan:
        return [("error", plan["error"])]
    if pod["spec"].get("schedulerName", USUAL) != USUAL:
        return [] if explained.get("note") else [("note", "explained without a note")]
    if fate["words"] != plan["words"] and all(words.startswith(FILTER_FAILED)
                                              for words in (fate["words"], plan["words"])):
        return [(ANOTHER_ERROR, f"planned: {plan['words']}")]
    found = []
    if plan["fits"] != fate["fits"]:
        found.append(("fits", f"planned: {plan['words'] or 'it fits'}"))
    elif fate["fits"]:
        if plan["node"] != fate["node"]:
            found.append(("node", f"planned: {plan['node']}"))
        elif plan["devices"] != fate["devices"]:
            found.append(("devices", f"planned: {plan['devices']}"))
        if plan["evicts"] != fate["evicts"]:
            found.append(("evicts", f"planned: {plan['evicts']}"))
    elif fate["words"] and plan["words"] != fate["words"]:
        found.append(("words", f"planned: {plan['words']}"))
    fits = explained.get("verdict") == "fits"
    if fits != (fate["fits"] and not fate["evicts"]):
        found.append(("explained", f"explained: {explained.get('verdict')}: {explained.get('reason')}"))
    elif fate["words"] and not fate["words"].startswith(explained.get("reason", "?")):
        found.append(("explained words", f"explained: {explained.get('reason')}"))
    return found


def compared(seed, turn, dray):
    """[kind of difference]; prints them."""
    nodes = {name: fate["node"] for name, fate in turn["fates"].items()}
    answers = dray.answers(turn["cluster"], turn["pods"], nodes)
    kinds = []
    for pod in turn["pods"]:
        name = pod["metadata"]["name"]
        fate = turn["fates"][name]
        for kind, text in differences(pod, fate, answers[name]):
            if kind == "node" and len(turn["pods"]) > 1:
                kind = NODE_OF_GROUP
            kinds.append(kind)
            print(f"seed {seed}, {name}: {kind}\n  found:   {told(fate)}\n  {text}", flush=True)
        if answers[name]["planned"].get("of"):
            kinds.append(EQUAL_NODE)
    return kinds


def told(fate):
    if not fate["fits"]:
        return fate["words"] or "it waits"
    return f"on {fate['node']}: {fate['devices']}" + (f" instead of {fate['evicts']}"
                                                      if fate["evicts"] else "")


def generated(program, seed):
    made = subprocess.run([program, "pods", str(seed)], capture_output=True, text=True, check=True)
    return json.loads(made.stdout)["items"]


def unfolded(turns_of_seed):
    """Recorded turns with the whole cluster: each record has what changed."""
    known = {}
    for turn in turns_of_seed:
        known.update({key: one for key, one in turn["changed"].items() if one is not None})
        for key, one in turn["changed"].items():
            if one is None:
                known.pop(key, None)
        yield {**turn, "cluster": [known[key] for key in sorted(known)]}


def folded(turns_of_seed):
    before = {}
    for turn in turns_of_seed:
        now = {f"{one['kind']} {one['metadata'].get('namespace', '')}/{one['metadata']['name']}": one
               for one in turn["cluster"]}
        changed = {key: one for key, one in now.items() if before.get(key) != one}
        changed.update({key: None for key in before if key not in now})
        before = now
        yield {"changed": changed, "pods": turn["pods"], "fates": turn["fates"]}


def read(path):
    return json.loads(gzip.decompress(pathlib.Path(path).read_bytes()))


def record(path, version, seeds):
    file = pathlib.Path(path)
    known = read(path)["seeds"] if file.exists() else {}
    source = f"what {version} did, recorded by dev/scheduling_differential.py --record"
    text = json.dumps({"source": source, "seeds": {**known, **seeds}}, sort_keys=True)
    file.write_bytes(gzip.compress(text.encode(), mtime=0))


def played(options, server, dray):
    """(turns compared, [kind of difference])."""
    turns_seen, kinds = 0, []
    cluster = Cluster(server)
    for seed in range(options.seed, options.seed + options.seeds):
        seen = []
        for turn in turns(cluster, generated(options.vectors, seed)):
            kinds += compared(seed, turn, dray)
            seen.append(turn)
        turns_seen += len(seen)
        if options.record:
            version = server.ask("GET", "/version")[1].get("gitVersion", "")
            record(options.record, version, {str(seed): list(folded(seen))})
    return turns_seen, kinds


def replayed(options, dray):
    recorded = [(seed, turn) for seed, some in read(options.replay)["seeds"].items()
                for turn in unfolded(some)]
    return len(recorded), [kind for seed, turn in recorded for kind in compared(seed, turn, dray)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dray", required=True)
    parser.add_argument("--vectors", help="dray-vectors")
    parser.add_argument("--server", metavar="URL,TOKEN")
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--record", metavar="FILE", help="add what happened to this file")
    parser.add_argument("--replay", metavar="FILE", help="compare with what such a file has")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        dray = Dray(options.dray, folder)
        if options.replay:
            count, kinds = replayed(options, dray)
        elif options.server:
            url, token = options.server.split(",", 1)
            count, kinds = played(options, Server(url, url, token), dray)
        else:
            process, server = started(options.dray, f"{folder}/serve",
                                      ["--components=apiserver,scheduler,controllers",
                                       "--allow-overlapping-allocations",  # as upstream
                                       "--feature-gates", GATES, "--emulate-release", RELEASE])
            try:
                count, kinds = played(options, server, dray)
            finally:
                process.terminate()
                process.wait()
    for kind in sorted(set(kinds)):
        print(f"{kind}: {kinds.count(kind)}" + (" (by chance)" if kind in BY_CHANCE else ""))
    ours = [kind for kind in kinds if kind not in BY_CHANCE]
    print(f"{count} times pods came, {len(ours)} differences")
    return 1 if ours else 0


if __name__ == "__main__":
    sys.exit(main())
