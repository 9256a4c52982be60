// SPDX-License-Identifier: Apache-2.0
#include "api/validation/devices/claim_access.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/resource_v1/claim.h"

namespace dray::api::validation::inline devices {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

resource_v1::ResourceClaim Claim(std::string_view status) {
  const std::string json =
      R"({"metadata":{"name":"c","namespace":"ns"},"status":)" + std::string(status) + "}";
  return DecodeJson(Reflected<resource_v1::ResourceClaim>::kKind, json, nullptr)
      ->As<resource_v1::ResourceClaim>();
}

// Records the requests, and allows only those that start with `allowed`.
class Recorder final : public Authorizer {
 public:
  explicit Recorder(std::string allowed) : allowed_(std::move(allowed)) {}
  std::optional<AccessRefusal> Ask(const AccessQuestion& question) const override {
    const std::string words = question.verb + " " + std::string(question.subresource) + " " +
                              question.namespace_ + "/" + question.name;
    asked.push_back(words);
    if (!allowed_.empty() && words.starts_with(allowed_)) return std::nullopt;
    return AccessRefusal{.reason = "no"};
  }

  mutable std::vector<std::string> asked;

 private:
  std::string allowed_;
};

constexpr std::string_view kOnNode = R"({"allocation":{"nodeSelector":{"nodeSelectorTerms":[
    {"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}},
    "devices":[{"driver":"d","pool":"p","device":"x"}]})";

std::vector<ErrorCause> Errors(const Caller& caller,
                               std::string_view status,
                               std::string_view old) {
  FieldErrors errors;
  CheckAccess(Claim(status), Claim(old), {.caller = &caller}, errors);
  return std::move(errors).Take();
}

TEST(ClaimAccess, NobodyIsAskedAboutNothing) {
  const Recorder nobody("");
  const Caller caller = {.authorizer = nobody, .user = "u", .verb = "update"};
  EXPECT_THAT(Errors(caller, kOnNode, kOnNode), IsEmpty());
  EXPECT_THAT(nobody.asked, IsEmpty());
}

TEST(ClaimAccess, DriversOnTheirNodeNeedLess) {
  const Recorder some("associated-node:");
  Caller caller = {.authorizer = some,
                   .user = "u",
                   .verb = "patch",
                   .is_service_account = true,
                   .node_name = "n1"};
  std::string old(kOnNode);
  old.replace(old.find("\"x\""), 3, "\"y\"");
  EXPECT_THAT(Errors(caller, kOnNode, old), IsEmpty());
  EXPECT_THAT(some.asked, ElementsAre("associated-node:patch driver ns/d"));

  // Any other user must be allowed on every node.
  caller.is_service_account = false;
  const std::vector<ErrorCause> causes = Errors(caller, kOnNode, old);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].field, "status.devices");
  EXPECT_THAT(causes[0].message, HasSubstr(R"(verb="[arbitrary-node:patch]")"));
  EXPECT_THAT(causes[0].message, HasSubstr(R"(in the namespace "ns": no)"));
}

TEST(ClaimAccess, AllocationsAreForSchedulers) {
  const Recorder nobody("");
  const Caller caller = {.authorizer = nobody, .user = "u", .verb = "update"};
  const std::vector<ErrorCause> causes = Errors(caller, R"({"allocation":{}})", "{}");
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].field, "status.allocation");
  EXPECT_THAT(causes[0].message, HasSubstr("at the cluster scope: no"));
}

}  // namespace
}  // namespace dray::api::validation::inline devices
