// SPDX-License-Identifier: Apache-2.0
#include "client/outcome.h"

#include <gtest/gtest.h>

namespace dray::client {
namespace {

TEST(MayBeCarriedOut, UnlessTheServerHasDecidedAgainstIt) {
  using enum StatusReason;
  for (const StatusReason reason : {kUnauthorized,
                                    kForbidden,
                                    kNotFound,
                                    kAlreadyExists,
                                    kConflict,
                                    kGone,
                                    kInvalid,
                                    kTooManyRequests,
                                    kBadRequest,
                                    kMethodNotAllowed,
                                    kNotAcceptable,
                                    kRequestEntityTooLarge,
                                    kUnsupportedMediaType,
                                    kExpired}) {
    EXPECT_FALSE(MayBeCarriedOut({.reason = reason, .message = {}})) << ReasonName(reason);
  }
  for (const StatusReason reason :
       {kUnknown, kServerTimeout, kTimeout, kInternalError, kServiceUnavailable}) {
    EXPECT_TRUE(MayBeCarriedOut({.reason = reason, .message = {}})) << ReasonName(reason);
  }
}

}  // namespace
}  // namespace dray::client
