// SPDX-License-Identifier: Apache-2.0
// Devices with their states, computed from slices and claims as they are, and kept up to date: a change of one claim
// costs as much as the pools that it has devices of. The words are those of `dray capacity`: docs/capacity.md explains them.
import {keyOf, type AnyRequest, type CapacityValue, type CounterUse, type KubeNode, type ResourceClaim, type ResourceSlice,
  type SliceDevice, type Taint, type TaintRule} from "./kube.ts";
import type {Device, Holder, State} from "./model.ts";
import {parseQuantity} from "./quantity.ts";

export interface Objects {
  slices: Iterable<ResourceSlice>;
  claims: Iterable<ResourceClaim>;
  rules: Iterable<TaintRule>;
  nodes: Iterable<KubeNode>;
  /// Ids of devices that rules taint which only the server can judge; another set when they change.
  tainted?: ReadonlySet<string>;
}

/// The answer of /ui/api/devices, as far as it is used.
export interface JudgedPools {pools: {driver: string; pool: string; tainted?: string[]}[]}

export function taintedIn(answer: JudgedPools): Set<string> {
  return new Set(answer.pools.flatMap(({driver, pool, tainted}) => (tainted ?? []).map((name) => `${driver}/${pool}/${name}`)));
}

function text(value: CapacityValue | string | undefined): string {
  return typeof value === "string" ? value : value?.value ?? "0";
}

function partsOf(device: SliceDevice): Omit<SliceDevice, "basic"> {
  return device.basic ? {...device.basic, name: device.name} : device;
}

/// Whether a rule selects by what only the server can judge: a class, or an expression.
export function needsServer(rule: TaintRule): boolean {
  const selector = rule.spec?.deviceSelector;
  return Boolean(selector?.selectors?.length || selector?.deviceClassName);
}

function ruleApplies(rule: TaintRule, device: Device): boolean {
  const selector = rule.spec?.deviceSelector;
  if (!selector) return true;
  if (needsServer(rule)) return false;
  return (!selector.driver || selector.driver === device.driver) && (!selector.pool || selector.pool === device.pool) &&
    (!selector.device || selector.device === device.name);
}

/// The class that a request, or the alternative "request/alternative", asks for.
function classOf(claim: ResourceClaim, name: string): string {
  const slash = name.indexOf("/");
  const first = slash < 0 ? name : name.slice(0, slash);
  const request: AnyRequest | undefined = claim.spec?.devices?.requests?.find((one) => one.name === first);
  const asked = slash < 0 ? request?.exactly ?? request : request?.firstAvailable?.find((one) => one.name === name.slice(slash + 1));
  return asked?.deviceClassName ?? "";
}

/// What a claim means for devices.
interface Held {
  stamp: number;
  devices: string[]; // ids, one for each holder
  holders: Holder[];
  unready: string[]; // ids of devices that the claim's status calls not ready
}

function heldBy(claim: ResourceClaim, stamp: number): Held {
  const held: Held = {stamp, devices: [], holders: [], unready: []};
  for (const one of claim.status?.devices ?? []) {
    const ready = one.conditions?.find((condition) => condition.type === "Ready");
    if (ready?.status === "False") held.unready.push(`${one.driver}/${one.pool}/${one.device}`);
  }
  const results = claim.status?.allocation?.devices?.results;
  if (!results) return held;
  const key = keyOf(claim);
  const pods = (claim.status?.reservedFor ?? []).filter((one) => one.resource === "pods").map((one) => one.name);
  for (const result of results) {
    held.devices.push(`${result.driver}/${result.pool}/${result.device}`);
    held.holders.push({claim: key, pods, request: result.request, deviceClass: classOf(claim, result.request),
      isAdmin: result.adminAccess ?? false, consumed: result.consumedCapacity ?? {}});
  }
  return held;
}

