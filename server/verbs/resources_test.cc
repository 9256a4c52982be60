// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/resources.h"

#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/generate_name.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ResourcesTest : public testing::ServerTest {};

TEST_F(ResourcesTest, CreateFillsInWhatTheServerOwns) {
  const std::string made = Post("deviceclasses", "", R"({"metadata":{"name":"gpu","uid":"mine",
      "generation":7,"deletionTimestamp":"2020-01-01T00:00:00Z","selfLink":"x"},"spec":{}})");
  EXPECT_THAT(made, StartsWith("201 "));
  EXPECT_THAT(made, HasSubstr(R"("generation":1)"));
  EXPECT_THAT(made, HasSubstr(R"("creationTimestamp":"2026-01-01T00:00:00Z")"));
  EXPECT_THAT(made, HasSubstr(R"("resourceVersion":")"));
  EXPECT_THAT(made, Not(HasSubstr("mine")));
  EXPECT_THAT(made, Not(HasSubstr("deletionTimestamp")));
  EXPECT_THAT(made, Not(HasSubstr("selfLink")));
  EXPECT_EQ("200" + made.substr(3), Read("deviceclasses", "", "gpu"));
}

TEST_F(ResourcesTest, CreateWipesTheStatusOfClaims) {
  const std::string made = Post("resourceclaims", "default", R"({"metadata":{"name":"a"},
      "spec":{"devices":{}},"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})");
  EXPECT_THAT(made, StartsWith("201 "));
  EXPECT_THAT(made, HasSubstr(R"("status":{}})"));
}

struct BadCreate {
  const char* resource;
  const char* namespace_;
  const char* body;
  const char* answer;
};
constexpr BadCreate kBadCreates[] = {
    {"deviceclasses",
     "",
     R"({"metadata":{"name":"there"},"spec":{}})",
     R"(409 AlreadyExists: deviceclasses.resource.k8s.io "there" already exists)"},
    {"resourceclaims",
     "nowhere",
     R"({"metadata":{"name":"a"},"spec":{"devices":{}}})",
     R"(404 NotFound: namespaces "nowhere" not found)"},
    {"resourceclaims",
     "default",
     R"({"metadata":{"name":"a","namespace":"other"}})",
     "400 BadRequest: the namespace of the provided object does not match the namespace sent on "
     "the "
     "request"},
    {"deviceclasses",
     "",
     R"({"metadata":{"name":"a","resourceVersion":"1"}})",
     "500 : resourceVersion should not be set on objects to be created"},
    {"resourceclaims",
     "default",
     R"({"metadata":{"name":"A b","resourceVersion":"1"},"spec":{"devices":{}}})",
     R"(422 Invalid: ResourceClaim.resource.k8s.io "A b" is invalid: metadata.name: Invalid value: "A b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))"},
    {"deviceclasses",
     "",
     R"({"metadata":{}})",
     R"(422 Invalid: DeviceClass.resource.k8s.io "" is invalid: metadata.name: Required value: name or generateName is required)"},
    {"deviceclasses",
     "",
     R"({"metadata":{"name":"a","finalizers":["orphan","foregroundDeletion"]}})",
     R"(422 Invalid: DeviceClass.resource.k8s.io "a" is invalid: metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set)"},
    {"deviceclasses",
     "",
     R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1"})",
     R"(400 BadRequest: ResourceSlice in version "v1" cannot be handled as a DeviceClass: converting (v1.ResourceSlice) to (v1.DeviceClass): unknown conversion)"},
    {"deviceclasses",
     "",
     "",
     "400 BadRequest: the object provided is unrecognized (must be of type DeviceClass): couldn't "
     "get "
     "version/kind; json parse error: unexpected end of JSON input (<empty>)"},
};

// A client that has read a lease, which was then deleted, creates it again by PUT.
TEST_F(ResourcesTest, APutThatMakesTheObjectForgetsItsVersion) {
  EXPECT_THAT(
      Put("leases", "default", "l", R"({"metadata":{"name":"l","resourceVersion":"5"},"spec":{}})"),
      StartsWith("201 "));
  EXPECT_NE(VersionOf("leases", "default", "l"), "5");
}

