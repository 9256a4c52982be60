// SPDX-License-Identifier: Apache-2.0
// Errors as clients of the Kubernetes API see them: metav1.Status with an HTTP status code, from an
// Error and back.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "api/meta_v1/status.h"
#include "base/result.h"

namespace dray::api {

/// The HTTP status code for `reason`.
int HttpCode(StatusReason reason);

/// The details of the Status for `error`, without the causes, which are in the error itself: the
/// object concerned, and when to try again. Null if it has none. Valid while `error` lives.
///
/// Default-constructed details are written as "details":{}.
const meta_v1::StatusDetails* DetailsOf(const Error& error);

/// Where an expired list may be continued: the position, with the objects that exist now.
struct ContinueFrom {
  std::string token;
};

/// Error::details of the API: those of the Status; where an expired list may continue; the whole
/// Status of another server that refused, which is the answer then.
class StatusErrorDetails final : public ErrorDetails {
 public:
  using Value = std::variant<meta_v1::StatusDetails, ContinueFrom, meta_v1::Status>;

  explicit StatusErrorDetails(Value held) : value(std::move(held)) {}

  const Value value;
};

/// For Error{.details = AsDetails(meta_v1::StatusDetails{.name = …})}.
std::shared_ptr<const ErrorDetails> AsDetails(StatusErrorDetails::Value value);

/// Converts an error to the server's answer.
meta_v1::Status StatusOf(const Error& error);

/// Converts an answer to the client's error; `http_code` decides if `status` has no reason.
Error ErrorOf(const meta_v1::Status& status, int http_code);

/// The reason for an answer with `http_code` and no reason; kUnknown if several are possible.
StatusReason ReasonOf(int http_code);

}  // namespace dray::api
