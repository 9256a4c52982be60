// SPDX-License-Identifier: Apache-2.0
// Server-side apply and managedFields through the server; api/managed_fields/ tests the rules
// themselves.
#include <string>
#include <string_view>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/meta_v1/object_meta.h"
#include "server/patch/patch.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs::inline write {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ApplyTest : public testing::ServerTest {
 protected:
  ResourceRequest ApplyRequest(std::string_view manager,
                               std::string_view plural,
                               std::string_view name,
                               std::string_view rest) const {
    ResourceRequest request =
        Request(Verb::kPatch, plural, KindOf(plural).namespaced ? "default" : "", name);
    request.patch_type = patch::PatchType::kApply;
    request.write.field_manager = manager;
    const api::KindInfo& kind = *request.kind;
    request.body = R"({"apiVersion":")" + std::string(kind.api_version) + R"(","kind":")" +
                   std::string(kind.kind) + "\"," + std::string(rest) + "}";
    return request;
  }
  std::string Apply(std::string_view manager, std::string_view rest) {
    return Do(ApplyRequest(manager, "configmaps", "a", rest));
  }
  // The managers of the object, such as "one:Apply two:Update:status".
  std::string Owners(std::string_view plural, std::string_view namespace_, std::string_view name) {
    const Answer answer = Ask(Request(Verb::kGet, plural, namespace_, name));
    std::string text;
    for (const auto& entry :
         std::get<ObjectAnswer>(*answer.outcome).item.object.metadata().managed_fields) {
      if (!text.empty()) text += ' ';
      text += entry.manager + ":" + entry.operation;
      if (!entry.subresource.empty()) text += ":" + entry.subresource;
    }
    return text;
  }
};

TEST_F(ApplyTest, CreatesOnceAndThenChangesNothing) {
  const std::string created = Apply("one", R"("metadata":{"name":"a"},"data":{"k":"v"})");
  EXPECT_THAT(created, StartsWith("201 "));
  EXPECT_THAT(created, HasSubstr(R"("fieldsV1":{"f:data":{"f:k":{}}})"));
  const std::string version = VersionOf("configmaps", "default", "a");
  EXPECT_THAT(Apply("one", R"("metadata":{"name":"a"},"data":{"k":"v"})"), StartsWith("200 "));
  EXPECT_EQ(VersionOf("configmaps", "default", "a"), version);
  EXPECT_THAT(Apply("one", R"("metadata":{"name":"a"},"data":{"k":"w"})"),
              HasSubstr(R"("data":{"k":"w"})"));
}

// Values that come from defaults are not a change either.
TEST_F(ApplyTest, OfWhatIsThereIsNoWrite) {
  const std::string rest =
      R"("metadata":{"name":"a"},"spec":{"devices":{"requests":[{"name":"r","exactly":)"
      R"({"deviceClassName":"c"}}]}})";
  EXPECT_THAT(Do(ApplyRequest("one", "v1/resourceclaims", "a", rest)), StartsWith("201 "));
  const std::string version = VersionOf("resourceclaims", "default", "a");
  world_.clock().Advance(std::chrono::seconds(5));
  EXPECT_THAT(Do(ApplyRequest("one", "v1/resourceclaims", "a", rest)), StartsWith("200 "));
  EXPECT_EQ(VersionOf("resourceclaims", "default", "a"), version);
}

TEST_F(ApplyTest, RefusesWhatDoesNotFitThePlace) {
  EXPECT_EQ(Apply("one", R"("metadata":{"name":"b"})"),
            "400 BadRequest: the name of the object (b) does not match the name on the URL (a)");
  EXPECT_EQ(Apply("one", R"("metadata":{"generateName":"a"})"),
            "400 BadRequest: the name of the object (a based on URL) was undeterminable: name must "
            "be provided");
  EXPECT_EQ(Apply("one", R"("metadata":{"name":"a","uid":"x"})"),
            "409 Conflict: Operation cannot be fulfilled on configmaps \"a\": uid mismatch: the "
            "provided object specified uid x, and no existing object was found");
  EXPECT_EQ(Apply("one", R"("metadata":{"name":"a","managedFields":[]})"),
            "400 BadRequest: metadata.managedFields must be nil");
  ResourceRequest list = ApplyRequest("one", "configmaps", "a", "");
  list.body = "[]";
  EXPECT_EQ(Do(std::move(list)),
            "400 BadRequest: error decoding patch: error unmarshaling JSON: while decoding JSON: "
            "json: cannot unmarshal array into Go value of type map[string]interface {}");
  EXPECT_THAT(Read("configmaps", "default", "a"), StartsWith("404 "));
}

