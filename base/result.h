// SPDX-License-Identifier: Apache-2.0
// How a failure is said: Result<T>, and Error with the reasons of metav1.Status.
//
// Four kinds of outcome have four homes: a sad but normal answer is a value ("no devices fit"), a
// CEL failure is a CEL value, what the world refuses is a Result, and what only a bug can cause is
// a DRAY_CHECK (base/check.h).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray {

/// Why a request failed: the reasons of metav1.Status. kUnknown has no reason on the wire (HTTP
/// 500): upstream answers so for errors that carry no API type.
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

/// The word on the wire ("NotFound"); empty for kUnknown.
std::string_view ReasonName(StatusReason reason);

/// The HTTP status code that goes with `reason`.
int HttpCode(StatusReason reason);

/// One machine-readable cause of an error, as metav1.StatusCause has it.
struct Cause {
  std::string reason;   // "FieldValueInvalid", "FieldValueRequired", …
  std::string field;    // as clients write it: spec.devices.requests[0].name
  std::string message;  // without the field: "Required value: …"
  bool operator==(const Cause&) const = default;
};

/// What a Status says about the object concerned (metav1.StatusDetails, less the causes).
struct ErrorDetails {
  std::string name, group, kind, uid;
  int retry_after_seconds = 0;
  bool operator==(const ErrorDetails&) const = default;
};

struct Error {
  StatusReason reason = StatusReason::kUnknown;
  std::string message;             // names the object and says what to do
  std::vector<Cause> causes = {};  // for kInvalid, in the order found
  ErrorDetails details = {};
  bool empty_details = false;       // upstream writes "details":{} for some errors
  std::string continue_token = {};  // where an expired list may go on, with what is there now
};

/// A value, or the reason there is none.
template <class T = void>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};

inline std::unexpected<Error> Fail(StatusReason reason, std::string message) {
  return std::unexpected(Error{.reason = reason, .message = std::move(message)});
}

inline std::unexpected<Error> Fail(Error error) {
  return std::unexpected(std::move(error));
}

}  // namespace dray

// NOLINTBEGIN(bugprone-macro-parentheses): a declaration and `return` cannot stand in any
#define DRAY_CONCAT_INNER_(a, b) a##b
#define DRAY_CONCAT_(a, b) DRAY_CONCAT_INNER_(a, b)
#define DRAY_TRY_IMPL_(temporary, declaration, expression, return_word)                  \
  auto temporary = (expression);                                                         \
  if (!temporary.has_value()) return_word std::unexpected(std::move(temporary).error()); \
  declaration = *std::move(temporary)
// NOLINTEND(bugprone-macro-parentheses)

/// DRAY_TRY(const Claim claim, Parse(body)); binds the value, or returns the error.
#define DRAY_TRY(declaration, ...) \
  DRAY_TRY_IMPL_(DRAY_CONCAT_(dray_result_, __COUNTER__), declaration, (__VA_ARGS__), return)
/// The same inside a coroutine.
#define DRAY_CO_TRY(declaration, ...) \
  DRAY_TRY_IMPL_(DRAY_CONCAT_(dray_result_, __COUNTER__), declaration, (__VA_ARGS__), co_return)

/// DRAY_TRY_VOID(Check(x)); returns the error of a Result<void>.
#define DRAY_TRY_VOID(...)                                              \
  do {                                                                  \
    if (auto dray_result_ = (__VA_ARGS__); !dray_result_.has_value()) { \
      return std::unexpected(std::move(dray_result_).error());          \
    }                                                                   \
  } while (false)
#define DRAY_CO_TRY_VOID(...)                                           \
  do {                                                                  \
    if (auto dray_result_ = (__VA_ARGS__); !dray_result_.has_value()) { \
      co_return std::unexpected(std::move(dray_result_).error());       \
    }                                                                   \
  } while (false)
