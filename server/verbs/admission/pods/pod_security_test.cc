// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/pods/pod_security.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs::admission::inline pods {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class PodSecurity : public testing::ServerTest {
 protected:
  std::string MakeNamespace(std::string_view name, std::string_view labels) {
    return Post("namespaces",
                "",
                fmt::format(R"({{"metadata":{{"name":"{}","labels":{{{}}}}}}})", name, labels));
  }
  std::string Label(std::string_view name, std::string_view labels) {
    ResourceRequest request = Request(Verb::kPatch, "namespaces", "", name);
    request.patch_type = patch::PatchType::kMerge;
    request.body = fmt::format(R"({{"metadata":{{"labels":{{{}}}}}}})", labels);
    return Do(std::move(request));
  }
  static std::string Spec(std::string_view more, std::string_view image = "i") {
    return fmt::format(R"({{"containers":[{{"name":"c","image":"{}"}}]{}}})", image, more);
  }
  std::string MakePod(std::string_view in,
                      std::string_view name,
                      std::string_view more = R"(,"hostPID":true)",
                      std::string_view owner = "") {
    return Post(
        "pods",
        in,
        fmt::format(R"({{"metadata":{{"name":"{}"{}}},"spec":{}}})", name, owner, Spec(more)));
  }

  static constexpr std::string_view kEnforce = R"("pod-security.kubernetes.io/enforce":"baseline")";
};

TEST_F(PodSecurity, PodsMustMeetWhatIsEnforced) {
  ASSERT_THAT(MakeNamespace("safe", kEnforce), StartsWith("201 "));
  EXPECT_EQ(MakePod("safe", "p"),
            R"(403 Forbidden: pods "p" is forbidden: violates PodSecurity "baseline:latest": )"
            "host namespaces (hostPID=true)");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(MakePod("safe", "p", ""), StartsWith("201 "));
  EXPECT_THAT(MakePod("default", "p"), StartsWith("201 "));
}

TEST_F(PodSecurity, PodsAndWhatMakesPodsAreWarnedOf) {
  ASSERT_THAT(MakeNamespace("warned",
                            R"("pod-security.kubernetes.io/warn":"baseline",)"
                            R"("pod-security.kubernetes.io/warn-version":"v1.30")"),
              StartsWith("201 "));
  const std::string warning =
      R"(would violate PodSecurity "baseline:v1.30": host namespaces (hostPID=true))";
  EXPECT_THAT(MakePod("warned", "p"), StartsWith("201 "));
  EXPECT_THAT(warnings_, ElementsAre(warning));
  EXPECT_THAT(Post("deployments",
                   "warned",
                   fmt::format(R"({{"metadata":{{"name":"d"}},"spec":{{"selector":{{)"
                               R"("matchLabels":{{"a":"b"}}}},"template":{{"metadata":{{)"
                               R"("labels":{{"a":"b"}}}},"spec":{}}}}}}})",
                               Spec(R"(,"hostPID":true)"))),
              StartsWith("201 "));
  EXPECT_THAT(warnings_, ElementsAre(warning));
  EXPECT_THAT(Post("cronjobs",
                   "warned",
                   fmt::format(R"({{"metadata":{{"name":"j"}},"spec":{{"schedule":"* * * * *",)"
                               R"("jobTemplate":{{"spec":{{"template":{{"spec":{}}}}}}}}}}})",
                               Spec(R"(,"hostPID":true,"restartPolicy":"Never")"))),
              StartsWith("201 "));
  EXPECT_THAT(warnings_, ElementsAre(warning));
}

TEST_F(PodSecurity, TemplatesAreNeverRefused) {
  ASSERT_THAT(MakeNamespace("safe", kEnforce), StartsWith("201 "));
  EXPECT_THAT(Post("podtemplates",
                   "safe",
                   fmt::format(R"({{"metadata":{{"name":"t"}},"template":{{"spec":{}}}}})",
                               Spec(R"(,"hostPID":true)"))),
              StartsWith("201 "));
  EXPECT_THAT(warnings_,
              ElementsAre(R"(would violate PodSecurity "baseline:latest": host namespaces )"
                          "(hostPID=true)"));
}

TEST_F(PodSecurity, AChangedPodIsJudgedByItsImages) {
  ASSERT_THAT(MakeNamespace("later", ""), StartsWith("201 "));
  ASSERT_THAT(MakePod("later", "p"), StartsWith("201 "));
  ASSERT_THAT(Label("later", kEnforce), StartsWith("200 "));
  const auto patch = [&](std::string body) {
    ResourceRequest request = Request(Verb::kPatch, "pods", "later", "p");
    request.patch_type = patch::PatchType::kMerge;
    request.body = std::move(body);
    return Do(std::move(request));
  };
  EXPECT_THAT(patch(R"({"metadata":{"labels":{"a":"b"}}})"), StartsWith("200 "));
  EXPECT_THAT(patch(R"({"spec":{"containers":[{"name":"c","image":"other"}]}})"),
              StartsWith(R"(403 Forbidden: pods "p" is forbidden: violates PodSecurity )"));
}

TEST_F(PodSecurity, LabelsMustMeanSomething) {
  EXPECT_EQ(MakeNamespace("odd", R"("pod-security.kubernetes.io/warn":"high")"),
            R"(422 Invalid: Namespace "odd" is invalid: )"
            R"(metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "high": must be )"
            "one of privileged, baseline, restricted");
  ASSERT_THAT(MakeNamespace("even", ""), StartsWith("201 "));
  EXPECT_THAT(Label("even", R"("pod-security.kubernetes.io/enforce-version":"1.2")"),
              HasSubstr(R"(Invalid value: "1.2": must be "latest" or "v1.x")"));
}

TEST_F(PodSecurity, ANewLevelWarnsOfPodsThatDoNotMeetIt) {
  ASSERT_THAT(MakeNamespace("old", ""), StartsWith("201 "));
  constexpr std::string_view kOwner =
      R"(,"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x","uid":"u",)"
      R"("controller":true}])";
  ASSERT_THAT(MakePod("old", "c", R"(,"hostPID":true)", kOwner), StartsWith("201 "));
  ASSERT_THAT(MakePod("old", "b", R"(,"hostPID":true)", kOwner), StartsWith("201 "));
  ASSERT_THAT(MakePod("old", "a", R"(,"hostIPC":true)"), StartsWith("201 "));
  ASSERT_THAT(MakePod("old", "d", ""), StartsWith("201 "));
  EXPECT_THAT(Label("old", kEnforce), StartsWith("200 "));
  EXPECT_THAT(warnings_,
              ElementsAre(R"(existing pods in namespace "old" violate the new PodSecurity enforce )"
                          R"(level "baseline:latest")",
                          "a (and 2 other pods): host namespaces"));
  // Neither the same level again, nor a weaker one.
  EXPECT_THAT(Label("old", R"("other":"label")"), StartsWith("200 "));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(Label("old", R"("pod-security.kubernetes.io/enforce":"privileged")"),
              StartsWith("200 "));
  EXPECT_THAT(warnings_, IsEmpty());
}

}  // namespace
}  // namespace dray::server::verbs::admission::inline pods
