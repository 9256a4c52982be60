// SPDX-License-Identifier: Apache-2.0
// The columns of custom kinds, given by JSONPaths in their definitions.
#pragma once

#include <optional>
#include <vector>

#include "api/codec/json_writer.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/world.h"
#include "server/documents/json_path.h"
#include "server/registry/custom_version.h"

namespace dray::server::documents {

/// The columns of one version of a custom kind, for one table.
class CustomColumns {
 public:
  /// O(length of the paths).
  explicit CustomColumns(const api::KindInfo& kind);

  /// Writes the definitions of all columns after the name.
  void WriteDefinitions(api::JsonWriter& json) const;
  /// Writes the cells after the name. A value that has not its column's type becomes null.
  void WriteCells(const api::Object& object, WallTime now, api::JsonWriter& json) const;

 private:
  using Column = api::apiextensions_v1::CustomResourceColumnDefinition;

  Frozen<registry::SchemaVersion> version_;  // keeps the columns
  std::vector<const Column*> columns_;
  std::vector<std::optional<JsonPath>> paths_;  // of the columns
};

}  // namespace dray::server::documents
