// SPDX-License-Identifier: Apache-2.0
// The strategies' functions for namespaces and pods.
#pragma once

#include <cstdint>
#include <optional>

#include "api/object.h"
#include "base/world.h"
#include "server/registry/strategy.h"

namespace dray::server::registry {

/// Prepares a new namespace: phase Active, the finalizer that waits until the namespace is empty,
/// and the label with its name.
void PrepareNewNamespace(api::Object& object);
/// Restores spec.finalizers: only the subresource "finalize" changes them.
void PrepareNamespace(api::Object& object,
                      const api::Object& old,
                      WallTime now,
                      const api::Profile& profile);
/// Whether spec.finalizers is not empty.
bool NamespaceHasFinalizers(const api::Object& object);
/// Sets the phase of a namespace that is being deleted.
void TerminateNamespace(api::Object& object);

/// Prepares a new pod: phase Pending, and the quality of service class of its resources.
void PrepareNewPod(api::Object& object);
/// Restores the quality of service class, which never changes.
void PreparePodStatus(api::Object& object, const api::Object& old, const api::Profile& profile);
/// Prepares a write to a part of the pod's spec: everything else comes from `old`.
void PreparePodPart(api::Object& object, const api::Object& old, Subresource part);
/// Seconds of grace of a deleted pod; 0 if nothing runs: the pod has no node, or has ended.
int64_t PodGraceSeconds(const api::Object& object, std::optional<int64_t> asked);

}  // namespace dray::server::registry
