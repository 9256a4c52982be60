// SPDX-License-Identifier: Apache-2.0
// What every version of HTTP asks of heads: limits and grammar of requests', and what an answer's
// may hold.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dray::net {

/// The whole head of a request (Kubernetes: 1 MiB).
inline constexpr size_t kHeadBytesMax = size_t{1} << 20;
/// Fields of one head. A client sends some twenty.
inline constexpr size_t kHeadFieldsMax = 1024;

/// A token of RFC 9110 5.6.2: methods, names of fields.
bool IsToken(std::string_view text);
/// No control characters but the tab.
bool IsFieldValue(std::string_view text);
/// What may be asked for: an origin form, or "*" (RFC 9112 3.2).
bool IsTarget(std::string_view text);

/// Fields of an answer that belong to the protocol, not to the handler. An engine drops them and
/// writes its own.
bool IsEngineField(std::string_view name);
/// Appends a value (or name) of a field. A line break inside would let it forge fields: control
/// characters become spaces.
void AppendFieldText(std::string& out, std::string_view text);
/// True for statuses whose answers never have a body.
bool HasNoBody(int status);
/// The text with which an engine itself refuses a request: "400 Bad Request: why".
std::string RefusalText(int status, std::string_view why);

}  // namespace dray::net
