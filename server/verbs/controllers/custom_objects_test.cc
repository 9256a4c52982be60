// SPDX-License-Identifier: Apache-2.0
// Custom kinds from their definition to the end of their objects, through the verbs.
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "api/custom_kind.h"
#include "base/mutex.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs::inline controllers {
namespace {

constexpr std::string_view kDefinition = R"({
  "apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
  "metadata":{"name":"lamps.lights.test"},
  "spec":{"group":"lights.test","scope":"Namespaced",
    "names":{"plural":"lamps","kind":"Lamp"},
    "versions":[
      {"name":"v1","served":true,"storage":true,
       "subresources":{"status":{},
         "scale":{"specReplicasPath":".spec.bulbs","statusReplicasPath":".status.bulbs"}},
       "schema":{"openAPIV3Schema":{"type":"object","properties":{
         "spec":{"type":"object","properties":{
           "bulbs":{"type":"integer"},"colour":{"type":"string","default":"white"}}},
         "status":{"type":"object","properties":{"bulbs":{"type":"integer"}}}}}}}]}})";

class CustomObjects : public testing::ServerTest {
 protected:
  CustomObjects()
      : listening_(resources_.scheme().Listen([this] {
          const MutexLock lock(mutex_);
          changed_.NotifyAll();
        })) {}

  // Waits for the controller of definitions, which works on a thread of its own.
  void AwaitServed(bool is_served) {
    const MutexLock lock(mutex_);
    while ((resources_.scheme().Now()->FindResource("lights.test", "v1", "lamps") != nullptr) !=
           is_served) {
      changed_.Wait(mutex_);
    }
  }

  void Define() {
    ASSERT_TRUE(Post("customresourcedefinitions", "", std::string(kDefinition)).starts_with("201"));
    AwaitServed(true);
  }

  std::string Lamp(Verb verb, std::string_view name, std::string body, std::string part = {}) {
    ResourceRequest request;
    request.verb = verb;
    request.kind = resources_.scheme().Now()->FindResource("lights.test", "v1", "lamps");
    request.namespace_ = "default";
    request.name = name;
    request.subresource = std::move(part);
    if (!body.empty()) request.body = std::move(body);
    return Do(std::move(request));
  }
  std::string Make(std::string_view name, std::string_view spec) {
    return Lamp(Verb::kCreate,
                "",
                std::string(R"({"apiVersion":"lights.test/v1","kind":"Lamp","metadata":{"name":")")
                    .append(name)
                    .append(R"("},"spec":)")
                    .append(spec)
                    .append("}"));
  }

  Mutex mutex_;
  Condition changed_;
  api::LiveScheme::Listening listening_;
};

TEST_F(CustomObjects, ArePrunedDefaultedAndPrintedInOrder) {
  Define();
  const std::string made = Make("a", R"({"size":3,"bulbs":2})");
  EXPECT_TRUE(made.starts_with(R"(201 {"apiVersion":"lights.test/v1","kind":"Lamp",)")) << made;
  EXPECT_TRUE(made.ends_with(R"("spec":{"bulbs":2,"colour":"white"}})")) << made;
  EXPECT_EQ(warnings_, std::vector<std::string>{R"(unknown field "spec.size")"});
  EXPECT_EQ(Lamp(Verb::kGet, "a", "").substr(4), made.substr(4));
}

TEST_F(CustomObjects, HaveAStatusAndAScaleOfTheirOwn) {
  Define();
  Make("a", R"({"bulbs":2})");
  const std::string body = R"({"spec":{"bulbs":7},"status":{"bulbs":1}})";
  const std::string status = Lamp(Verb::kPatch, "a", body, "status");
  EXPECT_TRUE(status.contains(R"("spec":{"bulbs":2,"colour":"white"},"status":{"bulbs":1})"))
      << status;
  const std::string scale = Lamp(Verb::kGet, "a", "", "scale");
  EXPECT_TRUE(scale.contains(R"("spec":{"replicas":2},"status":{"replicas":1})")) << scale;
  Lamp(Verb::kPatch, "a", R"({"spec":{"replicas":5}})", "scale");
  const std::string read = Lamp(Verb::kGet, "a", "");
  EXPECT_TRUE(read.contains(R"("bulbs":5)") && read.contains(R"("generation":2)")) << read;
}

TEST_F(CustomObjects, AreReadAsTheVersionThatTheySay) {
  Define();
  const auto make = [&](std::string_view what) {
    return Lamp(Verb::kCreate,
                "",
                std::string("{").append(what).append(
                    R"(,"metadata":{"name":"a","odd":1},"spec":{"size":1}})"));
  };
  EXPECT_TRUE(make(R"("apiVersion":"lights.test/v7","kind":"Lamp")").starts_with("400 BadRequest"));
  EXPECT_EQ(
      warnings_,
      (std::vector<std::string>{R"(unknown field "metadata.odd")", R"(unknown field "spec")"}))
      << "a version without a schema knows no fields";
  EXPECT_TRUE(make(R"("apiVersion":"lights.test/v1","kind":"Torch")").starts_with("422 Invalid"));
  EXPECT_EQ(warnings_, std::vector<std::string>{R"(unknown field "metadata.odd")"})
      << "of other kinds only the metadata is known";
}

TEST_F(CustomObjects, OnlyAnOwnedNumberIsOwnedThroughScale) {
  Define();
  Make("a", "{}");
  Make("b", R"({"bulbs":2})");
  const auto scale = [&](std::string_view name) {
    Lamp(Verb::kPatch, name, R"({"spec":{"replicas":5}})", "scale");
    return Lamp(Verb::kGet, name, "").contains(R"("subresource":"scale")");
  };
  EXPECT_FALSE(scale("a"));
  EXPECT_TRUE(scale("b"));
}

TEST_F(CustomObjects, AScaleCannotBeApplied) {
  Define();
  Make("a", "{}");
  Make("b", R"({"bulbs":2})");
  const auto apply = [&](std::string_view name) {
    ResourceRequest request;
    request.verb = Verb::kPatch;
    request.patch_type = patch::PatchType::kApply;
    request.kind = resources_.scheme().Now()->FindResource("lights.test", "v1", "lamps");
    request.namespace_ = "default";
    request.name = name;
    request.subresource = "scale";
    request.write.field_manager = "m";
    request.body = std::string(R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{)")
                       .append(R"("name":")")
                       .append(name)
                       .append(R"(","namespace":"default"},"spec":{"replicas":9}})");
    return Do(std::move(request));
  };
  EXPECT_TRUE(apply("a").starts_with("500 : failed to create manager for existing fields"));
  const std::string conflict = apply("b");
  EXPECT_TRUE(conflict.starts_with("409 Conflict: Apply failed with 1 conflict")) << conflict;
  EXPECT_TRUE(conflict.ends_with("using autoscaling/v1: .spec.replicas")) << conflict;
}

TEST_F(CustomObjects, TheNumbersOfAScaleAreJudged) {
  Define();
  const std::string made = Make("a", R"({"bulbs":-1})");
  EXPECT_TRUE(made.contains(".spec.bulbs: Invalid value: -1: should be a non-negative integer"))
      << made;
}

TEST_F(CustomObjects, GoWithTheirDefinition) {
  Define();
  Make("a", R"({"bulbs":2})");
  EXPECT_TRUE(Delete("customresourcedefinitions", "", "lamps.lights.test").starts_with("200"));
  AwaitServed(false);
  EXPECT_EQ(store_.Read()->Count({.prefix = "/registry/lights.test/"}), 0U);
}

}  // namespace
}  // namespace dray::server::verbs::inline controllers
