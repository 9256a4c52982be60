// SPDX-License-Identifier: Apache-2.0
#include "node/node_publisher.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "client/read_modify_write.h"
#include "client/testing/memory_client.h"

namespace dray::node {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using client::testing::MemoryClient;

std::vector<api::Object> All(MemoryClient& client, const api::KindInfo& kind) {
  return client.List(kind, {})->items;
}

std::vector<api::Object> Nodes(MemoryClient& client) {
  return All(client, api::Reflected<core_v1::Node>::kKind);
}

std::vector<api::Object> Slices(MemoryClient& client) {
  return All(client, api::Reflected<resource_v1::ResourceSlice>::kKind);
}

size_t Creates(MemoryClient& client, const std::function<void()>& run) {
  size_t creates = 0;
  client.set_fault([&](auto verb, const client::ObjectRef& /*ref*/, auto) -> Result<> {
    if (verb == MemoryClient::Verb::kCreate) ++creates;
    return {};
  });
  run();
  client.set_fault({});
  return creates;
}

TEST(NodePublisher, EverySliceBelongsToItsNode) {
  MemoryClient client;
  // More than are published at once.
  NodePublisher publisher(client, {.groups = {{"example", 300}}});
  ASSERT_TRUE(publisher.Publish().has_value());
  EXPECT_TRUE(publisher.done());
  EXPECT_EQ(Nodes(client).size(), 300U);
  const std::vector<api::Object> slices = Slices(client);
  EXPECT_EQ(slices.size(), 300U);
  for (const api::Object& slice : slices) {
    const std::string& name = slice.As<resource_v1::ResourceSlice>().spec.node_name.value_or("");
    const auto nodes = Nodes(client);
    const auto node =
        std::ranges::find(nodes, name, [](const api::Object& one) { return one.metadata().name; });
    ASSERT_NE(node, nodes.end()) << slice.metadata().name;
    ASSERT_EQ(slice.metadata().owner_references.size(), 1U);
    EXPECT_EQ(slice.metadata().owner_references[0].uid, node->metadata().uid);
  }
}

TEST(NodePublisher, WhatIsThereIsNotCreatedAgain) {
  MemoryClient client;
  const NodePublisher::Options options{.groups = {{"example", 3}}};
  ASSERT_TRUE(NodePublisher(client, options).Publish().has_value());
  EXPECT_EQ(Creates(client, [&] { (void)NodePublisher(client, options).Publish(); }), 0U);
  // A run that ended between the two, or whose slice was deleted.
  const std::vector<api::Object> slices = Slices(client);
  ASSERT_TRUE(client.Delete(client::RefOf(slices[1]), {}).has_value());
  EXPECT_EQ(Creates(client, [&] { (void)NodePublisher(client, options).Publish(); }), 1U);
  EXPECT_EQ(Slices(client).size(), slices.size());
}

TEST(NodePublisher, AListThatCannotBeHadIsNoObstacle) {
  MemoryClient client;
  const NodePublisher::Options options{.groups = {{"example", 2}}};
  ASSERT_TRUE(NodePublisher(client, options).Publish().has_value());
  client.set_fault([&](auto verb, const client::ObjectRef& /*ref*/, auto) -> Result<> {
    if (verb != MemoryClient::Verb::kList) return {};
    return Fail(StatusReason::kForbidden, "no lists");
  });
  NodePublisher again(client, options);
  EXPECT_TRUE(again.Publish().has_value());
  EXPECT_TRUE(again.done()) << "the API said that all exist";
}

TEST(NodePublisher, AProfileThatIsNotThereIsRefusedBeforeAnythingIsMade) {
  MemoryClient client;
  NodePublisher publisher(client, {.groups = {{"example", 1}, {"none", 1}}});
  EXPECT_FALSE(publisher.Publish().has_value());
  EXPECT_TRUE(Nodes(client).empty());
}

}  // namespace
}  // namespace dray::node
