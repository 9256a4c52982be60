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

/// What is wrong with a name besides its form.
using NameCheck = std::function<api::NameErrors(std::string_view name)>;

/// What is wrong with the metadata of a new object, in the words of a release. The name has been
/// generated, if it was to be. `check_name` is also asked about metadata.generateName.
std::vector<ErrorCause> CheckNewMetadata(const api::KindInfo& kind,
                                         const api::meta_v1::ObjectMeta& meta,
                                         const api::Profile& profile = {},
                                         const NameCheck& check_name = {});

/// What is wrong with the metadata of a resource that lies in another object: of any kind, new, and
/// in a namespace if it says so.
std::vector<ErrorCause> CheckEmbeddedMetadata(const api::meta_v1::ObjectMeta& meta);

/// Which part of an object a request replaces.
enum class ChangedPart : uint8_t { kMain, kStatus };

/// What is wrong with replacing `old` by `meta`. What clients cannot change has been filled in. Up
/// to 1.36 the same is found several times, as upstream reports it.
std::vector<ErrorCause> CheckChangedMetadata(const api::KindInfo& kind,
                                             const api::meta_v1::ObjectMeta& meta,
                                             const api::meta_v1::ObjectMeta& old,
                                             const api::Profile& profile = {},
                                             ChangedPart part = ChangedPart::kMain);

/// Drops owner references that repeat one before them, and says so in upstream's warning.
void DropDuplicateOwners(api::meta_v1::ObjectMeta& meta, std::vector<std::string>& warnings);

}  // namespace dray::server::registry
