// SPDX-License-Identifier: Apache-2.0
// Converts objects of custom kinds to another version, as a server does whose definitions need no
// webhook for it.
#pragma once

#include <string>
#include <string_view>

#include "api/custom_kind.h"
#include "base/result.h"
#include "base/world.h"
#include "manifests/convert_item.h"
#include "manifests/known_kinds.h"

namespace dray::manifests {

/// Converts objects of one group. An object is created in its version and read in the target: it is
/// pruned and gets defaults by both.
class CustomItemConverter {
 public:
  /// `api_version` is "example.com/v1". The arguments outlive it.
  CustomItemConverter(World& world, const KnownKinds& kinds, std::string api_version)
      : world_(world), kinds_(kinds), api_version_(std::move(api_version)) {}

  /// Errors: kBadRequest  no definition in the input serves the version.
  Result<> CheckTarget() const;

  /// Objects of other groups stay unchanged. Errors: kBadRequest  a value of the wrong type, with
  /// its path.
  Result<ConvertedItem> Convert(const api::TypeMeta& meta, std::string_view json) const;

 private:
  Result<> ConvertTo(const api::CustomKind& target,
                     const api::KindInfo& from,
                     std::string_view json,
                     ConvertedItem& item) const;

  World& world_;
  const KnownKinds& kinds_;
  const std::string api_version_;
};

}  // namespace dray::manifests