TEST_F(ResourcesTest, ANamespaceOfAnObjectThatHasNoneIsPassedOver) {
  constexpr std::string_view kNode = R"({"metadata":{"name":"n","namespace":"default"}})";
  EXPECT_THAT(Post("nodes", "", std::string(kNode)),
              AllOf(StartsWith("201 "), Not(HasSubstr("namespace"))));
  EXPECT_THAT(Put("nodes", "", "n", std::string(kNode)),
              AllOf(StartsWith("200 "), Not(HasSubstr("namespace"))));
}

TEST_F(ResourcesTest, BadCreatesAreRefusedAndChangeNothing) {
  ASSERT_THAT(Post("deviceclasses", "", R"({"metadata":{"name":"there"},"spec":{}})"),
              StartsWith("201"));
  const Revision before = store_.Read()->revision();
  for (const BadCreate& bad : kBadCreates) {
    EXPECT_EQ(Post(bad.resource, bad.namespace_, bad.body), bad.answer);
  }
  EXPECT_EQ(store_.Read()->revision(), before);
}

// As upstream, whose strategies warn after validation.
TEST_F(ResourcesTest, WarningsAreAboutWhatIsValid) {
  constexpr std::string_view kSlice =
      R"({"metadata":{"name":"a"},"spec":{"driver":"Gpu.example.com",
      "nodeName":"n","pool":{"name":"POOL","resourceSliceCount":1},"devices":[]}})";
  const auto with_pool = [&](std::string_view pool) {
    return std::string(kSlice).replace(kSlice.find("POOL"), 4, pool);
  };
  EXPECT_THAT(Post("resourceslices", "", with_pool("")), StartsWith("422 "));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(Post("resourceslices", "", with_pool("p")), StartsWith("201 "));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("should be lowercase")));
  EXPECT_THAT(Put("resourceslices", "", "a", with_pool("")), StartsWith("422 "));
  EXPECT_THAT(warnings_, IsEmpty());
}

// The prefix is cut at 58 bytes, for kinds of longer names too.
TEST_F(ResourcesTest, GenerateNameIsCutAndGetsASuffix) {
  using api::kGeneratePrefixMax;
  for (const size_t asked : {kGeneratePrefixMax - 1, kGeneratePrefixMax, kGeneratePrefixMax + 1}) {
    const std::string prefix(asked, 'x');
    const std::string kept = prefix.substr(0, kGeneratePrefixMax);
    EXPECT_THAT(
        Post("deviceclasses", "", R"({"metadata":{"generateName":")" + prefix + R"("},"spec":{}})"),
        ::testing::ContainsRegex("\"name\":\"" + kept + "[b-z2-9]{5}\""));
  }
}

// The store refuses an object with a version: after all rules, and not in a dry run.
TEST_F(ResourcesTest, ANewObjectMayHaveAVersionWhereNothingIsStoredOrTheVersionIsNoNumber) {
  ResourceRequest request = Request(Verb::kCreate, "deviceclasses", "", "");
  request.body = std::string(R"({"metadata":{"name":"a","resourceVersion":"5"},"spec":{}})");
  request.write.dry_run = true;
  EXPECT_THAT(Do(request), StartsWith("201 "));
  request.write.dry_run = false;
  EXPECT_THAT(Do(request), StartsWith("500 "));
  for (const std::string version : {"0", "x", "-1"}) {
    const std::string metadata =
        R"({"name":"v)" + version + R"(","resourceVersion":")" + version + R"("})";
    EXPECT_THAT(Post("deviceclasses", "", R"({"metadata":)" + metadata + R"(,"spec":{}})"),
                StartsWith("201 "));
  }
}

TEST_F(ResourcesTest, DryRunShowsWhatWouldBeAndStoresNothing) {
  const Revision before = store_.Read()->revision();
  ResourceRequest request = Request(Verb::kCreate, "deviceclasses", "", "");
  request.body = std::string(R"({"metadata":{"name":"a"},"spec":{}})");
  request.write.dry_run = true;
  const std::string made = Do(request);
  EXPECT_THAT(made, StartsWith("201 "));
  EXPECT_THAT(made, HasSubstr("\"uid\""));
  EXPECT_THAT(made, Not(HasSubstr("resourceVersion")));
  EXPECT_EQ(store_.Read()->revision(), before);
}

