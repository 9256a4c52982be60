// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {joined, spansOf, thinned, ticksOf, usageOf, type ClaimChange} from "./history.ts";
import type {ResourceClaim} from "./kube.ts";

const AT = (second: number) => new Date(second * 1000).toISOString();
function change(second: number, uid: string, ...devices: string[]): ClaimChange {
  return {revision: String(second), time: AT(second), claim: `ns/${uid}`, uid, devices};
}
function brief(spans: ReturnType<typeof spansOf>) {
  return spans.map((one) => `${one.claim} ${one.device} ${one.from / 1000}${one.isOpenBefore ? "-" : ""} ${one.to / 1000}${one.isOpen ? "+" : ""}`);
}

test("changes become spans", () => {
  const changes = [change(10, "a", "d/p/0", "d/p/1"), change(20, "b", "d/p/2"), change(30, "a", "d/p/1"), change(40, "a")];
  assert.deepEqual(brief(spansOf(changes, [], 0, 50_000)), ["ns/a d/p/0 10 30", "ns/a d/p/1 10 40", "ns/b d/p/2 20 50+"]);
});

test("what no change is about was so all the time, or since its allocation", () => {
  const claim = (uid: string, at?: string): ResourceClaim => ({metadata: {namespace: "ns", name: uid, uid}, status: {allocation: {devices: {results: [{request: "r", driver: "d", pool: "p", device: uid}]}, ...(at ? {allocationTimestamp: at} : {})}}});
  assert.deepEqual(brief(spansOf([change(20, "c")], [claim("a"), claim("b", AT(15)), claim("c")], 10_000, 50_000)), ["ns/a d/p/a 10- 50+", "ns/b d/p/b 15 50+"]);
});

test("what lies outside the window is cut, and clocks that go backwards give no negative spans", () => {
  assert.deepEqual(brief(spansOf([change(10, "a", "x"), change(30, "a")], [], 20_000, 25_000)), ["ns/a x 20- 25"]);
  assert.deepEqual(brief(spansOf([change(30, "a", "x"), change(20, "a")], [], 0, 50_000)), ["ns/a x 30 30"]);
  assert.deepEqual(spansOf([change(10, "a", "x"), change(15, "a")], [], 20_000, 25_000), []);
  assert.equal(spansOf([{...change(10, "a", "x"), time: "nonsense"}], [], 5000, 25_000)[0]!.from, 5000);
});

test("the page's changes follow the server's, without repeating them", () => {
  const history = {from: {revision: "1", time: AT(1)}, to: {revision: "9", time: AT(9)}, changes: [change(5, "a", "x")]};
  assert.deepEqual(joined(history, [change(8, "b", "y"), change(9, "b", "y"), change(10, "b")]).map((one) => one.revision), ["5", "10"]);
  assert.deepEqual(joined(history, [{...change(10, "b"), revision: "strange"}]).length, 1);
  assert.equal(joined(undefined, [change(8, "b")]).length, 1);
});

test("use counts each device once", () => {
  const spans = spansOf([change(10, "a", "x"), change(20, "b", "x", "y"), change(30, "a"), change(40, "b")], [], 0, 50_000);
  assert.deepEqual(usageOf(spans, 0), [{at: 0, used: 0}, {at: 10_000, used: 1}, {at: 20_000, used: 2}, {at: 40_000, used: 0}]);
});

test("many steps are thinned without losing peaks or the end", () => {
  const steps = Array.from({length: 10_000}, (_, i) => ({at: i, used: i === 5003 ? 99 : i % 2}));
  const thin = thinned(steps, 100, 0, 10_000);
  assert.ok(thin.length <= 101);
  assert.ok(thin.some((step) => step.used === 99));
  assert.equal(thin[thin.length - 1]!.used, 1);
  assert.equal(thinned(steps.slice(0, 100), 100, 0, 100).length, 100);
});

test("ticks are few and in order", () => {
  for (const length of [1000, 90_000, 3_600_000, 86_400_000 * 3, 86_400_000 * 4000]) {
    const ticks = ticksOf(1_700_000_000_000, 1_700_000_000_000 + length, 6);
    assert.ok(ticks.length <= 7, String(length));
    assert.ok(ticks.every((at, i) => i === 0 || at > ticks[i - 1]!));
  }
});

test("100 000 changes become spans in linear time", () => {
  const changes = Array.from({length: 100_000}, (_, i) => change(i, `u${i % 5000}`, ...(i % 10_000 < 5000 ? [`d/p/${i % 5000}`] : [])));
  assert.equal(spansOf(changes, [], 0, 200_000_000).length, 50_000);
});
