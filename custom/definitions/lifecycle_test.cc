// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/lifecycle.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "custom/definitions/conditions.h"
#include "custom/testing/written_definition.h"

namespace dray::custom::definitions {
namespace {

using testing::WidgetsWithFields;
using testing::WrittenDefinition;

using ::testing::ElementsAre;

constexpr WallTime kFirst{std::chrono::seconds(1'800'000'000)};
constexpr WallTime kLater{std::chrono::seconds(1'800'000'060)};

Definition Named(std::string_view plural, std::string_view kind) {
  return WrittenDefinition(fmt::format(
      R"({{"metadata":{{"name":"{0}.example.com"}},"spec":{{"group":"example.com",)"
      R"("names":{{"plural":"{0}","kind":"{1}"}},"scope":"Namespaced","versions":[]}}}})",
      plural,
      kind));
}

std::vector<std::string> Conditions(const Definition& definition) {
  std::vector<std::string> texts;
  for (const Condition& one : definition.status.conditions) {
    texts.push_back(fmt::format("{} {} {}: {}", one.type, one.status, one.reason, one.message));
  }
  return texts;
}

TEST(DefinitionLife, NamesAreAcceptedThenTheKindIsServed) {
  UsedNames used;
  const auto named = AcceptNames(Named("widgets", "Widget"), used, kFirst);
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->status.accepted_names, named->spec.names);
  EXPECT_THAT(Conditions(*named),
              ElementsAre("NamesAccepted True NoConflicts: no conflicts found",
                          "Established False Installing: the initial names have been accepted"));
  EXPECT_FALSE(AcceptNames(*named, used, kLater).has_value());
  const auto served = Establish(*named, kLater, {});
  ASSERT_TRUE(served.has_value());
  EXPECT_THAT(
      Conditions(*served),
      ElementsAre("NamesAccepted True NoConflicts: no conflicts found",
                  "Established True InitialNamesAccepted: the initial names have been accepted"));
  EXPECT_EQ(served->status.conditions[0].last_transition_time, api::Time::Of(kFirst));
  EXPECT_EQ(served->status.conditions[1].last_transition_time, api::Time::Of(kLater));
  EXPECT_FALSE(Establish(*served, kLater, {}).has_value());
}

TEST(DefinitionLife, StepsFollowEachOtherUntilAllIsSaid) {
  const UsedNames used;
  Definition widgets = Named("widgets", "Widget");
  widgets.spec.group = "example.k8s.io";
  int steps = 0;
  while (const auto next = NextStatus(widgets, used, kFirst, {})) {
    widgets = *next;
    ASSERT_LT(++steps, 5);
  }
  EXPECT_EQ(steps, 3);
  EXPECT_TRUE(IsServed(widgets));
  EXPECT_EQ(widgets.status.conditions.size(), 3U);
}

TEST(DefinitionLife, TheLastConflictIsReported) {
  UsedNames used;
  Definition first = Named("widgets", "Widget");
  first.spec.names.short_names = {"wd", "wdg"};
  used.Add(first.spec.names);
  Definition second = Named("gadgets", "Widget");
  second.spec.names.short_names = {"gd", "wd", "wdg"};
  second.spec.names.list_kind = "GadgetList";
  const auto refused = AcceptNames(second, used, kFirst);
  ASSERT_TRUE(refused.has_value());
  EXPECT_THAT(Conditions(*refused),
              ElementsAre("NamesAccepted False KindConflict: \"Widget\" is already in use",
                          "Established False NotAccepted: not all names are accepted"));
  EXPECT_EQ(refused->status.accepted_names.plural, "gadgets");
  EXPECT_EQ(refused->status.accepted_names.kind, "");
  EXPECT_TRUE(refused->status.accepted_names.short_names.empty());
  EXPECT_FALSE(Establish(*refused, kLater, {}).has_value());
  EXPECT_FALSE(AcceptNames(*refused, used, kLater).has_value());

  second.spec.names.kind = "Gadget";
  EXPECT_THAT(Conditions(*AcceptNames(second, used, kFirst))[0],
              "NamesAccepted False ShortNamesConflict: [\"wd\" is already in use, \"wdg\" is "
              "already in use]");
  used.Remove(first.spec.names);
  EXPECT_TRUE(used.empty());
  const auto accepted = AcceptNames(*refused, used, kLater);
  ASSERT_TRUE(accepted.has_value());
  EXPECT_EQ(accepted->status.conditions[0].status, "True");
  EXPECT_EQ(accepted->status.conditions[1].reason, "Installing");
}

TEST(DefinitionLife, ALaterConflictKeepsTheKindServed) {
  UsedNames used;
  Definition widgets =
      *Establish(*AcceptNames(Named("widgets", "Widget"), used, kFirst), kFirst, {});
  used.Add(widgets.status.accepted_names);
  widgets.spec.names.short_names = {"gd"};
  UsedNames::Names others;
  others.short_names = {"gd"};
  used.Add(others);
  const auto conflict = AcceptNames(widgets, used, kLater);
  ASSERT_TRUE(conflict.has_value());
  EXPECT_THAT(
      Conditions(*conflict),
      ElementsAre("NamesAccepted False ShortNamesConflict: \"gd\" is already in use",
                  "Established True InitialNamesAccepted: the initial names have been accepted"));
}

TEST(DefinitionLife, ConditionsTakenAwayStayAway) {
  UsedNames used;
  Definition widgets = *AcceptNames(Named("widgets", "Widget"), used, kFirst);
  widgets.status.conditions.clear();
  EXPECT_FALSE(AcceptNames(widgets, used, kLater).has_value());
  EXPECT_FALSE(Establish(widgets, kLater, {}).has_value());
}

TEST(DefinitionLife, ProtectedGroupsTellOfTheirApproval) {
  Definition widgets = Named("widgets", "Widget");
  EXPECT_FALSE(JudgeApproval(widgets, kFirst).has_value());
  widgets.spec.group = "widgets.k8s.io";
  EXPECT_THAT(Conditions(*JudgeApproval(widgets, kFirst)),
              ElementsAre("KubernetesAPIApprovalPolicyConformant False MissingAnnotation: "
                          "protected groups must have approval annotation "
                          "\"api-approved.kubernetes.io\", see "
                          "https://github.com/kubernetes/enhancements/pull/1111"));
  widgets.metadata.annotations.emplace("api-approved.kubernetes.io", "https://a.example/1");
  const auto approved = JudgeApproval(widgets, kFirst);
  EXPECT_THAT(Conditions(*approved),
              ElementsAre("KubernetesAPIApprovalPolicyConformant True ApprovedAnnotation: approved "
                          "in https://a.example/1"));
  EXPECT_FALSE(JudgeApproval(*approved, kLater).has_value());
}

TEST(DefinitionLife, SchemasOfOldServersAreNamed) {
  Definition widgets = WidgetsWithFields(R"("a":{})");
  const auto judged = JudgeStructure(widgets, kFirst);
  ASSERT_TRUE(judged.has_value());
  EXPECT_THAT(Conditions(*judged),
              ElementsAre("NonStructuralSchema True Violations: "
                          "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a]."
                          "type: Required value: must not be empty for specified object fields"));
  Definition repaired = *judged;
  repaired.spec = WidgetsWithFields("").spec;
  EXPECT_TRUE(JudgeStructure(repaired, kLater)->status.conditions.empty());
}

TEST(DefinitionLife, DeletionEndsWithTheObjects) {
  Definition widgets = Named("widgets", "Widget");
  EXPECT_FALSE(NeedsCleanup(widgets));
  widgets.metadata.deletion_timestamp = api::Time::Of(kFirst);
  MarkDeleted(widgets);
  MarkDeleted(widgets);
  ASSERT_TRUE(NeedsCleanup(widgets));
  EXPECT_THAT(widgets.metadata.finalizers, ElementsAre(kCleanupFinalizer));
  EXPECT_THAT(Conditions(widgets),
              ElementsAre("Terminating True InstanceDeletionPending: CustomResourceDefinition "
                          "marked for deletion; CustomResource deletion will begin soon"));
  EXPECT_EQ(widgets.status.conditions[0].last_transition_time, api::Time::Of(kFirst));
  const Definition begun = BeginDeletion(widgets, kLater);
  EXPECT_THAT(Conditions(begun),
              ElementsAre("Terminating True InstanceDeletionInProgress: CustomResource deletion is "
                          "in progress"));
  const Definition failed = EndDeletion(begun, Cleanup::kNotListed, "no", kLater);
  EXPECT_TRUE(NeedsCleanup(failed));
  EXPECT_THAT(Conditions(failed),
              ElementsAre("Terminating True InstanceDeletionFailed: could not list instances: no"));
  const Definition over = EndDeletion(begun, Cleanup::kCompleted, "", kLater);
  EXPECT_FALSE(NeedsCleanup(over));
  EXPECT_THAT(Conditions(over),
              ElementsAre("Terminating False InstanceDeletionCompleted: removed all instances"));
}

}  // namespace
}  // namespace dray::custom::definitions
