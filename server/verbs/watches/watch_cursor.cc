// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/watches/watch_cursor.h"

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/out_of_memory.h"

namespace dray::server::verbs::inline watches {
namespace {

class Callback final : public Wakeable {
 public:
  explicit Callback(std::function<void()> wake) : wake_(std::move(wake)) {}
  void Wake() override { wake_(); }

 private:
  const std::function<void()> wake_;
};

}  // namespace

bool TryWake(Wakeable& watcher) {
  return !RanOutOfMemory([&watcher] { watcher.Wake(); });
}

std::shared_ptr<Wakeable> WakeableOf(std::function<void()> wake) {
  return std::make_shared<Callback>(std::move(wake));
}

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

}  // namespace dray::server::verbs::inline watches
