// SPDX-License-Identifier: Apache-2.0
// The REST form of requests and answers: paths, lists, watch lines, Status. Pure.
#pragma once

#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/result.h"
#include "client/client.h"

namespace dray::client {

/// /apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/gpu/status; without a name the
/// collection, without a namespace that of all namespaces.
std::string PathOf(const ObjectRef& ref, std::string_view subresource);

/// "?labelSelector=…&fieldSelector=…", or empty. Watches have no `exactly_at`.
std::string QueryOf(const ListOptions& options);

/// What an answer with an error status says; a body that is no Status becomes the message.
Error ErrorOf(int http_status, std::string_view body);

/// Reads an object that a server answered with. Errors: kInternalError  not such a document; a
/// write that was answered so has been carried out, so it is no refusal (client/outcome.h).
Result<api::Object> DecodeObject(const api::KindInfo& kind, std::string_view json);

/// Reads a list document. Errors: kInternalError  not such a document.
Result<ObjectList> DecodeList(const api::KindInfo& kind, std::string_view json);

/// Reads one line of a watch. Errors: what an ERROR event says; kInternalError  not an event.
Result<WatchEvent> DecodeWatchLine(const api::KindInfo& kind, std::string_view line);

}  // namespace dray::client