TEST_F(ResourcesTest, UnknownFieldsWarnOrFailAsAsked) {
  ResourceRequest request = Request(Verb::kCreate, "deviceclasses", "", "");
  request.body = std::string(R"({"metadata":{"name":"a"},"spec":{"foo":1},"bar":2})");
  request.write.dry_run = true;
  EXPECT_THAT(Do(request), StartsWith("201 "));
  EXPECT_THAT(
      warnings_,
      ::testing::UnorderedElementsAre("unknown field \"spec.foo\"", "unknown field \"bar\""));
  request.write.field_validation = FieldValidation::kIgnore;
  EXPECT_THAT(Do(request), StartsWith("201 "));
  EXPECT_THAT(warnings_, ::testing::IsEmpty());
  request.write.field_validation = FieldValidation::kStrict;
  EXPECT_EQ(
      Do(request),
      "400 BadRequest: DeviceClass in version \"v1\" cannot be handled as a DeviceClass: strict "
      "decoding error: unknown field \"spec.foo\", unknown field \"bar\"");
}

TEST_F(ResourcesTest, ABodyInAnotherVersionIsReadAsWhatItSays) {
  ResourceRequest request = Request(Verb::kCreate, "v1beta1/deviceclasses", "", "");
  request.body =
      R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"a"},"foo":1})";
  EXPECT_EQ(Do(request),
            "400 BadRequest: the API version in the data (resource.k8s.io/v1) does not match the "
            "expected API version (resource.k8s.io/v1beta1)");
  EXPECT_THAT(warnings_, ::testing::ElementsAre("unknown field \"foo\""));
  request.write.field_validation = FieldValidation::kStrict;
  EXPECT_THAT(Do(request), ::testing::HasSubstr("strict decoding error: unknown field \"foo\""));
}

TEST_F(ResourcesTest, APatchedObjectThatCannotBeReadIsShownAsAWhole) {
  Post("configmaps",
       "default",
       R"({"metadata":{"name":"a"},"data":{"k":")" + std::string(2000, 'x') + R"("}})");
  ResourceRequest request = Request(Verb::kPatch, "configmaps", "default", "a");
  request.patch_type = patch::PatchType::kMerge;
  request.write.field_validation = FieldValidation::kStrict;
  request.body = R"({"foo":1})";
  EXPECT_THAT(Do(request),
              ::testing::HasSubstr("xxx…}\": strict decoding error: unknown field \"foo\""));
}

// Clients match these texts.
TEST_F(ResourcesTest, UpdatesCompareVersionAndUid) {
  Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})");
  const std::string version = VersionOf("deviceclasses", "", "a");
  EXPECT_THAT(
      Put("deviceclasses",
          "",
          "a",
          R"({"metadata":{"name":"a","labels":{"x":"1"},"resourceVersion":")" + version + R"("}})"),
      StartsWith("200 "));
  EXPECT_THAT(
      Put("deviceclasses",
          "",
          "a",
          R"({"metadata":{"name":"a","labels":{"x":"2"},"resourceVersion":")" + version + R"("}})"),
      StartsWith("409 Conflict: Operation cannot be fulfilled on "
                 "deviceclasses.resource.k8s.io \"a\": the object has been modified; "));
  EXPECT_THAT(Put("deviceclasses", "", "a", R"({"metadata":{"name":"a","uid":"other"}})"),
              HasSubstr("StorageError: invalid object, Code: 4, Key: /registry/deviceclasses/a, "
                        "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
                        "precondition: other, UID in object meta: "));
  EXPECT_EQ(Put("deviceclasses", "", "a", R"({"metadata":{"name":"b"}})"),
            "400 BadRequest: the name of the object (b) does not match the name on the URL (a)");
  EXPECT_EQ(Put("deviceclasses", "", "a", R"({"metadata":{}})"),
            "400 BadRequest: the name of the object (a based on URL) was undeterminable: name must "
            "be provided");
  EXPECT_EQ(Put("deviceclasses", "", "none", R"({"metadata":{"name":"none"}})"),
            "404 NotFound: deviceclasses.resource.k8s.io \"none\" not found");
}

// Otherwise controllers that write unchanged objects would trigger each other without end.
TEST_F(ResourcesTest, AnUpdateThatChangesNothingWritesNothing) {
  Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})");
  const Revision before = store_.Read()->revision();
  EXPECT_EQ(Put("deviceclasses", "", "a", R"({"metadata":{"name":"a"},"spec":{}})"),
            Read("deviceclasses", "", "a"));
  EXPECT_EQ(store_.Read()->revision(), before);
}