/// Slices of the newest generation of their pool, sorted by name.
function currentSlices(slices: Iterable<ResourceSlice>): Map<string, ResourceSlice[]> {
  const pools = new Map<string, {generation: number; slices: ResourceSlice[]}>();
  for (const slice of slices) {
    const {driver, pool} = slice.spec;
    const id = `${driver}/${pool.name}`;
    const generation = pool.generation ?? 0;
    const known = pools.get(id);
    if (!known || known.generation < generation) pools.set(id, {generation, slices: [slice]});
    else if (known.generation === generation) known.slices.push(slice);
  }
  const current = new Map<string, ResourceSlice[]>();
  for (const [id, {slices: own}] of pools) {
    if (own.length > 1) own.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    current.set(id, own);
  }
  return current;
}

interface Draw {counter: string; amount: number}
/// What does not change while the slices of a pool stay the same.
interface Pool {
  slices: ResourceSlice[];
  isComplete: boolean;
  devices: Device[];
  taints: Taint[][]; // of each device's slice
  draws: Draw[][];
  counters: Map<string, number>; // all of each
  nodes: Set<string>;
  attributes: Set<string>; // names
}

const NOTHING: never[] = []; // one for all devices that have none
const NO_CAPACITY: Record<string, string> = {};

function drawsOf(uses: CounterUse[]): Draw[] {
  return uses.flatMap((use) => Object.entries(use.counters ?? {}).map(
    ([name, value]) => ({counter: `${use.counterSet}\0${name}`, amount: parseQuantity(text(value))})));
}

/// The share of its counter sets that a device draws: of each set the mean over its counters, of several sets the largest.
function sizeOf(uses: CounterUse[], sets: Map<string, Map<string, number>>): number {
  let size = 0;
  for (const use of uses) {
    let drawn = 0;
    let all = 0;
    for (const [name, total] of sets.get(use.counterSet) ?? []) {
      if (!(total > 0)) continue;
      all += 1;
      drawn += parseQuantity(text(use.counters?.[name])) / total || 0;
    }
    if (all > 0) size = Math.max(size, drawn / all);
  }
  return size > 0 ? Math.min(1, size) : 1;
}

function poolOf(id: string, slices: ResourceSlice[]): Pool {
  const {driver, pool: named} = slices[0]!.spec;
  const pool: Pool = {slices, isComplete: slices.length >= (named.resourceSliceCount ?? slices.length), devices: [], taints: [],
    draws: [], counters: new Map(), nodes: new Set(), attributes: new Set()};
  const sets = new Map<string, Map<string, number>>();
  for (const set of slices.flatMap((slice) => slice.spec.sharedCounters ?? [])) {
    const counters = new Map(Object.entries(set.counters ?? {}).map(([name, value]) => [name, parseQuantity(text(value))]));
    sets.set(set.name, counters);
    for (const [name, total] of counters) pool.counters.set(`${set.name}\0${name}`, total);
  }
  for (const slice of slices) {
    for (const published of slice.spec.devices ?? []) {
      const parts = partsOf(published);
      const uses = parts.consumesCounters ?? NOTHING;
      const node = slice.spec.nodeName ?? parts.nodeName ?? "";
      pool.devices.push({id: `${id}/${parts.name}`, driver, pool: named.name, name: parts.name, node, slice: slice.metadata.name,
        state: "free", isShareable: parts.allowMultipleAllocations ?? false, fill: 0, size: uses.length > 0 ? sizeOf(uses, sets) : 1, frame: uses[0] ? `${id}/${uses[0].counterSet}` : "",
        holders: NOTHING, taints: NOTHING, attributes: parts.attributes ?? {},
        capacity: parts.capacity ? Object.fromEntries(Object.entries(parts.capacity).map(([name, value]) => [name, text(value)])) : NO_CAPACITY,
        counters: uses.length > 0 ? uses.flatMap((use) => Object.entries(use.counters ?? {}).map(([name, value]) => `${name} ${text(value)} of ${use.counterSet}`)) : NOTHING});
      pool.taints.push(parts.taints ?? NOTHING);
      pool.draws.push(uses.length > 0 ? drawsOf(uses) : NOTHING);
      if (node) pool.nodes.add(node);
      for (const name of Object.keys(parts.attributes ?? {})) pool.attributes.add(name);
    }
  }
  return pool;
}

