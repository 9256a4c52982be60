// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {serverNow, setClock} from "./client.ts";

test("times are by the server's clock, where the browser's is apart", () => {
  const isNear = (milliseconds: number) => Math.abs(serverNow() - Date.now() - milliseconds) < 1500;
  setClock(new Date(Date.now() - 3_600_000).toUTCString());
  assert.ok(isNear(-3_600_000));
  setClock(null); // an answer without a date says nothing
  setClock("nonsense");
  assert.ok(isNear(-3_600_000));
  setClock(new Date(Date.now() - 1000).toUTCString());
  assert.equal(Math.abs(serverNow() - Date.now()) < 100, true);
});
