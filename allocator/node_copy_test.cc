// SPDX-License-Identifier: Apache-2.0
#include "dray/node_copy.h"

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "allocator/testing/lab.h"
#include "base/frozen.h"
#include "dray/allocator.h"
#include "dray/changes.h"
#include "dray/snapshot.h"

namespace dray::allocator {
namespace {

namespace core = api::core_v1;
namespace v1 = api::resource_v1;
using testing::FromJson;
using testing::Lab;

constexpr std::string_view kNode = R"({
  "metadata":{"name":"n1","labels":{"kubernetes.io/hostname":"n1","zone":"z"}},
  "spec":{"unschedulable":true,"taints":[
    {"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"},
    {"key":"gpu","effect":"NoSchedule"}]}})";

Frozen<v1::ResourceSlice> Slice(std::string_view json) {
  return std::make_shared<const v1::ResourceSlice>(FromJson<v1::ResourceSlice>(json));
}

TEST(NodeLike, HasAnotherNameAndIsNotCordoned) {
  const NodeCopy copy = NodeLike(FromJson<core::Node>(kNode), {}, "n2");
  EXPECT_EQ(copy.node.metadata.name, "n2");
  EXPECT_EQ(copy.node.metadata.labels.at("kubernetes.io/hostname"), "n2");
  EXPECT_EQ(copy.node.metadata.labels.at("zone"), "z");
  EXPECT_FALSE(copy.node.spec.unschedulable);
  ASSERT_EQ(copy.node.spec.taints.size(), 1U);
  EXPECT_EQ(copy.node.spec.taints[0].key, "gpu");
}

TEST(NodeLike, CopiesTheSlicesOfTheNodeAlone) {
  const std::vector slices{
      Slice(R"({"metadata":{"name":"n1-gpus"},"spec":{"driver":"d.io","nodeName":"n1",
          "pool":{"name":"n1"},"devices":[{"name":"a"}]}})"),
      Slice(R"({"metadata":{"name":"x"},"spec":{"driver":"d.io","nodeName":"n1",
          "pool":{"name":"rack"}}})"),
      Slice(R"({"metadata":{"name":"n3"},"spec":{"driver":"d.io","nodeName":"n3",
          "pool":{"name":"n3"}}})"),
      Slice(R"({"metadata":{"name":"all"},"spec":{"driver":"d.io","allNodes":true,
          "pool":{"name":"net"}}})")};
  const NodeCopy copy = NodeLike(FromJson<core::Node>(kNode), slices, "n2");
  ASSERT_EQ(copy.slices.size(), 2U);
  EXPECT_EQ(copy.slices[0]->metadata.name, "n2-gpus");
  EXPECT_EQ(copy.slices[0]->spec.pool.name, "n2");
  EXPECT_EQ(copy.slices[0]->spec.node_name, "n2");
  EXPECT_EQ(copy.slices[0]->spec.devices.size(), 1U);
  EXPECT_EQ(copy.slices[1]->metadata.name, "n2-x") << "the node's name is not in it";
  EXPECT_EQ(copy.slices[1]->spec.pool.name, "n2-rack");
}

TEST(NodeLike, OffersTheDevicesOfTheNodeAgain) {
  Lab lab;
  lab.Devices(R"([{"name":"a"}])").Count(1);
  const Snapshot cluster = lab.snapshot({});
  const auto outcome = Attempt(cluster, lab.claims()).Allocate(lab.node());
  ASSERT_TRUE(outcome.has_value());
  const Snapshot full = cluster.With(std::get<Allocation>(*outcome));
  const NodeCopy copy = NodeLike(lab.node(), full.SlicesOfNode("node"), "new");
  const std::vector<ClusterChange> added(copy.slices.begin(), copy.slices.end());
  const Attempt attempt(full.With(added), lab.claims());
  EXPECT_TRUE(std::holds_alternative<Unsatisfiable>(*attempt.Allocate(lab.node())));
  EXPECT_TRUE(std::holds_alternative<Allocation>(*attempt.Allocate(copy.node)));
}

}  // namespace
}  // namespace dray::allocator
