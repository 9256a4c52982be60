// SPDX-License-Identifier: Apache-2.0
// Which handler a path means, by the URL grammar of the Kubernetes API: resources, discovery,
// health, and the two ways of not being there (plain text, and a Status below a version prefix).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/result.h"
#include "server/verbs/request.h"

namespace dray::server::http {

enum class RouteKind : uint8_t {
  kResource,  // kind, verb, namespace_, name, subresource
  kRoot,      // the list of paths
  kVersion,
  kHealth,  // text: "healthz", "livez/ping"
  kMetrics,
  kProfile,
  kCoreVersions,  // /api
  kGroups,        // /apis
  kGroup,         // group
  kResourceList,  // group, version
  kOpenApiV2,
  kOpenApiV3,  // text: what follows /openapi/v3/; empty for the index
  kOpenIdConfiguration,
  kOpenIdKeys,
  kPlainNotFound,     // 404 page not found
  kStatusNotFound,    // 404 as a Status
  kMethodNotAllowed,  // 405 as a Status
  // Of custom kinds, which have a server of their own upstream:
  kPartNotFound,      // 404 as a Status that names the object: it has no such subresource
  kVerbNotSupported,  // 405 as a Status that names the resource
  // Of groups and versions that other servers answer for (verbs/remote_apis.h):
  kRemote,       // whatever is below a version
  kRemoteGroup,  // the versions of a group
};

struct Route {
  RouteKind kind = RouteKind::kPlainNotFound;
  std::string text;
  std::string group, version;
  // Of resources; also filled in, as far as the path tells, for paths that are not served, because
  // a refusal names what was asked for.
  std::string resource, namespace_, name, subresource;
  // Of kResource, kPartNotFound and kVerbNotSupported.
  const api::KindInfo* info = nullptr;
  verbs::Verb verb = verbs::Verb::kGet;
  bool watch_prefix = false;  // the old form /api/v1/watch/…
};

/// The route of `path` (still percent-encoded) for `method`; `watch` is the query parameter.
///
/// The whole path is decoded before it is cut, so "%2F" separates segments like '/'.
/// Errors: kBadRequest  a bad percent-escape.
Result<Route> FindRoute(const api::Scheme& scheme,
                        std::string_view method,
                        std::string_view path,
                        bool watch);

/// "get", "deletecollection": the verb as permissions name it.
std::string_view VerbName(verbs::Verb verb);

}  // namespace dray::server::http