function fillOf(capacity: Record<string, string>, holders: Holder[]): number {
  let fill = 0;
  for (const [name, total] of Object.entries(capacity)) {
    let used = 0;
    for (const holder of holders) used += parseQuantity(holder.consumed[name] ?? "0") || 0;
    const all = parseQuantity(total);
    if (all > 0) fill = Math.max(fill, Math.min(1, used / all));
  }
  return fill;
}

/// "cordoned", "node-tainted", or "" for a node that takes pods.
function closedAs(node: KubeNode): State | "" {
  if (node.spec?.unschedulable) return "cordoned";
  return node.spec?.taints?.some((taint) => taint.effect === "NoSchedule" || taint.effect === "NoExecute") ? "node-tainted" : "";
}

function keepsAway(taint: Taint): boolean {
  return taint.effect !== "None";
}

/// Any of them without a number, or another number than before, is looked at.
export type Versions = Partial<Record<"slices" | "claims" | "rules" | "nodes", number>>;

export class DeviceModel {
  /// All devices, sorted by node, driver, pool, and as the slices list them. The array is another one when devices
  /// come or go; while it is the same, only states and holders of its devices change.
  devices: Device[] = [];
  /// Names of attributes that some device has.
  attributes = new Set<string>();
  /// Changes with anything of a device.
  stamp = 0;

  private readonly pools = new Map<string, Pool>();
  private readonly held = new Map<ResourceClaim, Held>();
  private readonly holders = new Map<string, Holder[]>();
  private readonly unready = new Map<string, number>(); // by how many claims
  private readonly closed = new Map<string, State>(); // by node
  private rules: TaintRule[] = [];
  private tainted: ReadonlySet<string> = new Set();
  private seen: Versions = {};
  private round = 0;

  update(objects: Objects, versions: Versions = {}): this {
    const dirty = new Set<string>();
    const isNew = (kind: keyof Versions) => versions[kind] === undefined || versions[kind] !== this.seen[kind];
    const isOther = isNew("slices") && this.takeSlices(objects.slices, dirty);
    if (isNew("claims")) this.takeClaims(objects.claims, dirty);
    if (isNew("nodes")) this.takeNodes(objects.nodes, dirty);
    if (isNew("rules")) this.takeRules(objects.rules, dirty);
    if (objects.tainted !== undefined && objects.tainted !== this.tainted) {
      this.tainted = objects.tainted;
      for (const id of this.pools.keys()) dirty.add(id);
    }
    this.seen = {...versions};
    for (const id of dirty) {
      const pool = this.pools.get(id);
      if (pool) this.judge(pool);
    }
    if (isOther) this.collect();
    if (isOther || dirty.size > 0) this.stamp += 1;
    return this;
  }

  /// Whether devices came or went.
  private takeSlices(slices: Iterable<ResourceSlice>, dirty: Set<string>): boolean {
    const current = currentSlices(slices);
    let isOther = false;
    for (const [id, own] of current) {
      const known = this.pools.get(id);
      if (known && known.slices.length === own.length && known.slices.every((slice, i) => slice === own[i])) continue;
      this.pools.set(id, poolOf(id, own));
      dirty.add(id);
      isOther = true;
    }
    if (this.pools.size === current.size) return isOther;
    for (const id of this.pools.keys()) if (!current.has(id)) this.pools.delete(id);
    return true;
  }

  private takeClaims(claims: Iterable<ResourceClaim>, dirty: Set<string>): void {
    this.round += 1;
    let many = 0;
    for (const claim of claims) {
      many += 1;
      const known = this.held.get(claim);
      if (known) {
        known.stamp = this.round;
        continue;
      }
      const held = heldBy(claim, this.round);
      this.held.set(claim, held);
      this.hold(held, dirty);
    }
    if (this.held.size === many) return;
    for (const [claim, held] of this.held) {
      if (held.stamp === this.round) continue;
      this.held.delete(claim);
      this.release(held, dirty);
    }
  }

  private hold(held: Held, dirty: Set<string>): void {
    held.devices.forEach((id, i) => {
      const list = this.holders.get(id);
      if (list) list.push(held.holders[i]!);
      else this.holders.set(id, [held.holders[i]!]);
      dirty.add(id.slice(0, id.lastIndexOf("/")));
    });
    for (const id of held.unready) {
      this.unready.set(id, (this.unready.get(id) ?? 0) + 1);
      dirty.add(id.slice(0, id.lastIndexOf("/")));
    }
  }

