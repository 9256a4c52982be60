// SPDX-License-Identifier: Apache-2.0
// Devices, their states, and groups of them; devices.ts finds the states. The words are those of `dray capacity`:
// docs/capacity.md explains them.
import type {AttributeValue, KubeNode, Pod, ResourceClaim, Taint} from "./kube.ts";

export const STATES = ["free", "used", "shared", "blocked", "tainted", "cordoned", "node-tainted", "unhealthy", "incomplete", "absent"] as const;
export type State = (typeof STATES)[number];

export const STATE_TEXT: Record<State, string> = {
  free: "no claim has it, and nothing keeps claims away",
  used: "a claim has it",
  shared: "claims have shares of it; more may fit",
  blocked: "devices in use have taken the counters that it draws from",
  tainted: "a taint keeps claims away that do not tolerate it",
  cordoned: "its node is cordoned, so no new pod comes there",
  "node-tainted": "a taint of its node keeps pods away that do not tolerate it",
  unhealthy: "a claim's status says that it is not ready",
  incomplete: "its pool has not published all of its slices, so nothing of it is allocated",
  absent: "it is not there",
};

export interface Holder {
  claim: string; // namespace/name
  pods: string[]; // names, in the claim's namespace
  request: string;
  deviceClass: string; // that the request asks for
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
  isShareable: boolean; // several claims may have it
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

/// An attribute as people write it.
export function attributeText(value: AttributeValue): string {
  const [only] = Object.values(value);
  return Array.isArray(only) ? only.join(", ") : String(only ?? "");
}

export interface Group {
  name: string;
  devices: Device[];
}

const NUMERIC = new Intl.Collator("en", {numeric: true});

/// Ways to group devices: node, driver, pool, class (that the holder asked for), "label:KEY" of the node,
/// "attribute:NAME".
export function groupsOf(devices: Device[], by: string, nodes: ReadonlyMap<string, KubeNode>): Group[] {
  const nameOf = (device: Device): string => {
    if (by === "driver") return device.driver;
    if (by === "pool") return `${device.driver}/${device.pool}`;
    if (by === "class") return device.holders[0] ? device.holders[0].deviceClass || "(none)" : "(no claim has it)";
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
    .sort((a, b) => NUMERIC.compare(a.name, b.name));
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
