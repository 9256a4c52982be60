// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import type {ClaimTemplate, Pod, ResourceClaim, ResourceSlice} from "./kube.ts";
import {planOf, type Subject} from "./suggestion.ts";

const OF = "request gpus of claim ns/mine";
function objects(request: object, more: object = {}, metadata: object = {}): Subject {
  const pod: Pod = {apiVersion: "v1", kind: "Pod", metadata: {namespace: "ns", name: "p", uid: "1"}, spec: {resourceClaims: [{name: "c", resourceClaimName: "mine"}]}};
  const claim = (name: string, rest: object) => ({apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: {namespace: "ns", name}, ...rest}) as ResourceClaim;
  const mine = claim("mine", {metadata: {namespace: "ns", name: "mine", uid: "2", ...metadata}, spec: {devices: {requests: [{name: "gpus", ...request}], ...more}}});
  const used = claim("used", {status: {allocation: {}, reservedFor: [{resource: "pods", name: "user", uid: "3"}]}});
  const slice: ResourceSlice = {apiVersion: "resource.k8s.io/v1", metadata: {name: "s"}, spec: {driver: "d.example", nodeName: "n", pool: {name: "p/q"},
    devices: [{name: "gpu-0", taints: [{key: "k", effect: "NoSchedule"}], attributes: {model: {string: "x"}}}]}};
  return {pod, templates: new Map(), claims: new Map([["ns/mine", mine], ["ns/used", used], ["ns/idle", claim("idle", {status: {allocation: {}}})]]),
    slices: new Map([["s", slice]])};
}
function changed(text: string, request: object, more: object = {}) {
  const [pod, claim] = planOf(text, objects(request, more))!.work as [Pod, ResourceClaim];
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

test("the claim is replaced by a command, unless its owner would bring it back", () => {
  const text = `ask for 1 device instead of 2 in ${OF}`;
  assert.match(planOf(text, objects({exactly: {count: 2}}))!.commands[0]!, /^kubectl replace --force -f - <<'EOF'\n[^]*count: 1\n[^]*EOF$/);
  const owned = planOf(text, objects({exactly: {count: 2}}, {}, {ownerReferences: [{kind: "Team", name: "x", uid: "1"}]}))!;
  assert.deepEqual([owned.commands, owned.note], [[], "No command does it: Team x makes the claim."]);
  assert.equal(planOf(text, objects({exactly: {count: 2}}, {}, {annotations: {"resource.kubernetes.io/extended-resource-name": "x"}})), undefined);
});

test("a claim that a template makes is changed in the template, and made anew", () => {
  const text = `ask for 1 device instead of 2 in ${OF}`;
  const known = objects({exactly: {count: 2}});
  const pod: Pod = {...known.pod!, spec: {resourceClaims: [{name: "c", resourceClaimTemplateName: "t"}]}, status: {resourceClaimStatuses: [{name: "c", resourceClaimName: "mine"}]}};
  const template: ClaimTemplate = {apiVersion: "resource.k8s.io/v1", kind: "ResourceClaimTemplate", metadata: {namespace: "ns", name: "t", uid: "9"},
    spec: {spec: {devices: {requests: [{name: "gpus", exactly: {count: 2}}]}}}};
  const plan = planOf(text, {...known, pod, templates: new Map([["t", template]])})!;
  assert.equal((plan.work[1] as ClaimTemplate).spec!.spec!.devices!.requests![0]!.exactly!.count, 1);
  assert.equal(template.spec!.spec!.devices!.requests![0]!.exactly!.count, 2);
  assert.equal((plan.work[0] as Pod).status, undefined); // the claim is made anew
  assert.deepEqual(plan.changes, ["delete claim/ns/mine"]);
  assert.match(plan.commands[0]!, /^kubectl replace --force [^]*kind: ResourceClaimTemplate\n/);
  assert.equal(plan.commands[1], "kubectl delete resourceclaim -n ns -- mine");
  const unread = planOf(text, {...known, pod})!;
  assert.deepEqual([unread.work, unread.note], [[], "The claim is made from the template t, which you may not read."]);
});

test("a pod is split between its containers, where no container needs both", () => {
  const uses = (name: string, ...claims: string[]) => ({name, resources: {claims: claims.map((one) => ({name: one}))}});
  const parts = (text: string, ...containers: object[]) => planOf(`split into two pods: ${text}`, {...objects({}), pod: {metadata: {namespace: "ns", name: "p"},
    spec: {containers, resourceClaims: [{name: "a", resourceClaimName: "x"}, {name: "b", resourceClaimName: "y"}]}} as Pod})!;
  const plan = parts("claim ns/x in one, claim ns/y in the other", uses("one", "a"), uses("two", "b"), uses("three"));
  assert.deepEqual((plan.work as Pod[]).map(({metadata, spec}) => [metadata.name, spec!.containers!.map((one) => one.name), spec!.resourceClaims!.map((one) => one.name)]),
    [["p-1", ["one", "three"], ["a"]], ["p-2", ["two"], ["b"]]]);
  assert.deepEqual(plan.changes, ["delete pod/ns/p"]);
  assert.match(parts("claim ns/x in one, claim ns/y in the other", uses("one", "a", "b")).note, /container one uses claims of both pods/);
  assert.match(parts("claim ns/x in one, claim ns/y in the other", uses("one", "a")).note, /no container would be left/);
  assert.match(parts("2 of 4 devices of request r of claim ns/x in one, 2 of 4 devices of request r of claim ns/x in the other", uses("one", "a")).note, /only the author/);
  assert.match(parts("claim ns/x in one, request r of claim ns/y and claim ns/z in the other", uses("one", "a")).note, /only the author/);
});

test("claims are taken back by ending the pods that use them", () => {
  const plan = planOf("take back claims ns/used (pod user), ns/idle", objects({}))!;
  assert.deepEqual(plan.changes, ["delete pod/ns/user", "delete claim/ns/idle"]);
  assert.deepEqual(plan.commands, ["kubectl delete pod -n ns -- user", "kubectl delete resourceclaim -n ns -- idle"]);
  assert.equal(plan.work.length, 1);
  assert.equal(planOf("take back claims ns/used (pod user), ns/idle and 2 more", objects({})), undefined);
  assert.equal(planOf("take back claim ns/gone (pod x)", objects({})), undefined);
});

test("more devices come with a slice, without the taints of their model", () => {
  const [, slice] = planOf("have 2 devices more like d.example/p/q/gpu-0 on node n", objects({}))!.work as [Pod, ResourceSlice];
  assert.deepEqual(slice.spec, {driver: "d.example", nodeName: "n", pool: {name: "n-one-more", generation: 1, resourceSliceCount: 1},
    devices: [{attributes: {model: {string: "x"}}, name: "one-more-0"}, {attributes: {model: {string: "x"}}, name: "one-more-1"}]});
});

test("sentences that are not understood have no plan", () => {
  const twice = {exactly: {selectors: [{cel: {expression: "a && (b || a)"}}]}};
  for (const text of ["", "split into two pods: claim ns/a in one", `drop the condition a from ${OF}`, `drop the condition z from ${OF}`,
    "drop the constraint matchAttribute x of claim ns/mine", "ask for 1 device instead of 2 in request none of claim ns/mine",
    "ask for 1 device instead of 2 in request gpus of claim ns/none", `ask for 1Gi of disk instead of 2Gi in ${OF}`]) {
    assert.equal(planOf(text, objects(twice)), undefined, text);
  }
  assert.equal(planOf(`use class a in ${OF}`, {...objects(twice), pod: undefined}), undefined);
});
