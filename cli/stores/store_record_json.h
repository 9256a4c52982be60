// SPDX-License-Identifier: Apache-2.0
// A record of the store as one line of JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/strong.h"
#include "base/world.h"

namespace dray::cli::inline stores {

/// What a line says.
struct RecordLine {
  std::string_view key;
  std::string_view value;
  Revision created{};
  Revision modified{};
  int64_t version = 0;
  std::optional<WallTime> expiry{};
  bool is_deletion = false;            // of the log: there is no value
  std::optional<Revision> replaced{};  // of the log: what the key had before; 0 if it was absent
};

/// {"key":…,"created":…,"modified":…,"version":…,"value":…}: the value is the object it holds,
/// whether that is stored as protobuf or JSON, or any other JSON as it is; what is neither is
/// "valueBase64". Lines of the log also have "type" ("put" or "delete") and "replaced".
std::string JsonLine(const api::Scheme& scheme, const RecordLine& record);

}  // namespace dray::cli::inline stores
