// SPDX-License-Identifier: Apache-2.0
#include "api/quota/scopes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"

namespace dray::api::quota {
namespace {

template <typename T>
Object ReadPod(const char* json) {
  return DecodeJson(Reflected<T>::kKind, json, nullptr).value();
}

TEST(IsInScope, PodsOnlyAndAllScopesTogether) {
  const Object pod = ReadPod<core_v1::Pod>(R"({"spec": {"priorityClassName": "high",
    "activeDeadlineSeconds": 5}, "status": {"qosClass": "BestEffort"}})");
  const auto is_in = [&](const char* quota) {
    const Object object = ReadPod<core_v1::ResourceQuota>(quota);
    return IsInScope(object.As<core_v1::ResourceQuota>().spec, pod);
  };
  EXPECT_TRUE(is_in("{}"));
  EXPECT_TRUE(is_in(R"({"spec": {"scopes": ["BestEffort", "Terminating"]}})"));
  EXPECT_FALSE(is_in(R"({"spec": {"scopes": ["BestEffort", "NotTerminating"]}})"));
  EXPECT_FALSE(is_in(R"({"spec": {"scopes": ["NotBestEffort"]}})"));
  EXPECT_FALSE(is_in(R"({"spec": {"scopes": ["CrossNamespacePodAffinity"]}})"));
  const auto has_class = [&](const char* op, const char* values) {
    return is_in(fmt::format(R"({{"spec": {{"scopeSelector": {{"matchExpressions": [
      {{"scopeName": "PriorityClass", "operator": "{}", "values": {}}}]}}}}}})",
                             op,
                             values)
                     .c_str());
  };
  EXPECT_TRUE(has_class("In", R"(["high", "low"])"));
  EXPECT_FALSE(has_class("NotIn", R"(["high"])"));
  EXPECT_TRUE(has_class("Exists", "[]"));
  EXPECT_FALSE(has_class("DoesNotExist", "[]"));
  const Object claim = ReadPod<resource_v1::ResourceClaim>("{}");
  core_v1::ResourceQuotaSpec spec;
  EXPECT_TRUE(IsInScope(spec, claim));
  spec.scopes = {"NotBestEffort"};
  EXPECT_FALSE(IsInScope(spec, claim));
}

}  // namespace
}  // namespace dray::api::quota
