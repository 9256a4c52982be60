// SPDX-License-Identifier: Apache-2.0
// The rules for reads and writes of a node: its writes must not give it access to objects that it
// does not need.
#include "server/verbs/admission/node_restriction.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/tls/certificates.h"
#include "server/access/service_account_token.h"
#include "server/testing/fixture.h"
#include "server/verbs/context/rights.h"

namespace dray::server::verbs::admission {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const User kNode{.name = "system:node:n1", .uid = "", .groups = {"system:nodes"}};

Options WithRightsAndTokens() {
  return {.rbac = true,
          .tokens = std::make_shared<access::TokenIssuer>(
              *net::tls::TokenKey::FromPem(*net::tls::MakeKey()))};
}

class NodeLimitsTest : public testing::ServerTest {
 protected:
  NodeLimitsTest() : ServerTest(WithRightsAndTokens()) {
    EXPECT_TRUE(Wait(resources_.BootstrapObjects()).has_value());
    Post("nodes", "", R"({"metadata":{"name":"n1","labels":{"a":"b"}}})");
    Post("nodes", "", R"({"metadata":{"name":"n2"}})");
    Post("serviceaccounts", "default", R"({"metadata":{"name":"bot"}})");
    Post("pods", "default", PodOn("mine", "n1"));
    Post("pods", "default", PodOn("theirs", "n2"));
  }

  static std::string PodOn(std::string_view name,
                           std::string_view node,
                           std::string_view more = "",
                           std::string_view meta = "") {
    return fmt::format(
        R"({{"metadata":{{"name":"{}"{}}},"spec":{{"nodeName":"{}","serviceAccountName":"bot",)"
        R"("containers":[{{"name":"c","image":"i"}}]{}}}}})",
        name,
        meta,
        node,
        more);
  }
  std::string Post(std::string_view plural, std::string_view namespace_, std::string body) {
    ResourceRequest request = Request(Verb::kCreate, plural, namespace_, "");
    request.body = std::move(body);
    request.user = User{.name = "admin", .uid = "", .groups = {"system:masters"}};
    return Do(std::move(request));
  }
  std::string UidOf(std::string_view plural, std::string_view namespace_, std::string_view name) {
    const Answer answer = Ask(Request(Verb::kGet, plural, namespace_, name));
    return std::get<ObjectAnswer>(*answer.outcome).item.object.metadata().uid;
  }
  std::string Owner() {
    return fmt::format(
        R"([{{"apiVersion":"v1","kind":"Node","name":"n1","uid":"{}","controller":true}}])",
        UidOf("nodes", "", "n1"));
  }
  /// A mirror pod of the node; `spec` is added to its spec.
  std::string Mirror(std::string_view spec = "", std::string owners = "") {
    if (owners.empty()) owners = Owner();
    return fmt::format(
        R"({{"metadata":{{"name":"m","annotations":{{"kubernetes.io/config.mirror":"x"}},)"
        R"("ownerReferences":{}}},"spec":{{"nodeName":"n1",)"
        R"("containers":[{{"name":"c","image":"i"}}]{}}}}})",
        owners,
        spec);
  }

