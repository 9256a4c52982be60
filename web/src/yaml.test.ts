// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {toYaml} from "./yaml.ts";

test("nested values", () => {
  assert.equal(toYaml({kind: "Pod", spec: {a: [1, {b: "x", c: []}], d: {}}, last: null}),
    "kind: Pod\nspec:\n  a:\n  - 1\n  - b: x\n    c: []\n  d: {}\nlast: null\n");
});

test("texts that YAML could take for something else are quoted", () => {
  assert.equal(toYaml(["yes", "1", "a: b", "", "- x", "x # y", "null", "two\nlines", "plain text"]),
    '- "yes"\n- "1"\n- "a: b"\n- ""\n- "- x"\n- "x # y"\n- "null"\n- "two\\nlines"\n- plain text\n');
});

test("characters that hide or turn text are escaped, so that what is copied is what is seen", () => {
  assert.equal(toYaml({a: "x\u202ey", b: "\u001b[31m", c: "z\u007f"}), 'a: "x\\u202ey"\nb: "\\u001b[31m"\nc: "z\\u007f"\n');
});
