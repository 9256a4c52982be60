// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

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

// Short enough for a string without an allocation.
constexpr const char* kOutOfMemory = "out of memory";

}  // namespace

std::string_view ReasonName(StatusReason reason) {
  return kNames.at(static_cast<size_t>(reason)).name;
}

BoxedError::BoxedError(Error error) noexcept : bits_(Box(std::move(error))) {}

BoxedError::BoxedError(const BoxedError& other) noexcept : bits_(other.bits_) {
  if ((bits_ & kHasReasonOnly) != 0) return;
  const Error& original = *other;
  bits_ = Box({.reason = original.reason});
  if ((bits_ & kHasReasonOnly) != 0) return;
  try {
    **this = original;
  } catch (const std::bad_alloc&) {
    **this = {.reason = original.reason, .message = kOutOfMemory};
  }
}

BoxedError& BoxedError::operator=(const BoxedError& other) noexcept {
  if (this != &other) *this = BoxedError(other);
  return *this;
}

uintptr_t BoxedError::Box(Error error) noexcept {
  const auto reason = static_cast<uintptr_t>(error.reason);
  const auto* const boxed = new (std::nothrow) Error(std::move(error));
  return boxed != nullptr ? std::bit_cast<uintptr_t>(boxed) : reason << 1U | kHasReasonOnly;
}

void BoxedError::Free(uintptr_t bits) noexcept {
  if ((bits & kHasReasonOnly) != 0) return;
  const std::unique_ptr<Error> owner(std::bit_cast<Error*>(bits));
}

// Allocates nothing: the text is short, and thread-local storage without destructors needs no
// registration.
Error& BoxedError::ErrorOfReason(uintptr_t bits) noexcept {
  alignas(Error) static thread_local std::array<std::array<std::byte, sizeof(Error)>, kNames.size()>
      places = {};
  static thread_local std::array<Error*, kNames.size()> made = {};
  const size_t reason = bits >> 1U;
  Error*& error = made.at(reason);
  if (error == nullptr) {
    void* const place = places.at(reason).data();
    error = std::construct_at(static_cast<Error*>(place));
  }
  *error = {.reason = static_cast<StatusReason>(reason), .message = kOutOfMemory};
  return *error;
}

Failure Fail(StatusReason reason, std::string message) noexcept {
  return Failure(Error{.reason = reason, .message = std::move(message)});
}

Failure Fail(Error error) noexcept {
  return Failure(std::move(error));
}

StatusReason ReasonNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &Named::name);
  return found == kNames.end() ? StatusReason::kUnknown : found->reason;
}

}  // namespace dray
