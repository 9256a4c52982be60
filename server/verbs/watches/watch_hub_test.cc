// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/watches/watch_hub.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/share_budget.h"
#include "store/memory_store.h"

namespace dray::server::verbs::inline watches {
namespace {

TEST(WatchHub, OneOwnerHasHisShareOfThem) {
  store::MemoryStore store;
  WatchHub hub(store);
  const auto owner = [](std::string name) {
    return std::make_shared<const ShareOwner>(
        ShareOwner{.name = std::move(name), .rank = ShareRank::kUsual});
  };
  std::vector<ShareBudget::Claim> claims;
  const auto claim = [&](const std::string& name, size_t selector_bytes) {
    auto made = hub.Claim(owner(name), selector_bytes);
    if (!made.has_value()) return made.error().reason;
    claims.push_back(*std::move(made));
    return StatusReason::kUnknown;
  };
  while (claim("greedy", 0) == StatusReason::kUnknown) {
  }
  EXPECT_EQ(claims.size(), WatchHub::kWatchesMax / 8);
  EXPECT_EQ(claim("greedy", 0), StatusReason::kTooManyRequests);
  EXPECT_EQ(claim("other", 0), StatusReason::kUnknown) << "others notice nothing";
  claims.clear();
  while (claim("greedy", 9 * WatchHub::kSelectorBytesOfWatch) == StatusReason::kUnknown) {
  }
  EXPECT_EQ(claims.size(), WatchHub::kWatchesMax / 80) << "long selectors count as well";
}

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
}  // namespace dray::server::verbs::inline watches
