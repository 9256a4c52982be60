// SPDX-License-Identifier: Apache-2.0
// Custom kinds from their definition to the end of their objects, through the verbs.
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
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
  void AwaitServed(bool is_served, std::string_view version = "v1") {
    const MutexLock lock(mutex_);
    while ((resources_.scheme().Now()->FindResource("lights.test", version, "lamps") != nullptr) !=
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

constexpr std::string_view kOfTwoVersions = R"({"spec":{"versions":[
  {"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}},
  {"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
constexpr std::string_view kOfTheSecond = R"({"spec":{"versions":[
  {"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";

// As upstream: such objects hold up their collection, and their definition.
TEST_F(CustomObjects, ThoseOfAVersionThatWasDroppedCannotBeRead) {
  Define();
  Make("a", "{}");
  const auto change = [&](std::string_view patch, std::string part = {}) {
    ResourceRequest request =
        Request(Verb::kPatch, "customresourcedefinitions", "", "lamps.lights.test");
    request.subresource = std::move(part);
    request.body = std::string(patch);
    return Do(std::move(request)).substr(0, 3);
  };
  ASSERT_EQ(change(kOfTwoVersions), "200");
  ASSERT_EQ(change(R"({"status":{"storedVersions":["v2"]}})", "status"), "200");
  ASSERT_EQ(change(kOfTheSecond), "200");
  AwaitServed(false);  // v1
  const auto lamp = [&](Verb verb, std::string_view name) {
    ResourceRequest request;
    request.verb = verb;
    request.kind = resources_.scheme().Now()->FindResource("lights.test", "v2", "lamps");
    request.namespace_ = "default";
    request.name = name;
    return Do(std::move(request));
  };
  const std::string why = "request to convert CR from an invalid group/version: lights.test/v1";
  const std::string read = lamp(Verb::kGet, "a");
  EXPECT_TRUE(
      read.starts_with("500 InternalError: Internal error occurred: StorageError: corrupt "
                       "object, Code: 7, Key: /lights.test/lamps/default/a, "))
      << read;
  EXPECT_TRUE(read.ends_with(why)) << read;
  const std::string listed = lamp(Verb::kList, "");
  EXPECT_TRUE(listed.starts_with("429 TooManyRequests: storage is (re)initializing")) << listed;
  EXPECT_TRUE(lamp(Verb::kDelete, "a").ends_with(why));

  // The version is there again: so are its objects.
  ASSERT_EQ(change(kOfTwoVersions), "200");
  AwaitServed(true);
  EXPECT_TRUE(lamp(Verb::kDelete, "a").starts_with("200"));
}

// As upstream: apply fails, and an update says nothing new of the owners.
TEST_F(CustomObjects, WhoeverWroteAVersionThatWasDroppedStaysItsOwner) {
  Define();
  const auto change = [&](std::string_view patch, std::string part = {}) {
    ResourceRequest request =
        Request(Verb::kPatch, "customresourcedefinitions", "", "lamps.lights.test");
    request.subresource = std::move(part);
    request.body = std::string(patch);
    return Do(std::move(request)).substr(0, 3);
  };
  ASSERT_EQ(change(kOfTwoVersions), "200");
  AwaitServed(true, "v2");
  const auto patch_lamp = [&](patch::PatchType type, std::string_view body) {
    ResourceRequest request;
    request.verb = Verb::kPatch;
    request.kind = resources_.scheme().Now()->FindResource("lights.test", "v2", "lamps");
    request.namespace_ = "default";
    request.name = "a";
    request.patch_type = type;
    request.write.field_manager = "me";
    request.body = std::string(body);
    return Do(std::move(request));
  };
  constexpr std::string_view kConfig =
      R"({"apiVersion":"lights.test/v2","kind":"Lamp","metadata":{"name":"a","labels":{"a":"b"}}})";
  ASSERT_EQ(patch_lamp(patch::PatchType::kApply, kConfig).substr(0, 3), "201");
  const auto owned_in = [](std::string_view version) {
    return fmt::format(R"({{"metadata":{{"managedFields":[{{"manager":"she","operation":"Apply",)"
                       R"("apiVersion":"lights.test/{}","fieldsType":"FieldsV1",)"
                       R"("fieldsV1":{{"f:metadata":{{"f:labels":{{"f:x":{{}}}}}}}}}}]}}}})",
                       version);
  };
  const std::string owned = patch_lamp(patch::PatchType::kMerge, owned_in("v1"));
  ASSERT_TRUE(owned.contains(R"("apiVersion":"lights.test/v1")")) << owned;
  ASSERT_EQ(change(R"({"status":{"storedVersions":["v2"]}})", "status"), "200");
  ASSERT_EQ(change(kOfTheSecond), "200");
  AwaitServed(false);  // v1
  EXPECT_EQ(patch_lamp(patch::PatchType::kApply, kConfig),
            "500 : request to convert CR to an invalid group/version: lights.test/v1");
  const std::string updated =
      patch_lamp(patch::PatchType::kMerge, R"({"metadata":{"labels":{"c":"d"}}})");
  EXPECT_TRUE(updated.contains(R"("c":"d")")) << updated;
  EXPECT_TRUE(updated.contains(R"("manager":"she")")) << updated;
  EXPECT_FALSE(updated.contains(R"("manager":"me")")) << updated;
  const std::string freed =
      patch_lamp(patch::PatchType::kMerge, R"({"metadata":{"managedFields":[{}]}})");
  EXPECT_FALSE(freed.contains("managedFields")) << freed;
  EXPECT_TRUE(patch_lamp(patch::PatchType::kApply, kConfig).starts_with("200"));
}

// The first of several definitions of a group that want a name has it; when it goes, the next.
TEST_F(CustomObjects, ANameThatIsFreeAgainGoesToTheNext) {
  Define();
  const auto other = [](std::string_view plural) {
    return fmt::format(
        R"({{"metadata":{{"name":"{0}.lights.test"}},"spec":{{"group":"lights.test",)"
        R"("scope":"Namespaced","names":{{"plural":"{0}","kind":"Lamp"}},"versions":[{{"name":"v1",)"
        R"("served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object"}}}}}}]}}}})",
        plural);
  };
  ASSERT_TRUE(Post("customresourcedefinitions", "", other("torches")).starts_with("201"));
  const auto is_served = [&](std::string_view plural) {
    const MutexLock lock(mutex_);
    while (resources_.scheme().Now()->FindResource("lights.test", "v1", plural) == nullptr) {
      changed_.Wait(mutex_);
    }
  };
  EXPECT_TRUE(Delete("customresourcedefinitions", "", "lamps.lights.test").starts_with("200"));
  is_served("torches");
}

}  // namespace
}  // namespace dray::server::verbs::inline controllers
