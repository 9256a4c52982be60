// SPDX-License-Identifier: Apache-2.0
// What a suggestion of `dray explain` means in objects: the manifests and changes with which `dray whatif`
// tries it, and the commands that do it. A suggestion is a sentence; one that is not understood here
// has no plan, and the page then offers none.
import type {Cluster} from "./cluster.ts";
import {deleteCommands, manifestOf, replaceCommand} from "./kubectl.ts";
import {keyOf, type AnyRequest, type ClaimDevices, type ClaimTemplate, type Container, type Kubernetes, type Pod, type ResourceClaim, type ResourceSlice} from "./kube.ts";
import {claimsOf} from "./model.ts";

export interface Plan {
  work: Kubernetes[]; // the waiting pod, and what changes with it; none: it cannot be tried
  changes: string[]; // as whatif.ts writes them
  commands: string[]; // for kubectl; none where no command does it
  note: string; // what else the commands do, or why there is nothing to try or no command; or ""
}
/// What suggestions for a pod are about.
export interface Subject {
  pod: Pod | undefined; // all of it; undefined: it is gone
  claims: ReadonlyMap<string, ResourceClaim>;
  slices: ReadonlyMap<string, ResourceSlice>;
  templates: ReadonlyMap<string, ClaimTemplate>; // that the pod names and the user may read, by name
}

/// Reads the pod and the templates that it names. Errors: as request, about the pod.
export async function subjectOf(cluster: Cluster, podKey: string): Promise<Subject> {
  const pod = await cluster.whole("pods", podKey) as Pod | undefined;
  const templates = new Map<string, ClaimTemplate>();
  const names = new Set(pod?.spec?.resourceClaims?.flatMap((one) => one.resourceClaimTemplateName ?? []));
  for (const name of names) {
    const template = await cluster.template(pod?.metadata.namespace ?? "", name).catch(() => undefined);
    if (template) templates.set(name, template);
  }
  return {pod, claims: cluster.claims, slices: cluster.slices, templates};
}

const IN = "request (\\S+) of claim (\\S+)$";
const CONSTRAINT = /^drop the constraint (matchAttribute|distinctAttribute) (\S+) of claim (\S+)$/;
const NO_PLAN: Plan = {work: [], changes: [], commands: [], note: ""};
const EXTENDED = "resource.kubernetes.io/extended-resource-name";

