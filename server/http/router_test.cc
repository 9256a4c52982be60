// SPDX-License-Identifier: Apache-2.0
#include "server/http/router.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dray::server::http {
namespace {

// A short text for a route.
std::string Words(const Route& route) {
  switch (route.kind) {
    case RouteKind::kResource: {
      std::string words = fmt::format("{} {}", VerbName(route.verb), route.info->plural);
      if (!route.namespace_.empty()) words += " in " + route.namespace_;
      if (!route.name.empty()) words += " name " + route.name;
      if (!route.subresource.empty()) words += " part " + route.subresource;
      return words;
    }
    case RouteKind::kRoot: return "root";
    case RouteKind::kVersion: return "version";
    case RouteKind::kHealth: return "health " + route.text;
    case RouteKind::kMetrics: return "metrics";
    case RouteKind::kProfile: return "profile";
    case RouteKind::kCoreVersions: return "core";
    case RouteKind::kGroups: return "groups";
    case RouteKind::kGroup: return "group " + route.group;
    case RouteKind::kRemote: return "remote " + route.group;
    case RouteKind::kRemoteGroup: return "remote group " + route.group;
    case RouteKind::kResourceList: return "list " + route.group + "/" + route.version;
    case RouteKind::kOpenApiV2: return "openapi2";
    case RouteKind::kOpenApiV3: return "openapi3 " + route.text;
    case RouteKind::kOpenIdConfiguration: return "issuer";
    case RouteKind::kOpenIdKeys: return "keys";
    case RouteKind::kPage: return "page " + route.text;
    case RouteKind::kPageQuestion: return "question " + route.text;
    case RouteKind::kPlainNotFound: return "404 text";
    case RouteKind::kStatusNotFound: return "404";
    case RouteKind::kMethodNotAllowed: return "405";
    case RouteKind::kPartNotFound: return "no part";
    case RouteKind::kVerbNotSupported: return "no verb";
  }
  return {};
}

struct Case {
  std::string_view method, path, expected;
};

constexpr Case kCases[] = {
    // Collections and items.
    {"GET", "/.well-known/openid-configuration", "issuer"},
    {"GET", "/openid/v1/jwks", "keys"},
    {"GET", "/ui", "page /ui"},
    {"GET", "/ui/", "page /ui/"},
    {"GET", "/ui/app.js", "page /ui/app.js"},
    {"GET", "/ui/api/explain", "question explain"},
    {"GET", "/uix", "404 text"},
    {"GET", "/api/v1/pods", "list pods"},
    {"GET", "/api/v1/namespaces/a/pods", "list pods in a"},
    {"GET", "/api/v1/namespaces/a/pods/", "list pods in a"},
    {"GET", "/api/v1/namespaces//pods", "list pods"},
    {"GET", "/api/v1/namespaces/%00/pods", std::string_view("list pods in \0", 14)},
    {"POST", "/api/v1/namespaces/a/pods", "create pods in a"},
    {"DELETE", "/api/v1/namespaces/a/pods", "deletecollection pods in a"},
    {"GET", "/api/v1/namespaces/a/pods/x", "get pods in a name x"},
    {"PUT", "/api/v1/namespaces/a/pods/x", "update pods in a name x"},
    {"PATCH", "/api/v1/namespaces/a/pods/x", "patch pods in a name x"},
    {"DELETE", "/api/v1/namespaces/a/pods/x", "delete pods in a name x"},
    {"GET", "/apis/resource.k8s.io/v1/deviceclasses/x", "get deviceclasses name x"},
    {"GET",
     "/apis/resource.k8s.io/v1/namespaces/a/resourceclaims/..",
     "get resourceclaims in a name .."},
    {"GET", "/api/v1/namespaces/a/pods/x%20y", "get pods in a name x y"},
    // Subresources.
    {"GET", "/api/v1/namespaces/a/pods/x/status", "get pods in a name x part status"},
    {"DELETE", "/api/v1/namespaces/a/pods/x/status", "405"},
    {"POST", "/api/v1/namespaces/a/pods/x/binding", "create pods in a name x part binding"},
    {"GET", "/api/v1/namespaces/a/pods/x/binding", "405"},
    {"GET", "/apis/resource.k8s.io/v1/namespaces/a/resourceclaims/x/scale", "404"},
    {"GET", "/api/v1/namespaces/a/pods/x/status/y", "404"},
    {"GET", "/api/v1/namespaces/a/pods/x%2Fy", "404"},
    // Namespaces.
    {"GET", "/api/v1/namespaces", "list namespaces"},
    {"GET", "/api/v1/namespaces/a", "get namespaces name a"},
    {"PUT", "/api/v1/namespaces/a/finalize", "update namespaces name a part finalize"},
    {"GET", "/api/v1/namespaces/a/status", "get namespaces name a part status"},
    {"PATCH", "/api/v1/namespaces/a/status", "patch namespaces name a part status"},
    {"GET", "/api/v1/namespaces/a/other", "404"},
    {"GET", "/api/v1/namespaces/a/namespaces", "404"},
    {"DELETE", "/api/v1/namespaces", "405"},
    // Methods.
    {"PUT", "/api/v1/namespaces/a/pods", "405"},
    {"POST", "/api/v1/namespaces/a/pods/x", "405"},
    {"POST", "/api/v1/pods", "405"},
    {"DELETE", "/api/v1/pods", "405"},
    {"HEAD", "/api/v1/namespaces/a/pods", "405"},
    {"OPTIONS", "/api/v1/namespaces/a/pods/x", "405"},
    {"PURGE", "/api/v1/namespaces/a/pods/x", "405"},
    {"GET", "/api/v1/namespaces/a/bindings", "405"},
    {"POST", "/api/v1/namespaces/a/bindings", "create bindings in a"},
    {"GET", "/api/v1/namespaces/a/bindings/x", "404"},
    // Scope.
    {"GET", "/api/v1/pods/x", "404"},
    {"GET", "/apis/resource.k8s.io/v1/namespaces/a/deviceclasses", "404"},
    // Watches of the old form.
    {"GET", "/api/v1/watch/pods", "watch pods"},
    {"GET", "/api/v1/watch/namespaces/a/pods/x", "watch pods in a name x"},
    {"POST", "/api/v1/watch/pods", "405"},
    // Not there.
    {"GET", "/api/v1/nothing", "404"},
    {"GET", "/apis/resource.k8s.io/v9/resourceclaims", "404"},
    {"GET", "/apis/resource.k8s.io/v9", "404"},
    {"GET", "/apis/no.such.group", "404 text"},
    {"GET", "/apis/no.such.group/v1", "404 text"},
    {"GET", "/apis/no.such.group/v1/x", "404 text"},
    {"GET", "/api/v2", "404"},
    {"GET", "/api//v1/namespaces", "404"},
    {"GET", "//api/v1", "404 text"},
    {"GET", "/nothing", "404 text"},
    {"GET", "", "404 text"},
    {"GET", "/healthz/a/b", "health healthz/a/b"},
    {"GET", "/openapi", "404 text"},
    // Documents.
    {"GET", "/", "root"},
    {"GET", "/version", "version"},
    {"GET", "/version/", "version"},
    {"GET", "/healthz", "health healthz"},
    {"GET", "/metrics", "metrics"},
    {"GET", "/metrics/slis", "404 text"},
    {"GET", "/readyz/ping", "health readyz/ping"},
    {"GET", "/api", "core"},
    {"GET", "/apis/", "groups"},
    {"POST", "/apis", "groups"},
    {"HEAD", "/apis", "405"},
    {"GET", "/apis/resource.k8s.io/", "group resource.k8s.io"},
    {"GET", "/api/v1/", "list /v1"},
    {"GET", "/apis/resource.k8s.io/v1", "list resource.k8s.io/v1"},
    {"DELETE", "/apis/resource.k8s.io/v1", "405"},
    {"GET", "/openapi/v2", "openapi2"},
    {"GET", "/openapi/v3", "openapi3 "},
    {"GET", "/openapi/v3/", "openapi3 /"},
    {"GET", "/openapi/v3/api/v1", "openapi3 /api/v1"},
};

// "status" below a namespace is not a resource.
TEST(Router, KnowsTheUrlGrammar) {
  const api::Scheme scheme;
  for (const Case& c : kCases) {
    const auto route = FindRoute(scheme, c.method, c.path, false);
    ASSERT_TRUE(route.has_value()) << c.path;
    EXPECT_EQ(Words(*route), c.expected) << c.method << " " << c.path;
  }
}

TEST(Router, WatchIsAboutCollectionsOnly) {
  const api::Scheme scheme;
  EXPECT_EQ(Words(*FindRoute(scheme, "GET", "/api/v1/pods", true)), "watch pods");
  EXPECT_EQ(Words(*FindRoute(scheme, "GET", "/api/v1/nodes/x", true)), "get nodes name x");
}

TEST(Router, RefusesBadEscapes) {
  EXPECT_FALSE(FindRoute(api::Scheme(), "GET", "/api/v1/%zz", false).has_value());
}

}  // namespace
}  // namespace dray::server::http
