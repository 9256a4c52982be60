// SPDX-License-Identifier: Apache-2.0
// What functions return that may fail: Result<T>, a value or an Error.
//
// A Result is for what the world can refuse: a client's request, a file, the network. An answer
// that is only disappointing ("no devices fit") is a value, a failure inside a CEL expression is a
// CEL value, and what only a bug can cause is a DRAY_CHECK (base/check.h).
#pragma once

#include <any>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray {

/// Why something failed, in the words of the Kubernetes API (metav1.StatusReason). kUnknown is for
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

/// One thing that is wrong, usually with a field of an object (metav1.StatusCause).
struct ErrorCause {
  std::string reason;   // "FieldValueInvalid", "FieldValueRequired", …
  std::string field;    // as clients write it: spec.devices.requests[0].name
  std::string message;  // without the field: "Required value: …"
  bool operator==(const ErrorCause&) const = default;
};

struct Error {
  StatusReason reason = StatusReason::kUnknown;
  std::string message;                  // names the object and says what to do
  std::vector<ErrorCause> causes = {};  // for kInvalid, in the order found
  /// What a layer above tells its callers besides: see api/status.h.
  std::any details = {};
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
