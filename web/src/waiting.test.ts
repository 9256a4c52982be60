// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import type {Pod} from "./kube.ts";
import {isWaiting, reasonsOf, UNTRIED} from "./waiting.ts";

function pod(name: string, message?: string, at = "2026-01-01T00:00:00Z"): Pod {
  return {metadata: {namespace: "ns", name, creationTimestamp: at},
    status: {phase: "Pending", conditions: message ? [{type: "PodScheduled", status: "False", message, lastTransitionTime: at}] : []}};
}

test("reasons that differ in numbers only are one", () => {
  const pods = [pod("a", "0/3 nodes are available: 3 cannot allocate all claims."), pod("b", "0/40 nodes are available: 40 cannot allocate all claims."),
    pod("c", "0/3 nodes are available: 3 Insufficient cpu."), pod("d")];
  assert.deepEqual(reasonsOf(pods).map((reason) => [reason.pods.length, reason.text]), [
    [2, "0/3 nodes are available: 3 cannot allocate all claims."],
    [1, "0/3 nodes are available: 3 Insufficient cpu."], [1, UNTRIED]]);
});

test("the pod that waits longest comes first", () => {
  const [reason] = reasonsOf([pod("young", "x", "2026-01-02T00:00:00Z"), pod("old", "x")]);
  assert.deepEqual(reason!.pods.map((one) => one.metadata.name), ["old", "young"]);
});

test("pods with a node, ended or being deleted do not wait", () => {
  assert.ok(!isWaiting({metadata: {name: "a"}, spec: {nodeName: "n"}}));
  assert.ok(!isWaiting({metadata: {name: "a"}, status: {phase: "Failed"}}));
  assert.ok(!isWaiting({metadata: {name: "a", deletionTimestamp: "2026-01-01T00:00:00Z"}}));
  assert.ok(isWaiting({metadata: {name: "a"}}));
});
