// SPDX-License-Identifier: Apache-2.0
// Errors as clients of the Kubernetes API see them: metav1.Status with an HTTP status code, from an
// Error and back.
#pragma once

#include <string>

#include "api/meta_v1/status.h"
#include "base/result.h"

namespace dray::api {

/// The HTTP status code that goes with `reason`.
int HttpCode(StatusReason reason);

/// The details of the Status that `error` becomes, less the causes, which the error has itself: the
/// object concerned, and when to try again. Null when it has none. Valid while `error` lives.
///
/// An error gets them as Error{.details = meta_v1::StatusDetails{.name = …}}; default-made ones are
/// written as "details":{}.
const meta_v1::StatusDetails* DetailsOf(const Error& error);

/// What Error::details holds when a list has expired that may go on: from where, with the objects
/// that are there now.
struct ContinueFrom {
  std::string token;
};

/// What the server answers.
meta_v1::Status StatusOf(const Error& error);

/// What the client makes of an answer; `http_code` decides where `status` gives no reason.
Error ErrorOf(const meta_v1::Status& status, int http_code);

/// What an answer with `http_code` and without a reason means; kUnknown if it could mean anything.
StatusReason ReasonOf(int http_code);

}  // namespace dray::api
