// SPDX-License-Identifier: Apache-2.0
// How the rules use a checker's answers about CEL expressions.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/validation/devices/claim.h"
#include "api/validation/devices/device_class.h"
#include "api/validation/expression_checker.h"

namespace dray::api::validation {
namespace {

namespace v1 = resource_v1;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Every text is the answer itself: a number is its cost, "broken" does not compile.
class Reader final : public ExpressionChecker {
 public:
  std::expected<uint64_t, ExpressionProblem> Check(const Expression& expression) const override {
    asked.push_back(
        fmt::format("{}{}", expression.origin == Origin::kNew ? "" : "stored ", expression.text));
    if (expression.text == "broken") {
      return std::unexpected(ExpressionProblem{.detail = "compilation failed"});
    }
    const uint64_t cost = std::stoull(std::string(expression.text));
    if (cost <= 1'000'000) return cost;
    return std::unexpected(
        ExpressionProblem{.kind = ExpressionProblem::Kind::kTooCostly, .cost = cost});
  }

  mutable std::vector<std::string> asked;
};

// "field: message" of each cause.
std::vector<std::string> Texts(const std::vector<ErrorCause>& causes) {
  std::vector<std::string> texts;
  texts.reserve(causes.size());
  for (const ErrorCause& cause : causes) {
    texts.push_back(fmt::format("{}: {}", cause.field, cause.message));
  }
  return texts;
}

v1::ExactDeviceRequest Deriving(const std::vector<std::string>& expressions) {
  v1::ExactDeviceRequest request = {
      .device_class_name = "c", .allocation_mode = "ExactCount", .count = 1};
  for (size_t i = 0; i < expressions.size(); ++i) {
    request.derived_attributes.push_back(
        {.name = fmt::format("a.example/x{}", i), .expression = expressions[i]});
  }
  return request;
}

// One request for each list; every attribute has its constraint.
v1::ResourceClaim ClaimWith(const std::vector<std::vector<std::string>>& expressions) {
  v1::ResourceClaim claim;
  size_t attributes = 0;
  for (size_t i = 0; i < expressions.size(); ++i) {
    claim.spec.devices.requests.push_back(
        {.name = fmt::format("r{}", i), .exactly = Deriving(expressions[i])});
    attributes = std::max(attributes, expressions[i].size());
  }
  for (size_t i = 0; i < attributes; ++i) {
    claim.spec.devices.constraints.push_back({.match_attribute = fmt::format("a.example/x{}", i)});
  }
  return claim;
}

std::vector<std::string> Judge(const v1::ResourceClaim& claim) {
  const Reader reader;
  return Texts(ValidateClaim(claim, {.expressions = &reader}));
}

constexpr const char* kTotal =
    "spec.devices: Forbidden: too complex, total cost of derived attribute CEL expressions in the "
    "claim exceeds cost limit";

TEST(DerivedAttributeCosts, AddUpOverTheClaim) {
  const std::string last = std::to_string(kDerivedAttributesCostMax - 800'000);
  const std::string one_more = std::to_string(kDerivedAttributesCostMax - 800'000 + 1);
  EXPECT_THAT(Judge(ClaimWith({{"600000"}, {"200000", last}})), IsEmpty());
  EXPECT_THAT(Judge(ClaimWith({{"600000"}, {"200000", one_more}})), ElementsAre(kTotal));
}

TEST(DerivedAttributeCosts, OneTooComplexIsTooMuchForAll) {
  EXPECT_THAT(
      Judge(ClaimWith({{"1000001"}})),
      ElementsAre("spec.devices.requests[0].exactly.derivedAttributes[0].expression: Forbidden: "
                  "too complex, exceeds cost limit",
                  kTotal));
}

TEST(DerivedAttributeCosts, WrapAroundAsUpstreams) {
  EXPECT_THAT(
      Judge(ClaimWith({{"18446744073709551615", "2"}})),
      ElementsAre("spec.devices.requests[0].exactly.derivedAttributes[0].expression: Forbidden: "
                  "too complex, exceeds cost limit"));
}

TEST(DerivedAttributeCosts, BrokenOnesCostNothing) {
  EXPECT_THAT(
      Judge(ClaimWith({{"broken", "1000000"}})),
      ElementsAre("spec.devices.requests[0].exactly.derivedAttributes[0].expression: Invalid "
                  "value: \"broken\": compilation failed"));
}

v1::DeviceClass Class(const std::vector<std::string>& selectors) {
  v1::DeviceClass device_class;
  for (const std::string& selector : selectors) {
    device_class.spec.selectors.push_back({.cel = v1::CELDeviceSelector{.expression = selector}});
  }
  return device_class;
}

std::vector<std::string> AskedOnUpdate(Release release, const std::vector<std::string>& selectors) {
  const Reader reader;
  const v1::DeviceClass old = Class({"1", "2"});
  ValidateDeviceClass(
      Class(selectors), &old, {.profile = Profile::Of(release), .expressions = &reader});
  return reader.asked;
}

TEST(StoredSelectors, AreAskedAboutUpTo136) {
  EXPECT_THAT(AskedOnUpdate(Release::k1_36, {"1", "2"}), ElementsAre("stored 1", "stored 2"));
  EXPECT_THAT(AskedOnUpdate(Release::kNewest, {"1", "2"}), IsEmpty());
}

TEST(StoredSelectors, AreNewInAnotherOrder) {
  EXPECT_THAT(AskedOnUpdate(Release::kNewest, {"2", "1"}), ElementsAre("2", "1"));
}

}  // namespace
}  // namespace dray::api::validation
