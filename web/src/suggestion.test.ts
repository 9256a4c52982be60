// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import type {Pod, ResourceClaim, ResourceSlice} from "./kube.ts";
import {planOf, type Objects} from "./suggestion.ts";

const OF = "request gpus of claim ns/mine";
function objects(request: object, more: object = {}, metadata: object = {}): Objects {
  const pod: Pod = {apiVersion: "v1", kind: "Pod", metadata: {namespace: "ns", name: "p", uid: "1"}, spec: {resourceClaims: [{name: "c", resourceClaimName: "mine"}]}};
  const claim = (name: string, rest: object) => ({apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: {namespace: "ns", name}, ...rest}) as ResourceClaim;
  const mine = claim("mine", {metadata: {namespace: "ns", name: "mine", uid: "2", ...metadata}, spec: {devices: {requests: [{name: "gpus", ...request}], ...more}}});
  const used = claim("used", {status: {allocation: {}, reservedFor: [{resource: "pods", name: "user", uid: "3"}]}});
  const slice: ResourceSlice = {apiVersion: "resource.k8s.io/v1", metadata: {name: "s"}, spec: {driver: "d.example", nodeName: "n", pool: {name: "p/q"},
    devices: [{name: "gpu-0", taints: [{key: "k", effect: "NoSchedule"}], attributes: {model: {string: "x"}}}]}};
  return {pods: new Map([["ns/p", pod]]), claims: new Map([["ns/mine", mine], ["ns/used", used], ["ns/idle", claim("idle", {status: {allocation: {}}})]]),
    slices: new Map([["s", slice]])};
}
function changed(text: string, request: object, more: object = {}) {
  const [pod, claim] = planOf(text, "ns/p", objects(request, more))!.work as [Pod, ResourceClaim];
  assert.deepEqual(pod.metadata, {name: "p", namespace: "ns"});
  return claim.spec!.devices!;
}

test("each sentence about a request changes the claim", () => {
  const exactly = {exactly: {deviceClassName: "gpu", count: 3, selectors: [{cel: {expression: "device.driver == 'd' && (a || b) && c"}}], capacity: {requests: {memory: "80Gi"}}}};
  const request = (text: string) => changed(text, exactly).requests![0]!.exactly!;
  assert.deepEqual(request(`let ${OF} tolerate example.com/bad=many:NoSchedule`).tolerations, [{key: "example.com/bad", operator: "Equal", value: "many", effect: "NoSchedule"}]);
  assert.deepEqual(request(`let ${OF} tolerate bad:NoExecute`).tolerations, [{key: "bad", operator: "Equal", effect: "NoExecute"}]);
  assert.equal(request(`ask for 1 device instead of 3 in ${OF}`).count, 1);
  assert.equal(request(`ask for 2 devices instead of 3 in ${OF}`).count, 2);
  assert.equal(request(`ask for 40Gi of memory instead of 80Gi in ${OF}`).capacity!.requests!.memory, "40Gi");
  assert.equal(request(`use class other in ${OF}`).deviceClassName, "other");
  assert.equal(request(`drop the condition a || b from ${OF}`).selectors![0]!.cel!.expression, "device.driver == 'd' && (true) && c");
});

test("a constraint, an alternative, and a request of v1beta1", () => {
  assert.deepEqual(changed("drop the constraint matchAttribute d/numa of claim ns/mine", {}, {constraints: [{matchAttribute: "d/other"}, {matchAttribute: "d/numa"}]}).constraints, [{matchAttribute: "d/other"}]);
  const list = {firstAvailable: [{name: "large", count: 4}, {name: "small", count: 2}]};
  assert.deepEqual(changed("ask for 1 device instead of 2 in request gpus/small of claim ns/mine", list).requests![0]!.firstAvailable!.map((one) => one.count), [4, 1]);
  assert.equal(changed(`ask for 1 device instead of 2 in ${OF}`, {count: 2}).requests![0]!.count, 1);
});

test("the claim is replaced by a command, unless a template would bring it back", () => {
  const text = `ask for 1 device instead of 2 in ${OF}`;
  assert.match(planOf(text, "ns/p", objects({exactly: {count: 2}}))!.commands[0]!, /^kubectl replace --force -f - <<'EOF'\n[^]*count: 1\n[^]*EOF$/);
  assert.deepEqual(planOf(text, "ns/p", objects({exactly: {count: 2}}, {}, {ownerReferences: [{kind: "Pod", name: "p", uid: "1"}]}))!.commands, []);
  assert.equal(planOf(text, "ns/p", objects({exactly: {count: 2}}, {}, {annotations: {"resource.kubernetes.io/extended-resource-name": "x"}})), undefined);
});

test("claims are taken back by ending the pods that use them", () => {
  const plan = planOf("take back claims ns/used (pod user), ns/idle", "ns/p", objects({}))!;
  assert.deepEqual(plan.changes, ["delete pod/ns/user", "delete claim/ns/idle"]);
  assert.deepEqual(plan.commands, ["kubectl delete pod -n ns -- user", "kubectl delete resourceclaim -n ns -- idle"]);
  assert.equal(plan.work.length, 1);
  assert.equal(planOf("take back claims ns/used (pod user), ns/idle and 2 more", "ns/p", objects({})), undefined);
  assert.equal(planOf("take back claim ns/gone (pod x)", "ns/p", objects({})), undefined);
});

test("more devices come with a slice, without the taints of their model", () => {
  const [, slice] = planOf("have 2 devices more like d.example/p/q/gpu-0 on node n", "ns/p", objects({}))!.work as [Pod, ResourceSlice];
  assert.deepEqual(slice.spec, {driver: "d.example", nodeName: "n", pool: {name: "n-one-more", generation: 1, resourceSliceCount: 1},
    devices: [{attributes: {model: {string: "x"}}, name: "one-more-0"}, {attributes: {model: {string: "x"}}, name: "one-more-1"}]});
});

test("sentences that are not understood have no plan", () => {
  const twice = {exactly: {selectors: [{cel: {expression: "a && (b || a)"}}]}};
  for (const text of ["", "split into two pods: claim ns/a in one", `drop the condition a from ${OF}`, `drop the condition z from ${OF}`,
    "drop the constraint matchAttribute x of claim ns/mine", "ask for 1 device instead of 2 in request none of claim ns/mine",
    "ask for 1 device instead of 2 in request gpus of claim ns/none", `ask for 1Gi of disk instead of 2Gi in ${OF}`]) {
    assert.equal(planOf(text, "ns/p", objects(twice)), undefined, text);
  }
  assert.equal(planOf(`use class a in ${OF}`, "ns/none", objects(twice)), undefined);
});
