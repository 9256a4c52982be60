// SPDX-License-Identifier: Apache-2.0
// The devices that an answer of what-if changes, as two maps: the same places in both, so that they can be compared.
import type {Device, Group, Holder, State} from "./model.ts";
import type {DeviceChange, DeviceSituation} from "./whatif.ts";

/// The most nodes, or pools whose devices several nodes can use, and the most devices that are drawn.
export const PLACES_MAX = 24;
export const DRAWN_MAX = 2000;

export interface ComparedMaps {
  before: Group[];
  after: Group[];
  changed: ReadonlySet<string>; // ids of devices
  places: number; // where something changes; before.length of them are drawn
}

const NUMERIC = new Intl.Collator("en", {numeric: true});
const OTHER_WORDS: Record<string, State> = {nodeTainted: "node-tainted", unusable: "incomplete"};
const UNKNOWN_FILL = 0.5; // the answer does not say which share of a device is taken

export function idOf({driver, pool, device}: DeviceChange): string {
  return `${driver}/${pool}/${device}`;
}

/// In the words of the map; undefined: the device is not there.
export function stateOf(situation: DeviceSituation | undefined, isShareable: boolean): State {
  if (!situation) return "absent";
  if (situation.state === "used") return isShareable ? "shared" : "used";
  return OTHER_WORDS[situation.state] ?? situation.state as State;
}

function placeOf(device: {node?: string; driver: string; pool: string}): string {
  return device.node || `${device.driver}/${device.pool}`;
}

function holderOf(claim: string): Holder {
  return {claim, pods: [], request: "", deviceClass: "", isAdmin: false, consumed: {}};
}

function situated(device: Device, situation: DeviceSituation | undefined): Device {
  const state = stateOf(situation, device.isShareable);
  const fill = state === "shared" ? device.fill || UNKNOWN_FILL : state === "used" ? 1 : 0;
  return {...device, state, fill, holders: (situation?.claims ?? []).map(holderOf)};
}

/// A device that is not there yet; on a copy of a node it stands as the one that it copies.
function comingDevice(change: DeviceChange, models: ReadonlyMap<string, Device>): Device {
  const {driver, pool, device: name, node = ""} = change;
  const model = models.get(`${node.replace(/-more-\d+$/, "")} ${driver} ${name}`);
  return {id: idOf(change), driver, pool, name, node, slice: "", state: "absent", isShareable: model?.isShareable ?? false, fill: 0,
    frame: model?.frame ? `${placeOf(change)} ${model.frame}` : "", size: model?.size ?? 1, holders: [], taints: [],
    attributes: model?.attributes ?? {}, capacity: model?.capacity ?? {}, counters: model?.counters ?? []};
}

/// `devices` are those of the cluster as it is now; none: only those that change are drawn. What is drawn is copied, so
/// that the maps stay as the answer was while the cluster goes on.
export function comparedMaps(changes: readonly DeviceChange[], devices: readonly Device[]): ComparedMaps {
  const byPlace = new Map<string, Map<string, DeviceChange>>();
  for (const change of changes) {
    const place = placeOf(change);
    const known = byPlace.get(place) ?? new Map<string, DeviceChange>();
    byPlace.set(place, known.set(idOf(change), change));
  }
  const chosen = new Set([...byPlace].sort(([a, some], [b, others]) => others.size - some.size || NUMERIC.compare(a, b))
    .slice(0, PLACES_MAX).map(([place]) => place));
  const there = new Map<string, Device[]>();
  const models = new Map<string, Device>();
  for (const device of devices) {
    models.set(`${device.node} ${device.driver} ${device.name}`, device);
    const place = placeOf(device);
    if (!chosen.has(place)) continue;
    const known = there.get(place);
    if (known) known.push(device);
    else there.set(place, [device]);
  }
  const maps = {before: [] as Group[], after: [] as Group[], changed: new Set<string>(), places: byPlace.size};
  let drawn = 0;
  for (const name of [...chosen].sort(NUMERIC.compare)) {
    const changed = byPlace.get(name)!;
    const known = there.get(name) ?? [];
    const ids = new Set(known.map((device) => device.id));
    const coming = [...changed].filter(([id]) => !ids.has(id)).map(([, change]) => comingDevice(change, models));
    drawn += known.length + coming.length;
    if (drawn > DRAWN_MAX && maps.before.length > 0) break;
    const side = (which: "before" | "after") => [...known, ...coming].map((device) => {
      const change = changed.get(device.id);
      return change ? situated(device, change[which]) : {...device};
    });
    maps.before.push({name, devices: side("before")});
    maps.after.push({name, devices: side("after")});
    for (const id of changed.keys()) maps.changed.add(id);
  }
  return maps;
}
