// SPDX-License-Identifier: Apache-2.0
// Errors as clients of the Kubernetes API see them: metav1.Status with an HTTP status code, from an
// Error and back.
#pragma once

#include <string>

#include "api/meta_v1/status.h"
#include "base/result.h"

namespace dray::api {

/// The HTTP status code for `reason`.
int HttpCode(StatusReason reason);

/// The details of the Status for `error`, without the causes, which are in the error itself: the
/// object concerned, and when to try again. Null if it has none. Valid while `error` lives.
///
/// Set them with Error{.details = meta_v1::StatusDetails{.name = …}}; default-constructed details
/// are written as "details":{}.
const meta_v1::StatusDetails* DetailsOf(const Error& error);

/// Error::details of an expired list that may be continued: the position, with the objects that
/// exist now.
struct ContinueFrom {
  std::string token;
};

/// Converts an error to the server's answer. An error whose details hold a whole meta_v1::Status,
/// of another server that refused, is answered with that one.
meta_v1::Status StatusOf(const Error& error);

/// Converts an answer to the client's error; `http_code` decides if `status` has no reason.
Error ErrorOf(const meta_v1::Status& status, int http_code);

/// The reason for an answer with `http_code` and no reason; kUnknown if several are possible.
StatusReason ReasonOf(int http_code);

}  // namespace dray::api
