// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/controllers/remote_discovery.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/verbs/controllers/remote_apis.h"

namespace dray::server::verbs::inline controllers {
namespace {

std::string Aggregated(std::string_view resources) {
  const Result<std::string> made =
      AggregatedResources(fmt::format(R"({{"kind":"APIResourceList","resources":{}}})", resources));
  return made.has_value() ? *made : made.error().message;
}

TEST(RemoteDiscovery, SubresourcesAreBelowTheirResource) {
  EXPECT_EQ(
      Aggregated(R"([{"name":"lamps/status","namespaced":true,"kind":"Lamp","verbs":["get"]},)"
                 R"({"name":"lamps","singularName":"lamp","namespaced":true,"group":"far.test",)"
                 R"("version":"v2","kind":"Lamp","verbs":["get","list"],"shortNames":["la"],)"
                 R"("categories":["all"]},{"name":"rooms/scale","kind":"Scale","verbs":["get"]}])"),
      R"([{"resource":"lamps","responseKind":{"group":"far.test","version":"v2","kind":"Lamp"},)"
      R"("scope":"Namespaced","singularResource":"lamp","verbs":["get","list"],)"
      R"("shortNames":["la"],"categories":["all"],"subresources":[{"subresource":"status",)"
      R"("responseKind":{"group":"","version":"","kind":"Lamp"},"verbs":["get"]}]},)"
      R"({"resource":"rooms","responseKind":{"group":"","version":"","kind":""},)"
      R"("scope":"Cluster","singularResource":"","verbs":[],"subresources":[{)"
      R"("subresource":"scale","responseKind":{"group":"","version":"","kind":"Scale"},)"
      R"("verbs":["get"]}]}])");
  EXPECT_EQ(Aggregated("[]"), "[]");
}

TEST(RemoteDiscovery, WhatIsNotOfItsTypeCountsAsAbsent) {
  EXPECT_EQ(Aggregated(R"([1,null,{"name":7},{"name":"a","verbs":"x","namespaced":"yes",)"
                       R"("shortNames":[1,"b"]}])"),
            R"([{"resource":"a","responseKind":{"group":"","version":"","kind":""},)"
            R"("scope":"Cluster","singularResource":"","verbs":[],"shortNames":["b"]}])");
}

TEST(RemoteDiscovery, WhatIsNoListIsRefused) {
  EXPECT_EQ(Aggregated(R"({"name":"a"})"), "no APIResourceList");
  EXPECT_EQ(Aggregated(R"([{"name":"a","namespaced":true},{"name":"a/b"}])"),
            "a and a/b have different scopes");
  EXPECT_FALSE(AggregatedResources("").has_value());
  EXPECT_FALSE(AggregatedResources(R"({"kind":"Status","resources":[]})").has_value());
}

TEST(RemoteDiscovery, AnswersHaveALimit) {
  std::string list = R"({"kind":"APIResourceList","resources":[]})";
  list.resize(kDiscoveryBytesMax, ' ');
  EXPECT_EQ(AggregatedResources(list).value(), "[]");
  list += ' ';
  EXPECT_EQ(AggregatedResources(list).error().message, "longer than 1048576 bytes");
}

RemoteApi Api(std::string_view group, std::string_view version, int32_t priority) {
  RemoteApi api;
  api.spec.group = group;
  api.spec.version = version;
  api.spec.group_priority_minimum = priority;
  api.spec.version_priority = priority;
  return api;
}

TEST(RemoteDiscovery, GroupsFollowByPriority) {
  RemoteApiList list;
  list.Add(Api("a.test", "v1", 10));
  list.Add(Api("b.test", "v1", 20)).is_available = true;
  RemoteApi& newest = list.Add(Api("b.test", "v2", 30));
  newest.is_available = true;
  newest.resources = "[]";
  list.Add(Api("here.test", "v1", 99));
  list.Add(Api("", "v1", 99));
  const auto is_here = [](std::string_view group) { return group == "here.test"; };
  EXPECT_EQ(
      list.WithGroups(R"({"groups":[]})", is_here),
      R"({"groups":[{"name":"b.test","versions":[{"groupVersion":"b.test/v2","version":"v2"},)"
      R"({"groupVersion":"b.test/v1","version":"v1"}],)"
      R"("preferredVersion":{"groupVersion":"b.test/v2","version":"v2"}},)"
      R"({"name":"a.test","versions":[{"groupVersion":"a.test/v1","version":"v1"}],)"
      R"("preferredVersion":{"groupVersion":"a.test/v1","version":"v1"}}]})");
  EXPECT_EQ(
      list.WithAggregatedGroups(R"({"items":[{}]})", is_here),
      R"({"items":[{},{"metadata":{"name":"b.test"},"versions":[{"version":"v2","resources":[],)"
      R"("freshness":"Current"},{"version":"v1","freshness":"Stale"}]},)"
      R"({"metadata":{"name":"a.test"},"versions":[{"version":"v1","freshness":"Stale"}]}]})");
}

}  // namespace
}  // namespace dray::server::verbs::inline controllers
