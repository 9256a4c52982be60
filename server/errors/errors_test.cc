// SPDX-License-Identifier: Apache-2.0
#include "server/errors/errors.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/resource_v1/claim.h"
#include "api/status.h"
#include "api/validation/cause_limits.h"

namespace dray::server::errors {
namespace {

TEST(Invalid, PrintsIdenticalLinesOnceAndKeepsAllCauses) {
  const api::KindInfo& kind = api::Reflected<api::resource_v1::ResourceClaim>::kKind;
  const ErrorCause a = {.reason = "FieldValueRequired", .field = "a", .message = "Required value"};
  const ErrorCause b = {.reason = "FieldValueRequired", .field = "b", .message = "Required value"};
  EXPECT_EQ(Invalid(kind, "c", {a}).message,
            "ResourceClaim.resource.k8s.io \"c\" is invalid: a: Required value");
  const Error error = Invalid(kind, "c", {a, b, a});
  EXPECT_EQ(error.message,
            "ResourceClaim.resource.k8s.io \"c\" is invalid: [a: Required value, b: Required "
            "value]");
  EXPECT_EQ(error.causes.size(), 3U);
  EXPECT_EQ(api::HttpCode(error.reason), 422);
}

TEST(Invalid, TellsAsManyCausesAsItMay) {
  const api::KindInfo& kind = api::Reflected<api::resource_v1::ResourceClaim>::kKind;
  std::vector<ErrorCause> causes;
  while (causes.size() < api::validation::kCausesMax) {
    causes.push_back({.reason = "FieldValueRequired",
                      .field = fmt::format("a[{}]", causes.size()),
                      .message = "Required value"});
  }
  const Error all = Invalid(kind, "c", causes);
  EXPECT_EQ(all.causes, causes);
  EXPECT_TRUE(all.message.ends_with("a[99]: Required value]"));
  std::vector<ErrorCause> more = causes;
  more.push_back(causes[0]);
  const Error some = Invalid(kind, "c", more);
  EXPECT_EQ(some.causes, causes);
  EXPECT_TRUE(some.message.ends_with("a[99]: Required value, …]"));
}

TEST(Quoted, ShowsTheBeginningOfLongTexts) {
  const std::string fits(api::validation::kShownMax, 'a');
  EXPECT_EQ(Quoted(fits), '"' + fits + '"');
  EXPECT_EQ(Quoted(fits + "b"), '"' + fits + "…\"");
}

}  // namespace
}  // namespace dray::server::errors
