// SPDX-License-Identifier: Apache-2.0
#include "api/validation/cluster/lease.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"

namespace dray::api::validation::inline cluster {
namespace {

std::vector<std::string> WrongLease(std::string_view spec) {
  const std::string json = R"({"metadata":{"name":"l"},"spec":)" + std::string(spec) + "}";
  using coordination_v1::Lease;
  const auto lease = DecodeJson(Reflected<Lease>::kKind, json, nullptr)->As<Lease>();
  std::vector<std::string> texts;
  for (const ErrorCause& cause : ValidateLease(lease, {})) {
    texts.push_back(cause.field + ": " + cause.message);
  }
  return texts;
}

TEST(LeaseRules, ALeaseLastsAndChangesHands) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(WrongLease("{}"), IsEmpty());
  EXPECT_THAT(WrongLease(R"({"leaseDurationSeconds":1,"leaseTransitions":0})"), IsEmpty());
  EXPECT_THAT(
      WrongLease(R"({"leaseDurationSeconds":0,"leaseTransitions":-1})"),
      ElementsAre("spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
                  "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"));
}

TEST(LeaseRules, APreferredHolderNeedsAStrategy) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(WrongLease(R"({"strategy":"OldestEmulationVersion","preferredHolder":"a"})"),
              IsEmpty());
  EXPECT_THAT(WrongLease(R"({"strategy":"d.example/mine"})"), IsEmpty());
  EXPECT_THAT(WrongLease(R"({"strategy":"Newest"})"),
              ElementsAre("spec.strategy.strategy: Unsupported value: \"Newest\": supported "
                          "values: \"OldestEmulationVersion\""));
  EXPECT_THAT(WrongLease(R"({"preferredHolder":"a"})"),
              ElementsAre("spec.preferredHolder: Forbidden: may only be specified if `strategy` "
                          "is defined"));
}

}  // namespace
}  // namespace dray::api::validation::inline cluster
