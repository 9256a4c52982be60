// SPDX-License-Identifier: Apache-2.0
#include "control_plane/in_process_client.h"

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/core_v1/config_map.h"
#include "api/kind.h"
#include "api/resource_v1/claim.h"
#include "base/log.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "server/verbs/resources.h"
#include "store/held_commits.h"
#include "store/memory_store.h"

namespace dray::control_plane {
namespace {

TEST(InProcessClient, HasSoManyWatches) {
  SimulatedWorld world(7);
  const api::Scheme scheme;
  store::MemoryStore store;
  server::verbs::Resources resources(scheme, store, world.world(), Log::Silent(), {});
  ASSERT_TRUE(Wait(resources.Bootstrap()).has_value());
  InProcessClient client(resources, {.name = "system:me"});
  const api::KindInfo& kind = api::Reflected<api::core_v1::ConfigMap>::kKind;
  const auto list = client.List(kind, {});
  ASSERT_TRUE(list.has_value());
  std::vector<std::unique_ptr<client::Watch>> watches;
  const auto start = [&] {
    auto watch = client.StartWatch(
        kind,
        {},
        list->resource_version,
        {.events = [](const std::vector<client::WatchEvent>&) {}, .ended = [](const Error&) {}});
    if (!watch.has_value()) return watch.error().reason;
    watches.push_back(*std::move(watch));
    return StatusReason::kUnknown;
  };
  while (watches.size() < InProcessClient::kWatchesMax) {
    ASSERT_EQ(start(), StatusReason::kUnknown);
  }
  EXPECT_EQ(start(), StatusReason::kTooManyRequests);
  watches.pop_back();
  EXPECT_EQ(start(), StatusReason::kUnknown) << "one has ended";
  EXPECT_EQ(start(), StatusReason::kTooManyRequests);
}

// Clients of the hub's version over HTTP do not see what only hubs have, and so cannot change it.
TEST(InProcessClient, WritesWhatOnlyHubsHave) {
  SimulatedWorld world(7);
  const api::Scheme scheme;
  store::MemoryStore store;
  server::verbs::Resources resources(scheme, store, world.world(), Log::Silent(), {});
  ASSERT_TRUE(Wait(resources.Bootstrap()).has_value());
  InProcessClient client(resources, {.name = "system:me"});
  api::resource_v1::ResourceClaim claim;
  claim.metadata.namespace_ = "default";
  claim.metadata.name = "shared";
  claim.spec.controller = "acme.example";
  const auto created = client.Create(api::Object::Of(std::move(claim)));
  ASSERT_TRUE(created.has_value()) << created.error().message;
  api::Object copy = created->Clone();
  auto& allocation = copy.Mutable<api::resource_v1::ResourceClaim>().status.allocation;
  allocation.emplace().controller = "acme.example";
  const auto allocated = client.Update(copy, "status");
  ASSERT_TRUE(allocated.has_value()) << allocated.error().message;
  copy = allocated->Clone();
  copy.Mutable<api::resource_v1::ResourceClaim>().status.deallocation_requested = true;
  const auto asked_back = client.Update(copy, "status");
  ASSERT_TRUE(asked_back.has_value()) << asked_back.error().message;
  const auto& status = asked_back->As<api::resource_v1::ResourceClaim>().status;
  EXPECT_EQ(status.allocation->controller, "acme.example");
  EXPECT_TRUE(status.deallocation_requested);
}

class CountingHolder final : public store::CommitHolder {
 public:
  void Hold() override { ++held; }
  void Release() override { --held; }
  int held = 0;
};

TEST(InProcessClient, AnswersEachOfSeveralWrites) {
  SimulatedWorld world(7);
  const api::Scheme scheme;
  store::MemoryStore store;
  server::verbs::Resources resources(scheme, store, world.world(), Log::Silent(), {});
  ASSERT_TRUE(Wait(resources.Bootstrap()).has_value());
  CountingHolder holder;
  InProcessClient client(resources, {.name = "system:me"}, &holder);
  const auto map_of = [](std::string name) {
    api::core_v1::ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.name = std::move(name);
    return client::Write{.object = api::Object::Of(std::move(map))};
  };
  const std::vector<client::Write> writes = {map_of("a"), map_of("a"), map_of("b")};
  const auto answers = client.WriteAll(writes);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0].value().metadata().name, "a");
  EXPECT_EQ(answers[1].error().reason, StatusReason::kAlreadyExists);
  EXPECT_EQ(answers[2].value().metadata().name, "b");
  EXPECT_EQ(holder.held, 0) << "released, however often it was held";
  EXPECT_TRUE(client.WriteAll({}).empty());
}

}  // namespace
}  // namespace dray::control_plane
