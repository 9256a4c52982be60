// SPDX-License-Identifier: Apache-2.0
// Service accounts of new pods, while the plugin ServiceAccount is on.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs::inline tokens {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class ServiceAccountsTest : public testing::ServerTest {
 protected:
  explicit ServiceAccountsTest(bool makes_accounts = true)
      : ServerTest(
            Options{.plugins = admission::PluginSet::Usual().With(admission::kServiceAccountPlugin),
                    .makes_accounts = makes_accounts}) {
    EXPECT_TRUE(Wait(resources_.BootstrapAccounts("PEM")).has_value());
    Make("namespaces", "", R"({"metadata":{"name":"lab"}})");
  }

  std::string Make(std::string_view plural, std::string_view namespace_, std::string body) {
    ResourceRequest request = Request(Verb::kCreate, plural, namespace_, "");
    request.body = std::move(body);
    return Do(std::move(request));
  }
  std::string Account(std::string_view name, std::string_view annotations, std::string_view more) {
    return Make(
        "serviceaccounts",
        "lab",
        fmt::format(
            R"({{"metadata":{{"name":"{}","annotations":{{{}}}}}{}}})", name, annotations, more));
  }
  std::string Pod(std::string_view spec, std::string_view meta = "") {
    return Make(
        "pods", "lab", fmt::format(R"({{"metadata":{{"name":"p"{}}},"spec":{{{}}}}})", meta, spec));
  }
};

constexpr std::string_view kPlain = R"("containers":[{"name":"c","image":"i"}])";

std::string With(std::string_view more) {
  return fmt::format("{},{}", kPlain, more);
}

TEST_F(ServiceAccountsTest, ANamespaceHasWhatItsPodsNeed) {
  EXPECT_THAT(Do(Request(Verb::kGet, "serviceaccounts", "lab", "default")), StartsWith("200 "));
  EXPECT_THAT(Do(Request(Verb::kGet, "configmaps", "lab", "kube-root-ca.crt")),
              HasSubstr(R"("data":{"ca.crt":"PEM"})"));
}

class AccountsFromElsewhere : public ServiceAccountsTest {
 protected:
  AccountsFromElsewhere() : ServiceAccountsTest(false) {}
};

TEST_F(AccountsFromElsewhere, AreMissingUntilTheyAreCreated) {
  EXPECT_THAT(Do(Request(Verb::kGet, "serviceaccounts", "lab", "default")), StartsWith("404 "));
  EXPECT_THAT(Do(Request(Verb::kGet, "configmaps", "lab", "kube-root-ca.crt")), StartsWith("404 "));
  EXPECT_THAT(Pod(kPlain),
              AllOf(StartsWith("403 "), HasSubstr("serviceaccount \"default\" not found")));
  EXPECT_THAT(Account("default", "", ""), StartsWith("201 "));
  EXPECT_THAT(Pod(kPlain), StartsWith("201 "));
}

TEST_F(ServiceAccountsTest, WhatANamespaceHasComesBack) {
  Delete("serviceaccounts", "lab", "default");
  Delete("configmaps", "lab", "kube-root-ca.crt");
  EXPECT_THAT(Read("serviceaccounts", "lab", "default"), StartsWith("200 "));
  EXPECT_THAT(Read("configmaps", "lab", "kube-root-ca.crt"), StartsWith("200 "));
}

TEST_F(ServiceAccountsTest, APodIsTheDefaultAccountAndMountsItsToken) {
  EXPECT_THAT(
      Pod(R"("initContainers":[{"name":"b","image":"i"}],"containers":[{"name":"c","image":"i"},{)"
          R"("name":"d","image":"i","volumeMounts":[{"name":"v","mountPath":)"
          R"("/var/run/secrets/kubernetes.io/serviceaccount"}]}],"volumes":[{"name":"v","emptyDir":{}}])"),
      AllOf(
          StartsWith("201 "),
          HasSubstr(R"("serviceAccountName":"default","serviceAccount":"default")"),
          HasSubstr(R"("projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,)"
                    R"("path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":)"
                    R"("ca.crt","path":"ca.crt"}]}},{"downwardAPI":{"items":[{"path":"namespace",)"
                    R"("fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}],)"
                    R"("defaultMode":420})"),
          MatchesRegex(".*kube-api-access-[a-z0-9]{5}\",\"readOnly\":true,.*"
                       "kube-api-access-[a-z0-9]{5}\",\"readOnly\":true,.*"),
          Not(HasSubstr("f:serviceAccount"))))
      << "and no manager owns what admission decides";
}

