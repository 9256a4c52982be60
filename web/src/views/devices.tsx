// SPDX-License-Identifier: Apache-2.0
// Devices: a map, or the same as a table.
import type {JSX} from "preact";
import {useMemo, useState} from "preact/hooks";
import {change, useShown} from "../hooks.ts";
import type {DeviceModel} from "../devices.ts";
import {attributeText, groupsOf, STATE_TEXT, STATES, type Device, type State} from "../model.ts";
import {count} from "../text.ts";
import {DeviceMap} from "./map.tsx";
import {Choice, Mark, Missing, Name, Pick, Search, StateName, Table, type Column} from "./parts.tsx";

const CHOICES_MAX = 40;

export function matches(device: Device, query: string): boolean {
  if (!query) return true;
  const wanted = query.toLowerCase();
  return device.id.toLowerCase().includes(wanted) || device.node.toLowerCase().includes(wanted) ||
    device.holders.some((holder) => holder.claim.toLowerCase().includes(wanted) ||
      holder.pods.some((pod) => pod.toLowerCase().includes(wanted))) ||
    Object.entries(device.attributes).some(([name, value]) => `${name}=${attributeText(value)}`.toLowerCase().includes(wanted));
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
  const [cursor, setCursor] = useState("");
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
          : <DeviceMap groups={groups} stamp={stamp} theme={theme} cursor={cursor} setCursor={setCursor} />}
    </section>
  );
}
