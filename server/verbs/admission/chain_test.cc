// SPDX-License-Identifier: Apache-2.0
// Flags that turn plugins on and off, and the small plugins of the chain.
#include "server/verbs/admission/chain.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"
#include "server/verbs/admission/plugin_set.h"

namespace dray::server::verbs::admission {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Names = std::vector<std::string>;

Names OnIn(const PluginSet& set) {
  Names names;
  for (const Plugin& plugin : Plugins()) {
    if (set.Has(plugin.name)) names.emplace_back(plugin.name);
  }
  return names;
}

TEST(AdmissionPlugins, UsualOnesAreThoseOfUpstreamThatAreBuilt) {
  EXPECT_THAT(OnIn(PluginSet::Usual()),
              ElementsAre("NamespaceLifecycle",
                          "LimitRanger",
                          "NodeRestriction",
                          "PodSecurity",
                          "Priority",
                          "DefaultTolerationSeconds",
                          "DefaultStorageClass",
                          "PersistentVolumeClaimResize",
                          "RuntimeClass",
                          "CertificateApproval",
                          "CertificateSigning",
                          "ClusterTrustBundleAttest",
                          "CertificateSubjectRestriction",
                          "DefaultIngressClass",
                          "PodTopologyLabels",
                          "NodeDeclaredFeatureValidator",
                          "PodResizeValidator",
                          "MutatingAdmissionPolicy",
                          "MutatingAdmissionWebhook",
                          "ValidatingAdmissionPolicy",
                          "ValidatingAdmissionWebhook",
                          "ResourceQuota"));
}

TEST(AdmissionPlugins, FlagsSwitchThem) {
  const auto set = PluginSet::Usual().Changed({"AlwaysPullImages", "Priority"},
                                              {"LimitRanger", "EventRateLimit"});
  ASSERT_TRUE(set.has_value()) << set.error().message;
  EXPECT_TRUE(set->Has("AlwaysPullImages"));
  EXPECT_TRUE(set->Has("Priority"));
  EXPECT_FALSE(set->Has("LimitRanger"));
}

TEST(AdmissionPlugins, AreRefusedInUpstreamsWords) {
  const auto refusal = [](const Names& enabled, const Names& disabled) {
    const auto set = PluginSet::Usual().Changed(enabled, disabled);
    return set.has_value() ? "" : set.error().message;
  };
  EXPECT_EQ(refusal({"Webhooks"}, {}), R"(enable-admission-plugins plugin "Webhooks" is unknown)");
  EXPECT_EQ(refusal({}, {"Hooks"}), R"(disable-admission-plugins plugin "Hooks" is unknown)");
  EXPECT_EQ(refusal({"Priority", "LimitRanger"}, {"Priority", "LimitRanger"}),
            "[LimitRanger Priority] in enable-admission-plugins and disable-admission-plugins "
            "overlapped");
  EXPECT_EQ(refusal({"EventRateLimit"}, {}),
            R"(enable-admission-plugins: Dray is not built with the plugin "EventRateLimit")");
}

class AdmissionChain : public testing::ServerTest {
 protected:
  explicit AdmissionChain(PluginSet plugins = PluginSet::Usual())
      : ServerTest(Options{.plugins = plugins}) {}

