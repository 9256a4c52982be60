// SPDX-License-Identifier: Apache-2.0
// The common steps of writes; tests/vectors/validation_vectors_test.cc measures what single kinds
// add to them.
#include "server/registry/write.h"

#include <chrono>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/apps_v1/deployment.h"
#include "api/codec/json.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/pod.h"
#include "api/feature_gates.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"

namespace dray::server::registry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};

const api::KindInfo& Slices() {
  return api::Reflected<api::resource_v1::ResourceSlice>::kKind;
}

const api::KindInfo& Claims() {
  return api::Reflected<api::resource_v1::ResourceClaim>::kKind;
}

api::Object Read(const api::KindInfo& kind, std::string_view json) {
  auto object = DecodeForStore(kind, json, api::Release::kAny, kNow, nullptr);
  EXPECT_TRUE(object.has_value()) << json;
  return *std::move(object);
}

WriteContext ContextFor(const api::KindInfo& kind, Subresource subresource = Subresource::kNone) {
  return {.now = kNow, .uid = "new", .subresource = subresource, .options = {.version = &kind}};
}

std::string Slice(std::string_view driver, std::string_view pool) {
  return std::string(R"({"metadata":{"name":"a"},"spec":{"driver":")")
      .append(driver)
      .append(R"(","nodeName":"n","pool":{"name":")")
      .append(pool)
      .append(R"(","resourceSliceCount":1},"devices":[]}})");
}

TEST(BeforeCreate, WarnsAboutWhatIsValid) {
  api::Object slice = Read(Slices(), Slice("Gpu.example.com", "p"));
  const auto warnings = BeforeCreate(StrategyOf(Slices()), slice, ContextFor(Slices()));
  ASSERT_TRUE(warnings.has_value()) << warnings.error().message;
  EXPECT_THAT(*warnings, ElementsAre(HasSubstr("driver names should be lowercase")));
}

TEST(BeforeCreate, RefusesWithoutWarnings) {
  api::Object slice = Read(Slices(), Slice("Gpu.example.com", ""));
  const auto warnings = BeforeCreate(StrategyOf(Slices()), slice, ContextFor(Slices()));
  ASSERT_FALSE(warnings.has_value());
  EXPECT_THAT(warnings.error().message, HasSubstr("spec.pool.name"));
  EXPECT_THAT(warnings.error().message, Not(HasSubstr("lowercase")));
}

TEST(BeforeCreate, SaysWhatOnlyTheServerMaySay) {
  api::Object claim = Read(Claims(), R"({"metadata":{"name":"a","namespace":"b","uid":"mine",
      "selfLink":"x","deletionTimestamp":"2020-01-01T00:00:00Z"},
      "spec":{"devices":{}},"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})");
  BeginCreate(claim, ContextFor(Claims()));
  ASSERT_TRUE(BeforeCreate(StrategyOf(Claims()), claim, ContextFor(Claims())).has_value());
  EXPECT_EQ(api::ToJson(claim),
            R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"a",)"
            R"("namespace":"b","uid":"new","creationTimestamp":"2027-01-15T08:00:00Z"},)"
            R"("spec":{"devices":{"requests":null}},"status":{}})");
}

TEST(BeforeUpdate, AStatusBringsNothingElse) {
  const api::Object old = Read(
      Claims(), R"({"metadata":{"name":"a","namespace":"b","uid":"u"},"spec":{"devices":{}}})");
  api::Object claim = Read(Claims(), R"({"metadata":{"name":"a","namespace":"b","labels":{"x":"y"}},
      "spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}}]}}})");
  const WriteContext context = ContextFor(Claims(), Subresource::kStatus);
  BeginUpdate(claim, old, context);
  ASSERT_TRUE(BeforeUpdate(StrategyOf(Claims()), claim, old, context).has_value());
  EXPECT_EQ(claim, old);
}

