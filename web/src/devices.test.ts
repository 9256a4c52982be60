// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import type {KubeNode, ResourceClaim, ResourceSlice, SliceDevice, TaintRule} from "./kube.ts";
import {DeviceModel, needsServer, taintedIn, type Objects} from "./devices.ts";
import {claimsOf, claimState, groupsOf} from "./model.ts";

function devicesOf(objects: Partial<Objects>) {
  return new DeviceModel().update({slices: [], claims: [], rules: [], nodes: [], ...objects}).devices;
}
function slice(name: string, devices: SliceDevice[], pool: Partial<ResourceSlice["spec"]["pool"]> = {}, more = {}): ResourceSlice {
  return {metadata: {name}, spec: {driver: "d", nodeName: "n", pool: {name: "p", generation: 1, resourceSliceCount: 1, ...pool}, devices, ...more}};
}
function claim(name: string, devices: string[], more: object = {}): ResourceClaim {
  return {metadata: {namespace: "ns", name}, status: {allocation: {devices: {results: devices.map((device) => ({request: "r", driver: "d", pool: "p", device, ...more}))}},
    reservedFor: [{resource: "pods", name: "pod", uid: "1"}]}};
}
function states(slices: ResourceSlice[], claims: ResourceClaim[] = [], rules: TaintRule[] = [], nodes: KubeNode[] = []) {
  return Object.fromEntries(devicesOf({slices, claims, rules, nodes}).map((device) => [device.name, device.state]));
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

test("devices of cordoned and tainted nodes have states of their own, unless a claim has them", () => {
  const node = (spec: object): KubeNode[] => [{metadata: {name: "n"}, spec}];
  const slices = [slice("s", [{name: "a"}, {name: "b"}])];
  assert.deepEqual(states(slices, [claim("x", ["a"])], [], node({unschedulable: true, taints: [{key: "k", effect: "NoSchedule"}]})), {a: "used", b: "cordoned"});
  assert.deepEqual(states(slices, [], [], node({taints: [{key: "k", effect: "NoExecute"}]})), {a: "node-tainted", b: "node-tainted"});
  assert.deepEqual(states(slices, [], [], node({taints: [{key: "k", effect: "PreferNoSchedule"}]})), {a: "free", b: "free"});
});

test("rules that select by class or expression are left to the server", () => {
  const rule = (deviceSelector: object): TaintRule => ({metadata: {name: "r"}, spec: {deviceSelector, taint: {key: "k", effect: "NoSchedule"}}});
  assert.deepEqual([{deviceClassName: "c"}, {selectors: [{}]}, {driver: "d"}, {}].map((one) => needsServer(rule(one))), [true, true, false, false]);
  const slices = [slice("s", [{name: "a"}, {name: "b"}])];
  assert.deepEqual(states(slices, [], [rule({deviceClassName: "c"})]), {a: "free", b: "free"});
  const model = new DeviceModel();
  const update = (tainted: Set<string>) => model.update({slices, claims: [claim("x", ["b"])], rules: [], nodes: [], tainted}).devices.map((device) => device.state);
  assert.deepEqual(update(taintedIn({pools: [{driver: "d", pool: "p", tainted: ["a", "b"]}, {driver: "d", pool: "q"}]})), ["tainted", "used"]);
  assert.deepEqual(update(new Set()), ["free", "used"]);
});

test("devices in use are grouped by the class that was asked for", () => {
  const asked = {...claim("x", ["a"]), spec: {devices: {requests: [{name: "r", exactly: {deviceClassName: "fast"}}]}}};
  const devices = devicesOf({slices: [slice("s", [{name: "a"}, {name: "b"}])], claims: [asked]});
  assert.deepEqual(groupsOf(devices, "class", new Map()).map((group) => group.name), ["(no claim has it)", "fast"]);
});

test("an update changes what a change is about, and keeps the array of devices", () => {
  const model = new DeviceModel();
  const slices = [slice("s", [{name: "a"}, {name: "b"}]), slice("t", [{name: "c"}], {name: "q"})];
  const update = (claims: ResourceClaim[], nodes: KubeNode[] = [], own = slices) => model.update({slices: own, claims, rules: [], nodes});
  const now = () => Object.fromEntries(model.devices.map((device) => [device.name, device.state]));
  const first = claim("x", ["a"]);
  update([first]);
  const {devices, stamp} = model;
  update([first]);
  assert.equal(model.stamp, stamp);
  update([claim("x", ["b"])]);
  assert.equal(model.devices, devices);
  assert.deepEqual(now(), {a: "free", b: "used", c: "free"});
  assert.ok(model.stamp > stamp);
  update([], [{metadata: {name: "n"}, spec: {unschedulable: true}}]);
  assert.deepEqual(now(), {a: "cordoned", b: "cordoned", c: "cordoned"});
  update([claim("z", ["c"])], [], [slices[1]!]);
  assert.notEqual(model.devices, devices);
  assert.deepEqual(now(), {c: "free"}); // of another pool
});

test("random changes give what is computed from nothing", () => {
  let seed = 7;
  const random = (below: number) => { seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648; return seed % below; };
  const model = new DeviceModel();
  const claims = new Map<string, ResourceClaim>();
  const slices = new Map<string, ResourceSlice>();
  const nodes = new Map<string, KubeNode>();
  for (let i = 0; i < 400; ++i) {
    const which = random(4);
    const name = String(random(6));
    if (which === 0) claims.set(name, claim(name, [["a", "b", "c"][random(3)]!, "b"].slice(0, 1 + random(2)), {pool: `p${random(3)}`}));
    if (which === 1) claims.delete(name);
    if (which === 2) {
      const pool = random(3);
      if (random(4) === 0) slices.delete(`s${pool}`);
      else slices.set(`s${pool}`, slice(`s${pool}`, ["a", "b", "c"].slice(random(3)).map((one) => ({name: one, consumesCounters: [{counterSet: "g", counters: {m: {value: "1"}}}]})), {name: `p${pool}`, generation: random(2)}, {sharedCounters: [{name: "g", counters: {m: {value: "2"}}}]}));
    }
    if (which === 3) nodes.set("n", {metadata: {name: "n"}, spec: {unschedulable: random(2) === 0}});
    const objects = () => ({slices: slices.values(), claims: claims.values(), rules: [], nodes: nodes.values()});
    model.update(objects());
    assert.deepEqual(model.devices, new DeviceModel().update(objects()).devices, `change ${i}`);
  }
});
