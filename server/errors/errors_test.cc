// SPDX-License-Identifier: Apache-2.0
#include "server/errors/errors.h"

#include <gtest/gtest.h>

#include "api/resource_v1/claim.h"
#include "api/status.h"

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

}  // namespace
}  // namespace dray::server::errors
