// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {comparedMaps, DRAWN_MAX, PLACES_MAX, stateOf} from "./compared.ts";
import type {Device} from "./model.ts";
import type {DeviceChange} from "./whatif.ts";

function device(node: string, name: string, more: Partial<Device> = {}): Device {
  return {id: `d/${node}/${name}`, driver: "d", pool: node, name, node, slice: "s", state: "free", isShareable: false, fill: 0, frame: "", size: 1,
    holders: [], taints: [], attributes: {}, capacity: {}, counters: [], ...more};
}
function change(node: string, name: string, before?: string, after?: string): DeviceChange {
  return {driver: "d", pool: node, device: name, node, ...(before ? {before: {state: before}} : {}), ...(after ? {after: {state: after, claims: ["a/c"]}} : {})};
}
const looks = (devices: Device[]) => devices.map((one) => `${one.name} ${one.state}`);

test("both maps have the same places, and devices that do not change", () => {
  const {before, after, changed, places} = comparedMaps([change("n", "y", "free", "used")], [device("m", "x"), device("n", "x", {state: "tainted"}), device("n", "y")]);
  assert.deepEqual(before.map((group) => [group.name, ...looks(group.devices)]), [["n", "x tainted", "y free"]]);
  assert.deepEqual(after.map((group) => [group.name, ...looks(group.devices)]), [["n", "x tainted", "y used"]]);
  assert.equal(after[0]!.devices[1]!.holders[0]!.claim, "a/c");
  assert.deepEqual([[...changed], places], [["d/n/y"], 1]);
});

test("a device that comes or goes has a place in both; a copy of a node is laid out as the node", () => {
  const {before, after} = comparedMaps([change("n-more-0", "part", undefined, "free"), change("gone", "x", "used")],
    [device("n", "part", {frame: "d/n/gpu", size: 0.5}), device("gone", "x")]);
  assert.deepEqual(before.map((group) => looks(group.devices)), [["x used"], ["part absent"]]);
  assert.deepEqual(after.map((group) => looks(group.devices)), [["x absent"], ["part free"]]);
  assert.deepEqual([after[1]!.devices[0]!.size, after[1]!.devices[0]!.frame], [0.5, "n-more-0 d/n/gpu"]);
});

test("so many places and devices are drawn", () => {
  const many = (places: number) => Array.from({length: places}, (_, i) => change(`n-${i}`, "x", "free", "used"));
  assert.equal(comparedMaps(many(PLACES_MAX), []).before.length, PLACES_MAX);
  const more = comparedMaps([...many(PLACES_MAX + 1), change("n-24", "y", "free", "used")], []);
  assert.deepEqual([more.before.length, more.places], [PLACES_MAX, PLACES_MAX + 1]);
  assert.ok(more.before.some((group) => group.name === "n-24")); // the one with most changes
  const full = (devices: number) => comparedMaps([change("a", "0", "free", "used"), change("b", "0", "free", "used")],
    [device("a", "0"), ...Array.from({length: devices}, (_, i) => device("b", String(i)))]).before.length;
  assert.deepEqual([full(DRAWN_MAX - 1), full(DRAWN_MAX)], [2, 1]);
});

test("states have the words of the map", () => {
  assert.equal(stateOf(undefined, false), "absent");
  assert.equal(stateOf({state: "used"}, true), "shared");
  assert.equal(stateOf({state: "nodeTainted"}, false), "node-tainted");
  assert.equal(stateOf({state: "unusable"}, false), "incomplete");
  assert.equal(stateOf({state: "cordoned"}, true), "cordoned");
});
