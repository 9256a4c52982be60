// SPDX-License-Identifier: Apache-2.0
// What a suggestion of `dray explain` means in objects: the manifests and changes with which `dray whatif`
// tries it, and the commands that do it. A suggestion is a sentence; one that is not understood here
// has no plan, and the page then offers none.
import {deleteCommands, manifestOf, replaceCommand} from "./kubectl.ts";
import type {AnyRequest, Kubernetes, Pod, ResourceClaim, ResourceSlice} from "./kube.ts";

export interface Plan {
  work: Kubernetes[]; // the waiting pod, and what changes with it
  changes: string[]; // as whatif.ts writes them
  commands: string[]; // for kubectl; none where no command does it
}
export interface Objects {
  pods: ReadonlyMap<string, Pod>;
  claims: ReadonlyMap<string, ResourceClaim>;
  slices: ReadonlyMap<string, ResourceSlice>;
}

const IN = "request (\\S+) of claim (\\S+)$";
const EXTENDED = "resource.kubernetes.io/extended-resource-name";

/// The request, or the alternative of one: "gpus", "gpus/large".
function requestOf(claim: ResourceClaim, name: string): AnyRequest | undefined {
  const [first, alternative] = name.split("/");
  const request = claim.spec?.devices?.requests?.find((one) => one.name === first);
  if (!request) return undefined;
  if (alternative !== undefined) return request.firstAvailable?.find((one) => one.name === alternative);
  return request.exactly ?? request; // v1beta1 has no "exactly"
}

type Edit = (request: AnyRequest) => boolean; // whether it could be made

/// Takes a condition out of the selector that has it. "true" in its place keeps what stands around it.
function dropCondition(request: AnyRequest, condition: string): boolean {
  for (const selector of request.selectors ?? []) {
    const expression = selector.cel?.expression ?? "";
    const at = expression.indexOf(condition);
    if (at < 0 || expression.indexOf(condition, at + 1) >= 0) continue; // not there, or not clear which
    selector.cel = {expression: expression.slice(0, at) + "true" + expression.slice(at + condition.length)};
    return true;
  }
  return false;
}

/// The edit that a sentence asks for, with its request and claim.
function editOf(text: string): {request: string; claim: string; edit: Edit} | undefined {
  let found = new RegExp(`^let request (\\S+) of claim (\\S+) tolerate ([^\\s=:]+)(?:=([^\\s:]*))?:(\\w+)$`).exec(text);
  if (found) {
    const [, request = "", claim = "", key = "", value, effect = ""] = found;
    return {request, claim, edit: (one) => {
      one.tolerations = [...(one.tolerations ?? []), {key, operator: "Equal", ...(value ? {value} : {}), effect}];
      return true;
    }};
  }
  if ((found = new RegExp(`^ask for (\\d+) devices? instead of \\d+ in ${IN}`).exec(text))) {
    const [, many = "", request = "", claim = ""] = found;
    return {request, claim, edit: (one) => { one.count = Number(many); return true; }};
  }
  if ((found = new RegExp(`^ask for (\\S+) of (\\S+) instead of \\S+ in ${IN}`).exec(text))) {
    const [, amount = "", name = "", request = "", claim = ""] = found;
    return {request, claim, edit: (one) => {
      if (one.capacity?.requests?.[name] === undefined) return false;
      one.capacity.requests[name] = amount;
      return true;
    }};
  }
  if ((found = new RegExp(`^use class (\\S+) in ${IN}`).exec(text))) {
    const [, name = "", request = "", claim = ""] = found;
    return {request, claim, edit: (one) => { one.deviceClassName = name; return true; }};
  }
  if ((found = new RegExp(`^drop the condition (.+) from ${IN}`, "s").exec(text))) {
    const [, condition = "", request = "", claim = ""] = found;
    return {request, claim, edit: (one) => dropCondition(one, condition)};
  }
  return undefined;
}

