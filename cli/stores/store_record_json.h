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

/// The contents of a line.
struct RecordLine {
  std::string_view key;
  std::string_view value;
  Revision created{};
  Revision modified{};
  int64_t version = 0;
  std::optional<WallTime> expiry{};
  bool is_deletion = false;            // in the log: there is no value
  std::optional<Revision> replaced{};  // in the log: the key's revision before; 0: absent
};

/// {"key":…,"created":…,"modified":…,"version":…,"value":…}: the value is the stored object, from
/// protobuf or JSON, or any other JSON unchanged. Other bytes are "valueBase64". Lines of the log
/// also have "type" ("put" or "delete") and "replaced".
std::string JsonLine(const api::Scheme& scheme, const RecordLine& record);

}  // namespace dray::cli::inline stores