TEST_F(ServiceAccountsTest, ThePodsWishComesBeforeTheAccounts) {
  constexpr std::string_view kVolume = "kube-api-access-";
  Account("shy", "", R"(,"automountServiceAccountToken":false)");
  EXPECT_THAT(Pod(With(R"("serviceAccountName":"shy")")), Not(HasSubstr(kVolume)));
  Do(Request(Verb::kDelete, "pods", "lab", "p"));
  EXPECT_THAT(Pod(With(R"("serviceAccountName":"shy","automountServiceAccountToken":true)")),
              HasSubstr(kVolume));
  Do(Request(Verb::kDelete, "pods", "lab", "p"));
  EXPECT_THAT(Pod(With(R"("automountServiceAccountToken":false)")), Not(HasSubstr(kVolume)));
}

TEST_F(ServiceAccountsTest, AVolumeOfThatNameIsNotMadeTwice) {
  EXPECT_THAT(Pod(With(R"("volumes":[{"name":"kube-api-access-mine","emptyDir":{}}])")),
              AllOf(HasSubstr(R"({"name":"kube-api-access-mine","readOnly":true)"),
                    Not(HasSubstr("projected"))));
}

TEST_F(ServiceAccountsTest, APodWithoutSecretsForItsImagesGetsThoseOfItsAccount) {
  Account("puller", "", R"(,"imagePullSecrets":[{"name":"theirs"}])");
  EXPECT_THAT(Pod(With(R"("serviceAccountName":"puller")")),
              HasSubstr(R"("imagePullSecrets":[{"name":"theirs"}])"));
  Do(Request(Verb::kDelete, "pods", "lab", "p"));
  EXPECT_THAT(Pod(With(R"("serviceAccountName":"puller","imagePullSecrets":[{"name":"mine"}])")),
              HasSubstr(R"("imagePullSecrets":[{"name":"mine"}])"));
}

TEST_F(ServiceAccountsTest, AnAccountThatIsNotThereIsRefused) {
  EXPECT_THAT(
      Pod(With(R"("serviceAccountName":"gone")")),
      AllOf(StartsWith("403 "),
            HasSubstr(R"(pods "p" is forbidden: error looking up service account lab/gone: )"
                      R"(serviceaccount "gone" not found)")));
}

TEST_F(ServiceAccountsTest, AnAccountMayAllowItsOwnSecretsOnly) {
  Account("strict",
          R"("kubernetes.io/enforce-mountable-secrets":"true")",
          R"(,"secrets":[{"name":"good"}],"imagePullSecrets":[{"name":"good"}])");
  struct Case {
    std::string_view spec, refusal;  // empty: the pod is accepted
  };
  const Case cases[] = {
      {R"("containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","secret":{"secretName":"good"}}])",
       ""},
      {R"("containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","secret":{"secretName":"bad"}}])",
       R"(volume with secret.secretName="bad" is not allowed because service account strict does not reference that secret)"},
      {R"("containers":[{"name":"c","image":"i","env":[{"name":"E","valueFrom":{"secretKeyRef":{"name":"bad","key":"k"}}}]}])",
       R"(container c with envVar E referencing secret.secretName="bad" is not allowed)"},
      {R"("containers":[{"name":"c","image":"i"}],"initContainers":[{"name":"b","image":"i","envFrom":[{"secretRef":{"name":"bad"}}]}])",
       R"(init container b with envFrom referencing secret.secretName="bad" is not allowed)"},
      {R"("containers":[{"name":"c","image":"i"}],"imagePullSecrets":[{"name":"bad"}])",
       R"(imagePullSecrets[0].name="bad" is not allowed because service account strict does not reference that imagePullSecret)"},
  };
  for (const Case& c : cases) {
    const std::string answer = Pod(fmt::format(R"({},"serviceAccountName":"strict")", c.spec));
    std::string shown = answer;
    for (size_t at = 0; (at = shown.find('\\', at)) != std::string::npos;) shown.erase(at, 1);
    EXPECT_THAT(shown, c.refusal.empty() ? StartsWith("201 ") : StartsWith("403 ")) << c.spec;
    EXPECT_THAT(shown, HasSubstr(c.refusal));
    Do(Request(Verb::kDelete, "pods", "lab", "p"));
  }
}

TEST_F(ServiceAccountsTest, MirrorPodsNameNothingOfTheServers) {
  constexpr std::string_view kMirror = R"(,"annotations":{"kubernetes.io/config.mirror":"x"})";
  EXPECT_THAT(Pod(With(R"("serviceAccountName":"default")"), kMirror),
              HasSubstr("a mirror pod may not reference service accounts"));
  EXPECT_THAT(Pod(With(R"("volumes":[{"name":"v","secret":{"secretName":"s"}}])"), kMirror),
              HasSubstr("a mirror pod may not reference secrets"));
  EXPECT_THAT(Pod(With(R"("volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":)"
                       R"({"path":"t"}}]}}])"),
                  kMirror),
              HasSubstr("a mirror pod may not use ServiceAccountToken volume projections"));
  EXPECT_THAT(Pod(kPlain, kMirror), AllOf(StartsWith("201 "), Not(HasSubstr("serviceAccount\""))));
}

}  // namespace
}  // namespace dray::server::verbs::inline tokens