  private release(held: Held, dirty: Set<string>): void {
    held.devices.forEach((id, i) => {
      const rest = (this.holders.get(id) ?? []).filter((one) => one !== held.holders[i]);
      if (rest.length > 0) this.holders.set(id, rest);
      else this.holders.delete(id);
      dirty.add(id.slice(0, id.lastIndexOf("/")));
    });
    for (const id of held.unready) {
      const many = (this.unready.get(id) ?? 1) - 1;
      if (many > 0) this.unready.set(id, many);
      else this.unready.delete(id);
      dirty.add(id.slice(0, id.lastIndexOf("/")));
    }
  }

  private takeNodes(nodes: Iterable<KubeNode>, dirty: Set<string>): void {
    const closed = new Map<string, State>();
    for (const node of nodes) {
      const state = closedAs(node);
      if (state) closed.set(node.metadata.name, state);
    }
    const changed = new Set<string>();
    for (const [node, state] of closed) if (this.closed.get(node) !== state) changed.add(node);
    for (const node of this.closed.keys()) if (!closed.has(node)) changed.add(node);
    if (changed.size === 0) return;
    this.closed.clear();
    for (const [node, state] of closed) this.closed.set(node, state);
    for (const [id, pool] of this.pools) for (const node of pool.nodes) if (changed.has(node)) dirty.add(id);
  }

  private takeRules(rules: Iterable<TaintRule>, dirty: Set<string>): void {
    const next = [...rules].filter((rule) => rule.spec?.taint);
    if (next.length === this.rules.length && next.every((rule, i) => rule === this.rules[i])) return;
    this.rules = next;
    for (const id of this.pools.keys()) dirty.add(id);
  }

  /// The states of a pool's devices. What is in use draws from the counters first.
  private judge(pool: Pool): void {
    const left = pool.counters.size > 0 ? new Map(pool.counters) : pool.counters;
    const taken = pool.devices.map((device, i) => {
      device.holders = this.holders.get(device.id) ?? NOTHING;
      const own = device.holders.some((one) => one.isAdmin) ? device.holders.filter((one) => !one.isAdmin) : device.holders;
      if (own.length > 0) for (const {counter, amount} of pool.draws[i]!) left.set(counter, (left.get(counter) ?? 0) - amount);
      return own;
    });
    pool.devices.forEach((device, i) => {
      const ruled = this.rules.filter((rule) => ruleApplies(rule, device)).map((rule) => rule.spec!.taint!);
      device.taints = ruled.length > 0 ? [...pool.taints[i]!, ...ruled] : pool.taints[i]!;
      const isTaken = taken[i]!.length > 0;
      const isShared = device.isShareable;
      device.fill = !isTaken ? 0 : isShared ? fillOf(device.capacity, taken[i]!) : 1;
      if (this.unready.has(device.id)) device.state = "unhealthy";
      else if (isTaken) device.state = isShared ? "shared" : "used";
      else if (!pool.isComplete) device.state = "incomplete";
      else if (device.taints.some(keepsAway) || this.tainted.has(device.id)) device.state = "tainted";
      else if (this.closed.has(device.node)) device.state = this.closed.get(device.node)!;
      else if (pool.draws[i]!.some(({counter, amount}) => (left.get(counter) ?? 0) < amount)) device.state = "blocked";
      else device.state = "free";
    });
  }

  private collect(): void {
    const order = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
    const pools = [...this.pools.values()].filter((pool) => pool.devices.length > 0);
    pools.sort((a, b) => order(a.devices[0]!.node, b.devices[0]!.node) || order(a.devices[0]!.driver, b.devices[0]!.driver) ||
      order(a.devices[0]!.pool, b.devices[0]!.pool));
    this.devices = pools.flatMap((pool) => pool.devices);
    this.attributes = new Set();
    for (const pool of pools) for (const name of pool.attributes) this.attributes.add(name);
  }
}
