// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/node_state.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;

TEST(RequestsOf, LargestMomentOfThePodCounts) {
  const auto container = [](const char* cpu) {
    core_v1::Container made;
    made.resources.requests["cpu"] = *api::Quantity::Parse(cpu);
    return made;
  };
  core_v1::Pod pod;
  pod.spec.containers = {container("500m"), container("1")};
  pod.spec.init_containers = {container("2")};
  EXPECT_EQ(RequestsOf(pod)["cpu"], 2000);
  pod.spec.init_containers.insert(pod.spec.init_containers.begin(), container("750m"));
  pod.spec.init_containers[0].restart_policy = "Always";
  EXPECT_EQ(RequestsOf(pod)["cpu"], 2750);
  pod.spec.overhead["cpu"] = *api::Quantity::Parse("250m");
  EXPECT_EQ(RequestsOf(pod)["cpu"], 3000);
}

}  // namespace
}  // namespace dray::scheduler::inline cluster