  std::string Send(Verb verb, std::string_view plural, std::string_view name, std::string body) {
    ResourceRequest request = Request(verb, plural, "default", name);
    request.body = std::move(body);
    return Do(std::move(request));
  }
  std::string Create(std::string_view plural, std::string body) {
    return Send(Verb::kCreate, plural, "", std::move(body));
  }
  static std::string Pod(std::string_view metadata, std::string_view more = "") {
    return fmt::format(
        R"({{"metadata":{{{}}},"spec":{{"containers":[{{"name":"c","image":"i:1"}}]{}}}}})",
        metadata,
        more);
  }
};

TEST_F(AdmissionChain, AChangedPodKeepsThePriorityThatItLeavesOut) {
  ResourceRequest request = Request(Verb::kCreate, "priorityclasses", "", "");
  request.body = R"({"metadata":{"name":"high"},"value":1000,"preemptionPolicy":"Never"})";
  ASSERT_THAT(Do(std::move(request)), StartsWith("201 "));
  const std::string pod = Pod(R"("name":"p")", R"(,"priorityClassName":"high")");
  ASSERT_THAT(Create("pods", pod), StartsWith("201 "));
  EXPECT_THAT(Send(Verb::kUpdate,
                   "pods",
                   "p",
                   Pod(R"("name":"p","labels":{"a":"b"})", R"(,"priorityClassName":"high")")),
              AllOf(StartsWith("200 "),
                    HasSubstr(R"("priority":1000)"),
                    HasSubstr(R"("preemptionPolicy":"Never")")));
}

TEST_F(AdmissionChain, RefusalsBeforeTheNameIsMadeShowItsPrefix) {
  EXPECT_THAT(Create("pods", Pod(R"("generateName":"p-")", R"(,"priority":7)")),
              AllOf(StartsWith("403 "),
                    HasSubstr(R"(pods "p-" is forbidden: the integer value of priority (7))")));
}

TEST_F(AdmissionChain, LastingNamespacesStay) {
  EXPECT_THAT(Do(Request(Verb::kDelete, "namespaces", "", "kube-public")),
              AllOf(StartsWith("403 "), HasSubstr("this namespace may not be deleted")));
}

class WithPlugins : public AdmissionChain {
 protected:
  WithPlugins()
      : AdmissionChain(*PluginSet::Usual().Changed({"AlwaysPullImages",
                                                    "LimitPodHardAntiAffinityTopology",
                                                    "ExtendedResourceToleration",
                                                    "DenyServiceExternalIPs",
                                                    "TaintNodesByCondition"},
                                                   {"DefaultTolerationSeconds", "Priority"})) {}
};

TEST_F(WithPlugins, ChangePods) {
  const std::string pod = Create(
      "pods",
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i:1","resources":)"
      R"({"limits":{"acme.example/gpu":"1"}}}],"volumes":[{"name":"v","image":{"reference":"w:1"}}]}})");
  EXPECT_THAT(
      pod,
      AllOf(
          StartsWith("201 "),
          HasSubstr(R"("imagePullPolicy":"Always")"),
          HasSubstr(R"("pullPolicy":"Always")"),
          HasSubstr(
              R"("tolerations":[{"key":"acme.example/gpu","operator":"Exists","effect":"NoSchedule"}])"),
          Not(HasSubstr("\"priority\":"))));
}

TEST_F(WithPlugins, RefusePodsAndServices) {
  EXPECT_THAT(
      Create(
          "pods",
          Pod(R"("name":"p")",
              R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)"
              R"({"labelSelector":{},"topologyKey":"zone"}]}})")),
      AllOf(StartsWith("403 "),
            HasSubstr("has TopologyKey zone but only key kubernetes.io/hostname is allowed")));
  EXPECT_THAT(
      Create(
          "services",
          R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":1}],"externalIPs":["1.2.3.4"]}})"),
      AllOf(StartsWith("403 "), HasSubstr("Use of external IPs is denied by admission control")));
}

TEST_F(WithPlugins, TaintNewNodes) {
  ResourceRequest request = Request(Verb::kCreate, "nodes", "", "");
  request.body =
      R"({"metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"True"}]}})";
  EXPECT_THAT(Do(std::move(request)), HasSubstr(R"("key":"node.kubernetes.io/not-ready")"));
}

class WithAlwaysDeny : public AdmissionChain {
 protected:
  WithAlwaysDeny() : AdmissionChain(PluginSet::Usual().With("AlwaysDeny")) {}
};

TEST_F(WithAlwaysDeny, RefusesEveryWriteAlsoTheServersOwn) {
  ResourceRequest request = Request(Verb::kCreate, "nodes", "", "");
  request.body = R"({"metadata":{"name":"n"}})";
  EXPECT_THAT(Do(std::move(request)),
              AllOf(StartsWith("403 "),
                    HasSubstr(R"(nodes "n" is forbidden: admission control is denying all)")));
  EXPECT_THAT(Do(Request(Verb::kGet, "namespaces", "", "default")), StartsWith("404 "));
  EXPECT_THAT(Do(Request(Verb::kList, "namespaces", "", "")), StartsWith("200 "));
}

}  // namespace
}  // namespace dray::server::verbs::admission