  /// Carries out the request as the node, if the authorizer allows it.
  std::string AsNode(ResourceRequest request) {
    request.user = kNode;
    const access::Verdict verdict = resources_.rights()->Decide(kNode, AskedBy(request));
    if (!verdict.is_allowed) return "403 " + verdict.reason;
    return Do(std::move(request));
  }
  static access::Attributes AskedBy(const ResourceRequest& request) {
    constexpr std::string_view kVerbs[] = {
        "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"};
    return {.verb = std::string(kVerbs[static_cast<size_t>(request.verb)]),
            .group = std::string(request.kind->group),
            .resource = std::string(request.kind->plural),
            .subresource = request.subresource,
            .name = request.name,
            .namespace_ = request.namespace_};
  }
  std::string Make(std::string_view plural, std::string_view namespace_, std::string body) {
    ResourceRequest request = Request(Verb::kCreate, plural, namespace_, "");
    request.body = std::move(body);
    return AsNode(std::move(request));
  }
  std::string Change(std::string_view plural,
                     std::string_view namespace_,
                     std::string_view name,
                     std::string body,
                     std::string_view part = "") {
    ResourceRequest request = Request(Verb::kPatch, plural, namespace_, name);
    request.subresource = part;
    request.body = std::move(body);
    return AsNode(std::move(request));
  }
  std::string Look(std::string_view plural, std::string_view namespace_, std::string_view name) {
    return AsNode(Request(Verb::kGet, plural, namespace_, name));
  }
  std::string AskToken(std::string spec, std::string_view account = "bot") {
    ResourceRequest request = Request(Verb::kCreate, "serviceaccounts", "default", account);
    request.subresource = "token";
    request.body = R"({"spec":)" + std::move(spec) + "}";
    return AsNode(std::move(request));
  }
  std::string BoundTo(std::string_view pod, std::string_view more = "") {
    return fmt::format(
        R"({{"boundObjectRef":{{"kind":"Pod","apiVersion":"v1","name":"{}","uid":"{}"}}{}}})",
        pod,
        UidOf("pods", "default", pod),
        more);
  }
};

// ------------------------------------------------------------------------------------ mirror pods

TEST_F(NodeLimitsTest, AMirrorPodNamesNothing) {
  struct Case {
    const char* spec;
    const char* why;
  };
  constexpr Case kCases[] = {
      {R"(,"serviceAccountName":"bot")", "serviceaccounts"},
      {R"(,"imagePullSecrets":[{"name":"s"}])", "secrets"},
      {R"(,"volumes":[{"name":"v","secret":{"secretName":"s"}}])", "secrets"},
      {R"(,"volumes":[{"name":"v","projected":{"sources":[{"secret":{"name":"s"}}]}}])", "secrets"},
      {R"(,"volumes":[{"name":"v","rbd":{"monitors":["m"],"image":"i","secretRef":{"name":"s"}}}])",
       "secrets"},
      {R"(,"volumes":[{"name":"v","configMap":{"name":"s"}}])", "configmaps"},
      {R"(,"volumes":[{"name":"v","projected":{"sources":[{"configMap":{"name":"s"}}]}}])",
       "configmaps"},
      {R"(,"volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}}])",
       "serviceaccounts (via projected volumes)"},
      {R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"s"}}])",
       "persistentvolumeclaims"},
      {R"(,"volumes":[{"name":"v","ephemeral":{}}])",
       "persistentvolumeclaims (via ephemeral volumes)"},
      {R"(,"volumes":[{"name":"v","csi":{"driver":"d"}}])", "csidrivers (via CSI volumes)"},
      {R"(,"resourceClaims":[{"name":"r","resourceClaimName":"s"}])", "resourceclaims"},
      {R"(,"initContainers":[{"name":"i","image":"i","envFrom":[{"secretRef":{"name":"s"}}]}])",
       "secrets"},
      {R"(,"initContainers":[{"name":"i","image":"i","env":[{"name":"E","valueFrom":)"
       R"({"configMapKeyRef":{"name":"s","key":"k"}}}]}])",
       "configmaps"}};
  for (const Case& one : kCases) {
    EXPECT_THAT(Make("pods", "default", Mirror(one.spec)),
                AllOf(StartsWith("403 "),
                      HasSubstr(fmt::format(R"(node "n1" can not create pods that reference {})",
                                            one.why))))
        << one.spec;
  }
  EXPECT_THAT(Make("pods", "default", Mirror(R"(,"volumes":[{"name":"v","emptyDir":{}}])")),
              StartsWith("201 "));
}