/// The claim with one thing changed; undefined: the sentence is about something else, or it is not there.
function editedClaim(text: string, claims: ReadonlyMap<string, ResourceClaim>): ResourceClaim | undefined {
  const constraint = /^drop the constraint (matchAttribute|distinctAttribute) (\S+) of claim (\S+)$/.exec(text);
  const change = editOf(text);
  const known = claims.get(constraint?.[3] ?? change?.claim ?? "");
  if (!known || known.metadata.annotations?.[EXTENDED] !== undefined) return undefined;
  const claim = structuredClone(manifestOf(known));
  if (constraint) {
    const all = claim.spec?.devices?.constraints ?? [];
    const at = all.findIndex((one) => one[constraint[1] as "matchAttribute"] === constraint[2]);
    if (at < 0) return undefined;
    all.splice(at, 1);
    return claim;
  }
  const request = requestOf(claim, change!.request);
  return request && change!.edit(request) ? claim : undefined;
}

/// Pods whose end frees the claims, and claims that no pod uses.
function freeing(text: string, claims: ReadonlyMap<string, ResourceClaim>): {pods: string[]; claims: string[]} | undefined {
  const found = /^take back claims? (.+)$/.exec(text);
  if (!found || / and \d+ more$/.test(found[1]!)) return undefined; // only some are named
  const gone = {pods: new Set<string>(), claims: [] as string[]};
  for (const name of found[1]!.replace(/ \([^)]*\)/g, "").split(", ")) {
    const claim = claims.get(name);
    if (!claim) return undefined;
    const users = claim.status?.reservedFor ?? [];
    if (users.some((one) => one.resource !== "pods")) return undefined;
    if (users.length === 0) gone.claims.push(name);
    for (const one of users) gone.pods.add(`${claim.metadata.namespace ?? ""}/${one.name}`);
  }
  return {pods: [...gone.pods], claims: gone.claims};
}

/// A slice with more devices like one that is there.
function moreDevices(text: string, slices: ReadonlyMap<string, ResourceSlice>): ResourceSlice | undefined {
  const found = /^have (\d+) devices? more like ([^\s/]+)\/(\S+)\/([^\s/]+) on node (\S+)$/.exec(text);
  if (!found) return undefined;
  const [, many = "", driver = "", pool = "", name = "", node = ""] = found;
  for (const slice of slices.values()) {
    const model = slice.spec.driver === driver && slice.spec.pool.name === pool ? slice.spec.devices?.find((one) => one.name === name) : undefined;
    if (!model) continue;
    const {taints: _t, consumesCounters: _c, nodeName: _n, nodeSelector: _s, allNodes: _a, ...like} = model;
    const added = `${node}-one-more`;
    return {apiVersion: slice.apiVersion, kind: "ResourceSlice", metadata: {name: added},
      spec: {driver, nodeName: node, pool: {name: added, generation: 1, resourceSliceCount: 1},
        devices: Array.from({length: Number(many)}, (_, i) => ({...like, name: `one-more-${i}`}))}};
  }
  return undefined;
}

export function planOf(text: string, podKey: string, objects: Objects): Plan | undefined {
  const known = objects.pods.get(podKey);
  if (!known) return undefined;
  const pod = manifestOf(known);
  const claim = editedClaim(text, objects.claims);
  if (claim) {
    const owner = objects.claims.get(`${claim.metadata.namespace ?? ""}/${claim.metadata.name}`)!.metadata.ownerReferences;
    // A claim that was made from a template comes back as it was: its template has to change, which is not read here.
    return {work: [pod, claim], changes: [], commands: owner?.length ? [] : [replaceCommand(claim)]};
  }
  const gone = freeing(text, objects.claims);
  if (gone) {
    return {work: [pod], changes: [...gone.pods.map((one) => `delete pod/${one}`), ...gone.claims.map((one) => `delete claim/${one}`)],
      commands: [...deleteCommands("pod", gone.pods), ...deleteCommands("resourceclaim", gone.claims)]};
  }
  const slice = moreDevices(text, objects.slices);
  return slice ? {work: [pod, slice], changes: [], commands: []} : undefined;
}
