// SPDX-License-Identifier: Apache-2.0
#include "api/validation/workloads/pod_group.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/object.h"

namespace dray::api::validation::inline workloads {
namespace {

using scheduling_v1beta1::PodGroup;
using scheduling_v1beta1::Workload;

template <class T>
T Parsed(std::string_view spec) {
  const std::string json = fmt::format(R"({{"metadata":{{"name":"x"}},"spec":{}}})", spec);
  return DecodeJson(Reflected<T>::kKind, json, nullptr).value().template As<T>();
}

std::string Text(const std::vector<ErrorCause>& causes) {
  std::string text;
  for (const ErrorCause& cause : causes) text += cause.field + ": " + cause.message + "\n";
  return text;
}

const Profile kNewest = Profile::Of(Release::kNewest);

TEST(PodGroupRules, SayWhatIsWrong) {
  struct Row {
    std::string_view spec, says;
  };
  for (const Row& row : {
           Row{R"({"schedulingPolicy":{"basic":{}}})", ""},
           Row{R"({"schedulingPolicy":{"gang":{"minCount":1}},"priority":1000000000})", ""},
           Row{R"({"schedulingPolicy":{"gang":{"minCount":0}}})",
               "spec.schedulingPolicy.gang.minCount: Required value\n"},
           Row{R"({"schedulingPolicy":{"gang":{"minCount":-1}}})",
               "spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or "
               "equal to 1\n"},
           Row{R"({})",
               "spec.schedulingPolicy: Invalid value: \"\": must specify one of: `basic`, "
               "`gang`\n"},
           Row{R"({"schedulingPolicy":{"basic":{}},"priority":1000000001})",
               "spec.priority: Invalid value: 1000000001: must be less than or equal to "
               "1000000000\n"},
           Row{R"({"schedulingPolicy":{"basic":{}},"workloadRef":{"workloadName":"w"}})",
               "spec.workloadRef.templateName: Required value\n"},
       }) {
    EXPECT_EQ(Text(ValidatePodGroup(Parsed<PodGroup>(row.spec), nullptr, kNewest)), row.says)
        << row.spec;
  }
}

TEST(PodGroupRules, LimitClaimsAndTemplates) {
  for (const size_t more : {0U, 1U}) {
    std::string claims;
    std::string templates;
    for (size_t i = 0; i < kGroupClaimsMax + more; ++i) {
      claims += fmt::format(R"({}{{"name":"c{}","resourceClaimName":"x"}})", i > 0 ? "," : "", i);
    }
    for (size_t i = 0; i < kGroupTemplatesMax + more; ++i) {
      templates += fmt::format(
          R"({}{{"name":"t{}","schedulingPolicy":{{"basic":{{}}}}}})", i > 0 ? "," : "", i);
    }
    const auto group = Parsed<PodGroup>(
        fmt::format(R"({{"schedulingPolicy":{{"basic":{{}}}},"resourceClaims":[{}]}})", claims));
    EXPECT_EQ(Text(ValidatePodGroup(group, nullptr, kNewest)),
              more == 0 ? "" : "spec.resourceClaims: Too many: 5: must have at most 4 items\n");
    const auto workload =
        Parsed<Workload>(fmt::format(R"({{"podGroupTemplates":[{}]}})", templates));
    EXPECT_EQ(Text(ValidateWorkload(workload, nullptr, kNewest)),
              more == 0 ? "" : "spec.podGroupTemplates: Too many: 9: must have at most 8 items\n");
  }
}

TEST(PodGroupRules, LetOnlyTheSizeOfAGangChange) {
  const auto old = Parsed<PodGroup>(R"({"schedulingPolicy":{"gang":{"minCount":2}},"priority":1})");
  struct Row {
    std::string_view spec, says;
  };
  for (const Row& row : {
           Row{R"({"schedulingPolicy":{"gang":{"minCount":3}},"priority":1})", ""},
           Row{R"({"schedulingPolicy":{"gang":{"minCount":2}},"priority":2})",
               "spec.priority: Invalid value: 2: field is immutable\n"},
           Row{R"({"schedulingPolicy":{"gang":{"minCount":2}}})",
               "spec.priority: Invalid value: null: field is immutable\n"},
       }) {
    EXPECT_EQ(Text(ValidatePodGroup(Parsed<PodGroup>(row.spec), &old, kNewest)), row.says)
        << row.spec;
  }
}

TEST(WorkloadRules, KeepTheTemplatesAndOnePriority) {
  const auto old =
      Parsed<Workload>(R"({"podGroupTemplates":[{"name":"a","schedulingPolicy":{"basic":{}}}]})");
  EXPECT_EQ(Text(ValidateWorkload(old, &old, kNewest)), "");
  const auto other = Parsed<Workload>(
      R"({"podGroupTemplates":[{"name":"a","schedulingPolicy":{"basic":{}}},
                               {"name":"b","schedulingPolicy":{"basic":{}},"priority":1}]})");
  EXPECT_EQ(Text(ValidateWorkload(other, nullptr, kNewest)),
            "spec: Invalid value: null: detected multiple priority configurations\n");
  const std::string said = Text(ValidateWorkload(other, &old, kNewest));
  EXPECT_NE(said.find("spec.podGroupTemplates[1]: Invalid value"), std::string::npos) << said;
  EXPECT_EQ(Text(ValidateWorkload(Parsed<Workload>("{}"), nullptr, kNewest)),
            "spec: Invalid value: \"\": must specify one of: `podGroupTemplates`\n");
}

}  // namespace
}  // namespace dray::api::validation::inline workloads
