// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {count, localTime, span, visible} from "./text.ts";

test("characters that hide or turn others are shown by number", () => {
  assert.equal(visible("a\u202egpj.exe"), "a‹U+202E›gpj.exe");
  assert.equal(visible("\u001b[31mred"), "‹U+001B›[31mred");
  assert.equal(visible("zero\u200bwidth"), "zero‹U+200B›width");
  assert.equal(visible("<b>&amp;</b>"), "<b>&amp;</b>");
  assert.equal(visible("two\nlines\tand tab"), "two\nlines\tand tab");
});

test("long names stay whole", () => {
  assert.equal(visible("x".repeat(253)).length, 253);
});

test("numbers and units", () => {
  assert.equal(count(1, "pod"), "1 pod");
  assert.equal(count(12345, "pod"), "12 345 pods");
  assert.equal(span(-5000), "0 s");
  assert.equal(span(119_000), "119 s");
  assert.equal(span(120_000), "2 min");
  assert.equal(span(3 * 86400_000), "3 d");
  assert.equal(localTime("no time\u202e"), "no time‹U+202E›");
});
