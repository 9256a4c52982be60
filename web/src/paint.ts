// SPDX-License-Identifier: Apache-2.0
// Draws the map. Large cells come from sprites, one for each look. Cells of a few pixels are written into the
// picture's bytes: 40 000 of them cost as much as a few hundred strokes.
import type {Block, Layout} from "./map.ts";
import type {State} from "./model.ts";

export interface Palette {
  text: string;
  muted: string;
  line: string;
  page: string;
  accent: string;
  states: Record<State, string>;
}
export interface Box {x: number; y: number; width: number; height: number}
export interface View {top: number; width: number; height: number; scale: number} // scale: pixels of the screen
export interface Marks {picked: string; cursor: string; changed: ReadonlySet<string>} // ids of devices

const TINY = 7; // smaller cells show full or empty only
const RING_MIN = 3; // a free device of fewer pixels has no edge around it
const FILL_STEPS = 20;
const SPRITES_MAX = 400;
const NAME_WIDTH = 72;
const CORNER_SHARE = 0.45; // of a cell

/// Shapes tell the states apart where colours cannot: full, part full, crossed, struck, dotted, marked.
function drawCell(context: CanvasRenderingContext2D, state: State, fill: number, box: Box, palette: Palette): void {
  const {x, y, width, height} = box;
  const colour = palette.states[state];
  const isTiny = Math.min(width, height) < TINY;
  context.fillStyle = palette.page;
  context.fillRect(x, y, width, height);
  context.fillStyle = colour;
  if (state === "used" || (isTiny && state !== "free" && state !== "absent")) {
    context.fillRect(x, y, width, height);
  } else if (state === "shared") {
    const part = Math.max(2, height * Math.max(fill, 0.1));
    context.fillRect(x, y + height - part, width, part);
  }
  if (state === "free" && Math.min(width, height) < RING_MIN) {
    context.fillRect(x, y + height - 1, width, 1);
    return;
  }
  context.strokeStyle = colour;
  context.lineWidth = isTiny ? 1 : 1.5;
  if (state === "absent") context.setLineDash([2, 2]);
  context.strokeRect(x + 0.5, y + 0.5, Math.max(1, width - 1), Math.max(1, height - 1));
  context.setLineDash([]);
  if (isTiny) return;
  const line = (x1: number, y1: number, x2: number, y2: number) => {
    context.moveTo(x + x1, y + y1);
    context.lineTo(x + x2, y + y2);
  };
  context.beginPath();
  if (state === "tainted" || state === "blocked") line(2, height - 2, width - 2, 2);
  if (state === "tainted") line(2, 2, width - 2, height - 2);
  if (state === "cordoned" || state === "node-tainted") line(width / 2, 2, width / 2, height - 2);
  if (state === "node-tainted") line(2, height / 2, width - 2, height / 2);
  if (state === "unhealthy") {
    line(width / 2, height * 0.2, width / 2, height * 0.6);
    line(width / 2, height * 0.72, width / 2, height * 0.82);
  }
  if (state === "incomplete") {
    context.setLineDash([2, 2]);
    line(2, height / 2, width - 2, height / 2);
  }
  context.stroke();
  context.setLineDash([]);
}

/// Marks a device by a corner: the shape tells it without its colour.
function paintCorner(context: CanvasRenderingContext2D, {x, y, width, height}: Box, palette: Palette): void {
  const side = Math.max(3, Math.min(width, height) * CORNER_SHARE);
  context.beginPath();
  context.moveTo(x + width - side, y);
  context.lineTo(x + width + 1, y);
  context.lineTo(x + width + 1, y + side + 1);
  context.closePath();
  context.fillStyle = palette.text;
  context.strokeStyle = palette.page;
  context.lineWidth = 1.5;
  context.stroke();
  context.fill();
}

function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (text.length < 200 && context.measureText(text).width <= width) return text;
  let length = Math.min(text.length, 60);
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length -= Math.ceil(length / 8);
  return `${text.slice(0, length)}…`;
}