TEST_F(NodeLimitsTest, AMirrorPodIsTheNodes) {
  const std::string uid = UidOf("nodes", "", "n1");
  const auto owner = [&](std::string_view more, std::string_view name = "n1") {
    return fmt::format(
        R"([{{"apiVersion":"v1","kind":"Node","name":"{}","uid":"{}"{}}}])", name, uid, more);
  };
  EXPECT_THAT(Make("pods", "default", Mirror("", "[]")),
              HasSubstr("can only create pods with an owner reference set to itself"));
  EXPECT_THAT(Make("pods", "default", Mirror("", owner(R"(,"controller":true)", "n2"))),
              HasSubstr("can only create pods with an owner reference set to itself"));
  EXPECT_THAT(Make("pods", "default", Mirror("", owner(""))),
              HasSubstr("can only create pods with a controller owner reference set to itself"));
  EXPECT_THAT(
      Make("pods", "default", Mirror("", owner(R"(,"controller":true,"blockOwnerDeletion":true)"))),
      HasSubstr("must not set blockOwnerDeletion on an owner reference"));
  EXPECT_THAT(Make("pods", "default", PodOn("x", "n1")),
              HasSubstr(R"(pod does not have "kubernetes.io/config.mirror" annotation)"));
  EXPECT_THAT(Make("pods",
                   "default",
                   PodOn("x", "n2", "", R"(,"annotations":{"kubernetes.io/config.mirror":"x"})")),
              HasSubstr(R"(node "n1" can only create pods with spec.nodeName set to itself)"));
}

TEST_F(NodeLimitsTest, AMirrorPodOfSomebodyElseGivesTheNodeNothing) {
  Post("secrets", "default", R"({"metadata":{"name":"crown"}})");
  Post("pods",
       "default",
       PodOn("m",
             "n1",
             R"(,"volumes":[{"name":"v","secret":{"secretName":"crown"}}])",
             R"(,"annotations":{"kubernetes.io/config.mirror":"x"})"));
  EXPECT_THAT(Look("pods", "default", "m"), StartsWith("200 "));
  EXPECT_THAT(Look("secrets", "default", "crown"), HasSubstr("no relationship found"));
}

// ------------------------------------------------------------------------------------------ pods

TEST_F(NodeLimitsTest, StatusesOfItsPodsWithoutLabelsAndClaims) {
  const std::string phase = R"({"status":{"phase":"Running"}})";
  EXPECT_THAT(Change("pods", "default", "mine", phase, "status"), StartsWith("200 "));
  EXPECT_THAT(Change("pods", "default", "theirs", phase, "status"),
              HasSubstr("can only update pod status for pods with spec.nodeName set to itself"));
  EXPECT_THAT(Change("pods", "default", "mine", R"({"metadata":{"labels":{"a":"b"}}})", "status"),
              HasSubstr(R"(node "n1" cannot update labels through pod status)"));
  EXPECT_THAT(
      Change("pods",
             "default",
             "mine",
             R"({"status":{"resourceClaimStatuses":[{"name":"r","resourceClaimName":"c"}]}})",
             "status"),
      HasSubstr(R"(node "n1" cannot update resource claim statues)"));
  EXPECT_THAT(Change("pods",
                     "default",
                     "mine",
                     R"({"status":{"extendedResourceClaimStatus":{"resourceClaimName":"c",)"
                     R"("requestMappings":[]}}})",
                     "status"),
              HasSubstr(R"(node "n1" cannot update extended resource claim status)"));
}

TEST_F(NodeLimitsTest, OnlyItsPodsGo) {
  const auto end = [&](std::string_view name) {
    return AsNode(Request(Verb::kDelete, "pods", "default", name));
  };
  const auto evict = [&](std::string_view name) {
    ResourceRequest request = Request(Verb::kCreate, "pods", "default", name);
    request.subresource = "eviction";
    request.body = fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name);
    return AsNode(std::move(request));
  };
  EXPECT_THAT(evict("theirs"), HasSubstr("node n1 can only evict pods with spec.nodeName set to"));
  EXPECT_THAT(evict("none"), HasSubstr(R"(pod "none" not found)"));
  EXPECT_THAT(end("theirs"),
              HasSubstr(R"(node "n1" can only delete pods with spec.nodeName set to itself)"));
  EXPECT_THAT(evict("mine"), StartsWith("201 "));
}

