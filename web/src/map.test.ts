// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {cellAt, CELL_MIN, fittingCell, layOut, neighbour} from "./map.ts";
import type {Device} from "./model.ts";
import {blocksIn, fillPixels, pixelOf} from "./paint.ts";

function device(id: string, frame = ""): Device {
  return {id, driver: "d", pool: "p", name: id, node: "n", slice: "s", state: "free", isShareable: false, fill: 0, frame, size: 0.5, holders: [], taints: [], attributes: {}, capacity: {}, counters: []};
}
function group(name: string, many: number, frame = "") {
  return {name, devices: Array.from({length: many}, (_, i) => device(`${name}-${i}`, frame))};
}

test("no device covers another, and none is outside", () => {
  for (const width of [100, 400, 1200]) {
    const layout = layOut([group("a", 8), group("b", 7, "gpu"), group("c", 1), group("d", 100), group("e", 9)], width, 20);
    const cells = layout.blocks.flatMap((block) => block.cells);
    assert.ok(cells.every((one) => one.x + one.width <= width), `wider than ${width}`);
    assert.equal(cells.length, 125);
    for (const [i, one] of cells.entries()) {
      assert.ok(one.y + one.height <= layout.height + 0.01);
      for (const other of cells.slice(i + 1)) {
        assert.ok(one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y,
          `${one.device.id} and ${other.device.id} at ${width}`);
      }
    }
  }
});

test("the first zoom shows all, as large as it can", () => {
  assert.equal(fittingCell([group("a", 1)], 800, 400), 40);
  const many = Array.from({length: 500}, (_, i) => group(`n${i}`, 8));
  const cell = fittingCell(many, 800, 400);
  assert.ok(cell > CELL_MIN && layOut(many, 800, cell).height <= 400);
  assert.equal(fittingCell(Array.from({length: 12_500}, (_, i) => group(`n${i}`, 8)), 800, 400), CELL_MIN);
});

test("a point finds its device", () => {
  const layout = layOut([group("a", 8), group("b", 4, "gpu")], 600, 20);
  for (const cell of layout.blocks.flatMap((block) => block.cells)) {
    assert.equal(cellAt(layout, cell.x + cell.width / 2, cell.y + cell.height / 2)!.device.id, cell.device.id);
  }
  assert.equal(cellAt(layout, 590, 5), undefined);
});

test("keys reach each device and stop at the ends", () => {
  const layout = layOut([group("a", 8), group("b", 8)], 200, 20);
  assert.equal(neighbour(layout, "", "right")!.device.id, "a-0");
  assert.equal(neighbour(layout, "a-0", "left")!.device.id, "a-0");
  assert.equal(neighbour(layout, "a-7", "right")!.device.id, "b-0");
  assert.equal(neighbour(layout, "b-7", "right")!.device.id, "b-7");
  assert.equal(neighbour(layout, "b-0", "up")!.device.id, "a-0");
});

test("100 000 devices are laid out once in linear time", () => {
  const groups = Array.from({length: 12_500}, (_, i) => group(`node-${i}`, 8));
  assert.equal(layOut(groups, 1200, CELL_MIN).blocks.length, 12_500);
});

test("small cells are written as pixels, inside of the picture only", () => {
  const pixels = new Uint32Array(20);
  fillPixels(pixels, 5, {x: 3, y: 2, width: 9, height: 9}, 7);
  fillPixels(pixels, 5, {x: -3, y: -3, width: 4, height: 4}, 9);
  fillPixels(pixels, 5, {x: 9, y: 0, width: 2, height: 2}, 8);
  assert.deepEqual([...pixels], [9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 0, 0, 0, 7, 7]);
  assert.equal(pixelOf("#010203"), 0xff030201);
  assert.equal(pixelOf("strange"), 0xff808080);
});

test("only the blocks in the window are drawn", () => {
  const layout = layOut(Array.from({length: 500}, (_, i) => group(`n${i}`, 8)), 800, 5);
  const seen = blocksIn(layout, 100, 50);
  assert.deepEqual(seen, layout.blocks.filter((block) => block.y <= 150 && block.y + block.height >= 100));
});
