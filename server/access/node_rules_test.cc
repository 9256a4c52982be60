// SPDX-License-Identifier: Apache-2.0
#include "server/access/node_rules.h"

#include <gtest/gtest.h>

namespace dray::server::access {
namespace {

struct NodeRuleCase {
  const char* name;
  Attributes asked;
  bool is_related;
  const char* want;  // "yes", or the reason of a no
};

class NodeRules : public ::testing::TestWithParam<NodeRuleCase> {};

TEST_P(NodeRules, AreKubernetes) {
  const Verdict verdict =
      DecideForNode("n", GetParam().asked, [] { return GetParam().is_related; }, nullptr);
  EXPECT_EQ(verdict.is_allowed ? "yes" : verdict.reason, GetParam().want);
}

Attributes Slices(const char* verb, const char* name = "", const char* selector = "") {
  return {.verb = verb,
          .group = "resource.k8s.io",
          .resource = "resourceslices",
          .name = name,
          .field_selector = selector};
}
Attributes Claims(const char* verb, const char* subresource = "") {
  return {.verb = verb,
          .group = "resource.k8s.io",
          .resource = "resourceclaims",
          .subresource = subresource,
          .name = "c",
          .namespace_ = "lab"};
}
Attributes Nodes(const char* verb, const char* name = "") {
  return {.verb = verb, .resource = "nodes", .name = name};
}
constexpr const char* kNoRelation = "node: no relationship found between node 'n' and this object";
constexpr const char* kOnlyOne = "node: can only get individual resources of this type";
constexpr const char* kNeedsSelector =
    "node: can only list/watch/deletecollection resourceslices with nodeName field selector";

INSTANTIATE_TEST_SUITE_P(
    All,
    NodeRules,
    ::testing::Values(
        NodeRuleCase{"MakesSlices", Slices("create"), false, "yes"},
        NodeRuleCase{"ReadsItsSlices", Slices("get", "s"), true, "yes"},
        NodeRuleCase{"NotThoseOfOthers", Slices("get", "s"), false, kNoRelation},
        NodeRuleCase{"ListsItsSlices", Slices("list", "", "spec.nodeName=n"), false, "yes"},
        NodeRuleCase{
            "ListsItsSlicesTwice", Slices("list", "", "a=b,spec.nodeName==n"), false, "yes"},
        NodeRuleCase{"ListsNoOthers", Slices("list", "", "spec.nodeName=m"), false, kNeedsSelector},
        NodeRuleCase{"ListsNotAll", Slices("deletecollection"), false, kNeedsSelector},
        NodeRuleCase{"ReadsClaimsOfItsPods", Claims("get"), true, "yes"},
        NodeRuleCase{"ReadsNoOtherClaims", Claims("get"), false, kNoRelation},
        NodeRuleCase{"ListsNoClaims", Claims("list"), true, kOnlyOne},
        NodeRuleCase{"WritesNoClaims", Claims("patch", "status"), true, kOnlyOne},
        NodeRuleCase{"ReadsItself", Nodes("get", "n"), false, "yes"},
        NodeRuleCase{"ReadsNoOtherNode",
                     Nodes("get", "m"),
                     false,
                     "node: node 'n' cannot read 'm', only its own Node object"},
        NodeRuleCase{"DoesNotDeleteItself", Nodes("delete", "n"), false, ""},
        NodeRuleCase{"ItsLease",
                     {.verb = "update",
                      .group = "coordination.k8s.io",
                      .resource = "leases",
                      .name = "n",
                      .namespace_ = "kube-node-lease"},
                     false,
                     "yes"},
        NodeRuleCase{"NoOtherLease",
                     {.verb = "update",
                      .group = "coordination.k8s.io",
                      .resource = "leases",
                      .name = "m",
                      .namespace_ = "kube-node-lease"},
                     false,
                     "node: can only access node lease with the same name as the requesting node"}),
    [](const auto& info) { return info.param.name; });

TEST(NodeOf, WantsNameAndGroup) {
  EXPECT_EQ(NodeOf({.name = "system:node:n", .uid = "", .groups = {"system:nodes"}}), "n");
  EXPECT_EQ(NodeOf({.name = "system:node:n", .uid = ""}), std::nullopt);
  EXPECT_EQ(NodeOf({.name = "system:node:", .uid = "", .groups = {"system:nodes"}}), "")
      << "in the nodes' group, but of no node";
  EXPECT_EQ(NodeOf({.name = "n", .uid = "", .groups = {"system:nodes"}}), std::nullopt);
}

}  // namespace
}  // namespace dray::server::access
