// SPDX-License-Identifier: Apache-2.0
#include "api/defaults/defaults.h"

namespace dray::api::defaults {

void SetDefaults(Object& object, Time now) {
  if (object.If<resource_v1::ResourceClaim>() != nullptr) {
    SetClaimDefaults(object.Mutable<resource_v1::ResourceClaim>());
  } else if (object.If<resource_v1::ResourceClaimTemplate>() != nullptr) {
    SetClaimTemplateDefaults(object.Mutable<resource_v1::ResourceClaimTemplate>());
  } else if (object.If<resource_v1::ResourceSlice>() != nullptr) {
    SetSliceDefaults(object.Mutable<resource_v1::ResourceSlice>(), now);
  } else if (object.If<core_v1::Pod>() != nullptr) {
    SetPodDefaults(object.Mutable<core_v1::Pod>());
  } else if (object.If<core_v1::Node>() != nullptr) {
    SetNodeDefaults(object.Mutable<core_v1::Node>());
  }
}

void SetNodeDefaults(core_v1::Node& node) {
  if (node.status.allocatable.empty()) node.status.allocatable = node.status.capacity;
}

void Admit(Object& object) {
  if (object.If<core_v1::Pod>() != nullptr) AdmitPod(object.Mutable<core_v1::Pod>());
  if (object.If<core_v1::Node>() != nullptr) AdmitNode(object.Mutable<core_v1::Node>());
}

}  // namespace dray::api::defaults
