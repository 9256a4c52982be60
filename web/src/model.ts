// SPDX-License-Identifier: Apache-2.0
// Devices with their states, computed from slices and claims as they are. The words are those of
// `dray capacity`: docs/capacity.md explains them.
import {keyOf, type AttributeValue, type CapacityValue, type CounterUse, type KubeNode, type Pod, type ResourceClaim,
  type ResourceSlice, type SliceDevice, type Taint, type TaintRule} from "./kube.ts";
import {parseQuantity} from "./quantity.ts";

export const STATES = ["free", "used", "shared", "blocked", "tainted", "unhealthy", "incomplete"] as const;
export type State = (typeof STATES)[number];

export const STATE_TEXT: Record<State, string> = {
  free: "no claim has it, and nothing keeps claims away",
  used: "a claim has it",
  shared: "claims have shares of it; more may fit",
  blocked: "devices in use have taken the counters that it draws from",
  tainted: "a taint keeps claims away that do not tolerate it",
  unhealthy: "a claim's status says that it is not ready",
  incomplete: "its pool has not published all of its slices, so nothing of it is allocated",
};

export interface Holder {
  claim: string; // namespace/name
  pods: string[]; // names, in the claim's namespace
  request: string;
  isAdmin: boolean;
  consumed: Record<string, string>;
}
export interface Device {
  id: string; // driver/pool/name
  driver: string;
  pool: string;
  name: string;
  node: string; // "": several nodes can use it
  slice: string;
  state: State;
  /// The share that claims have of it, 0 to 1: of the capacity that is shared most.
  fill: number;
  /// Devices of one counter set stand in one frame; "": of none.
  frame: string;
  /// Of a partition: the share of its parent's counters that it draws, 0 to 1; 1 for others.
  size: number;
  holders: Holder[];
  taints: Taint[];
  attributes: Record<string, AttributeValue>;
  capacity: Record<string, string>;
  counters: string[]; // "memory 40Gi of gpu-0"
}

function text(value: CapacityValue | string | undefined): string {
  return typeof value === "string" ? value : value?.value ?? "0";
}

function partsOf(device: SliceDevice): Omit<SliceDevice, "basic"> {
  return device.basic ? {...device.basic, name: device.name} : device;
}

/// Only slices of the newest generation of their pool count, and the pool is complete when there
/// are as many of them as each says.
function currentSlices(slices: Iterable<ResourceSlice>) {
  const pools = new Map<string, {generation: number; slices: ResourceSlice[]}>();
  for (const slice of slices) {
    const {driver, pool} = slice.spec;
    const id = `${driver}/${pool.name}`;
    const generation = pool.generation ?? 0;
    const known = pools.get(id);
    if (!known || known.generation < generation) pools.set(id, {generation, slices: [slice]});
    else if (known.generation === generation) known.slices.push(slice);
  }
  return pools;
}

function holdersOf(claims: Iterable<ResourceClaim>) {
  const holders = new Map<string, Holder[]>();
  const unready = new Set<string>();
  for (const claim of claims) {
    for (const one of claim.status?.devices ?? []) {
      const ready = one.conditions?.find((condition) => condition.type === "Ready");
      if (ready?.status === "False") unready.add(`${one.driver}/${one.pool}/${one.device}`);
    }
    const pods = (claim.status?.reservedFor ?? []).filter((one) => one.resource === "pods").map((one) => one.name);
    for (const result of claim.status?.allocation?.devices?.results ?? []) {
      const id = `${result.driver}/${result.pool}/${result.device}`;
      const list = holders.get(id) ?? [];
      list.push({claim: keyOf(claim), pods, request: result.request, isAdmin: result.adminAccess ?? false,
        consumed: result.consumedCapacity ?? {}});
      holders.set(id, list);
    }
  }
  return {holders, unready};
}

function ruleApplies(rule: TaintRule, device: {driver: string; pool: string; name: string}): boolean {
  const selector = rule.spec?.deviceSelector;
  if (!selector) return true;
  if (selector.selectors?.length || selector.deviceClassName) return false; // needs CEL: not judged here
  return (!selector.driver || selector.driver === device.driver) && (!selector.pool || selector.pool === device.pool) &&
    (!selector.device || selector.device === device.name);
}

/// How much of each counter of a pool is left.
function countersLeft(slices: ResourceSlice[], isUsed: (device: string) => boolean): Map<string, number> {
  const left = new Map<string, number>();
  const change = (set: string, counter: string, amount: number) => {
    const id = `${set}\0${counter}`;
    left.set(id, (left.get(id) ?? 0) + amount);
  };
  for (const slice of slices) {
    for (const set of slice.spec.sharedCounters ?? []) {
      for (const [name, value] of Object.entries(set.counters ?? {})) change(set.name, name, parseQuantity(text(value)));
    }
    for (const device of slice.spec.devices ?? []) {
      if (!isUsed(device.name)) continue;
      for (const use of partsOf(device).consumesCounters ?? []) {
        for (const [name, value] of Object.entries(use.counters ?? {})) change(use.counterSet, name, -parseQuantity(text(value)));
      }
    }
  }
  return left;
}

