// SPDX-License-Identifier: Apache-2.0
// One object in several versions: each client sees its version, and no client's write loses fields.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "server/registry/rule_set.h"
#include "server/registry/served_kinds.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class VersionsTest : public testing::ServerTest {
 protected:
  std::string Patch(std::string_view resource, std::string_view name, std::string patch) {
    ResourceRequest request = Request(Verb::kPatch, resource, "default", name);
    request.patch_type = patch::PatchType::kMerge;
    request.body = std::move(patch);
    return Do(std::move(request));
  }
  std::string List(std::string_view resource) {
    return Names(Request(Verb::kList, resource, "default", ""));
  }
};

constexpr const char* kBetaClaim = R"({"metadata":{"name":"a"},"spec":{"devices":{
    "requests":[{"name":"gpu","deviceClassName":"gpu.example.com"}]}}})";
constexpr const char* kClassicClaim = R"({"metadata":{"name":"a"},
    "spec":{"resourceClassName":"gpu.example.com"}})";

TEST_F(VersionsTest, EveryVersionShowsTheObjectInItsOwnShape) {
  const std::string made = Post("v1beta1/resourceclaims", "default", kBetaClaim);
  EXPECT_THAT(made,
              StartsWith(R"(201 {"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1beta1")"));
  EXPECT_THAT(made,
              HasSubstr(R"("requests":[{"name":"gpu","deviceClassName":"gpu.example.com",)"
                        R"("allocationMode":"ExactCount","count":1}])"));
  EXPECT_EQ(Read("v1beta1/resourceclaims", "default", "a"), "200" + made.substr(3));
  const std::string_view flat =
      R"("requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.example.com",)"
      R"("allocationMode":"ExactCount","count":1}}])";
  EXPECT_THAT(Read("v1/resourceclaims", "default", "a"), HasSubstr(flat));
  EXPECT_THAT(Read("v1beta2/resourceclaims", "default", "a"), HasSubstr(flat));
  EXPECT_THAT(Read("v1alpha3/resourceclaims", "default", "a"),
              HasSubstr(R"("apiVersion":"resource.k8s.io/v1alpha3")"));
}

TEST_F(VersionsTest, GenerationsDoNotSeeEachOther) {
  EXPECT_THAT(Post("v1alpha2/resourceclaims", "default", kClassicClaim), StartsWith("201 "));
  EXPECT_EQ(List("v1alpha2/resourceclaims"), "a");
  EXPECT_EQ(List("v1alpha1/resourceclaims"), "a");
  EXPECT_EQ(List("v1/resourceclaims"), "");
  const char* const missing = R"(404 NotFound: resourceclaims.resource.k8s.io "a" not found)";
  EXPECT_EQ(Read("v1/resourceclaims", "default", "a"), missing);
  EXPECT_EQ(Delete("v1/resourceclaims", "default", "a"), missing);
  EXPECT_EQ(Patch("v1/resourceclaims", "a", R"({"metadata":{"labels":{"x":"y"}}})"), missing);
}

TEST_F(VersionsTest, ANameTakenByTheOtherGenerationIsTakenAndSaysWhereToLook) {
  EXPECT_THAT(Post("v1alpha2/resourceclaims", "default", kClassicClaim), StartsWith("201 "));
  EXPECT_EQ(
      Post("v1beta1/resourceclaims", "default", kBetaClaim),
      R"(409 AlreadyExists: resourceclaims.resource.k8s.io "a" already exists and is served as )"
      "resource.k8s.io/v1alpha2");
}

TEST_F(VersionsTest, PodSchedulingIsTheOldNameOfPodSchedulingContext) {
  const char* const body = R"({"metadata":{"name":"a"},"spec":{"selectedNode":"n"}})";
  EXPECT_THAT(Post("v1alpha1/podschedulings", "default", body), StartsWith("201 "));
  EXPECT_THAT(
      Read("v1alpha2/podschedulingcontexts", "default", "a"),
      HasSubstr(R"("kind":"PodSchedulingContext","apiVersion":"resource.k8s.io/v1alpha2")"));
  EXPECT_EQ(List("v1alpha3/podschedulingcontexts"), "a");
}

TEST_F(VersionsTest, WhatAVersionCannotShowSurvivesItsWrites) {
  const std::string claim = R"({"metadata":{"name":"a"},"spec":{"controller":"old.example.com",
      "devices":{"requests":[{"name":"gpu","deviceClassName":"gpu.example.com"}]}}})";
  EXPECT_THAT(Post("v1alpha3/resourceclaims", "default", claim), StartsWith("201 "));
  const std::string changed =
      Patch("v1/resourceclaims", "a", R"({"metadata":{"labels":{"x":"y"}}})");
  EXPECT_THAT(changed, StartsWith("200 "));
  EXPECT_THAT(changed, Not(HasSubstr(R"("controller":)")));
  EXPECT_THAT(Read("v1alpha3/resourceclaims", "default", "a"),
              HasSubstr(R"("controller":"old.example.com")"));
}