// A role may allow a node more requests; the limits of the plugin still hold for its writes.
TEST_F(NodeLimitsTest, RolesDoNotLiftTheLimits) {
  Post("clusterrolebindings",
       "",
       R"({"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
       R"("kind":"ClusterRole","name":"cluster-admin"},"subjects":[{"kind":"Group",)"
       R"("apiGroup":"rbac.authorization.k8s.io","name":"system:nodes"}]})");
  EXPECT_THAT(Change("pods", "default", "mine", R"({"metadata":{"labels":{"a":"b"}}})"),
              HasSubstr(R"(unexpected operation "UPDATE", node "n1" can only create and delete)"));
  EXPECT_THAT(
      Change("pods", "default", "mine", "{}", "resize"),
      HasSubstr(R"(unexpected pod subresource "resize", only 'status' and 'eviction' are)"));
  EXPECT_THAT(Make("persistentvolumeclaims", "default", R"({"metadata":{"name":"c"}})"),
              HasSubstr("may only update PVC status"));
  EXPECT_THAT(AsNode(Request(Verb::kDelete, "nodes", "", "n2")),
              HasSubstr(R"(node "n1" is not allowed to modify node "n2")"));
  EXPECT_THAT(Make("leases", "default", R"({"metadata":{"name":"n1"}})"),
              HasSubstr(R"(can only access leases in the "kube-node-lease" system namespace)"));
  EXPECT_THAT(AskToken("{}"), HasSubstr("node requested token not bound to a pod"));
  ResourceRequest binding = Request(Verb::kCreate, "pods", "default", "mine");
  binding.subresource = "binding";
  binding.body = R"({"target":{"kind":"Node","name":"n1"}})";
  EXPECT_THAT(AsNode(std::move(binding)), HasSubstr(R"(unexpected pod subresource "binding")"));
}

// Upstream generates names after the plugin, and a deletion of a collection has no name.
TEST_F(NodeLimitsTest, RefusalsShowWhatNamesAreKnown) {
  EXPECT_THAT(Make("pods", "default", R"({"metadata":{"generateName":"m-"}})"),
              HasSubstr(R"(pods "m-" is forbidden: pod does not have)"));
  EXPECT_THAT(Make("nodes", "", R"({"metadata":{"generateName":"n"}})"),
              HasSubstr(R"(nodes "n" is forbidden: node "n1" is not allowed to modify node "")"));
  Post("resourceslices",
       "",
       R"({"metadata":{"name":"s"},"spec":{"driver":"d.example.com","nodeName":"n2","devices":[],)"
       R"("pool":{"name":"n2","generation":1,"resourceSliceCount":1}}})");
  ResourceRequest all = Request(Verb::kDeleteCollection, "resourceslices", "", "");
  all.user = kNode;
  EXPECT_THAT(Do(std::move(all)), HasSubstr(R"("Unknown" is forbidden: can only delete)"));
}

// ----------------------------------------------------------------------------------------- itself

TEST_F(NodeLimitsTest, ItselfWithoutWhatSteersPods) {
  const auto change = [&](std::string body) { return Change("nodes", "", "n1", std::move(body)); };
  EXPECT_THAT(change(R"({"metadata":{"labels":{"a":"c","topology.kubernetes.io/zone":"z"}}})"),
              StartsWith("200 "));
  EXPECT_THAT(change(R"({"metadata":{"labels":{"node-restriction.kubernetes.io/a":"c"}}})"),
              HasSubstr("is not allowed to modify labels: node-restriction.kubernetes.io/a"));
  EXPECT_THAT(change(R"({"metadata":{"labels":{"x.k8s.io/a":"c"}}})"),
              HasSubstr("is not allowed to modify labels: x.k8s.io/a"));
  EXPECT_THAT(change(R"({"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})"),
              HasSubstr(R"(node "n1" is not allowed to modify taints)"));
  EXPECT_THAT(
      change(
          R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]}})"),
      HasSubstr(R"(node "n1" is not allowed to modify ownerReferences)"));
  EXPECT_THAT(change(R"({"spec":{"configSource":{"configMap":{"namespace":"n","name":"c",)"
                     R"("kubeletConfigKey":"k"}}}})"),
              HasSubstr("is not allowed to update configSource to a new non-nil configSource"));
  EXPECT_THAT(Change("nodes", "", "n2", "{}", "status"),
              HasSubstr(R"(node "n1" is not allowed to modify node "n2")"));
  EXPECT_THAT(Make("nodes", "", R"({"metadata":{"name":"n3"}})"),
              HasSubstr(R"(node "n1" is not allowed to modify node "n3")"));
}

