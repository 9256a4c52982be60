// SPDX-License-Identifier: Apache-2.0
// The map of devices: where each group and each device is; paint.ts draws it. A device alone is a square;
// partitions of one device are bars inside the frame of their parent, as high as their share of it.
import type {Device, Group} from "./model.ts";

export const CELL_MIN = 4;
export const CELL_MAX = 56;
const GAP = 10; // between groups
const LABEL = 16; // height of a group's name
const NAME_WIDTH_MIN = 72;
const LABEL_CELL_MIN = 9; // smaller cells have no names above them

export interface Cell {
  device: Device;
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Frame {x: number; y: number; width: number; height: number}
interface Inside {cells: Cell[]; frames: Frame[]}

/// A group on the map. Its cells are placed when they are first looked at: of a large cluster few are seen.
export class Block {
  private inside: Inside | undefined;

  constructor(readonly name: string, readonly x: number, readonly y: number, readonly width: number, readonly height: number,
    private readonly place: (block: Block) => Inside) {}

  get cells(): Cell[] {
    return (this.inside ??= this.place(this)).cells;
  }
  get frames(): Frame[] {
    return (this.inside ??= this.place(this)).frames;
  }
}
export interface Layout {
  blocks: Block[]; // from the top down
  height: number;
  cell: number;
  hasNames: boolean;
}

/// What the size of a group's block depends on.
interface Shape {alone: number; frames: number; longest: number}

function shapeOf(group: Group): Shape {
  const frames = new Map<string, number>();
  let alone = 0;
  for (const {frame} of group.devices) {
    if (frame) frames.set(frame, (frames.get(frame) ?? 0) + 1);
    else alone += 1;
  }
  let longest = 0;
  for (const many of frames.values()) longest = Math.max(longest, many);
  return {alone, frames: frames.size, longest};
}

const known = new WeakMap<Group[], Shape[]>();

function shapesOf(groups: Group[]): Shape[] {
  const shapes = known.get(groups) ?? groups.map(shapeOf);
  known.set(groups, shapes);
  return shapes;
}

/// The columns of squares, the distance between them, and the height of a block.
function gridOf({alone, frames, longest}: Shape, cell: number, top: number, most: number) {
  const step = cell + Math.max(1, Math.floor(cell / 6));
  const wanted = Math.max(1, alone > 32 ? Math.ceil(Math.sqrt(alone * 2)) : Math.min(8, alone), Math.min(8, Math.ceil(longest / 2)));
  const columns = Math.min(wanted, Math.max(1, Math.floor(most / step)));
  return {step, columns, height: top + Math.ceil(alone / columns) * step + frames * (step + 4)};
}

/// Devices of a frame are one strip of bars; the others fill rows of squares, below the name of the group.
function placeIn(block: Block, devices: Device[], cell: number, {step, columns}: {step: number; columns: number}, top: number): Inside {
  const inside: Inside = {cells: [], frames: []};
  const frames = new Map<string, Device[]>();
  let place = 0;
  for (const device of devices) {
    if (device.frame) {
      const list = frames.get(device.frame);
      if (list) list.push(device);
      else frames.set(device.frame, [device]);
      continue;
    }
    inside.cells.push({device, x: block.x + (place % columns) * step, y: block.y + top + Math.floor(place / columns) * step, width: cell, height: cell});
    place += 1;
  }
  let y = block.y + top + Math.ceil(place / columns) * step;
  for (const list of frames.values()) {
    const width = columns * step - (step - cell);
    const inner = Math.max(1, (width - 4) / list.length);
    inside.frames.push({x: block.x, y, width, height: cell + 4});
    list.forEach((device, i) => {
      const high = Math.max(Math.min(cell, 4), cell * device.size);
      inside.cells.push({device, x: block.x + 2 + i * inner, y: y + 2 + cell - high,
        width: Math.max(1, inner - Math.min(2, inner / 4)), height: high});
    });
    y += step + 4;
  }
  return inside;
}

/// Spaces between blocks, for the size of a cell.
function spacing(cell: number): {hasNames: boolean; top: number; gap: number} {
  const hasNames = cell >= LABEL_CELL_MIN;
  return {hasNames, top: hasNames ? LABEL : 0, gap: hasNames ? GAP : Math.max(3, cell / 2)};
}

/// Calls `each` with the place of each block, row by row; gives the height of all. O(groups).
function flow(shapes: Shape[], width: number, cell: number, each: (i: number, x: number, y: number, grid: ReturnType<typeof gridOf>) => void): number {
  const {hasNames, top, gap} = spacing(cell);
  let x = 0;
  let y = 0;
  let tallest = 0;
  shapes.forEach((shape, i) => {
    const grid = gridOf(shape, cell, top, width);
    const wide = grid.columns * grid.step;
    if (x > 0 && x + wide > width) {
      x = 0;
      y += tallest + gap;
      tallest = 0;
    }
    each(i, x, y, grid);
    x += Math.max(wide, hasNames ? NAME_WIDTH_MIN : 0) + gap;
    tallest = Math.max(tallest, grid.height);
  });
  return y + tallest;
}

/// O(devices) for groups that were not laid out before, else O(groups).
export function layOut(groups: Group[], width: number, cell: number): Layout {
  const {hasNames, top} = spacing(cell);
  const blocks: Block[] = [];
  const height = flow(shapesOf(groups), width, cell, (i, x, y, grid) => {
    const {name, devices} = groups[i]!;
    blocks.push(new Block(name, x, y, grid.columns * grid.step, grid.height, (block) => placeIn(block, devices, cell, grid, top)));
  });
  return {blocks, height, cell, hasNames};
}

const CELLS = [40, 34, 28, 24, 20, 17, 14, 11, 9, 7, 5, CELL_MIN];

/// The largest cell with which all groups fit into a window. O(devices), and a few times O(groups).
export function fittingCell(groups: Group[], width: number, height: number): number {
  const devices = groups.reduce((sum, group) => sum + group.devices.length, 0);
  const shapes = shapesOf(groups);
  for (const cell of CELLS) {
    if (cell * cell * devices > width * height) continue;
    if (flow(shapes, width, cell, () => undefined) <= height) return cell;
  }
  return CELL_MIN;
}

/// The device at a point.
export function cellAt(layout: Layout, x: number, y: number): Cell | undefined {
  for (const block of layout.blocks) {
    if (y < block.y || y > block.y + block.height || x < block.x || x > block.x + block.width) continue;
    const found = block.cells.find((one) => x >= one.x && x <= one.x + one.width && y >= one.y && y <= one.y + one.height);
    if (found) return found;
  }
  return undefined;
}

export type Direction = "left" | "right" | "up" | "down";

/// The device beside `id` for the keyboard; the first one when `id` is not on the map.
export function neighbour(layout: Layout, id: string, direction: Direction): Cell | undefined {
  const cells = layout.blocks.flatMap((block) => block.cells);
  const at = cells.findIndex((one) => one.device.id === id);
  if (at < 0) return cells[0];
  if (direction === "left") return cells[Math.max(0, at - 1)];
  if (direction === "right") return cells[Math.min(cells.length - 1, at + 1)];
  const from = cells[at]!;
  let best = from;
  let least = Infinity;
  for (const one of cells) {
    const away = direction === "up" ? from.y - one.y : one.y - from.y;
    if (away <= 0.5) continue;
    const distance = away * 4 + Math.abs(one.x - from.x);
    if (distance < least) {
      least = distance;
      best = one;
    }
  }
  return best;
}