TEST_F(VersionsTest, AnEchoThroughAnotherVersionChangesNothing) {
  Post("v1/resourceclaims", "default", R"({"metadata":{"name":"a"},"spec":{"devices":{"requests":[
      {"name":"gpu","firstAvailable":[{"name":"big","deviceClassName":"gpu.example.com"}]}]}}})");
  const std::string before = VersionOf("v1/resourceclaims", "default", "a");
  const std::string seen = Read("v1beta1/resourceclaims", "default", "a").substr(4);
  EXPECT_THAT(Put("v1beta1/resourceclaims", "default", "a", seen), StartsWith("200 "));
  EXPECT_EQ(VersionOf("v1/resourceclaims", "default", "a"), before);
}

TEST_F(VersionsTest, WatchesAreInTheVersionAskedFor) {
  const auto cursor = resources_.Watch(Request(Verb::kWatch, "v1beta1/resourceclaims", "", ""));
  ASSERT_TRUE(cursor.has_value());
  EXPECT_THAT((*cursor)->Next(10), IsEmpty());
  Post("v1alpha2/resourceclaims", "default", R"({"metadata":{"name":"hidden"},
      "spec":{"resourceClassName":"x"}})");
  Post("v1/resourceclaims", "default", R"({"metadata":{"name":"a"},"spec":{"devices":{"requests":[
      {"name":"gpu","exactly":{"deviceClassName":"gpu.example.com"}}]}}})");
  Delete("v1/resourceclaims", "default", "a");
  std::vector<std::string> seen;
  for (const WatchEvent& event : (*cursor)->Next(10)) {
    seen.push_back(std::string(WatchEventName(event.type)) + " " +
                   std::string(storage::JsonOf(event.item).substr(0, 67)));
  }
  const std::string head =
      R"( {"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1beta1","met)";
  EXPECT_THAT(seen, ElementsAre("ADDED" + head, "DELETED" + head));
}

TEST_F(VersionsTest, DryRunsAnswerInTheVersionAskedFor) {
  ResourceRequest request = Request(Verb::kCreate, "v1beta1/resourceclaims", "default", "");
  request.body = std::string(kBetaClaim);
  request.write.dry_run = true;
  EXPECT_THAT(Do(std::move(request)), HasSubstr(R"("apiVersion":"resource.k8s.io/v1beta1")"));
  EXPECT_EQ(List("v1/resourceclaims"), "");
}

TEST_F(VersionsTest, TheStatusSubresourceCameLaterThanTaintRules) {
  ResourceRequest request = Request(Verb::kUpdate, "v1alpha3/devicetaintrules", "", "a");
  request.subresource = "status";
  request.release = api::Release::k1_34;
  request.body = std::string(R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(Do(std::move(request)),
            "404 NotFound: the server could not find the requested resource");
}

TEST_F(VersionsTest, PoolNamesBecameSelectableLater) {
  ResourceRequest request = Request(Verb::kList, "v1/resourceslices", "", "");
  request.list.field_selector = "spec.pool.name=a";
  EXPECT_EQ(Do(request), "200 list");
  request.release = api::Release::k1_36;
  EXPECT_EQ(Do(request),
            "400 BadRequest: field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: "
            "spec.pool.name");
}

registry::Emulation Without(std::string_view flags) {
  registry::Emulation emulation;
  EXPECT_TRUE(emulation.gates.Apply(flags, api::Release::kNewest).has_value());
  return emulation;
}

class GatesTest : public testing::ServerTest {
 protected:
  GatesTest()
      : testing::ServerTest({.rules = registry::RuleSet(Without("DRAConsumableCapacity=false"))}) {}
};

TEST_F(GatesTest, SelectorsKnowWhatTheGatesLeave) {
  const auto made_with = [&](std::string_view name, std::string_view expression) {
    return Post("deviceclasses",
                "",
                fmt::format(R"({{"metadata":{{"name":"{}"}},
                    "spec":{{"selectors":[{{"cel":{{"expression":"{}"}}}}]}}}})",
                            name,
                            expression));
  };
  EXPECT_THAT(made_with("a", "device.driver == 'x'"), StartsWith("201 "));
  EXPECT_THAT(made_with("b", "device.allowMultipleAllocations == true"), StartsWith("422 "));
}

// ----------------------------------------------------------------------------- what is served

