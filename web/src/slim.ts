// SPDX-License-Identifier: Apache-2.0
// Objects without what no view shows: 40 000 pods in full would fill the memory of a tab. Where all of an object is
// wanted (YAML, a suggestion to try), it is read again.
import type {Kind} from "./cluster.ts";
import type {Kubernetes, KubeNode, Meta, Pod, ResourceClaim} from "./kube.ts";

function slimMeta(meta: Meta): Meta {
  const {name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels} = meta;
  const slim: Meta = {name};
  if (namespace !== undefined) slim.namespace = namespace;
  if (uid !== undefined) slim.uid = uid;
  if (resourceVersion !== undefined) slim.resourceVersion = resourceVersion;
  if (creationTimestamp !== undefined) slim.creationTimestamp = creationTimestamp;
  if (deletionTimestamp !== undefined) slim.deletionTimestamp = deletionTimestamp;
  if (labels !== undefined) slim.labels = labels;
  return slim;
}

function slimPod({metadata, spec, status}: Pod): Pod {
  const {labels: _, ...meta} = slimMeta(metadata);
  return {metadata: meta,
    spec: {...(spec?.nodeName ? {nodeName: spec.nodeName} : {}), ...(spec?.resourceClaims ? {resourceClaims: spec.resourceClaims} : {})},
    status: {...(status?.phase ? {phase: status.phase} : {}),
      ...(status?.conditions ? {conditions: status.conditions.filter((one) => one.type === "PodScheduled")} : {}),
      ...(status?.resourceClaimStatuses ? {resourceClaimStatuses: status.resourceClaimStatuses} : {}),
      ...(status?.extendedResourceClaimStatus ? {extendedResourceClaimStatus: {resourceClaimName: status.extendedResourceClaimStatus.resourceClaimName ?? ""}} : {})}};
}

function slimNode({metadata, spec}: KubeNode): KubeNode {
  return {metadata: slimMeta(metadata), spec: {...(spec?.unschedulable ? {unschedulable: true} : {}), ...(spec?.taints ? {taints: spec.taints} : {})}};
}

/// The spec stays whole: suggestions change it.
function slimClaim(claim: ResourceClaim): ResourceClaim {
  delete claim.metadata.managedFields;
  delete (claim.status?.allocation as {nodeSelector?: unknown} | undefined)?.nodeSelector;
  return claim;
}

/// May take its parts from `object`, which is not used afterwards.
export function slim(kind: Kind, object: Kubernetes): Kubernetes {
  switch (kind) {
    case "pods": return slimPod(object);
    case "nodes": return slimNode(object);
    case "resourceclaims": return slimClaim(object);
    default:
      delete object.metadata.managedFields;
      return object;
  }
}
