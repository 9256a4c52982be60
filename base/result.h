// SPDX-License-Identifier: Apache-2.0
// The return type of functions that may fail: Result<T>, a value or an Error.
//
// A Result is for failures from outside: a client's request, a file, the network. An unwelcome
// answer ("no devices fit") is a value, a failure inside a CEL expression is a CEL value, and a
// condition that only a bug can break is a DRAY_CHECK (base/check.h). base/try.h has the macros
// that pass an error on.
#pragma once

#include <bit>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray {

/// Why something failed, in the terms of the Kubernetes API (metav1.StatusReason). kUnknown is for
/// failures to which upstream gives no reason.
enum class StatusReason : uint8_t {
  kUnknown,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kAlreadyExists,
  kConflict,
  kGone,
  kInvalid,
  kServerTimeout,
  kTimeout,
  kTooManyRequests,
  kBadRequest,
  kMethodNotAllowed,
  kNotAcceptable,
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kInternalError,
  kExpired,
  kServiceUnavailable,
};

/// "NotFound"; empty for kUnknown.
std::string_view ReasonName(StatusReason reason);
/// The reason with this name; kUnknown if there is none.
StatusReason ReasonNamed(std::string_view name);

/// One problem, usually with a field of an object (metav1.StatusCause).
struct ErrorCause {
  std::string reason;   // "FieldValueInvalid", "FieldValueRequired", …
  std::string field;    // as clients write it: spec.devices.requests[0].name
  std::string message;  // without the field: "Required value: …"
  bool operator==(const ErrorCause&) const = default;
};

/// What a higher layer adds to an Error for its callers: each layer derives a type of its own,
/// which does not change once it is part of an Error. api/status.h has that of the API.
class ErrorDetails {
 public:
  virtual ~ErrorDetails() = default;
};

struct Error {
  StatusReason reason = StatusReason::kUnknown;
  std::string message;                  // names the object and what to do
  std::vector<ErrorCause> causes = {};  // for kInvalid, in the order found
  /// Null: there are none. Copies of an Error share them.
  std::shared_ptr<const ErrorDetails> details = nullptr;

  /// The details, if they are a T; else null. Valid while the details live.
  template <class T>
  const T* DetailsAs() const {
    return dynamic_cast<const T*>(details.get());
  }
};

/// An Error behind a pointer, so that a Result is small and quick to move, and functions that pass
/// an error on have little code for it. Allocates when an error is made. If that fails, only the
/// reason is kept, and the message is "out of memory", so making an error never throws. Always has
/// an Error, except after a move, when it may only be destroyed or assigned.
class BoxedError {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): an Error is what `return std::unexpected(…)` has
  BoxedError(Error error) noexcept;
  BoxedError(const BoxedError& other) noexcept;
  BoxedError(BoxedError&& other) noexcept : bits_(std::exchange(other.bits_, 0)) {}
  BoxedError& operator=(const BoxedError& other) noexcept;
  BoxedError& operator=(BoxedError&& other) noexcept {
    std::swap(bits_, other.bits_);
    return *this;
  }
  ~BoxedError() {
    if (bits_ != 0) Free(bits_);
  }

  /// If only the reason is kept, returns the thread's shared Error for it; changes to that one do
  /// not last.
  Error& operator*() const {
    return (bits_ & kHasReasonOnly) == 0 ? *std::bit_cast<Error*>(bits_) : ErrorOfReason(bits_);
  }

 private:
  static constexpr uintptr_t kHasReasonOnly = 1;  // no object has an odd address

  static uintptr_t Box(Error error) noexcept;
  static void Free(uintptr_t bits) noexcept;
  static Error& ErrorOfReason(uintptr_t bits) noexcept;

  uintptr_t bits_;  // an Error's address, or the reason above the lowest bit; 0 after a move
};

/// The return value of a function that fails, independent of its result type.
using Failure = std::unexpected<BoxedError>;

/// A value, or the reason there is none.
template <class T = void>
class [[nodiscard]] Result : public std::expected<T, BoxedError> {
  using Base = std::expected<T, BoxedError>;

 public:
  using Base::Base;

  // Precondition of all three: there is no value.
  const Error& error() const& { return *Base::error(); }
  Error& error() & { return *Base::error(); }
  Error&& error() && { return std::move(*Base::error()); }

  /// Moves the error out, to return it to the caller. Precondition: there is no value.
  Failure failure() && { return Failure(std::move(*this).Base::error()); }
};

Failure Fail(StatusReason reason, std::string message) noexcept;
Failure Fail(Error error) noexcept;

}  // namespace dray
