// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/watch_hub.h"

#include <cstddef>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "store/memory_store.h"

namespace dray::server::verbs {
namespace {

TEST(WatchHub, HasSoManyWatches) {
  store::MemoryStore store;
  WatchHub hub(store);
  const std::shared_ptr<Wakeable> watcher = WakeableOf([] {});
  std::vector<WatchHub::Registration> watches;
  const auto add = [&] {
    auto watch = hub.Add("/registry/pods/", watcher);
    if (!watch.has_value()) return watch.error().reason;
    watches.push_back(*std::move(watch));
    return StatusReason::kUnknown;
  };
  while (watches.size() < WatchHub::kWatchesMax) ASSERT_EQ(add(), StatusReason::kUnknown);
  EXPECT_EQ(add(), StatusReason::kTooManyRequests);
  watches.pop_back();
  EXPECT_EQ(add(), StatusReason::kUnknown) << "one has ended";
  EXPECT_EQ(add(), StatusReason::kTooManyRequests);
}

}  // namespace
}  // namespace dray::server::verbs