TEST_F(ResourcesTest, GenerationGrowsWithTheSpecOnly) {
  Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})");
  EXPECT_THAT(Put("deviceclasses", "", "a", R"({"metadata":{"name":"a","labels":{"x":"y"}}})"),
              HasSubstr(R"("generation":1)"));
  EXPECT_THAT(
      Put("deviceclasses",
          "",
          "a",
          R"({"metadata":{"name":"a","generation":9},"spec":{"extendedResourceName":"e.x/y"}})"),
      HasSubstr(R"("generation":2)"));
}

TEST_F(ResourcesTest, ObjectAndStatusKeepTheOtherHalf) {
  Post("resourceclaims", "default", R"({"metadata":{"name":"a"},"spec":{"devices":{}}})");
  ResourceRequest request = Request(Verb::kUpdate, "resourceclaims", "default", "a");
  request.subresource = "status";
  request.body = std::string(R"({"metadata":{"name":"a","labels":{"x":"y"}},
      "spec":{"devices":{"config":[{"requests":["r"]}]}},
      "status":{"allocation":{},"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})");
  const std::string changed = Do(request);
  EXPECT_THAT(changed, HasSubstr("reservedFor"));
  EXPECT_THAT(changed, Not(HasSubstr("labels")));
  EXPECT_THAT(changed, Not(HasSubstr("config")));
  EXPECT_THAT(Put("resourceclaims",
                  "default",
                  "a",
                  R"({"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"devices":{}}})"),
              AllOf(HasSubstr("reservedFor"), HasSubstr("labels")));
}

TEST_F(ResourcesTest, DeletionWaitsForFinalizers) {
  Post("deviceclasses", "", R"({"metadata":{"name":"a","finalizers":["x.io/hold"]},"spec":{}})");
  const std::string marked = Delete("deviceclasses", "", "a");
  EXPECT_THAT(marked,
              AllOf(StartsWith("200 "),
                    HasSubstr("deletionTimestamp"),
                    HasSubstr(R"("deletionGracePeriodSeconds":0)"),
                    HasSubstr(R"("generation":2)")));
  EXPECT_EQ(Delete("deviceclasses", "", "a"), marked);
  EXPECT_THAT(Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})"),
              StartsWith("409 AlreadyExists: object is being deleted: deviceclasses"));
  EXPECT_EQ(Put("deviceclasses",
                "",
                "a",
                R"({"metadata":{"name":"a","finalizers":["x.io/hold","x.io/more"]}})"),
            "422 Invalid: DeviceClass.resource.k8s.io \"a\" is invalid: metadata.finalizers: "
            "Forbidden: no new finalizers can be added if the object is being deleted, found new "
            "finalizers []string{\"x.io/more\"}");
  EXPECT_THAT(Put("deviceclasses", "", "a", R"({"metadata":{"name":"a"}})"), StartsWith("200 "));
  EXPECT_THAT(Read("deviceclasses", "", "a"), StartsWith("404 "));
}

TEST_F(ResourcesTest, PropagationPoliciesBecomeFinalizers) {
  Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})");
  ResourceRequest request = Request(Verb::kDelete, "deviceclasses", "", "a");
  request.delete_options.propagation_policy = "Foreground";
  EXPECT_THAT(Do(request), HasSubstr(R"("finalizers":["foregroundDeletion"])"));
  request.delete_options.propagation_policy = "Orphan";
  EXPECT_THAT(Do(request), HasSubstr(R"("finalizers":["orphan"])"));
  request.delete_options.propagation_policy = "Background";
  EXPECT_THAT(Do(request), StartsWith("200 "));
  EXPECT_THAT(Read("deviceclasses", "", "a"), StartsWith("404 "));
}

