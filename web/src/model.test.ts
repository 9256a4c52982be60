// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import type {ResourceClaim, ResourceSlice, SliceDevice, TaintRule} from "./kube.ts";
import {claimsOf, claimState, devicesOf, groupsOf} from "./model.ts";

function slice(name: string, devices: SliceDevice[], pool: Partial<ResourceSlice["spec"]["pool"]> = {}, more = {}): ResourceSlice {
  return {metadata: {name}, spec: {driver: "d", nodeName: "n", pool: {name: "p", generation: 1, resourceSliceCount: 1, ...pool}, devices, ...more}};
}
function claim(name: string, devices: string[], more: object = {}): ResourceClaim {
  return {metadata: {namespace: "ns", name}, status: {allocation: {devices: {results: devices.map((device) => ({request: "r", driver: "d", pool: "p", device, ...more}))}},
    reservedFor: [{resource: "pods", name: "pod", uid: "1"}]}};
}
function states(slices: ResourceSlice[], claims: ResourceClaim[] = [], rules: TaintRule[] = []) {
  return Object.fromEntries(devicesOf({slices, claims, rules}).map((device) => [device.name, device.state]));
}

test("a claim uses a device, an administrator does not", () => {
  const devices = [{name: "a"}, {name: "b"}, {name: "c"}];
  const claims = [claim("x", ["a"]), claim("y", ["b"], {adminAccess: true})];
  assert.deepEqual(states([slice("s", devices)], claims), {a: "used", b: "free", c: "free"});
});

test("taints of slices and of rules keep claims away, those of effect None do not", () => {
  const devices = [{name: "a", taints: [{key: "k", effect: "NoSchedule"}]}, {name: "b", taints: [{key: "k", effect: "None"}]}, {name: "c"}];
  const rule: TaintRule = {metadata: {name: "r"}, spec: {deviceSelector: {driver: "d", device: "c"}, taint: {key: "k", effect: "NoExecute"}}};
  assert.deepEqual(states([slice("s", devices)], [], [rule]), {a: "tainted", b: "free", c: "tainted"});
});

test("only the newest generation counts, and a pool that lacks slices is incomplete", () => {
  assert.deepEqual(states([slice("old", [{name: "a"}]), slice("new", [{name: "b"}], {generation: 2, resourceSliceCount: 2})]), {b: "incomplete"});
});

test("partitions are blocked when others have their counters", () => {
  const uses = (...names: string[]) => [{counterSet: "gpu", counters: Object.fromEntries(names.map((name) => [name, {value: "1"}]))}];
  const counters = slice("c", [], {resourceSliceCount: 2}, {sharedCounters: [{name: "gpu", counters: {l: {value: "1"}, r: {value: "1"}}}]});
  const devices = slice("s", [{name: "whole", consumesCounters: uses("l", "r")}, {name: "left", consumesCounters: uses("l")},
    {name: "right", consumesCounters: uses("r")}], {resourceSliceCount: 2});
  assert.deepEqual(states([counters, devices], [claim("x", ["left"])]), {whole: "blocked", left: "used", right: "free"});
});

test("partitions are as large as what they draw", () => {
  const uses = (many: string) => [{counterSet: "gpu", counters: {memory: {value: many}}}];
  const whole = slice("s", [{name: "half", consumesCounters: uses("40Gi")}, {name: "whole", consumesCounters: uses("80Gi")}, {name: "alone"}], {},
    {sharedCounters: [{name: "gpu", counters: {memory: {value: "80Gi"}}}]});
  const devices = devicesOf({slices: [whole], claims: [], rules: []});
  assert.deepEqual(devices.map((device) => device.size), [0.5, 1, 1]);
});

test("shared devices show how much is taken", () => {
  const devices = [{name: "a", allowMultipleAllocations: true, capacity: {memory: {value: "40Gi"}}}];
  const [device] = devicesOf({slices: [slice("s", devices)], claims: [claim("x", ["a"], {consumedCapacity: {memory: "10Gi"}})], rules: []});
  assert.equal(device!.state, "shared");
  assert.equal(device!.fill, 0.25);
});

test("devices of v1beta1 are read", () => {
  const [device] = devicesOf({slices: [slice("s", [{name: "a", basic: {attributes: {m: {string: "x"}}, capacity: {memory: {value: "1Gi"}}}}])], claims: [], rules: []});
  assert.equal(device!.attributes.m!.string, "x");
  assert.equal(device!.capacity.memory, "1Gi");
});

test("groups are sorted as people count", () => {
  const devices = devicesOf({slices: [10, 9].map((i) => ({...slice(`s${i}`, [{name: "a"}], {name: `p${i}`}), })), claims: [], rules: []});
  assert.deepEqual(groupsOf(devices, "pool", new Map()).map((group) => group.name), ["d/p9", "d/p10"]);
  assert.deepEqual(groupsOf(devices, "label:rack", new Map()).map((group) => group.name), ["(none)"]);
});

test("names that a prototype has are names", () => {
  const devices = [{name: "constructor"}, {name: "__proto__"}];
  assert.deepEqual(devicesOf({slices: [slice("s", devices)], claims: [], rules: []}).map((device) => device.name), ["constructor", "__proto__"]);
});

test("claims of pods, and states as kubectl writes them", () => {
  const pod = {metadata: {namespace: "ns", name: "p"}, spec: {resourceClaims: [{name: "a", resourceClaimName: "x"}, {name: "b", resourceClaimTemplateName: "t"}, {name: "c", resourceClaimTemplateName: "t"}]},
    status: {resourceClaimStatuses: [{name: "b", resourceClaimName: "p-b-1"}]}};
  assert.deepEqual(claimsOf(pod).map((one) => one.claim), ["ns/x", "ns/p-b-1", ""]);
  assert.equal(claimState(claim("x", ["a"])), "allocated,reserved");
  assert.equal(claimState({metadata: {name: "x"}}), "pending");
});

test("objects without any content stop nothing", () => {
  assert.deepEqual(devicesOf({slices: [{metadata: {name: "s"}, spec: {driver: "d", pool: {name: "p"}}}], claims: [{metadata: {name: "c"}}], rules: [{metadata: {name: "r"}}]}), []);
});
