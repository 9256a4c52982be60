// SPDX-License-Identifier: Apache-2.0
// Finds the route of a path by the URL grammar of the Kubernetes API: resources, discovery, health,
// and the two forms of "not found" (plain text, and a Status below a version prefix).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/result.h"
#include "server/verbs/context/request.h"

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
  kOpenApiV3,  // text: the path after /openapi/v3/; empty for the index
  kOpenIdConfiguration,
  kOpenIdKeys,
  kPage,              // text: the decoded path
  kPageQuestion,      // text: the path after /ui/api/
  kPlainNotFound,     // 404 page not found
  kStatusNotFound,    // 404 as a Status
  kMethodNotAllowed,  // 405 as a Status
  // For custom kinds, which upstream serves with another server:
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
  // For resources. Also set, as far as the path has them, for paths that are not served, because a
  // refusal names them.
  std::string resource, namespace_, name, subresource;
  // For kResource, kPartNotFound and kVerbNotSupported.
  const api::KindInfo* info = nullptr;
  verbs::Verb verb = verbs::Verb::kGet;
  bool watch_prefix = false;  // the old form /api/v1/watch/…
};

/// The route of `path` (still percent-encoded) for `method`; `watch` is the query parameter.
///
/// The whole path is decoded before it is split, so "%2F" separates segments like '/'.
/// Errors: kBadRequest  a bad percent-escape.
Result<Route> FindRoute(const api::Scheme& scheme,
                        std::string_view method,
                        std::string_view path,
                        bool watch);

/// The name of the verb in permissions: "get", "deletecollection".
std::string_view VerbName(verbs::Verb verb);

}  // namespace dray::server::http