TEST_F(ApplyTest, HeedsTheVersionAndUidItNames) {
  Apply("one", R"("metadata":{"name":"a"},"data":{"k":"v"})");
  const std::string version = VersionOf("configmaps", "default", "a");
  EXPECT_THAT(Apply("one", R"("metadata":{"name":"a","resourceVersion":"1"})"),
              StartsWith("409 Conflict: Operation cannot be fulfilled on configmaps \"a\": the "
                         "object has been modified; "));
  EXPECT_THAT(Apply("one", R"("metadata":{"name":"a","uid":"x"})"),
              StartsWith("422 Invalid: ConfigMap \"a\" is invalid: metadata.uid: Invalid value: "
                         "\"x\": field is immutable"));
  EXPECT_THAT(Apply("one", R"("metadata":{"name":"a","resourceVersion":")" + version + R"("})"),
              StartsWith("200 "));
}

TEST_F(ApplyTest, DryRunsShowOwnersAndStoreNothing) {
  ResourceRequest request =
      ApplyRequest("one", "configmaps", "a", R"("metadata":{"name":"a"},"data":{"k":"v"})");
  request.write.dry_run = true;
  EXPECT_THAT(Do(request), HasSubstr(R"("manager":"one")"));
  EXPECT_THAT(Read("configmaps", "default", "a"), StartsWith("404 "));
  Apply("two", R"("metadata":{"name":"a"},"data":{"x":"y"})");
  EXPECT_THAT(Do(request), StartsWith("200 "));
  EXPECT_EQ(Owners("configmaps", "default", "a"), "two:Apply");
}

TEST_F(ApplyTest, ToAnObjectThatIsGoing) {
  Apply("one", R"("metadata":{"name":"a","finalizers":["e.x/f"]})");
  Delete("configmaps", "default", "a");
  EXPECT_THAT(Apply("two", R"("metadata":{"name":"a","labels":{"l":"m"}})"), StartsWith("200 "));
  EXPECT_THAT(Apply("two", R"("metadata":{"name":"a","finalizers":["e.x/g"]})"),
              HasSubstr("no new finalizers can be added if the object is being deleted"));
  // The manager's next configuration removes the last finalizer, and so the object.
  EXPECT_THAT(Apply("one", R"("metadata":{"name":"a"})"), StartsWith("200 "));
  EXPECT_THAT(Read("configmaps", "default", "a"), StartsWith("404 "));
}

TEST_F(ApplyTest, ToAStatusNeedsTheObject) {
  ResourceRequest request = ApplyRequest(
      "driver", "v1/resourceclaims", "a", R"("metadata":{"name":"a"},"status":{"devices":[]})");
  request.subresource = "status";
  EXPECT_THAT(Do(request), StartsWith("404 NotFound: resourceclaims.resource.k8s.io \"a\""));
}

TEST_F(ApplyTest, WritersOfStatusAreManagersOfTheirOwn) {
  Post("resourceclaims",
       "default",
       R"({"metadata":{"name":"a","labels":{"l":"m"}},"spec":{"devices":{}}})");
  ResourceRequest request = Request(Verb::kPatch, "resourceclaims", "default", "a");
  request.subresource = "status";
  request.patch_type = patch::PatchType::kMerge;
  request.write.field_manager = "scheduler";
  request.body = R"({"metadata":{"labels":{"not":"mine"}},"status":{"allocation":{}}})";
  EXPECT_THAT(Do(std::move(request)), StartsWith("200 "));
  EXPECT_EQ(Owners("resourceclaims", "default", "a"), "scheduler:Update:status unknown:Update");
  EXPECT_THAT(Read("resourceclaims", "default", "a"),
              HasSubstr(R"("fieldsV1":{"f:status":{"f:allocation":{".":{},"f:devices":{}}}})"));
}

