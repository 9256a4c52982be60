// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/watches/watch_hub.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/protobuf.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "base/result.h"
#include "base/share_budget.h"
#include "server/storage/node_field.h"
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

class NodeWatches : public ::testing::Test {
 protected:
  // A pod in the durable form, or what is no message of one.
  void Put(const std::string& name, std::string_view node, bool is_protobuf = true) {
    api::core_v1::Pod pod;
    pod.metadata.name = name;
    pod.metadata.uid = "u";
    pod.spec.node_name = node;
    std::string bytes = "{}";
    if (is_protobuf) {
      bytes.clear();
      api::EncodeStored(api::Object::Of(pod), bytes);
    }
    Commit(store::Put{.key = "/registry/pods/lab/" + name, .value = store::MakeBytes(bytes)});
  }
  void Remove(const std::string& name) {
    Commit(store::Delete{.key = "/registry/pods/lab/" + name});
  }

  WatchHub::Registration Watch(const std::string& node, int& wakes) {
    return hub_
        .AddOnNode(WatchHub::OnNode("/registry/pods/", node),
                   *storage::NodeFieldOf(api::Reflected<api::core_v1::Pod>::kKind),
                   WakeableOf([&wakes] { ++wakes; }))
        .value();
  }
  std::optional<WatchHub::Ahead> Ahead(const std::string& node, Revision after) {
    return hub_.LookAhead(WatchHub::OnNode("/registry/pods/", node), after);
  }
  Revision newest() const { return store_.Read()->revision(); }

  store::MemoryStore store_;
  WatchHub hub_{store_};

 private:
  void Commit(store::Operation operation) {
    ASSERT_TRUE(store_.CommitAndWait({.operations = {std::move(operation)}}).has_value());
  }
};

TEST_F(NodeWatches, AreWokenForTheirNodeNowAndBefore) {
  int on_a = 0;
  int on_b = 0;
  int all = 0;
  const auto a = Watch("a", on_a);
  const auto b = Watch("b", on_b);
  const auto everything = hub_.Add("/registry/pods/", WakeableOf([&] { ++all; })).value();
  Put("p", "");
  EXPECT_EQ(std::pair(on_a, on_b), std::pair(0, 0));
  Put("p", "a");
  EXPECT_EQ(std::pair(on_a, on_b), std::pair(1, 0));
  Put("p", "b");
  EXPECT_EQ(std::pair(on_a, on_b), std::pair(2, 1)) << "it was on a";
  Put("q", "ab");
  Put("q", "b/");
  EXPECT_EQ(std::pair(on_a, on_b), std::pair(2, 1)) << "other names";
  Remove("p");
  EXPECT_EQ(std::pair(on_a, on_b), std::pair(2, 2));
  Put("r", "c", false);
  EXPECT_EQ(std::pair(on_a, on_b), std::pair(3, 3)) << "it is not known where that is";
  EXPECT_EQ(all, 7);
}

TEST_F(NodeWatches, LookAheadToTheNextRevisionOfTheirNode) {
  Put("p", "a");
  const Revision before = newest();
  EXPECT_FALSE(Ahead("a", before).has_value()) << "there is none";
  int wakes = 0;
  const auto a = Watch("a", wakes);
  EXPECT_FALSE(Ahead("a", Revision(before.value() - 1)).has_value()) << "before it was there";
  EXPECT_EQ(Ahead("a", before)->next, std::nullopt);
  Put("q", "b");
  EXPECT_EQ(Ahead("a", before)->next, std::nullopt);
  EXPECT_EQ(Ahead("a", before)->through, newest());
  Put("p", "b");
  const Revision moved = newest();
  Put("q", "b");
  EXPECT_EQ(Ahead("a", before)->next, moved);
  EXPECT_EQ(Ahead("a", moved)->next, std::nullopt);
  const Revision later(newest().value() + 7);
  EXPECT_EQ(Ahead("a", later)->through, later) << "a client may begin at a revision to come";
}

TEST_F(NodeWatches, RememberSoManyRevisions) {
  int wakes = 0;
  const auto a = Watch("a", wakes);
  const Revision before = newest();
  for (size_t i = 0; i < WatchHub::kRecentMax; ++i) Put("p", "a");
  ASSERT_TRUE(Ahead("a", before).has_value());
  EXPECT_EQ(Ahead("a", before)->next, Revision(before.value() + 1));
  Put("p", "a");
  EXPECT_FALSE(Ahead("a", before).has_value()) << "the first half is forgotten";
  const Revision half(before.value() + static_cast<int64_t>(WatchHub::kRecentMax / 2));
  EXPECT_FALSE(Ahead("a", Revision(half.value() - 1)).has_value());
  EXPECT_EQ(Ahead("a", half)->next, Revision(half.value() + 1));
}

}  // namespace
}  // namespace dray::server::verbs::inline watches