std::string Served(const registry::Emulation& emulation, std::string_view plural) {
  const api::Scheme scheme;
  const auto kinds = registry::ServedKinds(scheme, emulation);
  if (!kinds.has_value()) return kinds.error().message;
  std::string versions;
  for (const api::KindInfo* kind : *kinds) {
    if (kind->plural == plural) versions += std::string(kind->version) + " ";
  }
  return versions;
}

TEST(ServedKinds, AreThoseOfTheRelease) {
  EXPECT_EQ(Served({}, "resourceclaims"), "v1 v1alpha1 v1alpha2 v1alpha3 v1beta1 v1beta2 ");
  EXPECT_EQ(Served({.release = api::Release::k1_30}, "resourceclaims"), "v1alpha2 ");
  EXPECT_EQ(Served({.release = api::Release::k1_31}, "resourceclaims"), "v1alpha3 ");
  EXPECT_EQ(Served({.release = api::Release::k1_34}, "resourceclaims"), "v1 v1beta1 v1beta2 ");
  EXPECT_EQ(Served({.release = api::Release::k1_36}, "devicetaintrules"), "v1alpha3 v1beta2 ");
  EXPECT_EQ(Served({.release = api::Release::k1_30}, "pods"), "v1 ");
}

TEST(ServedKinds, GatesTakeKindsAway) {
  registry::Emulation emulation;
  ASSERT_TRUE(
      emulation.gates.Apply("DRADeviceTaintRules=false", api::Release::kNewest).has_value());
  EXPECT_EQ(Served(emulation, "devicetaintrules"), "");
  EXPECT_EQ(Served(emulation, "resourceclaims"), "v1 v1alpha1 v1alpha2 v1alpha3 v1beta1 v1beta2 ");
}

TEST(ServedKinds, RuntimeConfigIsAppliedFromTheWidestKeyToTheNarrowest) {
  const auto with = [](std::string config) {
    return Served({.runtime_config = std::move(config)}, "resourceclaims");
  };
  EXPECT_EQ(with("api/alpha=false,api/beta=false"), "v1 ");
  EXPECT_EQ(with("api/all=false,resource.k8s.io/v1beta1=true"), "v1beta1 ");
  EXPECT_EQ(with("resource.k8s.io/v1beta1/resourceclaims=false,resource.k8s.io/v1beta1=true"),
            "v1 v1alpha1 v1alpha2 v1alpha3 v1beta2 ");
  EXPECT_THAT(with("resource.k8s.io/v7=true"), StartsWith("resource.k8s.io/v7: no such API"));
  EXPECT_THAT(with("api/alpha=perhaps"), StartsWith("invalid value api/alpha=perhaps"));
  EXPECT_THAT(with("v1=false"), StartsWith("v1=false: "));
}

TEST(ServedKinds, PreviewsOfOtherGroupsAreAskedForAsUpstream) {
  const auto with = [](std::string config, std::string_view plural) {
    return Served(
        {.runtime_config = std::move(config), .previews = registry::Previews::kAsUpstream}, plural);
  };
  EXPECT_EQ(Served({}, "workloads"), "v1alpha3 v1beta1 ");
  EXPECT_EQ(with("", "workloads"), "");
  EXPECT_EQ(with("scheduling.k8s.io/v1beta1=true", "workloads"), "v1beta1 ");
  EXPECT_EQ(with("api/beta=true", "workloads"), "v1beta1 ");
  EXPECT_EQ(with("api/all=true", "workloads"), "v1alpha3 v1beta1 ");
  EXPECT_EQ(with("", "leasecandidates"), "");
  EXPECT_EQ(with("", "leases"), "v1 ");
  EXPECT_EQ(with("", "flowschemas"), "v1 v1beta3 ");
  EXPECT_EQ(with("", "resourceclaims"), "v1 v1alpha1 v1alpha2 v1alpha3 v1beta1 v1beta2 ");
  EXPECT_EQ(with("", "pods"), "v1 ");
}

TEST(ServedKinds, SayWhenTheyAreDeprecated) {
  const api::Scheme scheme;
  const api::KindInfo& beta = *scheme.FindKind("resource.k8s.io/v1beta1", "ResourceClaim");
  EXPECT_EQ(registry::DeprecationWarning(beta, api::Release::k1_36),
            "resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+");
  EXPECT_EQ(registry::DeprecationWarning(beta, api::Release::k1_34), "");
  EXPECT_EQ(registry::DeprecationWarning(*scheme.FindKind("resource.k8s.io/v1", "ResourceClaim"),
                                         api::Release::kAny),
            "");
}

}  // namespace
}  // namespace dray::server::verbs