// A patch that does not name managedFields is applied to a document without them.
TEST_F(ApplyTest, PatchesSeeOwnersOnlyWhenTheyNameThem) {
  Post(
      "configmaps",
      "default",
      R"({"metadata":{"name":"a","annotations":{"n":",\"managedFields\":[1]"}},"data":{"k":"v"}})");
  ResourceRequest request = Request(Verb::kPatch, "configmaps", "default", "a");
  request.patch_type = patch::PatchType::kMerge;
  request.write.field_manager = "two";
  const auto patch = [&](std::string_view body) {
    request.body = std::string(body);
    return Do(request);
  };
  const std::string changed = patch(R"({"data":{"l":"w"}})");
  EXPECT_THAT(changed, StartsWith("200 "));
  EXPECT_THAT(changed, HasSubstr(R"("n":",\"managedFields\":[1]")"));
  EXPECT_EQ(Owners("configmaps", "default", "a"), "two:Update unknown:Update");
  EXPECT_THAT(patch(R"({"metadata":null})"), StartsWith("400 "));
  EXPECT_EQ(Owners("configmaps", "default", "a"), "two:Update unknown:Update");
  // An error about an unreadable result shows the whole document.
  EXPECT_THAT(patch(R"({"data":[]})"), HasSubstr("managedFields"));
  EXPECT_THAT(patch(R"({"metadata":{"managed\u0046ields":[{}]}})"), StartsWith("200 "));
  EXPECT_EQ(Owners("configmaps", "default", "a"), "");
}

TEST_F(ApplyTest, BindingsOwnNothing) {
  Post("pods",
       "default",
       R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  const std::string before = Owners("pods", "default", "p");
  ResourceRequest bind = Request(Verb::kCreate, "pods", "default", "p");
  bind.subresource = "binding";
  bind.write.field_manager = "scheduler";
  bind.body = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})";
  EXPECT_THAT(Do(std::move(bind)), StartsWith("201 "));
  EXPECT_EQ(Owners("pods", "default", "p"), before);
  EXPECT_THAT(Read("pods", "default", "p"), Not(HasSubstr("f:nodeName")));
}

TEST_F(ApplyTest, ConflictsLeaveTheObjectAsItWas) {
  Apply("one", R"("metadata":{"name":"a"},"data":{"k":"v"})");
  const std::string before = Read("configmaps", "default", "a");
  EXPECT_EQ(Apply("two", R"("metadata":{"name":"a"},"data":{"k":"w"})"),
            "409 Conflict: Apply failed with 1 conflict: conflict with \"one\": .data.k");
  EXPECT_EQ(Read("configmaps", "default", "a"), before);
  ResourceRequest forced =
      ApplyRequest("two", "configmaps", "a", R"("metadata":{"name":"a"},"data":{"k":"w"})");
  forced.write.force = true;
  EXPECT_THAT(Do(std::move(forced)), HasSubstr(R"("data":{"k":"w"})"));
  EXPECT_EQ(Owners("configmaps", "default", "a"), "two:Apply");
}

TEST_F(ApplyTest, NewNamespacesBelongToTheServer) {
  EXPECT_EQ(Owners("namespaces", "", "kube-system"), "kube-apiserver:Update");
}