// Jobs are older than garbage collection: by default it orphans their pods.
TEST_F(ResourcesTest, JobsLeaveTheirPodsBehindUnlessTold) {
  Post("jobs", "default", R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{
      "restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
  EXPECT_THAT(Delete("jobs", "default", "j"), HasSubstr(R"("finalizers":["orphan"])"));
  ResourceRequest request = Request(Verb::kDelete, "jobs", "default", "j");
  const Answer answer = *Wait(resources_.Handle(request));
  EXPECT_THAT(answer.warnings,
              ElementsAre(StartsWith("child pods are preserved by default when jobs are deleted")));
  request.delete_options.propagation_policy = "Background";
  EXPECT_THAT(Wait(resources_.Handle(request))->warnings, IsEmpty());
  EXPECT_THAT(Read("jobs", "default", "j"), StartsWith("404 "));
}

TEST_F(ResourcesTest, EventsHaveNoDependents) {
  Post("events", "default", R"({"metadata":{"name":"e","namespace":"default"},
      "involvedObject":{"namespace":"default"}})");
  ResourceRequest request = Request(Verb::kDelete, "events", "default", "e");
  request.delete_options.propagation_policy = "Foreground";
  EXPECT_THAT(Do(request), StartsWith("200 "));
  EXPECT_THAT(Read("events", "default", "e"), StartsWith("404 "));
}

// A recreated object is not the object that the client meant.
TEST_F(ResourcesTest, PreconditionsOfDeletion) {
  Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})");
  ResourceRequest request = Request(Verb::kDelete, "deviceclasses", "", "a");
  request.delete_options.preconditions.emplace().uid = "other";
  EXPECT_THAT(
      Do(request),
      StartsWith("409 Conflict: Operation cannot be fulfilled on DeviceClass.resource.k8s.io "
                 "\"a\": the UID in the precondition (other) does not match the UID in "
                 "record ("));
  request.delete_options.preconditions.emplace().resource_version = "1";
  EXPECT_THAT(Do(request), HasSubstr("the ResourceVersion in the precondition (1) does not match"));
  request.delete_options.preconditions->resource_version = VersionOf("deviceclasses", "", "a");
  EXPECT_THAT(Do(request), StartsWith("200 "));
}

TEST_F(ResourcesTest, PodsEndGracefullyOnceTheyHaveANode) {
  const char* pod = R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],
      "nodeName":"n","terminationGracePeriodSeconds":10}})";
  Post("pods", "default", pod);
  EXPECT_THAT(Delete("pods", "default", "p"),
              AllOf(HasSubstr(R"("deletionTimestamp":"2026-01-01T00:00:10Z")"),
                    HasSubstr(R"("deletionGracePeriodSeconds":10)")));
  EXPECT_THAT(Read("pods", "default", "p"), StartsWith("200 "));
  ResourceRequest request = Request(Verb::kDelete, "pods", "default", "p");
  request.delete_options.grace_period_seconds = 0;
  EXPECT_THAT(Do(request), StartsWith("200 "));
  EXPECT_THAT(Read("pods", "default", "p"), StartsWith("404 "));
}

TEST_F(ResourcesTest, TheGracePeriodMayOnlyShrink) {
  Post("pods",
       "default",
       R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],
      "nodeName":"n","terminationGracePeriodSeconds":10}})");
  ResourceRequest request = Request(Verb::kDelete, "pods", "default", "p");
  request.delete_options.grace_period_seconds = 20;
  EXPECT_THAT(Do(request), HasSubstr(R"("deletionGracePeriodSeconds":20)"));
  request.delete_options.grace_period_seconds = std::nullopt;
  EXPECT_THAT(Do(request), HasSubstr(R"("deletionGracePeriodSeconds":20)"));
  request.delete_options.grace_period_seconds = 5;
  EXPECT_THAT(Do(request),
              AllOf(HasSubstr(R"("deletionTimestamp":"2026-01-01T00:00:05Z")"),
                    HasSubstr(R"("deletionGracePeriodSeconds":5)")));
}

TEST_F(ResourcesTest, AGracePeriodThatIsOverEndsNow) {
  Post("pods",
       "default",
       R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],
      "nodeName":"n","terminationGracePeriodSeconds":60}})");
  Delete("pods", "default", "p");
  world_.clock().Advance(std::chrono::seconds(30));
  ResourceRequest request = Request(Verb::kDelete, "pods", "default", "p");
  request.delete_options.grace_period_seconds = 20;
  EXPECT_THAT(Do(request),
              AllOf(HasSubstr(R"("deletionTimestamp":"2026-01-01T00:00:30Z")"),
                    HasSubstr(R"("deletionGracePeriodSeconds":1)")));
}