/// A colour "#rrggbb" as the bytes of a pixel.
export function pixelOf(colour: string): number {
  const found = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(colour);
  const [red = 128, green = 128, blue = 128] = found ? found.slice(1).map((part) => parseInt(part, 16)) : [];
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/// Fills a rectangle of pixels; what is outside of the picture is left out.
export function fillPixels(pixels: Uint32Array, stride: number, box: Box, colour: number): void {
  const left = Math.max(0, Math.round(box.x));
  const right = Math.min(stride, Math.round(box.x + box.width));
  const bottom = Math.min(pixels.length / stride, Math.round(box.y + box.height));
  if (right <= left) return;
  for (let y = Math.max(0, Math.round(box.y)); y < bottom; ++y) pixels.fill(colour, y * stride + left, y * stride + right);
}

/// The blocks that are seen. They stand in rows from the top down.
export function blocksIn(layout: Layout, top: number, height: number): Block[] {
  const seen: Block[] = [];
  for (const block of layout.blocks) {
    if (block.y > top + height) break;
    if (block.y + block.height >= top) seen.push(block);
  }
  return seen;
}

export class Painter {
  private sprites = new Map<string, HTMLCanvasElement>();
  private palette: Palette | undefined;
  private image: ImageData | undefined;

  /// Draws what is between `top` and `top + height`. The canvas has `scale` pixels for each unit.
  paint(context: CanvasRenderingContext2D, layout: Layout, view: View, marks: Marks, palette: Palette): void {
    if (this.palette !== palette) {
      this.palette = palette;
      this.sprites.clear();
    }
    const blocks = blocksIn(layout, view.top, view.height);
    context.setTransform(view.scale, 0, 0, view.scale, 0, 0);
    if (layout.cell < TINY) {
      this.paintPixels(context, blocks, view, palette);
    } else {
      this.paintSprites(context, blocks, layout, view, palette);
    }
    this.paintMarks(context, blocks, view, marks, palette);
  }

  private paintPixels(context: CanvasRenderingContext2D, blocks: Block[], view: View, palette: Palette): void {
    const {width, height} = context.canvas;
    if (width === 0 || height === 0) return;
    if (this.image?.width !== width || this.image.height !== height) this.image = context.createImageData(width, height);
    const pixels = new Uint32Array(this.image.data.buffer);
    const {scale, top} = view;
    const page = pixelOf(palette.page);
    const muted = pixelOf(palette.muted);
    const states = new Map(Object.entries(palette.states).map(([state, colour]) => [state, pixelOf(colour)]));
    const edge = Math.max(1, Math.round(scale));
    const box = {x: 0, y: 0, width: 0, height: 0};
    const put = (x: number, y: number, w: number, h: number, inset: number, colour: number) => {
      box.x = x * scale + inset;
      box.y = (y - top) * scale + inset;
      box.width = w * scale - 2 * inset;
      box.height = h * scale - 2 * inset;
      fillPixels(pixels, width, box, colour);
    };
    pixels.fill(page);
    for (const block of blocks) {
      for (const frame of block.frames) {
        put(frame.x, frame.y, frame.width, frame.height, 0, muted);
        put(frame.x, frame.y, frame.width, frame.height, edge, page);
      }
      for (const {device, x, y, width: w, height: h} of block.cells) {
        put(x, y, w, h, 0, states.get(device.state) ?? muted);
        if (device.state !== "free" && device.state !== "absent") continue;
        if (Math.min(w, h) >= RING_MIN) put(x, y, w, h, edge, page);
        else put(x, y, w, Math.max(0, h - 1), 0, page); // no room for an edge around: a line below
      }
    }
    context.putImageData(this.image, 0, 0);
  }

  private paintSprites(context: CanvasRenderingContext2D, blocks: Block[], layout: Layout, view: View, palette: Palette): void {
    context.fillStyle = palette.page;
    context.fillRect(0, 0, view.width, view.height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "top";
    for (const block of blocks) {
      if (layout.hasNames) {
        context.fillStyle = palette.text;
        context.fillText(fitted(context, block.name, Math.max(block.width, NAME_WIDTH)), block.x, block.y - view.top);
      }
      context.strokeStyle = palette.muted;
      context.lineWidth = 1;
      for (const frame of block.frames) context.strokeRect(frame.x + 0.5, frame.y - view.top + 0.5, frame.width, frame.height);
      for (const {device, x, y, width, height} of block.cells) {
        if (y + height < view.top || y > view.top + view.height) continue;
        const sprite = this.spriteOf(device.state, device.fill, width, height, view.scale, palette);
        const left = Math.round(x * view.scale) / view.scale;
        const above = Math.round((y - view.top) * view.scale) / view.scale;
        context.drawImage(sprite, left, above, sprite.width / view.scale, sprite.height / view.scale);
      }
    }
  }

  private spriteOf(state: State, fill: number, width: number, height: number, scale: number, palette: Palette): HTMLCanvasElement {
    const across = Math.max(1, Math.round(width * scale));
    const down = Math.max(1, Math.round(height * scale));
    const level = state === "shared" ? Math.round(fill * FILL_STEPS) : 0;
    const key = `${state} ${level} ${across} ${down}`;
    const known = this.sprites.get(key);
    if (known) return known;
    if (this.sprites.size >= SPRITES_MAX) this.sprites.clear();
    const sprite = document.createElement("canvas");
    sprite.width = across;
    sprite.height = down;
    const context = sprite.getContext("2d")!;
    context.scale(scale, scale);
    drawCell(context, state, level / FILL_STEPS, {x: 0, y: 0, width: across / scale, height: down / scale}, palette);
    this.sprites.set(key, sprite);
    return sprite;
  }

  private paintMarks(context: CanvasRenderingContext2D, blocks: Block[], view: View, marks: Marks, palette: Palette): void {
    if (!marks.picked && !marks.cursor && marks.changed.size === 0) return;
    for (const block of blocks) {
      for (const {device, x, y, width, height} of block.cells) {
        if (marks.changed.has(device.id)) paintCorner(context, {x, y: y - view.top, width, height}, palette);
        const isPicked = device.id === marks.picked;
        if (!isPicked && device.id !== marks.cursor) continue;
        context.strokeStyle = isPicked ? palette.accent : palette.text;
        context.lineWidth = 2.5;
        context.strokeRect(x - 2, y - view.top - 2, width + 4, height + 4);
      }
    }
  }
}