// The manager that applies a scale owns replicas, through the subresource.
TEST_F(ApplyTest, TheScaleOfAWorkloadHasOwnersToo) {
  const std::string spec = R"("spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},)"
                           R"("template":{"metadata":{"labels":{"a":"b"}},"spec":)"
                           R"({"containers":[{"name":"c","image":"i"}]}}})";
  EXPECT_THAT(Do(ApplyRequest("one", "deployments", "d", R"("metadata":{"name":"d"},)" + spec)),
              StartsWith("201 "));
  const auto scale_to = [&](std::string_view manager, std::string_view replicas, bool force) {
    ResourceRequest request = ApplyRequest(manager, "deployments", "d", "");
    request.subresource = "scale";
    request.write.force = force;
    request.body = R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},)"
                   R"("spec":{"replicas":)" +
                   std::string(replicas) + "}}";
    return Do(std::move(request));
  };
  EXPECT_THAT(scale_to("two", "1", false), StartsWith("200 "));
  EXPECT_EQ(Owners("deployments", "default", "d"), "two:Apply:scale one:Apply");
  EXPECT_THAT(scale_to("two", "3", false),
              StartsWith("409 Conflict: Apply failed with 1 conflict: conflict with \"one\": "
                         ".spec.replicas"));
  EXPECT_THAT(scale_to("two", "3", true), HasSubstr(R"("spec":{"replicas":3})"));
  EXPECT_THAT(Do(ApplyRequest("one", "deployments", "d", R"("metadata":{"name":"d"},)" + spec)),
              HasSubstr("conflict with \"two\" with subresource \"scale\": .spec.replicas"));
  EXPECT_THAT(scale_to("two", "-1", true), HasSubstr("must be greater than or equal to 0"));
  ResourceRequest nameless = ApplyRequest("two", "deployments", "d", "");
  nameless.subresource = "scale";
  nameless.body =
      std::string(R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":3}})");
  EXPECT_THAT(Do(nameless), StartsWith("200 "));
}

TEST_F(ApplyTest, AScaleThatIsUpdatedIsInConflictUnderItsOwnVersion) {
  Post("deployments", "default", R"({"metadata":{"name":"d"},"spec":{
      "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  ResourceRequest update = Request(Verb::kUpdate, "deployments", "default", "d");
  update.subresource = "scale";
  update.write.field_manager = "two";
  update.body = std::string(R"({"metadata":{"name":"d"},"spec":{"replicas":3}})");
  EXPECT_THAT(Do(update), StartsWith("200 "));
  EXPECT_THAT(Owners("deployments", "default", "d"), HasSubstr("two:Update:scale"));
  ResourceRequest request = ApplyRequest("three", "deployments", "d", "");
  request.subresource = "scale";
  request.body =
      std::string(R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},)"
                  R"("spec":{"replicas":4}})");
  EXPECT_THAT(Do(request),
              HasSubstr("conflict with \"two\" with subresource \"scale\" using autoscaling/v1: "
                        ".spec.replicas"));
}

// A scheduler and a driver that write through other versions and subresources do not conflict.
TEST_F(ApplyTest, OwnersLastAcrossVersionsAndSubresources) {
  const auto apply = [&](std::string_view version, std::string_view part, std::string_view rest) {
    ResourceRequest request = Request(Verb::kPatch, "resourceclaims", "default", "c");
    request.kind = scheme_.FindKind("resource.k8s.io/" + std::string(version), "ResourceClaim");
    request.patch_type = patch::PatchType::kApply;
    request.subresource = part;
    request.write.field_manager = part.empty() ? "driver" : "scheduler";
    request.body = R"({"apiVersion":"resource.k8s.io/)" + std::string(version) +
                   R"(","kind":"ResourceClaim","metadata":{"name":"c"},)" + std::string(rest) + "}";
    return Do(std::move(request));
  };
  const std::string_view spec = R"("spec":{"devices":{"config":[{"opaque":{"driver":"d.io",)"
                                R"("parameters":{"a":1}}}]}})";
  const std::string_view status = R"("status":{"reservedFor":[{"resource":"pods","name":"p",)"
                                  R"("uid":"u"}]})";
  EXPECT_THAT(apply("v1beta1", "", spec), StartsWith("201 "));
  for (const std::string_view version : {"v1", "v1beta2", "v1beta1"}) {
    EXPECT_THAT(apply(version, "", spec), StartsWith("200 ")) << version;
    EXPECT_THAT(apply(version, "status", status), Not(StartsWith("409 "))) << version;
  }
  EXPECT_THAT(Owners("resourceclaims", "default", "c"), HasSubstr("driver:Apply"));
}

}  // namespace
}  // namespace dray::server::verbs::inline write