TEST_F(NodeLimitsTest, WhatHasTheNodesName) {
  const auto lease = [&](std::string_view name) {
    return Make(
        "leases", "kube-node-lease", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
  };
  EXPECT_THAT(lease("n2"), HasSubstr("can only access node lease with the same name as"));
  EXPECT_THAT(lease("n1"), StartsWith("201 "));
  const auto csi = [&](std::string_view name) {
    return Make("csinodes",
                "",
                fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"drivers":[]}}}})", name));
  };
  EXPECT_THAT(csi("n2"), HasSubstr("can only access CSINode with the same name as"));
  EXPECT_THAT(csi("n1"), StartsWith("201 "));
  const auto slice = [&](std::string_view name, std::string_view node) {
    return fmt::format(
        R"({{"metadata":{{"name":"{}"}},"spec":{{"driver":"d.example.com","nodeName":"{}",)"
        R"("pool":{{"name":"p","generation":1,"resourceSliceCount":1}},"devices":[]}}}})",
        name,
        node);
  };
  EXPECT_THAT(Make("resourceslices", "", slice("a", "n2")),
              HasSubstr("can only create ResourceSlice with the same NodeName as"));
  EXPECT_THAT(Make("resourceslices", "", slice("a", "n1")), StartsWith("201 "));
  Post("resourceslices", "", slice("b", "n2"));
  EXPECT_THAT(AsNode(Request(Verb::kDelete, "resourceslices", "", "b")),
              HasSubstr("no relationship found"));
}

// ----------------------------------------------------------------------------------------- tokens

TEST_F(NodeLimitsTest, TokensLiveWithAPodOfTheNode) {
  Post("pods",
       "default",
       PodOn("reader",
             "n1",
             R"(,"volumes":[{"name":"v","projected":{"sources":[)"
             R"({"serviceAccountToken":{"path":"t"}},)"
             R"({"serviceAccountToken":{"path":"u","audience":"vault"}}]}}])"));
  EXPECT_THAT(AskToken("{}"), HasSubstr("node requested token not bound to a pod"));
  EXPECT_THAT(AskToken(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"reader"}})"),
              HasSubstr("node requested token with a pod binding without a uid"));
  EXPECT_THAT(AskToken(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"reader",)"
                       R"("uid":"other"}})"),
              HasSubstr("the UID in the bound object reference (other) does not match"));
  EXPECT_THAT(AskToken(R"({"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"n1"}})"),
              HasSubstr("node requested token not bound to a pod"));
  EXPECT_THAT(AskToken(BoundTo("theirs")),
              HasSubstr("node requested token bound to a pod scheduled on a different node"));
  EXPECT_THAT(AskToken(BoundTo("mine")),
              HasSubstr(R"(is not authorized to request tokens for audience "")"))
      << "it mounts none";
  EXPECT_THAT(AskToken(BoundTo("reader")), StartsWith("201 "));
  EXPECT_THAT(AskToken(BoundTo("reader", R"(,"audiences":["vault"])")), StartsWith("201 "));
  EXPECT_THAT(AskToken(BoundTo("reader", R"(,"audiences":["bank"])")),
              HasSubstr(R"(is not authorized to request tokens for audience "bank")"));
  EXPECT_THAT(AskToken(BoundTo("reader", R"(,"audiences":["vault","bank"])")),
              HasSubstr("node may only request 0 or 1 audiences"));
}

