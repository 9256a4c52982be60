// SPDX-License-Identifier: Apache-2.0
#include "client/write_rounds.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/config_map.h"
#include "api/object.h"
#include "base/result.h"
#include "base/task.h"
#include "base/try.h"
#include "client/testing/memory_client.h"

namespace dray::client {
namespace {

using ::testing::ElementsAre;

api::Object MapOf(std::string name) {
  api::core_v1::ConfigMap map;
  map.metadata.namespace_ = "lab";
  map.metadata.name = std::move(name);
  return api::Object::Of(std::move(map));
}

/// Makes an object, then changes it.
Task<std::string> CreateAndUpdate(WriteRounds* rounds, std::string name) {
  DRAY_CO_TRY(const api::Object created, co_await rounds->Create(MapOf(std::move(name))));
  DRAY_CO_TRY(const api::Object updated, co_await rounds->Update(created.Clone(), std::string()));
  co_return updated.metadata().resource_version;
}

Task<int> Seven() {
  co_return 7;
}

TEST(WriteRounds, TasksWriteTogetherAndEachInItsOwnOrder) {
  testing::MemoryClient client;
  WriteRounds rounds(client);
  std::vector<bool> done;
  for (const char* name : {"a", "b", "a"}) {
    Start(CreateAndUpdate(&rounds, name),
          [&](const Result<std::string>& version) { done.push_back(version.has_value()); });
  }
  EXPECT_TRUE(client.journal().empty()) << "they wait for a round";
  rounds.Run();
  EXPECT_THAT(client.journal(), ElementsAre("create configmaps lab/a", "create configmaps lab/b"));
  EXPECT_THAT(done, ElementsAre(false)) << "there is an object of that name";
  EXPECT_FALSE(rounds.idle());
  rounds.RunAll();
  EXPECT_THAT(client.journal(),
              ElementsAre("create configmaps lab/a",
                          "create configmaps lab/b",
                          "update configmaps lab/a",
                          "update configmaps lab/b"));
  EXPECT_THAT(done, ElementsAre(false, true, true));
  EXPECT_TRUE(rounds.idle());
}

/// Makes `count` objects in one sequence; how many there were.
Task<size_t> CreateInSequence(WriteRounds* rounds, size_t count) {
  std::vector<Write> writes;
  for (size_t i = 0; i < count; ++i) writes.push_back({.object = MapOf(std::to_string(i))});
  DRAY_CO_TRY(const std::vector<api::Object> written, co_await rounds->InSequence(writes));
  co_return written.size();
}

Result<size_t> Create(testing::MemoryClient& client, size_t count) {
  return RunAlone<size_t>(
      client, [count](WriteRounds& rounds) { return CreateInSequence(&rounds, count); });
}

TEST(WriteRounds, SequencesAreNotLongerThanTheLimit) {
  testing::MemoryClient client;
  const auto too_many = Create(client, kSequenceMax + 1);
  EXPECT_EQ(too_many.error().reason, StatusReason::kConflict);
  EXPECT_EQ(Create(client, 0).error().reason, StatusReason::kConflict);
  EXPECT_TRUE(client.journal().empty());
  EXPECT_EQ(Create(client, kSequenceMax).value(), kSequenceMax);
  EXPECT_EQ(Create(client, 2).error().reason, StatusReason::kAlreadyExists);
  EXPECT_EQ(client.journal().size(), kSequenceMax);
  client.set_takes_sequences(false);
  EXPECT_EQ(Create(client, 1).error().reason, StatusReason::kConflict);
}

TEST(WriteRounds, ATaskOfItsOwnRunsToItsEnd) {
  testing::MemoryClient client;
  const auto version = RunAlone<std::string>(
      client, [](WriteRounds& rounds) { return CreateAndUpdate(&rounds, "a"); });
  EXPECT_TRUE(version.has_value());
  EXPECT_EQ(client.journal().size(), 2U);
}

TEST(WriteRounds, ATaskThatWritesNothingNeedsNone) {
  testing::MemoryClient client;
  EXPECT_EQ(RunAlone<int>(client, [](WriteRounds& /*rounds*/) { return Seven(); }).value(), 7);
}

}  // namespace
}  // namespace dray::client
