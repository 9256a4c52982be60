// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/value/time.h"

namespace dray::controllers {
namespace {

std::string Word(const GarbageAction& action) {
  if (const auto* remove = std::get_if<RemoveOwners>(&action)) {
    std::string text = "forget";
    for (const std::string& uid : remove->uids) text += " " + uid;
    return text + "; ";
  }
  if (const auto* finalizer = std::get_if<RemoveDeletionFinalizer>(&action)) {
    return "end " + std::string(finalizer->finalizer) + "; ";
  }
  if (const auto* collect = std::get_if<CollectObject>(&action)) {
    return "delete " + std::string(collect->policy) + "; ";
  }
  if (std::holds_alternative<OrphanDependents>(action)) return "orphan; ";
  return std::holds_alternative<UnblockOwners>(action) ? "unblock; " : "dependents; ";
}

std::string Render(const std::vector<GarbageAction>& actions) {
  std::string text;
  for (const GarbageAction& action : actions) text += Word(action);
  return text;
}

constexpr auto kThere = OwnerState::kThere;
constexpr auto kWaits = OwnerState::kWaits;
constexpr auto kGone = OwnerState::kGone;
constexpr auto kUnknown = OwnerState::kUnknown;

struct GarbageCase {
  const char* name;
  bool deleting;
  std::vector<std::string> finalizers;
  std::vector<OwnerState> owners;  // with uids 0, 1, …
  Dependents dependents;
  const char* want;
};

class GarbageTest : public ::testing::TestWithParam<GarbageCase> {};

TEST_P(GarbageTest, Does) {
  const GarbageCase& test = GetParam();
  api::meta_v1::ObjectMeta meta;
  if (test.deleting) meta.deletion_timestamp = api::Time::FromUnixSeconds(1);
  meta.finalizers = test.finalizers;
  for (size_t i = 0; i < test.owners.size(); ++i) {
    meta.owner_references.push_back({.uid = std::to_string(i)});
  }
  EXPECT_EQ(Render(PlanGarbage(meta, test.owners, test.dependents)), test.want);
}

INSTANTIATE_TEST_SUITE_P(
    Objects,
    GarbageTest,
    ::testing::Values(
        GarbageCase{"NoOwner", false, {}, {}, {}, ""},
        GarbageCase{"OwnerThere", false, {}, {kThere}, {}, ""},
        GarbageCase{"OwnerGone", false, {}, {kGone}, {}, "delete Background; "},
        GarbageCase{"AllGone", false, {}, {kGone, kGone}, {.any = true}, "delete Background; "},
        GarbageCase{"OneOfThreeThere", false, {}, {kGone, kThere, kWaits}, {}, "forget 0 2; "},
        GarbageCase{"OwnerUnknown", false, {}, {kGone, kUnknown}, {}, ""},
        GarbageCase{"OwnerWaits", false, {}, {kWaits, kGone}, {}, "delete Background; "},
        GarbageCase{
            "OwnerWaitsForATree", false, {}, {kWaits}, {.any = true}, "delete Foreground; "},
        GarbageCase{"OwnerWaitsInACircle",
                    false,
                    {},
                    {kWaits},
                    {.any = true, .any_blocks = true, .any_waits = true},
                    "unblock; delete Foreground; "},
        GarbageCase{"OrphansByItself", false, {"orphan"}, {kGone}, {}, "delete Orphan; "},
        GarbageCase{
            "WaitsByItself", false, {"foregroundDeletion"}, {kGone}, {}, "delete Foreground; "}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Deleted,
    GarbageTest,
    ::testing::Values(
        GarbageCase{"HeldByOthers", true, {"example.com/held"}, {kGone}, {.any = true}, ""},
        GarbageCase{"Orphans",
                    true,
                    {"example.com/held", "orphan"},
                    {},
                    {.any = true, .any_blocks = true},
                    "orphan; end orphan; "},
        GarbageCase{
            "NothingToWaitFor", true, {"foregroundDeletion"}, {}, {}, "end foregroundDeletion; "},
        GarbageCase{"NobodyBlocks",
                    true,
                    {"foregroundDeletion"},
                    {},
                    {.any = true},
                    "dependents; end foregroundDeletion; "},
        GarbageCase{"Waits",
                    true,
                    {"foregroundDeletion"},
                    {},
                    {.any = true, .any_blocks = true},
                    "dependents; "}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace dray::controllers
