// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <algorithm>
#include <array>

namespace dray {
namespace {

struct Named {
  StatusReason reason;
  std::string_view name;
};

// In the order of StatusReason.
constexpr std::array kNames = {
    Named{StatusReason::kUnknown, ""},
    Named{StatusReason::kUnauthorized, "Unauthorized"},
    Named{StatusReason::kForbidden, "Forbidden"},
    Named{StatusReason::kNotFound, "NotFound"},
    Named{StatusReason::kAlreadyExists, "AlreadyExists"},
    Named{StatusReason::kConflict, "Conflict"},
    Named{StatusReason::kGone, "Gone"},
    Named{StatusReason::kInvalid, "Invalid"},
    Named{StatusReason::kServerTimeout, "ServerTimeout"},
    Named{StatusReason::kTimeout, "Timeout"},
    Named{StatusReason::kTooManyRequests, "TooManyRequests"},
    Named{StatusReason::kBadRequest, "BadRequest"},
    Named{StatusReason::kMethodNotAllowed, "MethodNotAllowed"},
    Named{StatusReason::kNotAcceptable, "NotAcceptable"},
    Named{StatusReason::kRequestEntityTooLarge, "RequestEntityTooLarge"},
    Named{StatusReason::kUnsupportedMediaType, "UnsupportedMediaType"},
    Named{StatusReason::kInternalError, "InternalError"},
    Named{StatusReason::kExpired, "Expired"},
    Named{StatusReason::kServiceUnavailable, "ServiceUnavailable"},
};

}  // namespace

std::string_view ReasonName(StatusReason reason) {
  return kNames.at(static_cast<size_t>(reason)).name;
}

StatusReason ReasonNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &Named::name);
  return found == kNames.end() ? StatusReason::kUnknown : found->reason;
}

}  // namespace dray
