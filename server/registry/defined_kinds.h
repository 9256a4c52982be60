// SPDX-License-Identifier: Apache-2.0
// The custom kinds of definitions that no running server has: what a server would serve after it
// had created them one after the other.
#pragma once

#include <map>
#include <string>

#include "api/apiextensions_v1.h"
#include "api/live_scheme.h"
#include "base/result.h"
#include "base/world.h"
#include "custom/definitions/used_names.h"
#include "server/registry/custom_kinds.h"

namespace dray::server::registry {

/// For one thread; the scheme outlives it.
class DefinedKinds {
 public:
  explicit DefinedKinds(api::LiveScheme& scheme) : kinds_(scheme) {}

  /// Has the kinds of `definition`, which has passed BeforeCreate(), from the next Publish() on: it
  /// gets the status that the controllers of a server would give it. Schemas are compiled here.
  /// O(size).
  ///
  /// Errors: kConflict  its names are in use, with the message of its condition.
  /// kTooManyRequests  api::CustomKindArena::kKindsMax.
  Result<> Add(api::apiextensions_v1::CustomResourceDefinition definition, WallTime now);
  /// Makes the kinds visible in the scheme. O(all kinds).
  void Publish() { kinds_.Publish(); }

 private:
  CustomKinds kinds_;
  std::map<std::string, custom::definitions::UsedNames, std::less<>> used_;  // by group
};

}  // namespace dray::server::registry
