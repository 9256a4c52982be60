// SPDX-License-Identifier: Apache-2.0
// Plugins about classes, volumes and topology: what they give new objects, and what they refuse.
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"
#include "server/verbs/admission/plugin_set.h"

namespace dray::server::verbs::admission {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class AdmissionClasses : public testing::ServerTest {
 protected:
  explicit AdmissionClasses(PluginSet plugins = PluginSet::Usual())
      : ServerTest(Options{.plugins = plugins}) {}

  std::string Send(Verb verb,
                   std::string_view plural,
                   std::string_view name,
                   std::string body,
                   std::string_view subresource = "") {
    const bool is_namespaced = KindOf(plural).namespaced;
    ResourceRequest request = Request(verb, plural, is_namespaced ? "default" : "", name);
    request.subresource = subresource;
    request.body = std::move(body);
    return Do(std::move(request));
  }
  std::string Create(std::string_view plural, std::string body) {
    return Send(Verb::kCreate, plural, "", std::move(body));
  }
  static std::string Claim(std::string_view name,
                           std::string_view size,
                           std::string_view more = "") {
    return fmt::format(
        R"({{"metadata":{{"name":"{}"}},"spec":{{"accessModes":["ReadWriteOnce"],"resources":)"
        R"({{"requests":{{"storage":"{}"}}}}{}}}}})",
        name,
        size,
        more);
  }
  static std::string Pod(std::string_view name, std::string_view more) {
    return fmt::format(
        R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":[{{"name":"c","image":"i:1"}}]{}}}}})",
        name,
        more);
  }
  void CreateStorageClass(std::string_view name, std::string_view annotation, bool may_grow) {
    const std::string body = fmt::format(
        R"({{"metadata":{{"name":"{}","annotations":{{"{}":"true"}}}},"provisioner":"x.example",)"
        R"("allowVolumeExpansion":{}}})",
        name,
        annotation,
        may_grow);
    EXPECT_THAT(Create("storageclasses", body), StartsWith("201 "));
  }
};

TEST_F(AdmissionClasses, AClaimGetsTheNewestDefaultStorageClass) {
  EXPECT_THAT(Create("persistentvolumeclaims", Claim("before", "1Gi")),
              Not(HasSubstr("storageClassName")));
  CreateStorageClass("b", "storageclass.kubernetes.io/is-default-class", false);
  CreateStorageClass("a", "storageclass.beta.kubernetes.io/is-default-class", false);
  CreateStorageClass("other", "example.com/is-default-class", false);
  EXPECT_THAT(Create("persistentvolumeclaims", Claim("equally-new", "1Gi")),
              HasSubstr(R"("storageClassName":"a")"));
  world_.clock().Advance(std::chrono::seconds(2));
  CreateStorageClass("z", "storageclass.kubernetes.io/is-default-class", false);
  EXPECT_THAT(Create("persistentvolumeclaims", Claim("newest", "1Gi")),
              HasSubstr(R"("storageClassName":"z")"));
  EXPECT_THAT(Create("persistentvolumeclaims", Claim("chosen", "1Gi", R"(,"storageClassName":"")")),
              HasSubstr(R"("storageClassName":"")"));
}

TEST_F(AdmissionClasses, AnIngressGetsTheDefaultClass) {
  constexpr std::string_view kIngress =
      R"({{"metadata":{{"name":"{}"{}}},"spec":{{"defaultBackend":{{"service":)"
      R"({{"name":"s","port":{{"number":80}}}}}}}}}})";
  EXPECT_THAT(Create("ingressclasses",
                     R"({"metadata":{"name":"nginx","annotations":)"
                     R"({"ingressclass.kubernetes.io/is-default-class":"true"}},)"
                     R"("spec":{"controller":"example.com/nginx"}})"),
              StartsWith("201 "));
  EXPECT_THAT(Create("ingresses", fmt::format(kIngress, "plain", "")),
              HasSubstr(R"("ingressClassName":"nginx")"));
  constexpr std::string_view kNamed = R"(,"annotations":{"kubernetes.io/ingress.class":"mine"})";
  EXPECT_THAT(Create("ingresses", fmt::format(kIngress, "annotated", kNamed)),
              AllOf(StartsWith("201 "), Not(HasSubstr("ingressClassName"))));
}

TEST_F(AdmissionClasses, OnlyBoundClaimsOfAClassThatGrowsMayGrow) {
  CreateStorageClass("grows", "example.com/none", true);
  CreateStorageClass("stays", "example.com/none", false);
  for (const std::string_view name : {"grows", "stays"}) {
    const std::string of_class = fmt::format(R"(,"storageClassName":"{}","volumeName":"v")", name);
    ASSERT_THAT(Create("persistentvolumeclaims", Claim(name, "1Gi", of_class)), StartsWith("201 "));
    EXPECT_THAT(Send(Verb::kUpdate, "persistentvolumeclaims", name, Claim(name, "2Gi", of_class)),
                AllOf(HasSubstr("403 Forbidden"),
                      HasSubstr("Only bound persistent volume claims can be expanded")));
    ASSERT_THAT(
        Send(Verb::kUpdate,
             "persistentvolumeclaims",
             name,
             fmt::format(R"({{"metadata":{{"name":"{}"}},"status":{{"phase":"Bound"}}}})", name),
             "status"),
        StartsWith("200 "));
    const std::string answer =
        Send(Verb::kUpdate, "persistentvolumeclaims", name, Claim(name, "2Gi", of_class));
    if (name == "grows") {
      EXPECT_THAT(answer, StartsWith("200 "));
    } else {
      EXPECT_THAT(answer,
                  HasSubstr("is forbidden: only dynamically provisioned pvc can be resized and the "
                            "storageclass that provisions the pvc must support resize"));
    }
  }
}

TEST_F(AdmissionClasses, APodGetsWhatItsRuntimeClassSays) {
  EXPECT_THAT(Create("pods", Pod("p", R"(,"runtimeClassName":"none")")),
              HasSubstr(R"(pods "p" is forbidden: pod rejected: RuntimeClass "none" not found)"));
  ASSERT_THAT(
      Create("runtimeclasses",
             R"({"metadata":{"name":"vm"},"handler":"vm","overhead":{"podFixed":{"cpu":"250m"}},)"
             R"("scheduling":{"nodeSelector":{"vm":"yes"},"tolerations":[)"
             R"({"key":"vm","operator":"Exists"},{"key":"x","operator":"Equal","value":"1"}]}})"),
      StartsWith("201 "));
  EXPECT_THAT(Create("pods",
                     Pod("q",
                         R"(,"runtimeClassName":"vm","nodeSelector":{"zone":"a"},"tolerations":[)"
                         R"({"key":"vm","operator":"Equal","value":"1","effect":"NoSchedule"},)"
                         R"({"key":"x","operator":"Exists"}])")),
              AllOf(StartsWith("201 "),
                    HasSubstr(R"("overhead":{"cpu":"250m"})"),
                    HasSubstr(R"("nodeSelector":{"vm":"yes","zone":"a"})"),
                    HasSubstr(R"("tolerations":[{"key":"x","operator":"Exists"},)"),
                    HasSubstr(R"("tolerationSeconds":300},{"key":"vm","operator":"Exists"}])")));
  EXPECT_THAT(Create("pods", Pod("r", R"(,"runtimeClassName":"vm","nodeSelector":{"vm":"no"})")),
              HasSubstr("conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; "
                        "pod.spec.nodeSelector[vm] = no"));
  EXPECT_THAT(
      Create("pods", Pod("s", R"(,"runtimeClassName":"vm","overhead":{"cpu":"1"})")),
      HasSubstr("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"));
  EXPECT_THAT(Create("pods", Pod("t", R"(,"overhead":{"cpu":"1"})")),
              HasSubstr("pod rejected: Pod Overhead set without corresponding RuntimeClass defined "
                        "Overhead"));
}

TEST_F(AdmissionClasses, PodsOfANodeGetItsTopology) {
  ASSERT_THAT(Create("nodes",
                     R"({"metadata":{"name":"n","labels":{"topology.kubernetes.io/zone":"z",)"
                     R"("topology.kubernetes.io/region":"r","topology.kubernetes.io/rack":"k"}}})"),
              StartsWith("201 "));
  const auto has_topology = AllOf(HasSubstr(R"("topology.kubernetes.io/region":"r")"),
                                  HasSubstr(R"("topology.kubernetes.io/zone":"z")"),
                                  Not(HasSubstr("rack")));
  EXPECT_THAT(Create("pods", Pod("placed", R"(,"nodeName":"n")")), has_topology);
  ASSERT_THAT(Create("pods", Pod("bound", "")), Not(HasSubstr("topology")));
  ASSERT_THAT(Send(Verb::kCreate,
                   "pods",
                   "bound",
                   R"({"metadata":{"name":"bound","labels":{"own":"yes"}},)"
                   R"("target":{"kind":"Node","name":"n"}})",
                   "binding"),
              StartsWith("201 "));
  EXPECT_THAT(Do(Request(Verb::kGet, "pods", "default", "bound")),
              AllOf(has_topology, HasSubstr(R"("own":"yes")")));
}

class WithProtection : public AdmissionClasses {
 protected:
  WithProtection() : AdmissionClasses(PluginSet::Usual().With(kStorageProtectionPlugin)) {}
};

TEST_F(AdmissionClasses, StorageHasNoFinalizersWithoutTheirController) {
  EXPECT_THAT(Create("persistentvolumeclaims", Claim("c", "1Gi")),
              AllOf(StartsWith("201 "), Not(HasSubstr("finalizers"))));
}

TEST_F(WithProtection, StorageHasFinalizers) {
  EXPECT_THAT(Create("persistentvolumeclaims", Claim("c", "1Gi")),
              HasSubstr(R"("finalizers":["kubernetes.io/pvc-protection"])"));
  EXPECT_THAT(
      Create("persistentvolumes",
             R"({"metadata":{"name":"v","finalizers":["kubernetes.io/pv-protection"]},"spec":)"
             R"({"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],)"
             R"("hostPath":{"path":"/v"}}})"),
      HasSubstr(R"("finalizers":["kubernetes.io/pv-protection"])"));
  EXPECT_THAT(
      Create("volumeattributesclasses",
             R"({"metadata":{"name":"a"},"driverName":"x.example","parameters":{"a":"b"}})"),
      HasSubstr(R"("finalizers":["kubernetes.io/vac-protection"])"));
}

}  // namespace
}  // namespace dray::server::verbs::admission