/// The request, or the alternative of one: "gpus", "gpus/large".
function requestOf(devices: ClaimDevices | undefined, name: string): AnyRequest | undefined {
  const [first, alternative] = name.split("/");
  const request = devices?.requests?.find((one) => one.name === first);
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

/// Changes one thing of what a claim or a template asks for, as the sentence says; false: it is not there.
function edit(devices: ClaimDevices | undefined, text: string): boolean {
  const constraint = CONSTRAINT.exec(text);
  if (constraint) {
    const all = devices?.constraints ?? [];
    const at = all.findIndex((one) => one[constraint[1] as "matchAttribute"] === constraint[2]);
    if (at < 0) return false;
    all.splice(at, 1);
    return true;
  }
  const change = editOf(text);
  const request = change && requestOf(devices, change.request);
  return request !== undefined && change!.edit(request);
}

/// The name of the template that the pod's claim is made from; "": from none.
function templateOf(pod: Pod, claimName: string): string {
  const made = pod.status?.resourceClaimStatuses?.find((one) => one.resourceClaimName === claimName)?.name;
  return pod.spec?.resourceClaims?.find((one) => one.name === made)?.resourceClaimTemplateName ?? "";
}

/// A change of a claim that the pod names, or of the template that it is made from. Undefined: the sentence is about
/// something else, or what it is about is not there.
function editedClaim(text: string, pod: Pod, {claims, templates}: Subject): Plan | undefined {
  const key = CONSTRAINT.exec(text)?.[3] ?? editOf(text)?.claim ?? "";
  const known = claims.get(key);
  if (!known || known.metadata.annotations?.[EXTENDED] !== undefined) return undefined;
  const manifest = manifestOf(pod);
  const name = templateOf(pod, known.metadata.name);
  if (name) {
    const template = templates.get(name);
    if (!template) return {...NO_PLAN, note: `The claim is made from the template ${name}, which you may not read.`};
    const changed = structuredClone(manifestOf(template));
    if (!edit(changed.spec?.spec?.devices, text)) return {...NO_PLAN, note: `The claim is made from the template ${name}, which has changed since.`};
    return {work: [manifest, changed], changes: [`delete claim/${key}`], commands: [replaceCommand(changed), ...deleteCommands("resourceclaim", [key])],
      note: `The claim is made from the template ${name}. The commands replace the template and make the claim anew; other pods that come later get the change too.`};
  }
  const claim = structuredClone(manifestOf(known));
  if (!edit(claim.spec?.devices, text)) return undefined;
  const isOwned = (known.metadata.ownerReferences?.length ?? 0) > 0;
  return {work: [manifest, claim], changes: [], commands: isOwned ? [] : [replaceCommand(claim)],
    note: isOwned ? `No command does it: ${known.metadata.ownerReferences![0]!.kind} ${known.metadata.ownerReferences![0]!.name} makes the claim.` : ""};
}

/// Two pods in place of one: each container goes with the claims that it uses, those that use none with the first.
function split(text: string, pod: Pod): Plan | undefined {
  const found = /^split into two pods: (.+) in one, (.+) in the other$/.exec(text);
  if (!found) return undefined;
  const sides = found.slice(1).map((part) => part.split(/, | and /));
  const [first, second] = sides.map((parts) => new Set(parts.map((part) => part.replace(/^claim /, ""))));
  if (sides.flat().some((part) => !part.startsWith("claim "))) {
    return {...NO_PLAN, note: "It cannot be tried from here: only the author of the pod knows how its program shares one claim between two pods."};
  }
  const keys = new Map(claimsOf(pod).map(({name, claim}) => [name, claim]));
  const usesOf = (container: Container) => (container.resources?.claims ?? []).map((one) => keys.get(one.name) ?? "");
  const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const both = all.find((one) => usesOf(one).some((key) => first!.has(key)) && usesOf(one).some((key) => second!.has(key)));
  if (both) return {...NO_PLAN, note: `It cannot be tried from here: container ${both.name} uses claims of both pods.`};
  const isSecond = (one: Container) => usesOf(one).some((key) => second!.has(key));
  if (all.every(isSecond) || !all.some(isSecond)) return {...NO_PLAN, note: "It cannot be tried from here: no container would be left for one of the pods."};
  const half = (suffix: string, keys_: ReadonlySet<string>, isOf: (one: Container) => boolean): Pod => {
    const {resourceClaims, containers, initContainers, ...spec} = pod.spec!;
    const manifest = manifestOf(pod);
    return {...manifest, metadata: {...manifest.metadata, name: `${pod.metadata.name}${suffix}`},
      spec: {...spec, resourceClaims: (resourceClaims ?? []).filter((one) => keys_.has(keys.get(one.name)!)),
        containers: (containers ?? []).filter(isOf), ...(initContainers ? {initContainers: initContainers.filter(isOf)} : {})}};
  };
  return {work: [half("-1", first!, (one) => !isSecond(one)), half("-2", second!, isSecond)], changes: [`delete pod/${keyOf(pod)}`], commands: [],
    note: "No command does it: what makes the pod has to make two."};
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

/// Undefined: the sentence is not understood, or what it is about is not there.
export function planOf(text: string, subject: Subject): Plan | undefined {
  if (!subject.pod) return undefined;
  const plan = editedClaim(text, subject.pod, subject) ?? split(text, subject.pod);
  if (plan) return plan;
  const pod = manifestOf(subject.pod);
  const gone = freeing(text, subject.claims);
  if (gone) {
    return {...NO_PLAN, work: [pod], changes: [...gone.pods.map((one) => `delete pod/${one}`), ...gone.claims.map((one) => `delete claim/${one}`)],
      commands: [...deleteCommands("pod", gone.pods), ...deleteCommands("resourceclaim", gone.claims)]};
  }
  const slice = moreDevices(text, subject.slices);
  return slice ? {...NO_PLAN, work: [pod, slice], note: "No command does it: a node needs more devices."} : undefined;
}
