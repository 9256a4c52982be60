// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/tainted_slices.h"

#include <memory>
#include <string>
#include <variant>

#include <gtest/gtest.h>

namespace dray::scheduler::inline cluster {
namespace {

namespace v1 = api::resource_v1;

Frozen<v1::ResourceSlice> Slice(const std::string& driver) {
  v1::ResourceSlice slice;
  slice.metadata.name = driver;
  slice.spec.driver = driver;
  slice.spec.devices.push_back({.name = "a"});
  return std::make_shared<const v1::ResourceSlice>(std::move(slice));
}

Frozen<v1::DeviceTaintRule> Rule(const std::string& name, const std::string& driver) {
  v1::DeviceTaintRule rule;
  rule.metadata.name = name;
  rule.spec.device_selector.emplace().driver = driver;
  rule.spec.taint = {.key = name, .effect = "NoSchedule"};
  return std::make_shared<const v1::DeviceTaintRule>(std::move(rule));
}

/// "x: two one", of the device's taints.
std::string Text(const allocator::ClusterChange& change) {
  if (const auto* gone = std::get_if<allocator::SliceRemoved>(&change)) return gone->name + " gone";
  const auto& slice = *std::get<Frozen<v1::ResourceSlice>>(change);
  std::string text = slice.spec.driver + ":";
  for (const auto& taint : slice.spec.devices[0].taints) text += " " + taint.key;
  return text;
}

std::string Text(const std::vector<allocator::ClusterChange>& changes) {
  std::string text;
  for (const auto& change : changes) text += Text(change) + "; ";
  return text;
}

TEST(TaintedSlices, RulesReachSlicesInWhateverOrderTheyCome) {
  TaintedSlices slices(api::Release::kNewest);
  const auto published = Slice("x");
  EXPECT_EQ(std::get<Frozen<v1::ResourceSlice>>(slices.SetSlice("x", published)), published)
      << "without rules a slice is passed on as it is";
  EXPECT_EQ(Text(slices.SetSlice("y", Slice("y"))), "y:");
  EXPECT_EQ(Text(slices.SetRule("two", Rule("two", "x"))), "x: two; ");
  EXPECT_EQ(Text(slices.SetRule("one", Rule("one", "x"))), "x: one two; ");
  EXPECT_EQ(Text(slices.SetRule("one", Rule("one", "x"))), "") << "nothing has changed";
  EXPECT_EQ(Text(slices.SetSlice("x", Slice("x"))), "x: one two");
  EXPECT_EQ(Text(slices.SetRule("two", Rule("two", "y"))), "x: one; y: two; ");
  EXPECT_EQ(Text(slices.SetRule("one", nullptr)), "x:; ");
  EXPECT_EQ(Text(slices.SetSlice("y", nullptr)), "y gone");
  EXPECT_EQ(Text(slices.SetRule("two", nullptr)), "");
}

}  // namespace
}  // namespace dray::scheduler::inline cluster
