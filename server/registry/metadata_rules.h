// SPDX-License-Identifier: Apache-2.0
// The rules for ObjectMeta that hold for every kind, in upstream's words and order (validation of
// object meta in apimachinery).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/meta_v1/object_meta.h"
#include "api/text/names.h"
#include "base/result.h"

namespace dray::server::registry {

/// Returns further errors of a name.
using NameCheck = std::function<api::NameErrors(std::string_view name)>;

/// The errors in the metadata of a new object, in the words of a release. A generated name is set
/// already. `check_name` also checks metadata.generateName.
std::vector<ErrorCause> CheckNewMetadata(const api::KindInfo& kind,
                                         const api::meta_v1::ObjectMeta& meta,
                                         const api::Profile& profile = {},
                                         const NameCheck& check_name = {});

/// The errors in the metadata of a resource embedded in another object: of any kind, new, and
/// namespaced if it has a namespace.
std::vector<ErrorCause> CheckEmbeddedMetadata(const api::meta_v1::ObjectMeta& meta);

/// The part of an object that a request replaces.
enum class ChangedPart : uint8_t { kMain, kStatus };

/// The errors in replacing `old` by `meta`, in which the members that clients cannot change are set
/// already. Up to 1.36 upstream reports some errors several times, and so does this.
std::vector<ErrorCause> CheckChangedMetadata(const api::KindInfo& kind,
                                             const api::meta_v1::ObjectMeta& meta,
                                             const api::meta_v1::ObjectMeta& old,
                                             const api::Profile& profile = {},
                                             ChangedPart part = ChangedPart::kMain);

/// Drops repeated owner references, with upstream's warning.
void DropDuplicateOwners(api::meta_v1::ObjectMeta& meta, std::vector<std::string>& warnings);

}  // namespace dray::server::registry
