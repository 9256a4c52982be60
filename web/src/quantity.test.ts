// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {parseQuantity} from "./quantity.ts";

test("quantities are numbers", () => {
  for (const [text, number] of [["0", 0], ["1", 1], ["40Gi", 40 * 2 ** 30], ["200m", 0.2], ["1.5k", 1500], ["2e3", 2000], ["-3", -3], [".5", 0.5]] as const) {
    assert.equal(parseQuantity(text), number, text);
  }
});

test("other texts are not", () => {
  for (const text of ["", "Gi", "1Xi", "1 2", "0x10", "1e", "∞"]) assert.ok(Number.isNaN(parseQuantity(text)), text);
});
