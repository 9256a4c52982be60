// SPDX-License-Identifier: Apache-2.0
// Devices: a map, or the same as a table.
import type {JSX} from "preact";
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {change, useShown} from "../hooks.ts";
import type {DeviceModel} from "../devices.ts";
import {CELL_MAX, CELL_MIN, cellAt, fittingCell, layOut, neighbour, type Direction} from "../map.ts";
import {attributeText, groupsOf, STATE_TEXT, STATES, type Device, type Group, type State} from "../model.ts";
import {Painter, type Palette} from "../paint.ts";
import {count, visible} from "../text.ts";
import {Choice, Mark, Missing, Name, Pick, Search, StateName, Table, type Column} from "./parts.tsx";

const FRAME_HEIGHT_MIN = 160;
const FRAME_HEIGHT_MAX = 700;
const FRAME_SHARE = 0.6; // of the window
const FRAME_PADDING = 22;
const DIRECTIONS: Record<string, Direction> = {ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down"};
const CHOICES_MAX = 40;

export function matches(device: Device, query: string): boolean {
  if (!query) return true;
  const wanted = query.toLowerCase();
  return device.id.toLowerCase().includes(wanted) || device.node.toLowerCase().includes(wanted) ||
    device.holders.some((holder) => holder.claim.toLowerCase().includes(wanted) ||
      holder.pods.some((pod) => pod.toLowerCase().includes(wanted))) ||
    Object.entries(device.attributes).some(([name, value]) => `${name}=${attributeText(value)}`.toLowerCase().includes(wanted));
}

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

function DeviceMap({groups, stamp, theme}: {groups: Group[]; stamp: number; theme: string}): JSX.Element {
  const {route} = useShown();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(600);
  const [most, setMost] = useState(mostHeight);
  const [top, setTop] = useState(0);
  const [cursor, setCursor] = useState("");
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
    painter.paint(picture.getContext("2d")!, layout, {top, ...size, scale}, {picked: pick.startsWith("device:") ? pick.slice(7) : "", cursor}, palette);
    picture.dataset.painted = String(performance.now());
    picture.dataset.devices = String(shown);
    picture.dataset.cell = String(layout.cell);
  }, [layout, top, size, cursor, route.at.pick, palette, stamp]);
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
            aria-label={`Map of ${shown} devices in ${groups.length} groups. Arrow keys move, Enter shows a device, plus and minus zoom. The table has the same.`}
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
        <button type="button" onClick={() => zoom(1.3)} aria-label="Zoom in">+</button>
        <button type="button" onClick={() => zoom(1 / 1.3)} aria-label="Zoom out">−</button>
        <span role="status">{at ? describe(at) : "Click a device, or use the arrow keys."}</span>
      </p>
    </>
  );
}

const COLUMNS: Column<Device>[] = [
  {name: "Device", cell: (device) => <Pick what={`device:${device.id}`} />, order: (device) => device.id},
  {name: "State", cell: (device) => <StateName state={device.state} />, order: (device) => device.state},
  {name: "Node", cell: (device) => device.node ? <Pick what={`node:${device.node}`} /> : <span class="muted">several</span>, order: (device) => device.node},
  {name: "Claims", cell: (device) => <ul class="plain">{device.holders.map((holder) => <li key={holder.claim}><Pick what={`claim:${holder.claim}`} /></li>)}</ul>, order: (device) => device.holders[0]?.claim ?? ""},
  {name: "Pods", cell: (device) => <ul class="plain">{device.holders.flatMap((holder) => holder.pods.map((pod) => {
    const namespace = holder.claim.split("/")[0]!;
    return <li key={pod}><Pick what={`pod:${namespace}/${pod}`} /></li>;
  }))}</ul>},
  {name: "Capacity", cell: (device) => <span class="muted"><Name text={Object.entries(device.capacity).map(([name, value]) => `${name}=${value}`).join(" ")} /></span>},
];

/// `unjudged`: how many rules only the server can judge, where it does not answer.
export function Devices({model, unjudged, theme}: {model: DeviceModel; unjudged: number; theme: string}): JSX.Element {
  const {cluster, route} = useShown();
  const {devices, stamp} = model;
  const nodesVersion = cluster.versionOf("nodes");
  const {q = "", state = "", by = "node", as = "map"} = route.at;
  // While no device comes or goes and nothing is left out, the array stays the same, and the layout with it.
  const searched = useMemo(() => q ? devices.filter((device) => matches(device, q)) : devices, [devices, q, q && stamp]);
  const chosen = useMemo(() => state ? searched.filter((device) => device.state === state) : searched, [searched, state, state && stamp]);
  const groups = useMemo(() => groupsOf(chosen, by, cluster.nodes), [chosen, by, cluster.nodes, by.startsWith("label:") && nodesVersion, by === "class" && stamp]);
  const choices = useMemo(() => {
    const labels = new Set<string>();
    for (const node of cluster.nodes.values()) Object.keys(node.metadata.labels ?? {}).forEach((key) => labels.add(key));
    const some = (names: Set<string>) => [...names].sort().slice(0, CHOICES_MAX);
    return [["node", "node"], ["driver", "driver"], ["pool", "pool"], ["class", "class that was asked for"],
      ...some(labels).map((key) => [`label:${key}`, `node label ${key}`] as const),
      ...some(model.attributes).map((name) => [`attribute:${name}`, `attribute ${name}`] as const)] as const;
  }, [devices, cluster.nodes, nodesVersion]);
  const many = useMemo(() => {
    const sums = new Map<State, number>();
    for (const device of searched) sums.set(device.state, (sums.get(device.state) ?? 0) + 1);
    return sums;
  }, [searched, stamp]);
  return (
    <section class="view" aria-label="Devices">
      <h1>Devices</h1>
      <Missing kinds={["resourceslices", "resourceclaims", "nodes"]} />
      {unjudged > 0 && <p class="notice">{count(unjudged, "DeviceTaintRule")} {unjudged === 1 ? "selects" : "select"} devices by class or by an expression,
        and the server does not say which. The map lacks these taints.</p>}
      <div class="tools">
        <Search label="Search" />
        <Choice label="Group by" name="by" first="node" options={choices} />
        <Choice label="Show as" name="as" first="map" options={[["map", "map"], ["table", "table"]]} />
      </div>
      <ul class="legend" aria-label="States">
        {STATES.map((one) => {
          if (!many.has(one) && one !== "free" && one !== "used") return null;
          return (
            <li key={one}><button type="button" title={STATE_TEXT[one]} aria-pressed={state === one}
              onClick={() => change({state: state === one ? undefined : one})}><Mark state={one} />{one} <b>{many.get(one) ?? 0}</b></button></li>
          );
        })}
      </ul>
      {devices.length === 0 && cluster.kinds.get("resourceslices")!.phase === "live"
        ? <p class="empty">No driver has published a device. Devices come from ResourceSlices.</p>
        : as === "table"
          ? <Table id="d" caption="Devices" columns={COLUMNS} rows={chosen} keyOf={(device) => device.id} empty="No device matches." />
          : <DeviceMap groups={groups} stamp={stamp} theme={theme} />}
    </section>
  );
}
