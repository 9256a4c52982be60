// SPDX-License-Identifier: Apache-2.0
// Defaults: what an object means where its author was silent, filled in when it is decoded, also
// when it comes from storage, and before it is converted to its hub: versions differ in defaults.
#pragma once

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/secret.h"
#include "api/object.h"
#include "api/release.h"
#include "api/value/time.h"

namespace dray::api::defaults {

/// Fills in the defaults of the object's kind in its version, as upstream's API server of
/// `release` does; nothing for kinds without any. `now` is when taints begin that do not say.
/// Idempotent for a given `now`. `object` is the caller's alone.
void SetDefaults(Object& object, Time now, Release release = Release::kAny);

void SetPodDefaults(core_v1::Pod& pod);
/// A node that does not say what can be allocated offers everything it has.
void SetNodeDefaults(core_v1::Node& node);
/// Texts of stringData, which is only ever written, join the data and win over it.
void SetSecretDefaults(core_v1::Secret& secret);

/// What upstream's admission adds to a pod that is written, after the defaults: how long it stays
/// on nodes in trouble, and its priority.
void AdmitPod(core_v1::Pod& pod);

}  // namespace dray::api::defaults
