// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {deleteCommands, describeCommand, manifestOf, openCommands, quoted, replaceCommand} from "./kubectl.ts";

test("words are harmless in a shell", () => {
  assert.equal(quoted("ns/pod-0.x"), "ns/pod-0.x");
  assert.equal(quoted("key=value:NoSchedule-"), "key=value:NoSchedule-");
  assert.equal(quoted("a b"), "'a b'");
  assert.equal(quoted("$(x)`y`"), "'$(x)`y`'");
  assert.equal(quoted("it's"), "'it'\\''s'");
  assert.equal(quoted("=ls"), "'=ls'"); // zsh
  assert.equal(quoted("a\nb"), "'a\nb'");
  assert.equal(quoted(""), "''");
});

test("commands name namespace and object", () => {
  assert.equal(describeCommand("pod", "ns/a"), "kubectl describe pod -n ns a");
  assert.equal(describeCommand("node", "n1"), "kubectl describe node n1");
  assert.equal(describeCommand("node", "--all"), "kubectl describe node -- --all");
  assert.deepEqual(deleteCommands("pod", ["a/x", "b/y", "a/z"]), ["kubectl delete pod -n a -- x z", "kubectl delete pod -n b -- y"]);
  assert.deepEqual(deleteCommands("pod", []), []);
});

test("nodes are opened by uncordon and by taking taints away, but not those of controllers", () => {
  const node = (name: string, spec: object) => ({metadata: {name}, spec});
  assert.deepEqual(openCommands([
    node("a", {unschedulable: true, taints: [{key: "node.kubernetes.io/unschedulable", effect: "NoSchedule"}]}),
    node("b", {taints: [{key: "team", value: "x", effect: "NoSchedule"}, {key: "soft", effect: "PreferNoSchedule"}]}),
    node("c", {unschedulable: true, taints: [{key: "team", value: "y", effect: "NoSchedule"}]}), node("d", {})]),
  ["kubectl uncordon a c", "kubectl taint nodes b c team:NoSchedule-"]);
});

test("a manifest has nothing that the server wrote", () => {
  const object = {apiVersion: "v1", kind: "Pod", metadata: {name: "a", namespace: "n", uid: "u", resourceVersion: "1", creationTimestamp: "t",
    annotations: {"kubectl.kubernetes.io/last-applied-configuration": "{}"}}, spec: {x: 1}, status: {phase: "Pending"}};
  assert.deepEqual(manifestOf(object), {apiVersion: "v1", kind: "Pod", spec: {x: 1}, metadata: {name: "a", namespace: "n"}});
  assert.equal(replaceCommand(manifestOf(object)),
    "kubectl replace --force -f - <<'EOF'\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  namespace: \"n\"\nspec:\n  x: 1\nEOF");
});
