// SPDX-License-Identifier: Apache-2.0
// Commands for kubectl, ready for a shell. Names of objects come from clients, so each word is quoted
// unless it is harmless.
import type {Kubernetes, KubeNode, Meta, Taint} from "./kube.ts";
import {toYaml} from "./yaml.ts";

const HARMLESS = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
// Taints that a controller sets: it would set them again.
const OF_CONTROLLERS = "node.kubernetes.io/";

/// One word of a POSIX shell.
export function quoted(word: string): string {
  return HARMLESS.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function command(...words: string[]): string {
  return ["kubectl", ...words.map(quoted)].join(" ");
}

/// "namespace/name" or "name" as the arguments of a command. A name that begins with a dash is no option.
function named(key: string): string[] {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  const safe = name.startsWith("-") ? ["--", name] : [name];
  return slash < 0 ? safe : ["-n", key.slice(0, slash), ...safe];
}

export function describeCommand(kind: string, key: string): string {
  return command("describe", kind, ...named(key));
}

/// Deletes the objects of `keys`, a command for each namespace.
export function deleteCommands(kind: string, keys: string[]): string[] {
  const byNamespace = new Map<string, string[]>();
  for (const key of keys) {
    const slash = key.indexOf("/");
    const namespace = key.slice(0, slash);
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), key.slice(slash + 1)]);
  }
  return [...byNamespace].map(([namespace, names]) => command("delete", kind, "-n", namespace, "--", ...names));
}

export function taintText(taint: Taint): string {
  return `${taint.key}${taint.value ? `=${taint.value}` : ""}:${taint.effect}`;
}

/// Opens cordoned nodes, and takes away taints that keep pods off. Taints that controllers set are left out.
export function openCommands(nodes: KubeNode[]): string[] {
  const cordoned = nodes.filter((node) => node.spec?.unschedulable).map((node) => node.metadata.name);
  const tainted = new Map<string, string[]>();
  for (const node of nodes) {
    for (const taint of node.spec?.taints ?? []) {
      if (taint.effect === "PreferNoSchedule" || taint.key.startsWith(OF_CONTROLLERS)) continue;
      const removal = `${taint.key}:${taint.effect}-`;
      tainted.set(removal, [...(tainted.get(removal) ?? []), node.metadata.name]);
    }
  }
  return [...(cordoned.length > 0 ? [command("uncordon", ...cordoned)] : []),
    ...[...tainted].map(([removal, names]) => command("taint", "nodes", ...names, removal))];
}

/// The object as a manifest: without what the server wrote.
export function manifestOf<T extends Kubernetes>(object: T): T {
  const {name, namespace, labels, annotations} = object.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => key !== "kubectl.kubernetes.io/last-applied-configuration");
  const metadata: Meta = {name, ...(namespace ? {namespace} : {}), ...(labels ? {labels} : {}),
    ...(kept.length > 0 ? {annotations: Object.fromEntries(kept)} : {})};
  const {apiVersion, kind, status: _, ...rest} = object as T & {status?: unknown};
  return {apiVersion, kind, ...rest, metadata} as unknown as T;
}

/// Deletes the object and makes it anew: for a spec that cannot be changed.
export function replaceCommand(object: Kubernetes): string {
  return `kubectl replace --force -f - <<'EOF'\n${toYaml(object)}EOF`; // no line of the YAML is EOF: each has a colon or a dash
}
