// SPDX-License-Identifier: Apache-2.0
// The question of the what-if view, and its answer as people compare it: before and after.
import type {ExplanationAnswer} from "./explain.ts";

export const CHANGE_KINDS = ["drain", "removeNode", "like", "addNodes", "taint", "delete"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];
export interface Change {
  kind: ChangeKind;
  text: string;
}

export const BODY_BYTES_MAX = 1024 * 1024;
export const CHANGES_MAX = 40;

/// "drain node-a": how a change stands in the URL, a line for each.
export function changeLine(change: Change): string {
  return `${change.kind} ${change.text}`;
}

/// The changes of some lines; what is none is left out.
export function changesOf(lines: string): Change[] {
  return lines.split("\n").slice(0, CHANGES_MAX).flatMap((line) => {
    const space = line.indexOf(" ");
    const kind = CHANGE_KINDS.find((one) => one === line.slice(0, space));
    const text = line.slice(space + 1).trim();
    return kind && text ? [{kind, text}] : [];
  });
}

export interface Question {
  manifests: string;
  changes: Change[];
  defaultNamespace: string;
  replicas: number; // 0: as the manifests say
  max: boolean;
  defragment: boolean;
  driver: string; // manifests of slices that replace those of their drivers, after the changes; "": none
}

export function bodyOf(question: Question): string {
  const {manifests, changes, defaultNamespace, replicas, max, defragment, driver} = question;
  const upgrade = driver.trim() ? [{upgradeDriver: driver}] : [];
  return JSON.stringify({manifests, defaultNamespace: defaultNamespace || "default",
    ...(replicas > 0 && !max ? {replicas} : {}), ...(max ? {max} : {}), ...(defragment && !max ? {defragment} : {}),
    changes: [...changes.map(({kind, text}) => ({[kind]: text})), ...upgrade]});
}

/// The same on a command line; "work.yaml" is the file with the manifests, "slices.yaml" that with the slices.
export function commandOf(question: Question, quoted: (word: string) => string): string {
  const words = ["dray", "whatif"];
  if (question.manifests.trim()) words.push("-f", "work.yaml");
  if (question.defaultNamespace) words.push("-n", question.defaultNamespace);
  if (question.max) words.push("--max");
  else if (question.replicas > 0) words.push("--replicas", String(question.replicas));
  if (question.defragment && !question.max) words.push("--defragment");
  for (const {kind, text} of question.changes) words.push(`--${kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, text);
  if (question.driver.trim()) words.push("--upgrade-driver", "slices.yaml");
  return words.map(quoted).join(" ");
}

export interface PlacedDevice {claim: string; request: string; driver: string; pool: string; device: string; adminAccess?: boolean}
export interface Outcome {for: string; fits: boolean; verdict: string; node?: string; nodeBefore?: string; reason?: string;
  devices?: PlacedDevice[]; evicts?: string[]; moves?: {pod: string; from: string; to: string}[]}
export interface DeviceSituation {state: string; claims?: string[]}
export interface DeviceChange {driver: string; pool: string; device: string; node?: string; before?: DeviceSituation; after?: DeviceSituation}
export interface WhatIfAnswer {fits: boolean; cutShort?: boolean; answers: Outcome[];
  waiting?: {pods: number; fitBefore: number; fit: number; undecided?: number; changes: Outcome[]};
  deviceChanges?: DeviceChange[]; deviceChangesLeftOut?: number;
  max?: number; podsByNode?: Record<string, number>; evicts?: string[]; explanations?: ExplanationAnswer[]; notes?: string[]; unread?: string[]}

/// A number before and after, of so many.
export interface Measure {
  name: string;
  before: number;
  after: number;
  of: number;
}

export function measuresOf(answer: WhatIfAnswer): Measure[] {
  const moved = answer.answers.filter((one) => one.nodeBefore);
  const work = answer.answers.filter((one) => !one.nodeBefore);
  const fit = (outcomes: Outcome[]) => outcomes.filter((one) => one.fits).length;
  const measures: Measure[] = [];
  if (answer.max !== undefined) measures.push({name: "copies of the work that run", before: 0, after: answer.max, of: answer.max});
  if (work.length > 0) measures.push({name: "of the work, pods and claims with a place", before: 0, after: fit(work), of: work.length});
  if (moved.length > 0) measures.push({name: "pods that have to move, with a node", before: moved.length, after: fit(moved), of: moved.length});
  const {waiting} = answer;
  if (waiting) measures.push({name: "pods that wait already, with a place", before: waiting.fitBefore, after: waiting.fit, of: waiting.pods});
  return measures;
}

/// What one pod or claim has before and after.
export interface Comparison {
  what: string; // "pod namespace/name"
  part: "work" | "moves" | "waits";
  before: string; // a node; "" where it has none
  outcome: Outcome;
}

export function comparisonsOf(answer: WhatIfAnswer): Comparison[] {
  const own = answer.answers.map((outcome): Comparison => (
    {what: outcome.for, part: outcome.nodeBefore ? "moves" : "work", before: outcome.nodeBefore ?? "", outcome}));
  const waiting = (answer.waiting?.changes ?? []).map((outcome): Comparison => (
    {what: outcome.for, part: "waits", before: outcome.nodeBefore ?? "", outcome}));
  return [...own, ...waiting];
}

export interface NodeChange {
  node: string;
  leave: number; // pods
  come: number;
  devices: number; // that those which come take
}

/// The nodes where something changes, those that take most first.
export function nodeChangesOf(answer: WhatIfAnswer): NodeChange[] {
  const nodes = new Map<string, NodeChange>();
  const at = (node: string) => {
    const known = nodes.get(node) ?? {node, leave: 0, come: 0, devices: 0};
    nodes.set(node, known);
    return known;
  };
  for (const {part, before, outcome} of comparisonsOf(answer)) {
    if (part === "waits" && outcome.fits && before) continue; // it would run in both cases
    if (before) at(before).leave += 1;
    if (!outcome.fits || !outcome.node) continue;
    at(outcome.node).come += 1;
    at(outcome.node).devices += (outcome.devices ?? []).filter((one) => !one.adminAccess).length;
  }
  for (const [node, pods] of Object.entries(answer.podsByNode ?? {})) at(node).come += pods;
  return [...nodes.values()].sort((a, b) => b.come - a.come || b.leave - a.leave || (a.node < b.node ? -1 : 1));
}