TEST_F(NodeLimitsTest, DriversAndRolesNameAudiencesToo) {
  Post("pods",
       "default",
       PodOn("reader", "n1", R"(,"volumes":[{"name":"v","csi":{"driver":"d.example.com"}}])"));
  const std::string vault = BoundTo("reader", R"(,"audiences":["vault"])");
  EXPECT_THAT(AskToken(vault),
              HasSubstr(R"(error validating audience "vault": )"
                        R"(csidriver.storage.k8s.io "d.example.com" not found)"));
  Post("csidrivers",
       "",
       R"({"metadata":{"name":"d.example.com"},"spec":{"tokenRequests":[{"audience":"vault"}]}})");
  EXPECT_THAT(AskToken(vault), StartsWith("201 "));
  const std::string bank = BoundTo("reader", R"(,"audiences":["bank"])");
  EXPECT_THAT(AskToken(bank), StartsWith("403 "));
  Post("clusterroles",
       "",
       R"({"metadata":{"name":"r"},"rules":[{"verbs":["request-serviceaccounts-token-audience"],)"
       R"("apiGroups":[""],"resources":["bank"],"resourceNames":["bot"]}]})");
  Post("clusterrolebindings",
       "",
       R"({"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
       R"("kind":"ClusterRole","name":"r"},"subjects":[{"kind":"User",)"
       R"("apiGroup":"rbac.authorization.k8s.io","name":"system:node:n1"}]})");
  EXPECT_THAT(AskToken(bank), StartsWith("201 "));
}

// -------------------------------------------------------------------------------------- relations

TEST_F(NodeLimitsTest, OnlyClaimsThatThePodItselfNames) {
  const std::string claim = R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[]}}})";
  Post("resourceclaims", "default", claim);
  ResourceRequest request = Request(Verb::kPatch, "pods", "default", "mine");
  request.subresource = "status";
  request.body =
      R"({"status":{"resourceClaimStatuses":[{"name":"unnamed","resourceClaimName":"c"}]}})";
  Do(std::move(request));
  EXPECT_THAT(Look("resourceclaims", "default", "c"), HasSubstr("no relationship found"));
}

TEST_F(NodeLimitsTest, VolumesBehindClaims) {
  Post("persistentvolumes",
       "",
       R"({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},)"
       R"("accessModes":["ReadWriteOnce"],"claimRef":{"namespace":"default","name":"c"},)"
       R"("csi":{"driver":"d","volumeHandle":"h","nodeStageSecretRef":{"namespace":"vault",)"
       R"("name":"s"},"controllerExpandSecretRef":{"namespace":"vault","name":"t"}}}})");
  Post("namespaces", "", R"({"metadata":{"name":"vault"}})");
  Post("secrets", "vault", R"({"metadata":{"name":"s"}})");
  Post("secrets", "vault", R"({"metadata":{"name":"t"}})");
  EXPECT_THAT(Look("persistentvolumes", "", "v"), HasSubstr("no relationship found"));
  Post("pods",
       "default",
       PodOn(
           "user", "n1", R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}])"));
  EXPECT_THAT(Look("persistentvolumes", "", "v"), StartsWith("200 "));
  EXPECT_THAT(Look("secrets", "vault", "s"), StartsWith("200 "));
  EXPECT_THAT(Look("secrets", "vault", "t"), HasSubstr("no relationship found"))
      << "only the controller needs it";
}

TEST_F(NodeLimitsTest, ANodeWithoutANameMayNothing) {
  ResourceRequest request = Request(Verb::kCreate, "resourceslices", "", "");
  request.body = R"({"metadata":{"name":"a"}})";
  request.user = User{.name = "system:node:", .uid = "", .groups = {"system:nodes"}};
  EXPECT_THAT(Do(request), HasSubstr(R"(could not determine node from user "system:node:")"));
  ResourceRequest review = Request(Verb::kCreate, "selfsubjectrulesreviews", "", "");
  review.body = R"({"spec":{"namespace":"default"}})";
  review.user = request.user;
  EXPECT_THAT(Do(review), HasSubstr(R"("Unknown" is forbidden: could not determine node)"));
}

}  // namespace
}  // namespace dray::server::verbs::admission
