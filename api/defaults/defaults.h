// SPDX-License-Identifier: Apache-2.0
// Defaults: the values of fields that an object leaves out. They are filled in when an object is
// decoded, from a request or from storage. This happens before the conversion to the hub, because
// the defaults of versions differ.
#pragma once

#include "api/core_v1/namespace.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/secret.h"
#include "api/object.h"
#include "api/release.h"
#include "api/value/time.h"

namespace dray::api::defaults {

/// Fills in the defaults of the object's kind in its version, as upstream's API server of `release`
/// does; nothing for kinds without any. `now` becomes the time added of taints that have none.
/// Idempotent for a given `now`. The caller must be the only owner of `object`.
void SetDefaults(Object& object, Time now, Release release = Release::kAny);

/// Adds the label with the name of a namespace, by which selectors find it.
void LabelNamespace(core_v1::Namespace& namespace_object);
void SetPodDefaults(core_v1::Pod& pod);
/// The same for the spec of a pod template, with fewer defaults: no requests from limits, no host
/// ports, no service links.
void SetPodTemplateDefaults(core_v1::PodSpec& spec);
/// For a node without status.allocatable, all capacity is allocatable.
void SetNodeDefaults(core_v1::Node& node);
/// Its name as a label, and the phase that a new one has.
void SetNamespaceDefaults(core_v1::Namespace& namespace_object);
/// Moves stringData, which is write-only, into data, replacing equal keys.
void SetSecretDefaults(core_v1::Secret& secret);

/// Adds the tolerations of the admission plugin DefaultTolerationSeconds: of nodes that are not
/// ready or not reachable, for five minutes, unless the pod has tolerations for that taint.
void TolerateTroubles(core_v1::Pod& pod);
/// Adds the taint that the plugin TaintNodesByCondition gives a new node, whatever the node says of
/// itself.
void TaintNewNode(core_v1::Node& node);

}  // namespace dray::api::defaults