TEST_F(ResourcesTest, GracePeriodsEndInAYearThatCanBeWritten) {
  const char* pod = R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],
      "nodeName":"n"}})";
  Post("pods", "default", pod);
  ResourceRequest request = Request(Verb::kDelete, "pods", "default", "p");
  for (const int64_t seconds : {int64_t{1'000'000'000'000}, std::numeric_limits<int64_t>::max()}) {
    request.delete_options.grace_period_seconds = seconds;
    EXPECT_THAT(Do(request),
                AllOf(HasSubstr(R"("deletionTimestamp":"9999-12-31T23:59:59Z")"),
                      HasSubstr(R"("deletionGracePeriodSeconds":251635075199)")));
  }
  request.delete_options.grace_period_seconds = 30;
  EXPECT_THAT(Do(request), HasSubstr(R"("deletionTimestamp":"2026-01-01T00:00:30Z")"));
}

TEST_F(ResourcesTest, PodsWithoutANodeGoAtOnce) {
  Post("pods",
       "default",
       R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  EXPECT_THAT(Delete("pods", "default", "p"), StartsWith("200 "));
  EXPECT_THAT(Read("pods", "default", "p"), StartsWith("404 "));
}

TEST_F(ResourcesTest, BindingPutsAPodOnANodeOnce) {
  Post("pods",
       "default",
       R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  ResourceRequest request = Request(Verb::kCreate, "pods", "default", "p");
  request.subresource = "binding";
  request.body = std::string(R"({"metadata":{"name":"p","annotations":{"k":"v"}},
      "target":{"kind":"Node","name":"n"}})");
  EXPECT_THAT(Do(request), HasSubstr(R"("status":"Success")"));
  EXPECT_THAT(Read("pods", "default", "p"),
              AllOf(HasSubstr(R"("nodeName":"n")"),
                    HasSubstr(R"("type":"PodScheduled")"),
                    HasSubstr(R"("annotations":{"k":"v"})")));
  EXPECT_EQ(Do(request),
            "409 Conflict: Operation cannot be fulfilled on pods/binding \"p\": pod p is already "
            "assigned to node \"n\"");
}

TEST_F(ResourcesTest, BindingEndsTheNomination) {
  const struct {
    api::Release release;
    bool stays;
  } cases[] = {{api::Release::kAny, false},
               {api::Release::kNewest, false},
               {api::Release::k1_35, false},
               {api::Release::k1_34, true}};
  for (const auto& test : cases) {
    Post("pods",
         "default",
         R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    ResourceRequest nominate = Request(Verb::kUpdate, "pods", "default", "p");
    nominate.subresource = "status";
    nominate.body = std::string(R"({"metadata":{"name":"p"},"status":{"nominatedNodeName":"n"}})");
    EXPECT_THAT(Do(nominate), HasSubstr(R"("nominatedNodeName":"n")"));
    ResourceRequest bind = Request(Verb::kCreate, "pods", "default", "p");
    bind.subresource = "binding";
    bind.release = test.release;
    bind.body = std::string(R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})");
    EXPECT_THAT(Do(bind), HasSubstr(R"("status":"Success")"));
    EXPECT_EQ(Read("pods", "default", "p").contains(R"("nominatedNodeName":"n")"), test.stays);
    ResourceRequest away = Request(Verb::kDelete, "pods", "default", "p");
    away.delete_options.grace_period_seconds = 0;
    EXPECT_THAT(Do(away), StartsWith("200 "));
  }
}

TEST_F(ResourcesTest, NamespacesTakeNothingInOnceTheyTerminate) {
  EXPECT_THAT(Post("namespaces", "", R"({"metadata":{"name":"going"}})"),
              AllOf(HasSubstr(R"("kubernetes.io/metadata.name":"going")"),
                    HasSubstr(R"("finalizers":["kubernetes"])"),
                    HasSubstr(R"("phase":"Active")")));
  EXPECT_THAT(Delete("namespaces", "", "going"), HasSubstr(R"("phase":"Terminating")"));
  EXPECT_EQ(
      Post("pods", "going", R"({"metadata":{"name":"p"},"spec":{}})"),
      "403 Forbidden: pods \"p\" is forbidden: unable to create new content in namespace going "
      "because it is being terminated");
  EXPECT_EQ(
      Delete("namespaces", "", "default"),
      "403 Forbidden: namespaces \"default\" is forbidden: this namespace may not be deleted");
  ResourceRequest request = Request(Verb::kUpdate, "namespaces", "", "going");
  request.subresource = "finalize";
  request.body = std::string(R"({"metadata":{"name":"going"},"spec":{}})");
  EXPECT_THAT(Do(request), StartsWith("200 "));
  EXPECT_THAT(Read("namespaces", "", "going"), StartsWith("404 "));
}

TEST_F(ResourcesTest, DeleteCollectionRemovesWhatIsSelected) {
  Post("deviceclasses", "", R"({"metadata":{"name":"a","labels":{"x":"1"}},"spec":{}})");
  Post("deviceclasses", "", R"({"metadata":{"name":"b","labels":{"x":"2"}},"spec":{}})");
  ResourceRequest request = Request(Verb::kDeleteCollection, "deviceclasses", "", "");
  request.list.label_selector = "x=1";
  EXPECT_EQ(Names(request), "a");
  EXPECT_EQ(Names(Request(Verb::kList, "deviceclasses", "", "")), "b");
}

// Clients compare versions as numbers, across resources.
TEST_F(ResourcesTest, VersionsAreNumbersOfOneCounter) {
  uint64_t last = 0;
  const auto grows = [&](std::string_view plural, std::string_view namespace_) {
    const std::string text = VersionOf(plural, namespace_, "a");
    uint64_t version = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
    EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << text;
    EXPECT_GT(version, last) << plural;
    last = version;
  };
  Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{}})");
  grows("deviceclasses", "");
  Post("configmaps", "default", R"({"metadata":{"name":"a"}})");
  grows("configmaps", "default");
  Put("deviceclasses", "", "a", R"({"metadata":{"name":"a","labels":{"x":"y"}},"spec":{}})");
  grows("deviceclasses", "");
}

