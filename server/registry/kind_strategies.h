// SPDX-License-Identifier: Apache-2.0
// Where kinds differ from the rest in what the server decides (server/registry/strategy.h), as rows
// of a table: most kinds have none.
#pragma once

#include <cstdint>
#include <optional>

#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "base/world.h"

namespace dray::server::registry {

/// What the subresource "status" may change besides the status.
enum class StatusMetadata : uint8_t {
  kFromStore,        // nothing
  kOwnersFromStore,  // metadata, but not the owners
  kFree,             // metadata
};

/// Null functions do nothing.
struct KindStrategy {
  bool status_on_create = false;
  /// The releases that track the generation, of kinds that do.
  api::Releases generation_in = {};
  StatusMetadata status_metadata = StatusMetadata::kFromStore;
  void (*prepare_create)(api::Object& object) = nullptr;
  void (*prepare_update)(api::Object& object, const api::Object& old, WallTime now) = nullptr;
  void (*prepare_status)(api::Object& object, const api::Object& old) = nullptr;
  int64_t (*grace_seconds)(const api::Object& object, std::optional<int64_t> asked) = nullptr;
  bool (*has_finalizers)(const api::Object& object) = nullptr;
  void (*mark_deleted)(api::Object& object) = nullptr;
};

/// The row of `kind`, or an empty one.
const KindStrategy& StrategyOf(const api::KindInfo& kind);

}  // namespace dray::server::registry
