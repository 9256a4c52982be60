// SPDX-License-Identifier: Apache-2.0
// Defaults: what an object means where its author was silent, filled in when it is decoded, also
// when it comes from storage. As upstream's API server of 1.37 does it.
#pragma once

#include "api/core_v1.h"
#include "api/object.h"
#include "api/resource_v1.h"
#include "api/time.h"

namespace dray::api::defaults {

/// Fills in the defaults of the object's kind; nothing for kinds without any. `now` is when taints
/// begin that do not say. Idempotent for a given `now`. `object` is the caller's alone.
void SetDefaults(Object& object, Time now);

void SetClaimDefaults(resource_v1::ResourceClaim& claim);
void SetClaimTemplateDefaults(resource_v1::ResourceClaimTemplate& claim_template);
void SetSliceDefaults(resource_v1::ResourceSlice& slice, Time now);
void SetPodDefaults(core_v1::Pod& pod);
/// A node that does not say what can be allocated offers everything it has.
void SetNodeDefaults(core_v1::Node& node);

/// What upstream's admission adds to a new object of any kind, after the defaults: how long pods
/// stay on nodes in trouble, their priority, and the taint of a node that has not reported yet.
void Admit(Object& object);

void AdmitPod(core_v1::Pod& pod);
void AdmitNode(core_v1::Node& node);

}  // namespace dray::api::defaults