/// The share of its counter sets that a device draws: the largest of any counter.
function sizeOf(uses: CounterUse[], slices: ResourceSlice[]): number {
  let size = 0;
  for (const use of uses) {
    const set = slices.flatMap((slice) => slice.spec.sharedCounters ?? []).find((one) => one.name === use.counterSet);
    let drawn = 0;
    let all = 0;
    for (const [name, value] of Object.entries(set?.counters ?? {})) {
      const total = parseQuantity(text(value));
      if (!(total > 0)) continue;
      all += 1;
      drawn += parseQuantity(text(use.counters?.[name])) / total || 0;
    }
    if (all > 0) size = Math.max(size, drawn / all);
  }
  return size > 0 ? Math.min(1, size) : 1;
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

export interface Objects {
  slices: Iterable<ResourceSlice>;
  claims: Iterable<ResourceClaim>;
  rules: Iterable<TaintRule>;
}

/// All devices, sorted by node, driver, pool, and as the slices list them.
export function devicesOf(objects: Objects): Device[] {
  const {holders, unready} = holdersOf(objects.claims);
  const rules = [...objects.rules];
  const devices: Device[] = [];
  for (const {slices} of currentSlices(objects.slices).values()) {
    const wanted = slices[0]!.spec.pool.resourceSliceCount ?? slices.length;
    const prefix = `${slices[0]!.spec.driver}/${slices[0]!.spec.pool.name}/`;
    const left = countersLeft(slices, (name) => (holders.get(prefix + name) ?? []).some((one) => !one.isAdmin));
    slices.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    for (const slice of slices) {
      for (const published of slice.spec.devices ?? []) {
        const parts = partsOf(published);
        const id = prefix + parts.name;
        const capacity = Object.fromEntries(
          Object.entries(parts.capacity ?? {}).map(([name, value]) => [name, text(value)]));
        const own = holders.get(id) ?? [];
        const taken = own.filter((one) => !one.isAdmin);
        const names = {driver: slice.spec.driver, pool: slice.spec.pool.name, name: parts.name};
        const taints = [...(parts.taints ?? []),
          ...rules.filter((rule) => rule.spec?.taint && ruleApplies(rule, names)).map((rule) => rule.spec!.taint!)];
        const uses = parts.consumesCounters ?? [];
        const isBlocked = taken.length === 0 && uses.some((use) => Object.entries(use.counters ?? {}).some(
          ([name, value]) => (left.get(`${use.counterSet}\0${name}`) ?? 0) < parseQuantity(text(value))));
        const isShared = parts.allowMultipleAllocations ?? false;
        let state: State = "free";
        if (unready.has(id)) state = "unhealthy";
        else if (taken.length > 0) state = isShared ? "shared" : "used";
        else if (slices.length < wanted) state = "incomplete";
        else if (taints.some((taint) => taint.effect !== "None")) state = "tainted";
        else if (isBlocked) state = "blocked";
        devices.push({id, ...names, node: slice.spec.nodeName ?? parts.nodeName ?? "", slice: slice.metadata.name, state,
          fill: taken.length === 0 ? 0 : isShared ? fillOf(capacity, taken) : 1,
          size: sizeOf(uses, slices), frame: uses[0] ? `${prefix}${uses[0].counterSet}` : "", holders: own, taints,
          attributes: parts.attributes ?? {}, capacity,
          counters: uses.flatMap((use) => Object.entries(use.counters ?? {}).map(
            ([name, value]) => `${name} ${text(value)} of ${use.counterSet}`))});
      }
    }
  }
  const order = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
  return devices.sort((a, b) => order(a.node, b.node) || order(a.driver, b.driver) || order(a.pool, b.pool));
}

/// An attribute as people write it.
export function attributeText(value: AttributeValue): string {
  const [only] = Object.values(value);
  return Array.isArray(only) ? only.join(", ") : String(only ?? "");
}

export interface Group {
  name: string;
  devices: Device[];
}

/// Ways to group devices: node, driver, pool, "label:KEY" of the node, "attribute:NAME".
export function groupsOf(devices: Device[], by: string, nodes: ReadonlyMap<string, KubeNode>): Group[] {
  const nameOf = (device: Device): string => {
    if (by === "driver") return device.driver;
    if (by === "pool") return `${device.driver}/${device.pool}`;
    if (by.startsWith("label:")) return nodes.get(device.node)?.metadata.labels?.[by.slice(6)] ?? "(none)";
    if (by.startsWith("attribute:")) {
      const value = device.attributes[by.slice(10)];
      return value ? attributeText(value) : "(none)";
    }
    return device.node || "(several nodes)";
  };
  const groups = new Map<string, Device[]>();
  for (const device of devices) {
    const name = nameOf(device);
    const list = groups.get(name);
    if (list) list.push(device);
    else groups.set(name, [device]);
  }
  return [...groups].map(([name, list]) => ({name, devices: list}))
    .sort((a, b) => a.name.localeCompare(b.name, "en", {numeric: true}));
}

/// The claims of a pod, namespace/name; "" for one that does not exist yet.
export function claimsOf(pod: Pod): {name: string; claim: string}[] {
  const namespace = pod.metadata.namespace ?? "";
  const claims = (pod.spec?.resourceClaims ?? []).map((one) => {
    const made = pod.status?.resourceClaimStatuses?.find((status) => status.name === one.name)?.resourceClaimName;
    const claim = one.resourceClaimName ?? made;
    return {name: one.name, claim: claim ? `${namespace}/${claim}` : ""};
  });
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  return extended ? [...claims, {name: "extended resources", claim: `${namespace}/${extended}`}] : claims;
}

/// "pending", "allocated", "allocated,reserved", "deleted,…", as kubectl shows it.
export function claimState(claim: ResourceClaim): string {
  const words = [];
  if (claim.metadata.deletionTimestamp) words.push("deleted");
  if (claim.status?.allocation) words.push("allocated");
  if (claim.status?.reservedFor?.length) words.push("reserved");
  return words.length === 0 ? "pending" : words.join(",");
}