// What an update of `part` of `old` makes of `next`, or the causes of its refusal.
std::string AfterUpdate(const api::KindInfo& kind,
                        Subresource part,
                        std::string_view old_json,
                        std::string_view next_json,
                        api::Release release = api::Release::kNewest) {
  const api::Object old = Read(kind, old_json);
  api::Object next = Read(kind, next_json);
  WriteContext context = ContextFor(kind, part);
  context.options.profile = api::Profile::Of(release);
  BeginUpdate(next, old, context);
  const auto warnings = BeforeUpdate(StrategyOf(kind), next, old, context);
  return warnings.has_value() ? api::ToJson(next) : warnings.error().message;
}

TEST(BeforeUpdate, TheStatusOfADeploymentBringsAnnotationsButNoLabels) {
  const std::string updated = AfterUpdate(
      api::Reflected<api::apps_v1::Deployment>::kKind,
      Subresource::kStatus,
      R"({"metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"1","labels":{"a":"old"}}})",
      R"({"metadata":{"name":"a","namespace":"b","labels":{"a":"new"},"annotations":{"a":"new"}},
          "status":{"replicas":2}})");
  EXPECT_THAT(updated, HasSubstr(R"("labels":{"a":"old"},"annotations":{"a":"new"})"));
  EXPECT_THAT(updated, HasSubstr(R"("replicas":2)"));
}

constexpr std::string_view kPodWithStatus = R"({"metadata":{"name":"a","namespace":"b","uid":"u",
    "resourceVersion":"1"},"spec":{"resourceClaims":[{"name":"gpu","resourceClaimName":"g"}]},
    "status":{"qosClass":"Burstable","observedGeneration":3,"conditions":[
    {"type":"Ready","status":"True","observedGeneration":2},
    {"type":"Ready","status":"True","observedGeneration":3}],
    "resourceClaimStatuses":[{"name":"gpu","resourceClaimName":"g"}]}})";

std::string WithPodStatus(std::string_view status, api::Release release = api::Release::kNewest) {
  const std::string pod =
      fmt::format(R"({{"metadata":{{"name":"a","namespace":"b"}},"status":{}}})", status);
  return AfterUpdate(
      api::Reflected<api::core_v1::Pod>::kKind, Subresource::kStatus, kPodWithStatus, pod, release);
}

TEST(BeforeUpdate, AStatusOfAPodKeepsWhatItsWriterMayNotKnow) {
  const std::string kept = WithPodStatus(R"({"conditions":[
      {"type":"Ready","status":"False"},{"type":"Mine","status":"True"},
      {"type":"Ready","status":"False","observedGeneration":4}]})");
  EXPECT_THAT(
      kept,
      HasSubstr(R"("status":{"observedGeneration":3,"conditions":[)"
                R"({"type":"Ready","observedGeneration":2,"status":"False",)"
                R"("lastProbeTime":null,"lastTransitionTime":null},{"type":"Mine","status":"True",)"
                R"("lastProbeTime":null,"lastTransitionTime":null},)"
                R"({"type":"Ready","observedGeneration":4,"status":"False",)"));
  EXPECT_THAT(kept, HasSubstr(R"("qosClass":"Burstable")"));
  constexpr std::string_view kClaims =
      R"("resourceClaimStatuses":[{"name":"gpu","resourceClaimName":"g"}])";
  EXPECT_THAT(kept, HasSubstr(kClaims));
  EXPECT_THAT(WithPodStatus(R"({"resourceClaimStatuses":[]})"), Not(HasSubstr(kClaims)));
  EXPECT_THAT(WithPodStatus("{}", api::Release::k1_36), Not(HasSubstr(kClaims)));
  EXPECT_THAT(WithPodStatus(R"({"qosClass":"Guaranteed"})"),
              HasSubstr(R"(status.qosClass: Invalid value: "Guaranteed": field is immutable)"));
}

TEST(BeforeUpdate, OfAStatusSaysNothingAboutTheSpec) {
  const api::Object old = Read(Slices(), Slice("Gpu.example.com", "p"));
  api::Object slice = old.Clone();
  const auto whole = BeforeUpdate(StrategyOf(Slices()), slice, old, ContextFor(Slices()));
  ASSERT_TRUE(whole.has_value()) << whole.error().message;
  EXPECT_EQ(whole->size(), 1U);
  const WriteContext status = ContextFor(Slices(), Subresource::kStatus);
  const auto part = BeforeUpdate(StrategyOf(Slices()), slice, old, status);
  ASSERT_TRUE(part.has_value()) << part.error().message;
  EXPECT_TRUE(part->empty());
}

