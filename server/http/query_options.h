// SPDX-License-Identifier: Apache-2.0
// The query parameters of resource requests, read by the API's rules: the first value of a name
// counts, anything but "0" and "false" is true, unknown names are ignored.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "api/kind.h"
#include "api/meta_v1/options.h"
#include "api/release.h"
#include "base/result.h"
#include "net/url.h"
#include "server/http/router.h"
#include "server/verbs/context/request.h"

namespace dray::server::http {

/// Bytes of a field manager's name (upstream's limit).
inline constexpr size_t kFieldManagerMax = 128;

/// Whether a parameter is present and true; the empty value is true.
bool BoolParameter(const net::Query& query, std::string_view name);

/// The time that the client will wait for the answer, as it says in `timeout`, including zero and
/// negative values; nothing without the parameter. Not for watches, which have timeoutSeconds.
/// Errors: kBadRequest  not a duration in Go's syntax.
Result<std::optional<std::chrono::nanoseconds>> ReadTimeout(const net::Query& query);

/// Fills in the options of `request` that its verb has. A write without a field manager gets the
/// name from `user_agent` (up to the first slash), as upstream does.
///
/// Errors: kBadRequest  a number does not parse, or `export` of an item.
///         kInvalid     an option has a value that is not allowed.
Result<> ReadQueryOptions(const net::Query& query,
                          std::string_view user_agent,
                          verbs::ResourceRequest& request);

/// The DeleteOptions of a DELETE: from `body` (JSON) when there is one, else from the query.
/// Errors: kBadRequest  the body is not one of DeleteOptions, or a number does not parse.
Result<api::meta_v1::DeleteOptions> ReadDeleteOptions(const api::Scheme& scheme,
                                                      const net::Query& query,
                                                      std::string_view body);

/// The same from a protobuf body, which must not be empty. Errors: as above.
Result<api::meta_v1::DeleteOptions> DeleteOptionsOfProtobuf(const api::Scheme& scheme,
                                                            std::string_view body);

/// The error for a client when `error` of the two functions above comes from a body. Up to 1.34
/// upstream did not mark it as a client error.
Error UnreadableOptions(const Error& error, api::Release release);

}  // namespace dray::server::http
