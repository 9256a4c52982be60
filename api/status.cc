// SPDX-License-Identifier: Apache-2.0
#include "api/status.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dray::api {
namespace {

struct Coded {
  StatusReason reason;
  int code;
};

constexpr int kInternalServerError = 500;

// If several reasons have one code, the first is the meaning of the code alone.
constexpr std::array kCodes = {
    Coded{StatusReason::kUnauthorized, 401},
    Coded{StatusReason::kForbidden, 403},
    Coded{StatusReason::kNotFound, 404},
    Coded{StatusReason::kAlreadyExists, 409},
    Coded{StatusReason::kConflict, 409},
    Coded{StatusReason::kGone, 410},
    Coded{StatusReason::kInvalid, 422},
    Coded{StatusReason::kServerTimeout, kInternalServerError},
    Coded{StatusReason::kTimeout, 504},
    Coded{StatusReason::kTooManyRequests, 429},
    Coded{StatusReason::kBadRequest, 400},
    Coded{StatusReason::kMethodNotAllowed, 405},
    Coded{StatusReason::kNotAcceptable, 406},
    Coded{StatusReason::kRequestEntityTooLarge, 413},
    Coded{StatusReason::kUnsupportedMediaType, 415},
    Coded{StatusReason::kInternalError, kInternalServerError},
    Coded{StatusReason::kExpired, 410},
    Coded{StatusReason::kServiceUnavailable, 503},
};

/// The details, if they are a T of StatusErrorDetails.
template <class T>
const T* Held(const Error& error) {
  const auto* const details = error.DetailsAs<StatusErrorDetails>();
  return details == nullptr ? nullptr : std::get_if<T>(&details->value);
}

}  // namespace

int HttpCode(StatusReason reason) {
  const auto* const found = std::ranges::find(kCodes, reason, &Coded::reason);
  return found == kCodes.end() ? kInternalServerError : found->code;
}

StatusReason ReasonOf(int http_code) {
  const auto* const found = std::ranges::find(kCodes, http_code, &Coded::code);
  return found == kCodes.end() ? StatusReason::kUnknown : found->reason;
}

const meta_v1::StatusDetails* DetailsOf(const Error& error) {
  return Held<meta_v1::StatusDetails>(error);
}

std::shared_ptr<const ErrorDetails> AsDetails(StatusErrorDetails::Value value) {
  return std::make_shared<const StatusErrorDetails>(std::move(value));
}

meta_v1::Status StatusOf(const Error& error) {
  if (const auto* whole = Held<meta_v1::Status>(error); whole != nullptr) return *whole;
  meta_v1::Status status;
  status.status = "Failure";
  status.message = error.message;
  status.reason = ReasonName(error.reason);
  status.code = HttpCode(error.reason);
  if (const auto* expired = Held<ContinueFrom>(error); expired != nullptr)
    status.metadata.continue_ = expired->token;
  if (const auto* details = DetailsOf(error); details != nullptr) status.details = *details;
  if (error.causes.empty()) return status;
  if (!status.details.has_value()) status.details.emplace();
  for (const ErrorCause& cause : error.causes) {
    status.details->causes.push_back(
        {.reason = cause.reason, .message = cause.message, .field = cause.field});
  }
  return status;
}

Error ErrorOf(const meta_v1::Status& status, int http_code) {
  Error error{.reason = status.reason.empty() ? ReasonOf(http_code) : ReasonNamed(status.reason),
              .message = status.message};
  if (!status.details.has_value()) return error;
  for (const meta_v1::StatusCause& cause : status.details->causes) {
    error.causes.push_back(
        {.reason = cause.reason, .field = cause.field, .message = cause.message});
  }
  meta_v1::StatusDetails details = *status.details;
  details.causes.clear();
  error.details = AsDetails(std::move(details));
  return error;
}

}  // namespace dray::api
