// SPDX-License-Identifier: Apache-2.0
// The answers of `dray explain -o json`, and their words.

export interface Removal {step: string; devices: number; why?: string; error?: string;
  have?: {name: string; value: string; devices: number}[]; missing?: string[]}
export interface Funnel {claim: string; request: string; deviceClassName: string; allocationMode: string; count?: number;
  adminAccess?: boolean; devices: number; removed: Record<string, number>; usable: number; why: Removal[]}
export interface NodeGroup {trouble: string; claim?: string; request?: string; wanted?: number; usable?: number; step?: string;
  left?: number; objection?: string; detail?: string; nodes: string[]}
export interface Part {request?: string; constraint?: string; holder?: boolean; claim: string}
export interface ExplanationAnswer {for: string; verdict: string; state?: string; reason?: string; fix?: string; note?: string; event?: string;
  evicts?: string[]; requests?: Funnel[]; nodes?: number; nodeGroups?: NodeGroup[]; closestNode?: string; fitsWhenEmpty?: boolean;
  holders?: {claim: string; pods: string[]; since?: string; state?: string; devices: string[]}[];
  conflict?: {node: string; parts: Part[]}; suggestions?: {change: string; text: string; node: string}[]}
export interface ExplainAnswer {explanations: ExplanationAnswer[]; unread?: string[]}

export const STEPS: Record<string, string> = {elsewhere: "on nodes that the pod may not use", class: "not of the class", selectors: "not selected by the request",
  pool: "in an incomplete or old pool", switchedOff: "need a feature that is off", node: "not for this node", tooSmall: "too small",
  taints: "tainted", inUse: "in use", counters: "counters used up", capacity: "shared capacity used up"};
export const VERDICTS: Record<string, string> = {fits: "It fits now", doesNotFit: "It fits nowhere", refused: "Something is wrong with it",
  undecided: "Not decided: the search was given up", settled: "It does not wait"};

export function troubleText(group: NodeGroup): string {
  const what = group.request ? `request ${group.request} of claim ${group.claim}` : "";
  switch (group.trouble) {
    case "none": return "nothing is in the way";
    case "undecided": return "the search was given up";
    case "together": return `${what}: enough devices alone, but not beside what was asked for before`;
    case "constraints": return `${what}: enough devices, but no ${group.wanted ?? ""} of them meet the constraints`;
    case "atOnce": return "enough devices for each request, but not for all at once";
    case "tooFew": return `${what} wants ${group.wanted ?? "?"}, and ${group.left ?? 0} can be had; the others: ${STEPS[group.step ?? ""] ?? group.step ?? ""}`;
    default: return group.objection ?? group.trouble;
  }
}

/// Whether a group's nodes keep the pod away by a cordon or a taint.
export function isClosed(group: NodeGroup): boolean {
  return group.trouble === "objection" && /unschedulable|untolerated taint/.test(group.objection ?? "");
}
