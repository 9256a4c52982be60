// SPDX-License-Identifier: Apache-2.0
#include "client/outcome.h"

namespace dray::client {

bool MayBeCarriedOut(const Error& error) {
  switch (error.reason) {
    case StatusReason::kUnauthorized:
    case StatusReason::kForbidden:
    case StatusReason::kNotFound:
    case StatusReason::kAlreadyExists:
    case StatusReason::kConflict:
    case StatusReason::kGone:
    case StatusReason::kInvalid:
    case StatusReason::kTooManyRequests:
    case StatusReason::kBadRequest:
    case StatusReason::kMethodNotAllowed:
    case StatusReason::kNotAcceptable:
    case StatusReason::kRequestEntityTooLarge:
    case StatusReason::kUnsupportedMediaType:
    case StatusReason::kExpired: return false;
    // Also what a client says of a connection that broke, and a server of a failure it cannot name.
    case StatusReason::kUnknown:
    case StatusReason::kServerTimeout:
    case StatusReason::kTimeout:
    case StatusReason::kInternalError:
    case StatusReason::kServiceUnavailable: return true;
  }
  return true;
}

}  // namespace dray::client
