// SPDX-License-Identifier: Apache-2.0
#include "dray/pod_claims.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "allocator/testing/lab.h"
#include "base/frozen.h"

namespace dray::allocator {
namespace {

namespace core = api::core_v1;
namespace v1 = api::resource_v1;
using testing::FromJson;

template <class T>
Frozen<T> Stored(std::string_view json) {
  return std::make_shared<const T>(FromJson<T>(json));
}

class ClaimsOfPods : public ::testing::Test {
 protected:
  /// The claims of the pod "ns/p" with these entries: "to allocate | allocated", or the error.
  std::string Text(std::string_view entries, std::string_view status = "{}") {
    const auto claims = Ask(entries, status);
    if (!claims) return claims.error().message;
    std::string text;
    for (const auto& claim : claims->to_allocate) text += claim->metadata.name + " ";
    text += "|";
    for (const auto& claim : claims->allocated) text += " " + claim->metadata.name;
    return text;
  }

  Result<PodClaims> Ask(std::string_view entries, std::string_view status = "{}") {
    std::string json = R"({"metadata":{"name":"p","namespace":"ns","uid":"u"},"spec":{)";
    json.append(R"("resourceClaims":)").append(entries).append(R"(},"status":)");
    json.append(status).append("}");
    return ClaimsOf(FromJson<core::Pod>(json), {.claims = claims_, .templates = templates_});
  }

  const std::vector<Frozen<v1::ResourceClaim>> claims_{
      Stored<v1::ResourceClaim>(R"({"metadata":{"name":"free","namespace":"ns"}})"),
      Stored<v1::ResourceClaim>(R"({"metadata":{"name":"far","namespace":"other"}})"),
      Stored<v1::ResourceClaim>(R"({"metadata":{"name":"held","namespace":"ns"},
          "status":{"allocation":{"devices":{}}}})")};
  const std::vector<Frozen<v1::ResourceClaimTemplate>> templates_{
      Stored<v1::ResourceClaimTemplate>(R"({"metadata":{"name":"t","namespace":"ns"},
          "spec":{"metadata":{"labels":{"l":"v"}},"spec":{"devices":{"requests":[{"name":"r"}]}}}})")};
};

TEST_F(ClaimsOfPods, AreThoseItNames) {
  EXPECT_EQ(Text(R"([{"name":"a","resourceClaimName":"held"},
                     {"name":"b","resourceClaimName":"free"}])"),
            "free | held");
  EXPECT_EQ(Text("[]"), "|");
}

TEST_F(ClaimsOfPods, AreMadeFromTemplatesAsTheControllerDoes) {
  const auto claims = Ask(R"([{"name":"gpu","resourceClaimTemplateName":"t"}])");
  ASSERT_TRUE(claims.has_value());
  ASSERT_EQ(claims->to_allocate.size(), 1U);
  const v1::ResourceClaim& claim = *claims->to_allocate[0];
  EXPECT_EQ(claim.metadata.name, "p-gpu");
  EXPECT_EQ(claim.metadata.namespace_, "ns");
  EXPECT_EQ(claim.metadata.labels.at("l"), "v");
  EXPECT_EQ(claim.metadata.annotations.at("resource.kubernetes.io/pod-claim-name"), "gpu");
  ASSERT_EQ(claim.metadata.owner_references.size(), 1U);
  EXPECT_EQ(claim.metadata.owner_references[0].uid, "u");
  EXPECT_EQ(claim.spec.devices.requests.size(), 1U);
}

TEST_F(ClaimsOfPods, EntriesOfOneTemplateHaveTheirOwnUids) {
  constexpr std::string_view kTwo = R"([{"name":"a","resourceClaimTemplateName":"t"},
                                        {"name":"b","resourceClaimTemplateName":"t"}])";
  const auto once = Ask(kTwo);
  const auto again = Ask(kTwo);
  ASSERT_TRUE(once.has_value() && again.has_value());
  EXPECT_NE(once->to_allocate[0]->metadata.uid, once->to_allocate[1]->metadata.uid);
  EXPECT_EQ(once->to_allocate[0]->metadata.uid, again->to_allocate[0]->metadata.uid);
}

TEST_F(ClaimsOfPods, TheStatusSaysWhatWasMade) {
  constexpr std::string_view kEntry = R"([{"name":"a","resourceClaimTemplateName":"t"}])";
  EXPECT_EQ(Text(kEntry, R"({"resourceClaimStatuses":[{"name":"a","resourceClaimName":"held"}]})"),
            "| held");
  EXPECT_EQ(Text(kEntry, R"({"resourceClaimStatuses":[{"name":"a"}]})"), "|");
}

TEST_F(ClaimsOfPods, WhatDoesNotExistIsNamed) {
  EXPECT_EQ(Text(R"([{"name":"a","resourceClaimName":"far"}])"),
            "pod ns/p, claim a: there is no ResourceClaim ns/far");
  EXPECT_EQ(Text(R"([{"name":"a","resourceClaimTemplateName":"u"}])"),
            "pod ns/p, claim a: there is no ResourceClaimTemplate ns/u");
  EXPECT_EQ(Text(R"([{"name":"a"}])"), "pod ns/p, claim a: names no ResourceClaim and no template");
}

}  // namespace
}  // namespace dray::allocator
