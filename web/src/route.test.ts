// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {linkFrom, parseRoute, routeText, withParts} from "./route.ts";

test("a route is read back as it was written", () => {
  const route = {view: "waiting" as const, at: {explain: "ns/a?b&c=d#e", q: "<b>ü\u202e"}};
  assert.deepEqual(parseRoute(routeText(route)), route);
});

test("what is no route shows the devices", () => {
  for (const hash of ["", "#", "#/", "#/nonsense", "#/../x", "#/constructor"]) assert.equal(parseRoute(hash).view, "devices", hash);
});

test("parameters have limits", () => {
  assert.equal(parseRoute(`#/devices?q=${"x".repeat(2001)}`).at.q!.length, 2000);
  assert.deepEqual(parseRoute("#/devices?__proto__=1&Q=2&ok=3").at, {ok: "3"});
  const many = Array.from({length: 30}, (_, i) => `k${"a".repeat(i % 16)}=1`).join("&");
  assert.ok(Object.keys(parseRoute(`#/devices?${many}`).at).length <= 20);
});

test("empty values leave a route", () => {
  assert.equal(routeText(withParts(parseRoute("#/devices?q=a&by=pool"), {q: "", by: undefined, state: "used"})), "#/devices?state=used");
});

test("a link to another view keeps the namespace and the moment, and nothing else", () => {
  const route = parseRoute("#/devices?ns=a&rev=7&q=x&pick=node:n");
  assert.equal(linkFrom(route, "waiting", {explain: "a/p"}), "#/waiting?explain=a%2Fp&ns=a&rev=7");
  assert.equal(linkFrom(parseRoute("#/devices?q=x"), "capacity"), "#/capacity");
});
