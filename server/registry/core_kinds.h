// SPDX-License-Identifier: Apache-2.0
// What the server decides about namespaces and pods: functions of their strategies.
#pragma once

#include <cstdint>
#include <optional>

#include "api/object.h"
#include "base/world.h"
#include "server/registry/strategy.h"

namespace dray::server::registry {

/// A namespace begins as Active, with the finalizer that waits until it is empty and the label that
/// selectors find it by.
void PrepareNewNamespace(api::Object& object);
/// Only the subresource "finalize" changes the finalizers.
void PrepareNamespace(api::Object& object,
                      const api::Object& old,
                      WallTime now,
                      const api::Profile& profile);
/// Whether spec.finalizers has any.
bool NamespaceHasFinalizers(const api::Object& object);
/// The phase of a namespace that is being deleted.
void TerminateNamespace(api::Object& object);

/// A pod begins as Pending, in the quality of service class its resources make.
void PrepareNewPod(api::Object& object);
/// The quality of service class never changes.
void PreparePodStatus(api::Object& object, const api::Object& old);
/// Of a write to a part of the pod's spec: all else comes from `old`.
void PreparePodPart(api::Object& object, const api::Object& old, Subresource part);
/// 0 where nothing runs: no node, or it has ended.
int64_t PodGraceSeconds(const api::Object& object, std::optional<int64_t> asked);

}  // namespace dray::server::registry
