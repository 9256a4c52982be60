// SPDX-License-Identifier: Apache-2.0
// A map of devices as a control: it is painted on a canvas, scrolls, zooms, and is used with a pointer or with keys.
import type {JSX} from "preact";
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {change, useShown} from "../hooks.ts";
import {CELL_MAX, CELL_MIN, cellAt, fittingCell, layOut, neighbour, type Direction} from "../map.ts";
import {STATES, type Device, type Group, type State} from "../model.ts";
import {Painter, type Palette} from "../paint.ts";
import {count, visible} from "../text.ts";

const FRAME_HEIGHT_MIN = 160;
const FRAME_HEIGHT_MAX = 700;
const FRAME_SHARE = 0.6; // of the window
const FRAME_PADDING = 22;
const DIRECTIONS: Record<string, Direction> = {ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down"};
const NOTHING: ReadonlySet<string> = new Set();

/// In words, for a screen reader and the line below the map.
export function describe(device: Device): string {
  const holders = device.holders.map((holder) => `claim ${holder.claim}${holder.pods.length ? ` of pod ${holder.pods.join(", ")}` : ""}`);
  return visible(`${device.id}${device.node ? ` on ${device.node}` : ""}: ${device.state}${holders.length ? `, ${holders.join("; ")}` : ""}`);
}

function paletteNow(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const states = Object.fromEntries(STATES.map((state) => [state, colour(state)])) as Record<State, string>;
  return {text: colour("text"), muted: colour("muted"), line: colour("line"), page: colour("page"), accent: colour("accent"), states};
}

function mostHeight(): number {
  return Math.round(Math.max(FRAME_HEIGHT_MIN, Math.min(FRAME_HEIGHT_MAX, innerHeight * FRAME_SHARE)));
}

export interface DeviceMapProps {
  groups: Group[];
  stamp: number; // changes with any state of a device
  theme: string; // changes with the colours
  cursor: string; // id of the device that the keys have reached
  setCursor: (id: string) => void;
  changed?: ReadonlySet<string>; // ids of devices with a mark
  name?: string; // of several maps
}

export function DeviceMap({groups, stamp, theme, cursor, setCursor, changed = NOTHING, name = ""}: DeviceMapProps): JSX.Element {
  const {route} = useShown();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(600);
  const [most, setMost] = useState(mostHeight);
  const [top, setTop] = useState(0);
  const fitting = useMemo(() => fittingCell(groups, width, most - FRAME_PADDING), [groups, width, most]);
  const cell = Math.min(CELL_MAX, Math.max(CELL_MIN, Number(route.at.zoom) || fitting));
  const layout = useMemo(() => layOut(groups, width, cell), [groups, width, cell]);
  const height = Math.min(most, Math.max(FRAME_HEIGHT_MIN, layout.height + FRAME_PADDING));
  const size = useMemo(() => ({width, height: height - FRAME_PADDING}), [width, height]);
  const shown = useMemo(() => groups.reduce((sum, group) => sum + group.devices.length, 0), [groups]);
  const zoom = (factor: number) =>
    change({zoom: String(Math.min(CELL_MAX, Math.max(CELL_MIN, Math.round(cell * factor))))}, true);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => {
      setWidth(Math.floor(entry!.contentRect.width));
      setMost(mostHeight());
    });
    watch.observe(frame.current!);
    return () => watch.disconnect();
  }, []);
  const painter = useMemo(() => new Painter(), []);
  const palette = useMemo(paletteNow, [theme]);
  useLayoutEffect(() => {
    const scale = devicePixelRatio || 1;
    const picture = canvas.current!;
    const [across, down] = [Math.round(size.width * scale), Math.round(size.height * scale)];
    if (picture.width !== across) picture.width = across;
    if (picture.height !== down) picture.height = down;
    const pick = route.at.pick ?? "";
    painter.paint(picture.getContext("2d")!, layout, {top, ...size, scale}, {picked: pick.startsWith("device:") ? pick.slice(7) : "", cursor, changed}, palette);
    picture.dataset.painted = String(performance.now());
    picture.dataset.devices = String(shown);
    picture.dataset.cell = String(layout.cell);
  }, [layout, top, size, cursor, changed, route.at.pick, palette, stamp]);
  const move = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = DIRECTIONS[event.key];
    if (direction) {
      const next = neighbour(layout, cursor, direction);
      if (next) {
        setCursor(next.device.id);
        if (next.y < top || next.y + next.height > top + size.height) frame.current!.scrollTop = Math.max(0, next.y - size.height / 2);
      }
    } else if (event.key === "Enter" && cursor) change({pick: `device:${cursor}`});
    else if (event.key === "+") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
    else return;
    event.preventDefault();
  };
  const at = useMemo(() => {
    for (const group of groups) {
      const found = cursor && group.devices.find((device) => device.id === cursor);
      if (found) return found;
    }
    return undefined;
  }, [groups, cursor]);
  return (
    <>
      <div class="mapframe" ref={frame} style={{height: `${height}px`}} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <div style={{height: `${Math.max(layout.height, size.height)}px`}}>
          <canvas ref={canvas} tabIndex={0} role="application" aria-roledescription="map of devices"
            aria-label={`Map of ${count(shown, "device")}${name && ` ${name}`} in ${count(groups.length, "group")}. Arrow keys move, Enter shows a device, plus and minus zoom. The table has the same.`}
            style={{width: `${size.width}px`, height: `${size.height}px`}}
            onKeyDown={move}
            onWheel={(event) => {
              if (!event.ctrlKey) return;
              event.preventDefault();
              zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
            }}
            onClick={(event) => {
              const found = cellAt(layout, event.offsetX, event.offsetY + top);
              if (!found) return;
              setCursor(found.device.id);
              change({pick: `device:${found.device.id}`});
            }} />
        </div>
      </div>
      <p class="zoom">
        <button type="button" onClick={() => zoom(1.3)} aria-label={`Zoom in${name && `, ${name}`}`}>+</button>
        <button type="button" onClick={() => zoom(1 / 1.3)} aria-label={`Zoom out${name && `, ${name}`}`}>−</button>
        <span role="status">{at ? describe(at) : "Click a device, or use the arrow keys."}</span>
      </p>
    </>
  );
}

