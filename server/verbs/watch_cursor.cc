// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/watch_cursor.h"

namespace dray::server::verbs {

std::string_view WatchEventName(WatchEventType type) {
  switch (type) {
    case WatchEventType::kAdded: return "ADDED";
    case WatchEventType::kModified: return "MODIFIED";
    case WatchEventType::kDeleted: return "DELETED";
    case WatchEventType::kBookmark: return "BOOKMARK";
    case WatchEventType::kError: return "ERROR";
  }
  return "";
}

}  // namespace dray::server::verbs
