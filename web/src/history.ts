// SPDX-License-Identifier: Apache-2.0
// Which claim had which device when: spans of time, made from the changes that the server remembers and those
// that the page's own watch saw.
import type {ResourceClaim} from "./kube.ts";

export interface Point {revision: string; time: string}
export interface ClaimChange extends Point {
  claim: string; // namespace/name
  uid: string;
  devices: string[]; // driver/pool/device; none: given back, or the claim is gone
}
export interface HistoryAnswer {from: Point; to: Point; changes: ClaimChange[]}

export interface Span {
  device: string;
  claim: string;
  from: number; // milliseconds
  to: number;
  isOpenBefore: boolean; // it began before what is known
  isOpen: boolean; // it goes on
}

/// Ids of the devices that a claim has, in the order of its results.
export function devicesOfClaim(claim: ResourceClaim | undefined): string[] {
  return (claim?.status?.allocation?.devices?.results ?? []).map((one) => `${one.driver}/${one.pool}/${one.device}`);
}

/// Those that it takes: not those that it only administers. Sorted, each once.
export function devicesTakenBy(claim: ResourceClaim | undefined): string[] {
  const taken = (claim?.status?.allocation?.devices?.results ?? []).filter((one) => !one.adminAccess);
  return [...new Set(taken.map((one) => `${one.driver}/${one.pool}/${one.device}`))].sort();
}

/// Revisions are numbers in texts; -1 for anything else.
function revisionOf(point: Point): number {
  return /^\d+$/.test(point.revision) ? Number(point.revision) : -1;
}

/// The server's changes, then those of the page that are newer. Without the server's, only the page's.
export function joined(history: HistoryAnswer | undefined, seen: ClaimChange[]): ClaimChange[] {
  if (!history) return seen;
  const last = revisionOf(history.to);
  return [...history.changes, ...seen.filter((change) => revisionOf(change) > last)];
}

interface Open {claim: string; from: number; isOpenBefore: boolean}

/// The spans between `from` and `to`, in the order in which they end. A claim that has devices and that no change is
/// about has had them all the time.
export function spansOf(changes: ClaimChange[], claims: Iterable<ResourceClaim>, from: number, to: number): Span[] {
  const spans: Span[] = [];
  const open = new Map<string, Map<string, Open>>(); // uid, device
  const close = (device: string, one: Open, at: number, isOpen: boolean) =>
    spans.push({device, claim: one.claim, from: one.from, to: Math.max(one.from, at), isOpenBefore: one.isOpenBefore, isOpen});
  const named = new Set(changes.map((change) => change.uid));
  for (const claim of claims) {
    if (named.has(claim.metadata.uid ?? "")) continue;
    const {namespace = "", name} = claim.metadata;
    const allocated = Date.parse(claim.status?.allocation?.allocationTimestamp ?? "");
    for (const device of devicesTakenBy(claim)) {
      const isInside = allocated > from;
      close(device, {claim: `${namespace}/${name}`, from: isInside ? Math.min(allocated, to) : from, isOpenBefore: !isInside}, to, true);
    }
  }
  for (const change of changes) {
    const parsed = Date.parse(change.time);
    const at = Math.min(to, Math.max(from, Number.isNaN(parsed) ? from : parsed));
    const before = open.get(change.uid) ?? new Map<string, Open>();
    const next = new Map<string, Open>();
    for (const device of change.devices) next.set(device, before.get(device) ?? {claim: change.claim, from: at, isOpenBefore: parsed < from});
    for (const [device, one] of before) if (!next.has(device)) close(device, one, at, false);
    open.set(change.uid, next);
  }
  for (const held of open.values()) for (const [device, one] of held) close(device, one, to, true);
  return spans.filter((span) => span.to > from || span.isOpen);
}

export interface Step {
  at: number;
  used: number; // devices in use from then on
}

/// How many devices were in use, as steps. O(spans * log spans).
export function usageOf(spans: Span[], from: number): Step[] {
  const ends: {at: number; device: string; by: number}[] = [];
  for (const span of spans) {
    ends.push({at: span.from, device: span.device, by: 1});
    if (!span.isOpen) ends.push({at: span.to, device: span.device, by: -1});
  }
  ends.sort((a, b) => a.at - b.at || b.by - a.by);
  const held = new Map<string, number>();
  const steps: Step[] = [{at: from, used: 0}];
  let used = 0;
  for (const {at, device, by} of ends) {
    const many = (held.get(device) ?? 0) + by;
    held.set(device, many);
    if (by > 0 && many === 1) used += 1;
    if (by < 0 && many === 0) used -= 1;
    const last = steps[steps.length - 1]!;
    if (last.at === at) last.used = used;
    else if (last.used !== used) steps.push({at, used});
  }
  return steps;
}

/// At most `most` steps that look alike: of those that fall together, the highest stays.
export function thinned(steps: Step[], most: number, from: number, to: number): Step[] {
  if (steps.length <= most) return steps;
  const width = (to - from) / most || 1;
  const thin: Step[] = [];
  let bucket = -1;
  for (const step of steps) {
    const own = Math.floor((step.at - from) / width);
    const last = thin[thin.length - 1];
    if (own !== bucket || !last) thin.push({...step});
    else if (step.used > last.used) last.used = step.used;
    bucket = own;
  }
  const end = steps[steps.length - 1]!;
  if (thin[thin.length - 1]!.used !== end.used) thin.push({...end});
  return thin;
}

/// Times for an axis, at most `most`, at whole steps of a clock.
export function ticksOf(from: number, to: number, most: number): number[] {
  const sizes = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000, 31_536_000];
  const size = 1000 * (sizes.find((seconds) => (to - from) / (seconds * 1000) <= most) ?? sizes[sizes.length - 1]!);
  const zone = new Date(from).getTimezoneOffset() * 60_000;
  const ticks: number[] = [];
  for (let at = Math.ceil((from - zone) / size) * size + zone; at <= to && ticks.length <= most; at += size) ticks.push(at);
  return ticks;
}
