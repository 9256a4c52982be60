// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {bodyOf, changeLine, changesOf, CHANGES_MAX, commandOf, comparisonsOf, measuresOf, nodeChangesOf, type WhatIfAnswer} from "./whatif.ts";

const QUESTION = {manifests: "", changes: [], defaultNamespace: "", replicas: 0, max: false, defragment: false, driver: ""};

test("changes are read back as they were written", () => {
  const changes = [{kind: "drain" as const, text: "node-a"}, {kind: "taint" as const, text: "node/b=k=v:NoSchedule"}, {kind: "addNodes" as const, text: "b=2"}];
  assert.deepEqual(changesOf(changes.map(changeLine).join("\n")), changes);
  assert.deepEqual(changesOf("explode a\ndrain\ndrain  \n\ndrain b"), [{kind: "drain", text: "b"}]);
  assert.equal(changesOf("drain a\n".repeat(CHANGES_MAX)).length, CHANGES_MAX);
  assert.equal(changesOf("drain a\n".repeat(CHANGES_MAX + 1)).length, CHANGES_MAX);
});

test("the body has what the server reads, and the command the same", () => {
  const question = {...QUESTION, manifests: "kind: Pod\n", changes: changesOf("removeNode a\nlike b"), replicas: 3, defragment: true};
  assert.deepEqual(JSON.parse(bodyOf(question)), {manifests: "kind: Pod\n", defaultNamespace: "default", replicas: 3, defragment: true,
    changes: [{removeNode: "a"}, {like: "b"}]});
  assert.equal(commandOf(question, (word) => word), "dray whatif -f work.yaml --replicas 3 --defragment --remove-node a --like b");
  assert.deepEqual(JSON.parse(bodyOf({...question, max: true})), {manifests: "kind: Pod\n", defaultNamespace: "default", max: true, changes: [{removeNode: "a"}, {like: "b"}]});
});

test("slices of a new driver come after the changes", () => {
  const question = {...QUESTION, changes: changesOf("drain a"), driver: "kind: ResourceSlice\n"};
  assert.deepEqual(JSON.parse(bodyOf(question)).changes, [{drain: "a"}, {upgradeDriver: "kind: ResourceSlice\n"}]);
  assert.equal(commandOf(question, (word) => word), "dray whatif --drain a --upgrade-driver slices.yaml");
});

const ANSWER: WhatIfAnswer = {fits: false, answers: [
  {for: "pod d/new", fits: true, verdict: "fits", node: "b", devices: [{claim: "d/c", request: "r", driver: "x", pool: "b", device: "0"}, {claim: "d/c", request: "a", driver: "x", pool: "b", device: "1", adminAccess: true}]},
  {for: "pod d/old", fits: false, verdict: "doesNotFit", nodeBefore: "a", reason: "no room"}],
waiting: {pods: 5, fitBefore: 2, fit: 3, changes: [{for: "pod d/w", fits: true, verdict: "fits", node: "b"}]}};

test("before and after", () => {
  assert.deepEqual(measuresOf(ANSWER).map(({before, after, of}) => [before, after, of]), [[0, 1, 1], [1, 0, 1], [2, 3, 5]]);
  assert.deepEqual(comparisonsOf(ANSWER).map(({what, part, before}) => [what, part, before]), [["pod d/new", "work", ""], ["pod d/old", "moves", "a"], ["pod d/w", "waits", ""]]);
  assert.deepEqual(nodeChangesOf(ANSWER), [{node: "b", leave: 0, come: 2, devices: 1}, {node: "a", leave: 1, come: 0, devices: 0}]);
  assert.deepEqual(measuresOf({fits: true, answers: [], max: 4, podsByNode: {a: 4}}).map((one) => one.after), [4]);
  assert.deepEqual(nodeChangesOf({fits: true, answers: [], max: 4, podsByNode: {a: 4}}), [{node: "a", leave: 0, come: 4, devices: 0}]);
});
