// SPDX-License-Identifier: Apache-2.0
#include "control_plane/in_process_client.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/core_v1/config_map.h"
#include "api/kind.h"
#include "api/resource_v1/claim.h"
#include "base/bounded_queue.h"
#include "base/log.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "client/mirror.h"
#include "client/read_modify_write.h"
#include "server/storage/stored_object.h"
#include "server/verbs/resources.h"
#include "store/held_commits.h"
#include "store/memory_store.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/testing/folder.h"

namespace dray::control_plane {
namespace {

/// An empty server in memory, with the bootstrap namespaces.
class InProcessClientTest : public ::testing::Test {
 protected:
  InProcessClientTest() { EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value()); }

  SimulatedWorld world_{7};
  const api::Scheme scheme_;
  store::MemoryStore store_;
  server::verbs::Resources resources_{scheme_, store_, world_.world(), Log::Silent(), {}};
};

TEST_F(InProcessClientTest, HasSoManyWatches) {
  InProcessClient client(resources_, {.name = "system:me"});
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

// Watches that end while the delivery thread is busy leave their slots to others.
TEST_F(InProcessClientTest, EndedWatchesDoNotFillTheQueue) {
  InProcessClient client(resources_, {.name = "system:me"});
  const api::KindInfo& kind = api::Reflected<api::core_v1::ConfigMap>::kKind;
  const auto create = [&](std::string name) {
    api::core_v1::ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.name = std::move(name);
    return client.Create(api::Object::Of(std::move(map))).has_value();
  };
  BoundedQueue<bool> arrived{8};
  BoundedQueue<bool> released{1};
  const auto list = client.List(kind, {});
  ASSERT_TRUE(list.has_value());
  const auto watch = [&](std::function<void()> on_events) {
    return client
        .StartWatch(kind,
                    {},
                    list->resource_version,
                    {.events = [on_events = std::move(on_events)](
                                   const std::vector<client::WatchEvent>&) { on_events(); },
                     .ended = [](const Error&) {}})
        .value();
  };
  const auto busy = watch([&] {
    EXPECT_TRUE(arrived.TryPush(true));
    released.Pop();
  });
  ASSERT_TRUE(create("a"));
  arrived.Pop();  // from here on the delivery thread waits for this test
  for (size_t i = 0; i < InProcessClient::kWatchesMax; ++i) watch([] {});
  BoundedQueue<bool> heard{8};
  const auto last = watch([&] { EXPECT_TRUE(heard.TryPush(true)); });
  released.Close();
  heard.Pop();
}

// A reader of metadata gets large objects without the rest, and they are not decoded for it.
TEST_F(InProcessClientTest, ShowsOfLargeObjectsTheMetadataAlone) {
  InProcessClient client(resources_, {.name = "system:me"});
  using api::core_v1::ConfigMap;
  const api::KindInfo& kind = api::Reflected<ConfigMap>::kKind;
  const auto before = client.List(kind, {});
  ASSERT_TRUE(before.has_value());
  const auto create = [&](std::string name, size_t bytes) {
    ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.name = std::move(name);
    map.data["text"] = std::string(bytes, 'x');
    return client.Create(api::Object::Of(std::move(map))).value();
  };
  const api::Object small = create("small", 10);
  const api::Object large = create("large", 5000);
  ASSERT_TRUE(client.Delete(client::RefOf(large), {}).has_value());
  const api::Object again = create("large", 6000);

  const client::ListOptions metadata{.metadata_of_large = true};
  const auto list = client.List(kind, metadata);
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_EQ(list->items[1], small) << "whole";
  const auto& bare = list->items[0].As<ConfigMap>();
  EXPECT_EQ(bare.metadata.uid, again.metadata().uid);
  EXPECT_EQ(bare.metadata.resource_version, again.metadata().resource_version);
  EXPECT_TRUE(bare.data.empty());
  EXPECT_TRUE(bare.metadata.managed_fields.empty());
  const auto whole = client.List(kind, {});
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->items[0], again);

  BoundedQueue<client::WatchEvent> seen{8};
  const auto watch = client.StartWatch(kind,
                                       metadata,
                                       before->resource_version,
                                       {.events =
                                            [&](std::vector<client::WatchEvent> events) {
                                              for (auto& event : events) {
                                                EXPECT_TRUE(seen.TryPush(std::move(event)));
                                              }
                                            },
                                        .ended = [](const Error&) {}});
  ASSERT_TRUE(watch.has_value());
  EXPECT_EQ(seen.Pop()->object, small);
  const auto added = seen.Pop();
  EXPECT_EQ(added->type, client::WatchEventType::kAdded);
  EXPECT_EQ(added->object.metadata().uid, large.metadata().uid);
  EXPECT_TRUE(added->object.As<ConfigMap>().data.empty());
  const auto gone = seen.Pop();
  EXPECT_EQ(gone->type, client::WatchEventType::kDeleted);
  EXPECT_EQ(gone->object.metadata().uid, large.metadata().uid);
  EXPECT_GT(client::VersionOf(gone->object), client::VersionOf(large));
  EXPECT_TRUE(gone->object.As<ConfigMap>().data.empty());
  EXPECT_EQ(seen.Pop()->object.metadata().uid, again.metadata().uid);
}

// What mirrors need not hold: each version of an object, as long as it is the newest.
TEST_F(InProcessClientTest, KnowsWhereAnObjectCanBeHadAgain) {
  InProcessClient client(resources_, {.name = "system:me"}, {.records = &store_});
  using api::core_v1::ConfigMap;
  ConfigMap map;
  map.metadata.namespace_ = "default";
  map.metadata.name = "large";
  map.data["text"] = std::string(5000, 'x');
  const api::Object first = client.Create(api::Object::Of(map)).value();
  const Frozen<client::ObjectSource> source = client.SourceOf(first, {});
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->Get(), first);
  const auto metadata = client.SourceOf(first, {.metadata_of_large = true});
  ASSERT_NE(metadata, nullptr);
  EXPECT_EQ(metadata->Get().metadata().uid, first.metadata().uid);
  EXPECT_TRUE(metadata->Get().As<ConfigMap>().data.empty());

