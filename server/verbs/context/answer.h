// SPDX-License-Identifier: Apache-2.0
// Answers of the verbs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/kind.h"
#include "api/meta_v1/status.h"
#include "base/result.h"
#include "server/policies/evaluation.h"
#include "server/storage/item.h"
#include "server/storage/item_list.h"

namespace dray::server::verbs::inline context {

struct ObjectAnswer {
  int code = 200;  // 201 when created
  storage::Item item;
};

struct ListAnswer {
  const api::KindInfo* kind = nullptr;
  storage::ItemList items;
  std::string resource_version;
  std::string continue_token;  // empty on the last page
  std::optional<int64_t> remaining_item_count;
};

struct StatusAnswer {
  int code = 200;
  api::meta_v1::Status status;
};

/// The answer to a request: a result, or an Error in `outcome`. `warnings` are the texts of Warning
/// headers; a refused request has them, too.
struct Answer {
  Result<std::variant<ObjectAnswer, ListAnswer, StatusAnswer>> outcome;
  std::vector<std::string> warnings = {};
  /// Annotations that admission policies add to the audit log.
  std::vector<policies::PublishedAnnotation> annotations = {};
};

}  // namespace dray::server::verbs::inline context