// Clients wait for the deletion of the namespace.
TEST_F(ResourcesTest, ANamespaceThatIsDeletedIsThereUntilItIsEmptied) {
  Post("namespaces", "", R"({"metadata":{"name":"going"}})");
  EXPECT_THAT(Delete("namespaces", "", "going"),
              AllOf(StartsWith("200 "),
                    HasSubstr("deletionTimestamp"),
                    HasSubstr(R"("phase":"Terminating")")));
  EXPECT_THAT(Read("namespaces", "", "going"), HasSubstr(R"("finalizers":["kubernetes"])"));
}

// kube-scheduler is ready when it has listed all of these.
TEST_F(ResourcesTest, WhateverASchedulerFollowsIsServed) {
  for (const char* plural : {"nodes",
                             "pods",
                             "namespaces",
                             "services",
                             "replicationcontrollers",
                             "replicasets",
                             "statefulsets",
                             "poddisruptionbudgets",
                             "persistentvolumes",
                             "persistentvolumeclaims",
                             "storageclasses",
                             "csinodes",
                             "csidrivers",
                             "csistoragecapacities",
                             "volumeattachments",
                             "resourceclaims",
                             "resourceslices",
                             "deviceclasses"}) {
    const Result<Answer> answer = Wait(resources_.Handle(Request(Verb::kList, plural, "", "")));
    EXPECT_TRUE(answer.has_value() && answer->outcome.has_value()) << plural;
  }
}

// A value that changed on a round trip would make controllers write it again and again.
TEST_F(ResourcesTest, LargeNumbersAndQuantitiesComeBackAsTheyWere) {
  const std::string made = Post("deviceclasses", "", R"({"metadata":{"name":"a"},"spec":{"config":[
      {"opaque":{"driver":"d.io","parameters":{"n":9223372036854775807,"f":0.1}}}]}})");
  EXPECT_THAT(made, HasSubstr(R"({"n":9223372036854775807,"f":0.1})"));
  EXPECT_THAT(Read("deviceclasses", "", "a"), HasSubstr(R"({"n":9223372036854775807,"f":0.1})"));
  const std::string pod = R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i",
      "resources":{"requests":{"cpu":"0.5","memory":"1024Mi"}}}]}})";
  EXPECT_THAT(Post("pods", "default", pod), HasSubstr(R"({"cpu":"500m","memory":"1Gi"})"));
  const std::string version = VersionOf("pods", "default", "p");
  ResourceRequest request = Request(Verb::kPatch, "pods", "default", "p");
  request.patch_type = patch::PatchType::kMerge;
  request.body = std::string(R"({"metadata":{"labels":{}}})");
  EXPECT_THAT(Do(request), StartsWith("200 "));
  EXPECT_EQ(VersionOf("pods", "default", "p"), version);
}

}  // namespace
}  // namespace dray::server::verbs
