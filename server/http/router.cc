// SPDX-License-Identifier: Apache-2.0
#include "server/http/router.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/custom_kind.h"
#include "base/try.h"
#include "net/url.h"
#include "server/http/pages.h"

namespace dray::server::http {
namespace {

using verbs::Verb;

using Segments = std::span<const std::string_view>;

// The segments of `path`, as views into it.
std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> segments;
  segments.reserve(static_cast<size_t>(std::ranges::count(path, '/')));
  for (size_t begin = 1; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    segments.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return segments;
}

bool HasGroup(const api::Scheme& scheme, std::string_view group) {
  return std::ranges::any_of(
      scheme.kinds(), [&](const api::KindInfo* k) { return k->served && k->group == group; });
}

bool HasVersion(const api::Scheme& scheme, std::string_view group, std::string_view version) {
  return std::ranges::any_of(scheme.kinds(), [&](const api::KindInfo* k) {
    return k->served && k->group == group && k->version == version;
  });
}

// Whether the group has built-in kinds.
bool IsOwnGroup(const api::Scheme& scheme, std::string_view group) {
  return std::ranges::any_of(scheme.kinds(), [&](const api::KindInfo* k) {
    return k->served && k->group == group && !api::IsCustom(*k);
  });
}

// Whether the segments after the version begin with a namespace for another resource. Only "status"
// and "finalize" are subresources of a namespace itself.
bool InNamespace(Segments rest, std::string_view group) {
  if (rest[0] != "namespaces" || rest.size() < 3) return false;
  return !(group.empty() && rest.size() == 3 && (rest[2] == "status" || rest[2] == "finalize"));
}

// Sets resource, namespace, name and subresource from the segments after the version. False when
// there are too many of them.
bool NameParts(Segments rest, Route& route) {
  if (InNamespace(rest, route.group)) {
    route.namespace_ = rest[1];
    rest = rest.subspan(2);
  }
  route.resource = rest[0];
  if (rest.size() > 1) route.name = rest[1];
  if (rest.size() > 2) route.subresource = rest[2];
  // The segments after "proxy" are a path of the target.
  return rest.size() <= 3 || route.subresource == "proxy";
}

std::optional<Verb> CollectionVerb(std::string_view method, bool watch) {
  if (method == "GET") return watch ? Verb::kWatch : Verb::kList;
  if (method == "POST") return Verb::kCreate;
  if (method == "DELETE") return Verb::kDeleteCollection;
  return std::nullopt;
}

std::optional<Verb> ItemVerb(std::string_view method) {
  if (method == "GET") return Verb::kGet;
  if (method == "PUT") return Verb::kUpdate;
  if (method == "PATCH") return Verb::kPatch;
  if (method == "DELETE") return Verb::kDelete;
  return std::nullopt;
}

// A proxy request takes any method.
std::optional<Verb> ProxyVerb(std::string_view method) {
  if (method == "POST") return Verb::kCreate;
  if (method == "HEAD" || method == "OPTIONS") return Verb::kGet;
  return ItemVerb(method);
}

// The verb for a served subresource: actions take POST, the others are parts of the object.
std::optional<Verb> SubresourceVerb(std::string_view subresource, std::string_view method) {
  const bool is_post = method == "POST";
  const bool is_get = method == "GET";
  if (subresource == "binding" || subresource == "eviction" || subresource == "token") {
    return is_post ? std::optional(Verb::kCreate) : std::nullopt;
  }
  if (subresource == "finalize") {
    return method == "PUT" ? std::optional(Verb::kUpdate) : std::nullopt;
  }
  if (subresource == "log") return is_get ? std::optional(Verb::kGet) : std::nullopt;
  if (subresource == "attach" || subresource == "exec" || subresource == "portforward") {
    if (is_post) return Verb::kCreate;
    return is_get ? std::optional(Verb::kGet) : std::nullopt;
  }
  if (subresource == "proxy") return ProxyVerb(method);
  const auto verb = ItemVerb(method);
  return verb == Verb::kDelete ? std::nullopt : verb;
}

bool HasSubresource(const api::KindInfo& kind, std::string_view name) {
  return name == "status" ? kind.has_status : std::ranges::count(kind.subresources, name) > 0;
}

// The verb for a whole collection, if that exists and allows the method; `everywhere`: all
// namespaces.
std::optional<Verb> PickCollectionVerb(const api::KindInfo& kind,
                                       std::string_view method,
                                       bool watch,
                                       bool everywhere) {
  const std::optional<Verb> verb = CollectionVerb(method, watch);
  if (kind.create_only && verb != Verb::kCreate) return std::nullopt;
  if (everywhere && (verb == Verb::kCreate || verb == Verb::kDeleteCollection)) return std::nullopt;
  // Upstream does not allow the deletion of all namespaces at once.
  const bool is_namespaces = kind.group.empty() && kind.plural == "namespaces";
  if (is_namespaces && verb == Verb::kDeleteCollection) return std::nullopt;
  return verb;
}

// Sets the verb for the resource in `route`; returns the kind of error if there is none.
RouteKind PickVerb(const api::KindInfo& kind, std::string_view method, bool watch, Route& route) {
  std::optional<Verb> verb;
  if (route.name.empty()) {
    const bool everywhere = kind.namespaced && route.namespace_.empty();
    if (kind.create_only && everywhere) return RouteKind::kStatusNotFound;
    verb = PickCollectionVerb(kind, method, watch, everywhere);
  } else {
    if (kind.create_only || (kind.namespaced && route.namespace_.empty())) {
      return RouteKind::kStatusNotFound;
    }
    if (route.subresource.empty()) {
      verb = ItemVerb(method);
    } else if (HasSubresource(kind, route.subresource)) {
      verb = SubresourceVerb(route.subresource, method);
    } else {
      return RouteKind::kStatusNotFound;
    }
  }
  if (!verb) return RouteKind::kMethodNotAllowed;
  route.verb = *verb;
  return RouteKind::kResource;
}

// The same for a custom kind: upstream splits its paths before it knows what is served.
RouteKind PickCustomVerb(const api::KindInfo& kind,
                         std::string_view method,
                         bool watch,
                         Route& route) {
  const bool is_collection = route.name.empty();
  const std::optional<Verb> verb = is_collection ? CollectionVerb(method, watch) : ItemVerb(method);
  const bool is_everywhere = kind.namespaced && route.namespace_.empty();
  if (is_everywhere && verb != Verb::kList && verb != Verb::kWatch) {
    return RouteKind::kPlainNotFound;
  }
  if (!kind.namespaced && !route.namespace_.empty()) return RouteKind::kPlainNotFound;
  if (!route.subresource.empty() && !HasSubresource(kind, route.subresource)) {
    return RouteKind::kPartNotFound;
  }
  const bool is_part_gone = !route.subresource.empty() && verb == Verb::kDelete;
  if (!verb.has_value() || is_part_gone) return RouteKind::kVerbNotSupported;
  route.verb = *verb;
  return RouteKind::kResource;
}

void RouteCustom(
    const api::KindInfo& kind, std::string_view method, bool watch, Segments rest, Route& route) {
  const bool in_namespace = InNamespace(rest, route.group);
  route.kind = RouteKind::kPlainNotFound;
  if (in_namespace && !kind.namespaced) return;
  if (rest.size() > 1 && rest.back().empty()) return;
  if (route.watch_prefix) {
    const bool is_item_everywhere = kind.namespaced && !in_namespace && !route.name.empty();
    if (method != "GET" || is_item_everywhere) return;
    route.kind = RouteKind::kResource;
    route.verb = Verb::kWatch;
  } else {
    route.kind = PickCustomVerb(kind, method, watch, route);
  }
  const bool is_known = route.kind != RouteKind::kPlainNotFound;
  if (is_known) route.info = &kind;
}

// Sets a verb for the refusal of a path that does not exist.
void GuessVerb(std::string_view method, bool watch, Route& route) {
  const auto verb = route.name.empty() ? CollectionVerb(method, watch) : ItemVerb(method);
  if (verb) route.verb = *verb;
}

void RouteResource(
    const api::Scheme& scheme, std::string_view method, bool watch, Segments rest, Route& route) {
  route.kind = RouteKind::kStatusNotFound;
  if (rest[0] == "watch" && rest.size() > 1) {
    route.watch_prefix = true;
    rest = rest.subspan(1);
  }
  // "namespaces//configmaps" means all namespaces; any other empty segment makes the path invalid.
  const bool in_namespace = InNamespace(rest, route.group);
  const bool complete = NameParts(rest, route);
  GuessVerb(method, watch, route);
  const api::KindInfo* kind = scheme.FindResource(route.group, route.version, route.resource);
  if (kind == nullptr && !IsOwnGroup(scheme, route.group)) {
    route.kind = RouteKind::kPlainNotFound;
    return;
  }
  if (kind != nullptr && api::IsCustom(*kind))
    return RouteCustom(*kind, method, watch, rest, route);
  if (!complete || kind == nullptr || !kind->served) return;
  if (in_namespace && !kind->namespaced) return;
  if (rest.size() > 1 && rest.back().empty()) return;
  if (route.watch_prefix) {
    route.kind = method == "GET" ? RouteKind::kResource : RouteKind::kMethodNotAllowed;
    route.verb = Verb::kWatch;
    const bool cluster_item = kind->namespaced && !in_namespace && !route.name.empty();
    if (!route.subresource.empty() || kind->create_only || cluster_item) {
      route.kind = RouteKind::kStatusNotFound;
    }
  } else {
    route.kind = PickVerb(*kind, method, watch, route);
  }
  if (route.kind == RouteKind::kResource) route.info = kind;
}

void RouteVersion(
    const api::Scheme& scheme, std::string_view method, bool watch, Segments rest, Route& route) {
  if (!rest.empty()) return RouteResource(scheme, method, watch, rest, route);
  if (!HasVersion(scheme, route.group, route.version)) {
    const bool known = route.group.empty() || IsOwnGroup(scheme, route.group);
    route.kind = known ? RouteKind::kStatusNotFound : RouteKind::kPlainNotFound;
    return;
  }
  const bool is_any = !IsOwnGroup(scheme, route.group);
  route.kind = method == "GET" || is_any ? RouteKind::kResourceList : RouteKind::kMethodNotAllowed;
}

void RouteApi(const api::Scheme& scheme,
              std::string_view method,
              bool watch,
              Segments segments,
              Route& route) {
  const bool core = segments[0] == "api";
  const bool head = method == "HEAD";
  if (segments.size() == 1) {
    route.kind = core ? RouteKind::kCoreVersions : RouteKind::kGroups;
    if (head) route.kind = RouteKind::kMethodNotAllowed;
    return;
  }
  size_t at = 1;
  if (!core) {
    route.group = segments[at++];
    // The core group cannot be named here: "/apis//v1" does not exist.
    if (route.group.empty()) {
      route.kind = RouteKind::kStatusNotFound;
      return;
    }
  }
  if (at == segments.size()) {
    route.kind = HasGroup(scheme, route.group) ? RouteKind::kGroup : RouteKind::kPlainNotFound;
    if (head && route.kind == RouteKind::kGroup) route.kind = RouteKind::kMethodNotAllowed;
    return;
  }
  route.version = segments[at++];
  RouteVersion(scheme, method, watch, segments.subspan(at), route);
}

// Routes of pages: the path of a page keeps its last slash.
void RoutePages(std::string_view path, Route& route) {
  const bool is_question = path.starts_with(kQuestionsPath);
  route.kind = is_question ? RouteKind::kPageQuestion : RouteKind::kPage;
  route.text = is_question ? path.substr(kQuestionsPath.size()) : path;
}

// Routes for operators and monitoring.
void RouteOperations(std::span<const std::string_view> segments, Route& route) {
  const std::string_view first = segments.front();
  if (first == "version" && segments.size() == 1) route.kind = RouteKind::kVersion;
  if (first == "metrics" && segments.size() == 1) route.kind = RouteKind::kMetrics;
  if (segments.size() == 3 && first == "debug" && segments[1] == "pprof" &&
      segments[2] == "profile") {
    route.kind = RouteKind::kProfile;
  }
  if (first != "healthz" && first != "livez" && first != "readyz") return;
  route.kind = RouteKind::kHealth;
  route.text = first;
  for (const std::string_view segment : segments.subspan(1)) {
    route.text.append("/").append(segment);
  }
}

}  // namespace

Result<Route> FindRoute(const api::Scheme& scheme,
                        std::string_view method,
                        std::string_view path,
                        bool watch) {
  std::string made;
  std::string_view decoded = path;
  if (path.find('%') != std::string_view::npos) {
    DRAY_TRY(made, net::PercentDecode(path, net::Plus::kIsPlus));
    decoded = made;
  }
  Route route;
  if (decoded == "/") route.kind = RouteKind::kRoot;
  std::vector<std::string_view> segments = Split(decoded);
  if (segments.empty() || segments[0].empty()) return route;
  const bool trailing = segments.back().empty();
  const std::string_view first = segments[0];
  if (decoded == "/.well-known/openid-configuration") route.kind = RouteKind::kOpenIdConfiguration;
  if (decoded == "/openid/v1/jwks") route.kind = RouteKind::kOpenIdKeys;
  if (first == "openapi" && segments.size() > 1) {
    const std::string prefix = "/openapi/v3";
    if (decoded == "/openapi/v2") route.kind = RouteKind::kOpenApiV2;
    if (decoded == prefix || decoded.starts_with(prefix + "/")) {
      route.kind = RouteKind::kOpenApiV3;
      route.text = decoded.substr(std::min(decoded.size(), prefix.size()));
    }
    return route;
  }
  if (first == kPagesPath.substr(1)) {
    RoutePages(decoded, route);
    return route;
  }
  // One slash at the end is ignored: clients write /apis/resource.k8s.io/.
  if (trailing) segments.pop_back();
  RouteOperations(segments, route);
  if (first == "api" || first == "apis") RouteApi(scheme, method, watch, segments, route);
  return route;
}

std::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kGet: return "get";
    case Verb::kList: return "list";
    case Verb::kWatch: return "watch";
    case Verb::kCreate: return "create";
    case Verb::kUpdate: return "update";
    case Verb::kPatch: return "patch";
    case Verb::kDelete: return "delete";
    case Verb::kDeleteCollection: return "deletecollection";
  }
  return {};
}

}  // namespace dray::server::http
