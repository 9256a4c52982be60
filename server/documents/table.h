// SPDX-License-Identifier: Apache-2.0
// Tables, as `kubectl get` prints them, computed from the columns of a kind; and objects reduced to
// their metadata, as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/codec/json_writer.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "base/world.h"
#include "server/verbs/context/answer.h"

namespace dray::server::documents {

enum class IncludeObject : uint8_t { kNone, kMetadata, kObject };

/// The query parameter includeObject; empty means metadata.
/// Errors: kBadRequest  any other word.
Result<IncludeObject> IncludeObjectOf(std::string_view word);

struct TableOptions {
  std::string_view version = "v1";  // or v1beta1
  IncludeObject include = IncludeObject::kMetadata;
  WallTime now;  // ages are counted to here
  /// The table is of a part of a custom kind: an age is called a date, as upstream does there.
  bool is_of_custom_kind = false;
};

/// metadata of a list, as JSON: {"resourceVersion":"7","continue":…}.
std::string ListMetadataJson(const verbs::ListAnswer& list);

/// Definitions are sent once; later events of a watch have null.
enum class ColumnDefinitions : uint8_t { kShown, kNull };

/// Items, all of `kind`, and the metadata over them. A view.
struct TableContent {
  const api::KindInfo& kind;
  std::span<const storage::Item* const> items;
  std::string_view metadata_json;
};

/// Writes a Table of `content`.
void WriteTable(const TableContent& content,
                const TableOptions& options,
                ColumnDefinitions definitions,
                api::JsonWriter& json);

/// Writes kind, apiVersion and metadata of `object` as a PartialObjectMetadata of `version`.
void WritePartialObject(const api::Object& object, std::string_view version, api::JsonWriter& json);

}  // namespace dray::server::documents
