// SPDX-License-Identifier: Apache-2.0
// The parts of Kubernetes objects that the dashboard reads. Everything that a client may leave out is
// optional: an object of an older version, or a broken one, must not stop a view.

export interface Meta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  managedFields?: unknown;
  ownerReferences?: {kind: string; name: string; uid: string; controller?: boolean}[];
}
export interface Kubernetes {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: Meta;
}
export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}
export interface Taint {
  key: string;
  value?: string;
  effect: string;
}
export interface KubeNode extends Kubernetes {
  spec?: {unschedulable?: boolean; taints?: Taint[]};
}
export interface PodClaim {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}
export interface Container {
  name: string;
  resources?: {claims?: {name: string; request?: string}[]};
}
export interface Pod extends Kubernetes {
  spec?: {nodeName?: string; schedulerName?: string; resourceClaims?: PodClaim[]; priority?: number; containers?: Container[]; initContainers?: Container[]};
  status?: {
    phase?: string;
    conditions?: Condition[];
    resourceClaimStatuses?: {name: string; resourceClaimName?: string}[];
    extendedResourceClaimStatus?: {resourceClaimName?: string};
  };
}
export interface CapacityValue {
  value: string;
}
export type AttributeValue = {
  string?: string; int?: number | string; bool?: boolean; version?: string;
  strings?: string[]; ints?: (number | string)[]; bools?: boolean[]; versions?: string[];
};
export interface CounterUse {
  counterSet: string;
  counters?: Record<string, CapacityValue>;
}
export interface SliceDevice {
  name: string;
  basic?: Omit<SliceDevice, "name" | "basic">; // v1beta1
  attributes?: Record<string, AttributeValue>;
  capacity?: Record<string, CapacityValue | string>;
  taints?: Taint[];
  consumesCounters?: CounterUse[];
  nodeName?: string;
  allNodes?: boolean;
  nodeSelector?: unknown;
  allowMultipleAllocations?: boolean;
}
export interface ResourceSlice extends Kubernetes {
  spec: {
    driver: string;
    pool: {name: string; generation?: number; resourceSliceCount?: number};
    nodeName?: string;
    allNodes?: boolean;
    nodeSelector?: unknown;
    sharedCounters?: {name: string; counters?: Record<string, CapacityValue>}[];
    devices?: SliceDevice[];
  };
}
export interface AllocationResult {
  request: string;
  driver: string;
  pool: string;
  device: string;
  adminAccess?: boolean;
  shareID?: string;
  consumedCapacity?: Record<string, string>;
}
/// A request, its "exactly", or one of its alternatives.
export interface AnyRequest {
  name?: string;
  deviceClassName?: string;
  count?: number;
  selectors?: {cel?: {expression: string}}[];
  tolerations?: {key?: string; operator?: string; value?: string; effect?: string}[];
  capacity?: {requests?: Record<string, string>};
  exactly?: AnyRequest;
  firstAvailable?: AnyRequest[];
}
export interface ClaimDevices {
  requests?: AnyRequest[];
  constraints?: {requests?: string[]; matchAttribute?: string; distinctAttribute?: string}[];
}
export interface ClaimTemplate extends Kubernetes {
  spec?: {spec?: {devices?: ClaimDevices}};
}
export interface ResourceClaim extends Kubernetes {
  spec?: {devices?: ClaimDevices};
  status?: {
    allocation?: {devices?: {results?: AllocationResult[]}; allocationTimestamp?: string};
    reservedFor?: {resource: string; name: string; uid: string}[];
    devices?: {driver: string; pool: string; device: string; conditions?: Condition[]}[];
  };
}
export interface TaintRule extends Kubernetes {
  spec?: {
    deviceSelector?: {driver?: string; pool?: string; device?: string; deviceClassName?: string; selectors?: unknown[]};
    taint?: Taint;
  };
}

/// "namespace/name", or the name of an object without namespace.
export function keyOf(object: Kubernetes): string {
  const {namespace, name} = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}