// The time of a rule's taint after its effect has changed.
std::string TimeAfterChange(api::Release release) {
  const api::KindInfo& kind = api::Reflected<api::resource_v1::DeviceTaintRule>::kKind;
  const std::string rule =
      R"({"metadata":{"name":"a","uid":"u","resourceVersion":"1"},"spec":{"taint":{"key":"k",)"
      R"("effect":"NoSchedule","timeAdded":"2020-01-01T00:00:00Z"}}})";
  const api::Object old = Read(kind, rule);
  api::Object next = old.Clone();
  next.Mutable<api::resource_v1::DeviceTaintRule>().spec.taint.effect = "NoExecute";
  WriteContext context = ContextFor(kind);
  context.options.profile = api::Profile::Of(release);
  BeginUpdate(next, old, context);
  const auto warnings = BeforeUpdate(StrategyOf(kind), next, old, context);
  if (!warnings.has_value()) return warnings.error().message;
  return next.As<api::resource_v1::DeviceTaintRule>().spec.taint.time_added->ToString();
}

TEST(BeforeUpdate, TheTimeOfATaintMovesWithItsEffectSince136) {
  EXPECT_EQ(TimeAfterChange(api::Release::k1_33), "2020-01-01T00:00:00Z");
  EXPECT_EQ(TimeAfterChange(api::Release::k1_35), "2020-01-01T00:00:00Z");
  EXPECT_EQ(TimeAfterChange(api::Release::kNewest), "2027-01-15T08:00:00Z");
}

std::string CausesOf(const Result<Warnings>& answer) {
  std::string text;
  if (answer.has_value()) return text;
  for (const ErrorCause& cause : answer.error().causes) {
    text += cause.field + ": " + cause.message + "\n";
  }
  return text;
}

TEST(BeforeUpdate, APhaseIsWhatTheDeletionOfANamespaceSays) {
  const api::KindInfo& kind = api::Reflected<api::core_v1::Namespace>::kKind;
  const api::Object old = Read(kind, R"({"metadata":{"name":"a","uid":"u","resourceVersion":"1"},
      "spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})");
  const auto causes = [&](Subresource part, auto change) {
    api::Object next = old.Clone();
    change(next.Mutable<api::core_v1::Namespace>());
    const WriteContext context = ContextFor(kind, part);
    BeginUpdate(next, old, context);
    return CausesOf(BeforeUpdate(StrategyOf(kind), next, old, context));
  };
  EXPECT_EQ(causes(Subresource::kStatus, [](auto& space) { space.status.phase = "Terminating"; }),
            "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if "
            "`deletionTimestamp` is empty\n");
  EXPECT_EQ(
      causes(Subresource::kFinalize, [](auto& space) { space.spec.finalizers = {"mine"}; }),
      "spec.finalizers[0]: Invalid value: \"mine\": name is neither a standard finalizer name "
      "nor is it fully qualified\n");
  EXPECT_EQ(causes(Subresource::kFinalize, [](auto& space) { space.spec.finalizers = {}; }), "");
}

TEST(BeforeCreate, FinalizersOfANamespaceAreNames) {
  const api::KindInfo& kind = api::Reflected<api::core_v1::Namespace>::kKind;
  api::Object space =
      Read(kind, R"({"metadata":{"name":"a"},"spec":{"finalizers":["mine","a.example/b"]}})");
  BeginCreate(space, ContextFor(kind));
  EXPECT_EQ(
      CausesOf(BeforeCreate(StrategyOf(kind), space, ContextFor(kind))),
      "spec.finalizers: Invalid value: \"mine\": name is neither a standard finalizer name nor "
      "is it fully qualified\n");
}

}  // namespace
}  // namespace dray::server::registry
