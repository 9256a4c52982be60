// SPDX-License-Identifier: Apache-2.0
#include "api/validation/cluster/quota_rules.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/json.h"

namespace dray::api::validation::inline cluster {
namespace {

template <class T>
T ReadQuota(const std::string& json) {
  T value;
  const auto read = DecodeJson(TypeOf<T>(), json, &value, nullptr);
  EXPECT_TRUE(read.has_value()) << json;
  return value;
}

std::string Reported(const std::vector<ErrorCause>& causes) {
  std::string reported;
  for (const ErrorCause& cause : causes) reported += cause.field + ": " + cause.message + "\n";
  return reported;
}

struct QuotaCase {
  const char* name;
  const char* json;
  const char* want;
};

class QuotaRules : public ::testing::TestWithParam<QuotaCase> {};

TEST_P(QuotaRules, AreUpstreams) {
  const auto quota =
      ReadQuota<core_v1::ResourceQuota>(std::string(R"({"spec":)") + GetParam().json + "}");
  EXPECT_EQ(Reported(ValidateResourceQuota(quota, nullptr)), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    QuotaRules,
    ::testing::Values(
        QuotaCase{
            "Known",
            R"({"hard":{"pods":"1","requests.cpu":"500m","count/a.b":"2","requests.a.example/gpu":"3",
                 "hugepages-2Mi":"1Gi","gold.storageclass.storage.k8s.io/requests.storage":"1Gi"}})",
            ""},
        QuotaCase{
            "Unknown",
            R"({"hard":{"gpus":"1"}})",
            "spec.hard[gpus]: Invalid value: \"gpus\": must be a standard resource type or fully "
            "qualified\n"
            "spec.hard[gpus]: Invalid value: \"gpus\": must be a standard resource for quota\n"},
        QuotaCase{"Negative",
                  R"({"hard":{"pods":"-1"}})",
                  "spec.hard[pods]: Invalid value: \"-1\": must be greater than or equal to 0\n"},
        QuotaCase{"Zero", R"({"hard":{"pods":"0"}})", ""},
        QuotaCase{"Part",
                  R"({"hard":{"pods":"1500m"}})",
                  "spec.hard[pods]: Invalid value: \"1500m\": must be an integer\n"},
        QuotaCase{"Scopes",
                  R"({"hard":{"pods":"1"},"scopes":["BestEffort","NotBestEffort"]})",
                  "spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\"]: conflicting "
                  "scopes\n"},
        QuotaCase{"ScopeThatDoesNotFit",
                  R"({"hard":{"cpu":"1"},"scopes":["BestEffort"]})",
                  "spec.scopes: Invalid value: [\"BestEffort\"]: unsupported scope applied to "
                  "resource\n"},
        QuotaCase{
            "Selector",
            R"({"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In"}]}})",
            "spec.scopeSelector.matchExpressions.values: Required value: must be at least one "
            "value when `operator` is 'In' or 'NotIn' for scope selector\n"}),
    [](const auto& info) { return info.param.name; });

TEST(QuotaRules, ScopesStay) {
  const auto old = ReadQuota<core_v1::ResourceQuota>(R"({"spec":{"scopes":["Terminating"]}})");
  const core_v1::ResourceQuota none;
  EXPECT_EQ(Reported(ValidateResourceQuota(old, &old)), "");
  EXPECT_NE(Reported(ValidateResourceQuota(none, &old)).find("spec.scopes: Invalid value: "),
            std::string::npos);
}

class LimitRangeRules : public ::testing::TestWithParam<QuotaCase> {};

TEST_P(LimitRangeRules, AreUpstreams) {
  const auto range = ReadQuota<core_v1::LimitRange>(std::string(R"({"spec":{"limits":[)") +
                                                    GetParam().json + "]}}");
  EXPECT_EQ(Reported(ValidateLimitRange(range)), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    LimitRangeRules,
    ::testing::Values(
        QuotaCase{"Good",
                  R"({"type":"Container","min":{"cpu":"1"},"max":{"cpu":"4"},"default":{"cpu":"3"},
                 "defaultRequest":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"4"}})",
                  ""},
        QuotaCase{
            "Type",
            R"({"type":"Node"})",
            "spec.limits[0].type: Invalid value: \"Node\": must be a standard limit type or fully "
            "qualified\n"},
        QuotaCase{"Twice",
                  R"({"type":"Pod"},{"type":"Pod"})",
                  "spec.limits[1].type: Duplicate value: \"Pod\"\n"},
        QuotaCase{
            "OrderOfBounds",
            R"({"type":"Container","min":{"cpu":"3"},"max":{"cpu":"2"}})",
            "spec.limits[0].min[cpu]: Invalid value: \"3\": min value 3 is greater than max value "
            "2\n"},
        QuotaCase{
            "RequestAboveLimit",
            R"({"type":"Container","default":{"cpu":"1"},"defaultRequest":{"cpu":"2"}})",
            "spec.limits[0].defaultRequest[cpu]: Invalid value: \"2\": default request value 2 is "
            "greater than default limit value 1\n"},
        QuotaCase{"DefaultsOfPods",
                  R"({"type":"Pod","default":{"cpu":"1"}})",
                  "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'\n"},
        QuotaCase{
            "VolumesWithoutBounds",
            R"({"type":"PersistentVolumeClaim"})",
            "spec.limits[0].limits: Required value: either minimum or maximum storage value is "
            "required, but neither was provided\n"},
        QuotaCase{
            "Ratio",
            R"({"type":"Container","min":{"cpu":"1"},"max":{"cpu":"2"},
                 "maxLimitRequestRatio":{"cpu":"3"}})",
            "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"3\": ratio 3 is greater "
            "than max/min = 2.000000\n"},
        QuotaCase{
            "RatioBelowOne",
            R"({"type":"Container","maxLimitRequestRatio":{"cpu":"500m"}})",
            "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"500m\": ratio 500m is less "
            "than 1\n"},
        QuotaCase{
            "NoOvercommit",
            R"({"type":"Container","default":{"a.example/gpu":"2"},
                 "defaultRequest":{"a.example/gpu":"1"}})",
            "spec.limits[0].defaultRequest[a.example/gpu]: Invalid value: \"1\": default value 2 "
            "must equal to defaultRequest value 1 in a.example/gpu\n"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dray::api::validation::inline cluster
