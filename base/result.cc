// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

namespace dray {
namespace {

struct ReasonRow {
  std::string_view name;
  int code;
};

ReasonRow Row(StatusReason reason) {
  switch (reason) {
    case StatusReason::kUnknown: return {"", 500};
    case StatusReason::kUnauthorized: return {"Unauthorized", 401};
    case StatusReason::kForbidden: return {"Forbidden", 403};
    case StatusReason::kNotFound: return {"NotFound", 404};
    case StatusReason::kAlreadyExists: return {"AlreadyExists", 409};
    case StatusReason::kConflict: return {"Conflict", 409};
    case StatusReason::kGone: return {"Gone", 410};
    case StatusReason::kInvalid: return {"Invalid", 422};
    case StatusReason::kServerTimeout: return {"ServerTimeout", 500};
    case StatusReason::kTimeout: return {"Timeout", 504};
    case StatusReason::kTooManyRequests: return {"TooManyRequests", 429};
    case StatusReason::kBadRequest: return {"BadRequest", 400};
    case StatusReason::kMethodNotAllowed: return {"MethodNotAllowed", 405};
    case StatusReason::kNotAcceptable: return {"NotAcceptable", 406};
    case StatusReason::kRequestEntityTooLarge: return {"RequestEntityTooLarge", 413};
    case StatusReason::kUnsupportedMediaType: return {"UnsupportedMediaType", 415};
    case StatusReason::kInternalError: return {"InternalError", 500};
    case StatusReason::kExpired: return {"Expired", 410};
    case StatusReason::kServiceUnavailable: return {"ServiceUnavailable", 503};
  }
  return {"", 500};
}

}  // namespace

std::string_view ReasonName(StatusReason reason) {
  return Row(reason).name;
}

int HttpCode(StatusReason reason) {
  return Row(reason).code;
}

}  // namespace dray