  api::Object changed = first.Clone();
  changed.Mutable<ConfigMap>().data["more"] = "y";
  const api::Object second = client.Update(changed, {}).value();
  EXPECT_EQ(client.SourceOf(first, {}), nullptr) << "superseded";
  EXPECT_EQ(source->Get(), first) << "its record is as it was";
  EXPECT_EQ(client.SourceOf(second, {})->Get(), second);
  ASSERT_TRUE(client.Delete(client::RefOf(second), {}).has_value());
  EXPECT_EQ(client.SourceOf(second, {}), nullptr) << "gone";

  InProcessClient holding(resources_, {.name = "system:me"});
  const api::Object third = client.Create(api::Object::Of(map)).value();
  EXPECT_EQ(holding.SourceOf(third, {}), nullptr) << "it knows no store";
}

TEST_F(InProcessClientTest, ListsPageByPage) {
  InProcessClient client(resources_, {.name = "system:me"});
  using api::core_v1::ConfigMap;
  const api::KindInfo& kind = api::Reflected<ConfigMap>::kKind;
  const auto create = [&](std::string name) {
    ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.name = std::move(name);
    ASSERT_TRUE(client.Create(api::Object::Of(std::move(map))).has_value());
  };
  for (const char* name : {"a", "b", "c"}) create(name);
  client::ListOptions page{.namespace_ = "default", .limit = 2};
  const auto first = client.List(kind, page);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->items.size(), 2U);
  create("d");
  page.continue_token = first->continue_token;
  const auto last = client.List(kind, page);
  ASSERT_TRUE(last.has_value());
  ASSERT_EQ(last->items.size(), 1U) << "as of the first page";
  EXPECT_EQ(last->items[0].metadata().name, "c");
  EXPECT_EQ(last->resource_version, first->resource_version);
  EXPECT_TRUE(last->continue_token.empty());
}

