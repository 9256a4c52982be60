// SPDX-License-Identifier: Apache-2.0
#include "bench/scheduler_perf/workloads.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/tree_json.h"
#include "base/simulated_world.h"

namespace dray::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kConfig = R"(
- name: Plain
  featureGates: {DynamicResourceAllocation: true, Other: false}
  workloadTemplate:
  - opcode: createPods
    countParam: $pods
    templateParams: {roots: $roots|2, nothing: $none|, fixed: 3}
  workloads:
  - name: small
    labels: [short, performance]
    threshold: {dra: 56}
    params: {pods: 10, roots: 4}
  - name: large
    threshold: 120
    featureGates: {Other: true}
)";

class WorkloadsTest : public ::testing::Test {
 protected:
  void Put(const std::string& path, std::string_view text) {
    EXPECT_TRUE(world_.disk().Write(path, text, Disk::Privacy::kEverybody).has_value());
  }

  SimulatedWorld world_{1};
};

TEST_F(WorkloadsTest, ReadsTheFolderAndThoseBelow) {
  ASSERT_TRUE(world_.disk().MakeFolder("/perf").has_value());
  ASSERT_TRUE(world_.disk().MakeFolder("/perf/below").has_value());
  Put("/perf/performance-config.yaml", kConfig);
  Put("/perf/below/performance-config.yaml",
      "[{name: Below, workloadTemplate: [], workloads: []}]");
  const auto tests = ReadTestCases(world_.disk(), "/perf");
  ASSERT_TRUE(tests.has_value()) << tests.error().message;
  ASSERT_EQ(tests->size(), 2U);
  EXPECT_EQ((*tests)[1].name, "Below");
  EXPECT_EQ((*tests)[1].folder, "/perf/below");
  const TestCase& plain = tests->front();
  ASSERT_EQ(plain.workloads.size(), 2U);
  EXPECT_THAT(plain.workloads[0].labels, ElementsAre("short", "performance"));
  EXPECT_EQ(plain.workloads[0].threshold, 56);
  EXPECT_EQ(ToText(plain.workloads[0].gates), "DynamicResourceAllocation=true,Other=false");
  EXPECT_THAT(plain.workloads[1].labels, IsEmpty());
  EXPECT_EQ(plain.workloads[1].threshold, 120);
  EXPECT_EQ(ToText(plain.workloads[1].gates), "DynamicResourceAllocation=true,Other=true");
}

TEST_F(WorkloadsTest, FindsParameters) {
  ASSERT_TRUE(world_.disk().MakeFolder("/perf").has_value());
  Put("/perf/performance-config.yaml", kConfig);
  const auto tests = ReadTestCases(world_.disk(), "/perf");
  ASSERT_TRUE(tests.has_value()) << tests.error().message;
  const TestCase& plain = tests->front();
  const api::Tree& op = plain.ops.front();
  const Workload& small = plain.workloads[0];
  EXPECT_EQ(ParameterOf(op, "count", small)->integer(), 10);
  EXPECT_TRUE(ParameterOf(op, "duration", small)->is_null());
  EXPECT_EQ(api::ToJson(*TemplateParametersOf(op, small)), R"({"fixed":3,"nothing":"","roots":4})");
  const Workload& large = plain.workloads[1];
  EXPECT_EQ(ParameterOf(op, "count", large).error().message,
            "workload large lacks the parameter pods");
  EXPECT_EQ(api::ToJson(*TemplateParametersOf(op, large)),
            R"({"fixed":3,"nothing":"","roots":"2"})");
}

TEST_F(WorkloadsTest, NamesTheFileThatIsNone) {
  ASSERT_TRUE(world_.disk().MakeFolder("/perf").has_value());
  EXPECT_EQ(ReadTestCases(world_.disk(), "/perf").error().message,
            "no performance-config.yaml is in /perf");
  Put("/perf/performance-config.yaml", "[{name: A, workloads: []}]");
  EXPECT_EQ(ReadTestCases(world_.disk(), "/perf").error().message,
            "/perf/performance-config.yaml: workloadTemplate is missing or no list");
}

}  // namespace
}  // namespace dray::bench
