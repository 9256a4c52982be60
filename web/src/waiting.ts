// SPDX-License-Identifier: Apache-2.0
// Pods that no node has yet, by the scheduler's reason.
import {type Pod} from "./kube.ts";

export interface Reason {
  /// The reason without the numbers in which like ones differ; the key of the group.
  key: string;
  text: string; // of the first pod
  pods: Pod[]; // those that wait longest first
}

export const UNTRIED = "No scheduler has tried this pod yet.";

export function isWaiting(pod: Pod): boolean {
  const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  return !pod.spec?.nodeName && !isOver && !pod.metadata.deletionTimestamp;
}

export function reasonOf(pod: Pod): string {
  const condition = pod.status?.conditions?.find((one) => one.type === "PodScheduled");
  if (condition?.status !== "False") return UNTRIED;
  return condition.message || condition.reason || UNTRIED;
}

/// "0/3 nodes are available: 3 cannot allocate" and "0/4 … 4 cannot allocate" are one reason.
function keyOf(reason: string): string {
  return reason.replace(/\d+/g, "#").slice(0, 400);
}

export function waitingSince(pod: Pod): string {
  const condition = pod.status?.conditions?.find((one) => one.type === "PodScheduled");
  return condition?.lastTransitionTime ?? pod.metadata.creationTimestamp ?? "";
}

/// The largest group first.
export function reasonsOf(pods: Iterable<Pod>): Reason[] {
  const reasons = new Map<string, Reason>();
  for (const pod of pods) {
    if (!isWaiting(pod)) continue;
    const text = reasonOf(pod);
    const key = keyOf(text);
    const known = reasons.get(key);
    if (known) known.pods.push(pod);
    else reasons.set(key, {key, text, pods: [pod]});
  }
  for (const reason of reasons.values()) {
    reason.pods.sort((a, b) => (waitingSince(a) < waitingSince(b) ? -1 : 1));
  }
  return [...reasons.values()].sort((a, b) => b.pods.length - a.pods.length || (a.key < b.key ? -1 : 1));
}