// HTTP clients cannot see or change fields that only the hub version has.
TEST_F(InProcessClientTest, WritesWhatOnlyHubsHave) {
  InProcessClient client(resources_, {.name = "system:me"});
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

TEST_F(InProcessClientTest, AnswersEachOfSeveralWrites) {
  CountingHolder holder;
  InProcessClient client(resources_, {.name = "system:me"}, {.holder = &holder});
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

class Sequences : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(Wait(resources_.Bootstrap()).has_value()); }

  static client::Write Map(std::string name, std::string value, client::Write write = {}) {
    api::core_v1::ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.name = std::move(name);
    map.data["key"] = std::move(value);
    write.object = api::Object::Of(std::move(map));
    return write;
  }
  static client::Write Create(std::string name, std::string value) {
    return Map(std::move(name), std::move(value), {.with_next = true});
  }
  static client::Write Update(std::string name, std::string value) {
    return Map(std::move(name),
               std::move(value),
               {.verb = client::Write::Verb::kUpdate, .with_next = true});
  }
  std::vector<Result<api::Object>> WriteAll(std::vector<client::Write> writes) {
    writes.back().with_next = false;
    return client_.WriteAll(writes);
  }
  /// The record's value and version, or empty.
  std::string Stored(std::string name) {
    const auto map = client_.Get({.kind = &api::Reflected<api::core_v1::ConfigMap>::kKind,
                                  .namespace_ = "default",
                                  .name = std::move(name)});
    if (!map.has_value()) return "";
    return map->As<api::core_v1::ConfigMap>().data.at("key") + "@" +
           map->metadata().resource_version;
  }

  SimulatedWorld world_{7};
  const api::Scheme scheme_;
  const store::sqlite::testing::TestFolder folder_;
  const std::unique_ptr<store::sqlite::SqliteStore> store_ =
      store::sqlite::SqliteStore::Open(folder_.path(), {.read_value = server::storage::ReadStored})
          .value();
  server::verbs::Resources resources_{scheme_, *store_, world_.world(), Log::Silent(), {}};
  InProcessClient client_{resources_, {.name = "system:me"}, {.holder = store_.get()}};
};

TEST_F(Sequences, EachWriteSeesWhatThoseBeforeItLeave) {
  ASSERT_TRUE(client_.takes_sequences());
  const auto answers = WriteAll({Create("a", "1"), Update("a", "2"), Create("b", "1")});
  ASSERT_EQ(answers.size(), 3U);
  for (const auto& answer : answers) ASSERT_TRUE(answer.has_value()) << answer.error().message;
  const uint64_t first = std::stoull(answers[0]->metadata().resource_version);
  EXPECT_EQ(Stored("a"), "2@" + std::to_string(first + 1));
  EXPECT_EQ(Stored("b"), "1@" + std::to_string(first + 2));
  EXPECT_EQ(answers[1]->metadata().resource_version, std::to_string(first + 1));
  EXPECT_EQ(answers[1]->metadata().uid, answers[0]->metadata().uid);
}

TEST_F(Sequences, AreNotBegunWhereOneWriteIsRefusedOrChangesNothing) {
  ASSERT_TRUE(WriteAll({Create("a", "1")}).front().has_value());
  const std::string before = Stored("a");
  const std::vector<client::Write> wrong[] = {
      {Update("a", "2"), Create("a", "1")},  // exists
      {Update("gone", "1"), Update("a", "2")},
      {Update("a", "2"), Update("a", "2")},  // repeated
      {Create("Wrong_Name", "1"), Update("a", "2")},
  };
  for (const auto& writes : wrong) {
    const auto answers = WriteAll(writes);
    ASSERT_EQ(answers.size(), writes.size());
    EXPECT_FALSE(answers[0].has_value() && answers[1].has_value());
    EXPECT_EQ(Stored("a"), before);
  }
  ASSERT_TRUE(WriteAll({Update("a", "3"), Create("b", "1")}).back().has_value());
}

TEST_F(Sequences, GoBesideOtherWrites) {
  std::vector<client::Write> writes = {Create("a", "1"), Create("b", "1"), Create("c", "1")};
  writes[0].with_next = false;
  const auto answers = WriteAll(std::move(writes));
  ASSERT_EQ(answers.size(), 3U);
  for (const auto& answer : answers) EXPECT_TRUE(answer.has_value());
}

TEST_F(Sequences, AreNotForAStoreThatHasNoSteps) {
  store::MemoryStore memory;
  server::verbs::Resources resources(scheme_, memory, world_.world(), Log::Silent(), {});
  const InProcessClient client(resources, {.name = "system:me"});
  EXPECT_FALSE(client.takes_sequences());
}

}  // namespace
}  // namespace dray::control_plane
