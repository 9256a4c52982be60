// SPDX-License-Identifier: Apache-2.0
// The map of devices: where each group and each device is, and how it is drawn. A device alone is a square;
// partitions of one device are bars inside the frame of their parent, as high as their share of it.
import type {Device, Group, State} from "./model.ts";

export const CELL_MIN = 4;
export const CELL_MAX = 56;
const GAP = 10; // between groups
const LABEL = 16; // height of a group's name
const LABEL_CELL_MIN = 9; // smaller cells have no names above them

export interface Cell {
  device: Device;
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Block {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  cells: Cell[];
  frames: {x: number; y: number; width: number; height: number}[];
}
export interface Layout {
  blocks: Block[]; // from the top down
  height: number;
  cell: number;
  hasNames: boolean;
}

/// Devices of a frame are one strip of bars; the others fill rows of squares.
function layBlock(group: Group, cell: number, top: number, most: number): Block {
  const alone = group.devices.filter((device) => !device.frame);
  const frames = new Map<string, Device[]>();
  for (const device of group.devices) {
    if (device.frame) frames.set(device.frame, [...(frames.get(device.frame) ?? []), device]);
  }
  const longest = Math.max(0, ...[...frames.values()].map((list) => list.length));
  const step = cell + Math.max(1, Math.floor(cell / 6));
  const wanted = Math.max(1, alone.length > 32 ? Math.ceil(Math.sqrt(alone.length * 2)) : Math.min(8, alone.length),
    Math.min(8, Math.ceil(longest / 2)));
  const columns = Math.min(wanted, Math.max(1, Math.floor(most / step)));
  const block: Block = {name: group.name, x: 0, y: 0, width: columns * step, height: top, cells: [], frames: []};
  alone.forEach((device, i) => block.cells.push({device, x: (i % columns) * step,
    y: top + Math.floor(i / columns) * step, width: cell, height: cell}));
  let y = top + Math.ceil(alone.length / columns) * step;
  for (const list of frames.values()) {
    const width = columns * step - (step - cell);
    const inner = Math.max(1, (width - 4) / list.length);
    block.frames.push({x: 0, y, width, height: cell + 4});
    list.forEach((device, i) => {
      const height = Math.max(Math.min(cell, 4), cell * device.size);
      block.cells.push({device, x: 2 + i * inner, y: y + 2 + cell - height,
        width: Math.max(1, inner - Math.min(2, inner / 4)), height});
    });
    y += step + 4;
  }
  block.height = y;
  return block;
}

/// O(devices).
export function layOut(groups: Group[], width: number, cell: number): Layout {
  const hasNames = cell >= LABEL_CELL_MIN;
  const top = hasNames ? LABEL : 0;
  const gap = hasNames ? GAP : Math.max(3, cell / 2);
  const blocks: Block[] = [];
  let x = 0;
  let y = 0;
  let tallest = 0;
  for (const group of groups) {
    const block = layBlock(group, cell, top, width);
    if (x > 0 && x + block.width > width) {
      x = 0;
      y += tallest + gap;
      tallest = 0;
    }
    block.x = x;
    block.y = y;
    for (const one of block.cells) {
      one.x += x;
      one.y += y;
    }
    for (const one of block.frames) {
      one.x += x;
      one.y += y;
    }
    x += Math.max(block.width, hasNames ? 72 : 0) + gap;
    tallest = Math.max(tallest, block.height);
    blocks.push(block);
  }
  return {blocks, height: y + tallest, cell, hasNames};
}

const CELLS = [40, 34, 28, 24, 20, 17, 14, 11, 9, 7, 5, CELL_MIN];

/// The largest cell with which all groups fit into a window. O(devices), a few times.
export function fittingCell(groups: Group[], width: number, height: number): number {
  const devices = groups.reduce((sum, group) => sum + group.devices.length, 0);
  for (const cell of CELLS) {
    if (cell * cell * devices > width * height) continue;
    if (layOut(groups, width, cell).height <= height) return cell;
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

export interface Palette {
  text: string;
  muted: string;
  line: string;
  page: string;
  accent: string;
  states: Record<State, string>;
}

/// Shapes tell the states apart where colours cannot: full, part full, crossed, struck, dotted, marked.
export function drawCell(context: CanvasRenderingContext2D, state: State, fill: number,
  box: {x: number; y: number; width: number; height: number}, palette: Palette): void {
  const {x, y, width, height} = box;
  const colour = palette.states[state];
  const isTiny = Math.min(width, height) < 7;
  context.fillStyle = palette.page;
  context.fillRect(x, y, width, height);
  context.fillStyle = colour;
  if (state === "used" || (isTiny && state !== "free")) {
    context.fillRect(x, y, width, height);
  } else if (state === "shared") {
    const part = Math.max(2, height * Math.max(fill, 0.1));
    context.fillRect(x, y + height - part, width, part);
  }
  context.strokeStyle = colour;
  context.lineWidth = isTiny ? 1 : 1.5;
  context.strokeRect(x + 0.5, y + 0.5, Math.max(1, width - 1), Math.max(1, height - 1));
  if (isTiny) return;
  context.beginPath();
  if (state === "tainted" || state === "blocked") {
    context.moveTo(x + 2, y + height - 2);
    context.lineTo(x + width - 2, y + 2);
  }
  if (state === "tainted") {
    context.moveTo(x + 2, y + 2);
    context.lineTo(x + width - 2, y + height - 2);
  }
  if (state === "unhealthy") {
    context.moveTo(x + width / 2, y + height * 0.2);
    context.lineTo(x + width / 2, y + height * 0.6);
    context.moveTo(x + width / 2, y + height * 0.72);
    context.lineTo(x + width / 2, y + height * 0.82);
  }
  if (state === "incomplete") {
    context.setLineDash([2, 2]);
    context.moveTo(x + 2, y + height / 2);
    context.lineTo(x + width - 2, y + height / 2);
  }
  context.stroke();
  context.setLineDash([]);
}

/// Draws what is between `top` and `top + height`.
export function drawMap(context: CanvasRenderingContext2D, layout: Layout,
  view: {top: number; width: number; height: number}, marks: {picked: string; cursor: string}, palette: Palette): void {
  context.fillStyle = palette.page;
  context.fillRect(0, 0, view.width, view.height);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "top";
  for (const block of layout.blocks) {
    if (block.y + block.height < view.top || block.y > view.top + view.height) continue;
    if (layout.hasNames) {
      context.fillStyle = palette.text;
      context.fillText(fitted(context, block.name, Math.max(block.width, 72)), block.x, block.y - view.top);
    }
    context.strokeStyle = palette.muted;
    context.lineWidth = 1;
    for (const frame of block.frames) context.strokeRect(frame.x + 0.5, frame.y - view.top + 0.5, frame.width, frame.height);
    for (const cell of block.cells) {
      if (cell.y + cell.height < view.top || cell.y > view.top + view.height) continue;
      const box = {x: cell.x, y: cell.y - view.top, width: cell.width, height: cell.height};
      drawCell(context, cell.device.state, cell.device.fill, box, palette);
      const isPicked = cell.device.id === marks.picked;
      if (!isPicked && cell.device.id !== marks.cursor) continue;
      context.strokeStyle = isPicked ? palette.accent : palette.text;
      context.lineWidth = 2.5;
      context.strokeRect(box.x - 2, box.y - 2, box.width + 4, box.height + 4);
    }
  }
}

function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (text.length < 200 && context.measureText(text).width <= width) return text;
  let length = Math.min(text.length, 60);
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length -= Math.ceil(length / 8);
  return `${text.slice(0, length)}…`;
}
