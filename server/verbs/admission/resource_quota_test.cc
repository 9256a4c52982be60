// SPDX-License-Identifier: Apache-2.0
// New objects are charged to their namespace's quotas, in the transaction that creates them.
#include "server/verbs/admission/resource_quota.h"

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs::admission {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class QuotasTest : public testing::ServerTest {
 protected:
  QuotasTest() {
    for (const char* name : {"lab", "other"}) {
      DoCreate("namespaces", "", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
    }
  }

  std::string DoCreate(std::string_view plural,
                       std::string_view namespace_,
                       std::string body,
                       bool dry_run = false) {
    ResourceRequest request = Request(Verb::kCreate, plural, namespace_, "");
    request.body = std::move(body);
    request.write.dry_run = dry_run;
    return Do(std::move(request));
  }
  /// Creates a quota with no usage.
  void Quota(std::string_view resource, int hard, std::string_view name = "few") {
    const std::string object =
        fmt::format(R"({{"metadata":{{"name":"{0}"}},"spec":{{"hard":{{"{1}":"{2}"}}}},)"
                    R"("status":{{"hard":{{"{1}":"{2}"}},"used":{{"{1}":"0"}}}}}})",
                    name,
                    resource,
                    hard);
    DoCreate("resourcequotas", "lab", object);
    ResourceRequest request = Request(Verb::kUpdate, "resourcequotas", "lab", name);
    request.subresource = "status";
    request.body = object;
    ASSERT_THAT(Do(std::move(request)), StartsWith("200 "));
  }
  std::string Used(std::string_view name = "few") {
    const std::string answer = Do(Request(Verb::kGet, "resourcequotas", "lab", name));
    const size_t at = answer.find("\"used\":");
    return at == std::string::npos ? answer : answer.substr(at, answer.find('}', at) - at + 1);
  }
  std::string Claim(std::string_view name,
                    std::string_view namespace_ = "lab",
                    bool dry_run = false) {
    return DoCreate(
        "resourceclaims",
        namespace_,
        fmt::format(
            R"({{"metadata":{{"name":"{}"}},"spec":{{"devices":{{"requests":[{{"name":"gpu",)"
            R"("exactly":{{"deviceClassName":"gpu"}}}}]}}}}}})",
            name),
        dry_run);
  }
};

constexpr const char* kClaims = "count/resourceclaims.resource.k8s.io";

TEST_F(QuotasTest, WhatIsUsedGrowsWithTheObjectUpToTheLimit) {
  Quota(kClaims, 2);
  EXPECT_THAT(Claim("one"), StartsWith("201 "));
  EXPECT_THAT(Used(), HasSubstr(R"("used":{"count/resourceclaims.resource.k8s.io":"1"})"));
  EXPECT_THAT(Claim("two", "lab", true), StartsWith("201 "));
  EXPECT_THAT(Used(), HasSubstr(R"(":"1"})")) << "a dry run uses nothing";
  EXPECT_THAT(Claim("two"), StartsWith("201 "));
  EXPECT_EQ(Claim("three"),
            "403 Forbidden: resourceclaims.resource.k8s.io \"three\" is forbidden: exceeded quota: "
            "few, requested: count/resourceclaims.resource.k8s.io=1, used: "
            "count/resourceclaims.resource.k8s.io=2, limited: "
            "count/resourceclaims.resource.k8s.io=2");
  EXPECT_THAT(Claim("three", "lab", true), StartsWith("403 "));
  EXPECT_THAT(Claim("two"), StartsWith("403 ")) << "the quota is asked before the name";
  EXPECT_THAT(Claim("three", "other"), StartsWith("201 "));
  EXPECT_THAT(Used(), HasSubstr(R"(":"2"})"));
}

TEST_F(QuotasTest, ARefusedCreateUsesNothing) {
  Quota(kClaims, 5);
  Claim("one");
  EXPECT_THAT(Claim("one"), StartsWith("409 "));
  EXPECT_THAT(Claim("Not-A-Name"), StartsWith("422 "));
  EXPECT_THAT(Used(), HasSubstr(R"(":"1"})"));
}

TEST_F(QuotasTest, AllQuotasMustLetItIn) {
  Quota(kClaims, 5, "a");
  Quota("gpu.deviceclass.resource.k8s.io/devices", 1, "b");
  EXPECT_THAT(Claim("one"), StartsWith("201 "));
  EXPECT_THAT(Claim("two"), HasSubstr("exceeded quota: b, requested: gpu.deviceclass"));
  EXPECT_THAT(Used("a"), HasSubstr(R"(":"1"})"));
  EXPECT_THAT(Used("b"), HasSubstr(R"(":"1"})"));
}

TEST_F(QuotasTest, NobodyHasCountedYet) {
  DoCreate(
      "resourcequotas",
      "lab",
      R"({"metadata":{"name":"new"},"spec":{"hard":{"count/resourceclaims.resource.k8s.io":"1"}}})");
  EXPECT_THAT(Claim("one"), StartsWith("201 ")) << "there is no limit in force";
}

// Concurrent creates: exactly as many succeed as the quota allows, and its usage says so.
TEST_F(QuotasTest, IsNeverExceededByARace) {
  Quota(kClaims, 10);
  std::atomic<int> created = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 8; ++i) {
          if (Claim(fmt::format("claim-{}-{}", thread, i)).starts_with("201 ")) ++created;
        }
      });
    }
  }
  EXPECT_EQ(created, 10);
  EXPECT_THAT(Used(), HasSubstr(R"(":"10"})"));
}

}  // namespace
}  // namespace dray::server::verbs::admission
