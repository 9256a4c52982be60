// SPDX-License-Identifier: Apache-2.0
// The runner replays any folder: it names the stories that it cannot replay, and replays the
// others.
#include "tests/stories/stories.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "base/world.h"
#include "tests/stories/comparison.h"
#include "tests/stories/plays.h"
#include "tests/stories/sightings.h"
#include "tests/stories/story_shape.h"

namespace dray::stories {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kFolder = DRAY_SOURCE_DIR "/tests/data/stories";

Result<vectors::Report> PlayFolder(const StoryOptions& options) {
  Disk& disk = RealWorld().disk;
  const Result<std::vector<std::string>> files = StoryFilesIn(disk, {std::string(kFolder)});
  if (!files) return Fail(files.error());
  return RunStories(disk, *files, options);
}

TEST(StoryRunner, PlaysWhatItCanAndNamesTheRest) {
  const Result<vectors::Report> report = PlayFolder({.program = DRAY_PROGRAM});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->passed, 1U);
  EXPECT_THAT(report->failures, IsEmpty());
  std::vector<std::string> named;
  for (const std::string& one : report->not_played) {
    ASSERT_TRUE(one.starts_with(kFolder)) << one;
    named.push_back(one.substr(kFolder.size() + 1));
  }
  EXPECT_THAT(named,
              UnorderedElementsAre(
                  "cut-off.json: line 3: incomplete JSON",
                  "many.jsonl, line 2: /steps/0/snapshot: is missing",
                  "other-release.json: /release: 1.20.0 is not played; 1.30, 1.31 and 1.37 are",
                  "seconds-as-text.json: /steps/0/do/0/seconds: must be a number",
                  R"(unknown-deed.json: /steps/0/do/0/op: unknown deed "jump")",
                  ::testing::StartsWith("unknown-gate.json (unknown-gate): /gates: ")));
}

TEST(StoryRunner, AServerThatDoesNotRunIsNoDifference) {
  const Result<vectors::Report> report =
      PlayFolder({.program = "/no/such/program", .name = "bind-without-kind"});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->passed, 0U);
  EXPECT_THAT(report->failures, IsEmpty());
  EXPECT_THAT(report->not_played,
              ::testing::Contains(HasSubstr("(bind-without-kind): cannot run /no/such/program")));
}

TEST(StoryRunner, NamesOfListsThatNoStoryHasAreARemark) {
  const std::string races(DRAY_SOURCE_DIR "/tests/stories/races.txt");
  const Result<vectors::Report> report = PlayFolder({.program = DRAY_PROGRAM, .races = races});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->passed, 1U);
  EXPECT_THAT(report->summary,
              ::testing::Contains(races + ": no story two-schedulers-last-slot here"));
}

TEST(StoryRunner, NoStoryAtAllIsAnError) {
  Disk& disk = RealWorld().disk;
  EXPECT_FALSE(RunStories(disk, {}, {}));
  EXPECT_EQ(RunStories(disk, {std::string(kFolder) + "/bind-without-kind.json"}, {.name = "other"})
                .error()
                .message,
            "no story other");
  const Result<vectors::Report> report = RunStories(disk, {"/no/such/file.json"}, {});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->not_played, ElementsAre(HasSubstr("/no/such/file.json")));
}

// ------------------------------------------------------------------------------------------------

std::string WrongInDeed(std::string_view deed) {
  const std::string text = fmt::format(
      R"({{"name":"a","release":"1.37.0","steps":[{{"do":[{}],"snapshot":{{}}}}]}})", deed);
  const Result<> checked = CheckStory(json::parse(text));
  constexpr std::string_view kPlace = "/steps/0/do/0";
  if (checked) return "";
  EXPECT_TRUE(checked.error().message.starts_with(kPlace)) << checked.error().message;
  return checked.error().message.substr(kPlace.size());
}

TEST(StoryShape, DeedsAreCheckedBeforeAnyIsDone) {
  static constexpr struct {
    std::string_view deed, wrong;
  } kCases[] = {
      {R"({"op":"wait","seconds":0.5})", ""},
      {R"({"op":"wait","seconds":2.0})", ""},
      {R"({"op":"wait"})", "/seconds: is missing"},
      {R"({"op":"wait","seconds":-1})", "/seconds: must be from 0 to 600"},
      {R"({"op":"wait","seconds":1e300})", "/seconds: must be from 0 to 600"},
      {R"({"op":"bind","name":"p","node":"n"})", ""},
      {R"({"op":"bind","name":"p"})", "/node: is missing"},
      {R"({"op":"create"})", "/object: is missing"},
      {R"({"op":"create","object":{"apiVersion":"v1","kind":"Pod"}})",
       "/object/metadata: is missing"},
      {R"({"op":"patch","kind":"Pod","name":"p"})", "/patch: is missing"},
      {R"({"op":"patch","kind":"Pod","name":"p","patch":{},"patchType":"x"})",
       R"(/patchType: unknown type "x")"},
      {R"({"op":"delete","kind":"Pod","name":"p-{i}","repeat":{"from":0,"to":9.0}})", ""},
      {R"({"op":"delete","kind":"Pod","name":"p","repeat":3})", "/repeat: must be an object"},
      {R"({"op":"delete","kind":"Pod","name":"p","repeat":{"to":1e18}})",
       "/repeat: must be numbers from 0 to 10000"},
      {R"({"op":"delete","kind":"Pod","name":"p","repeat":{"to":1,"width":99}})",
       "/repeat/width: must be from 0 to 9"},
      {R"({"op":"kill","component":"kubelet"})", R"(/component: unknown component "kubelet")"},
      {R"({"op":"allow"})", "/id: is missing"},
      {"{}", "/op: is missing"},
      {"7", ": must be an object"},
  };
  for (const auto& one : kCases) EXPECT_EQ(WrongInDeed(one.deed), one.wrong) << one.deed;
}

TEST(StoryShape, ObjectsOfASnapshotHaveMetadataAndEventsNeedNone) {
  const auto wrong = [](std::string_view snapshot) {
    const Result<> checked = CheckStory(json::parse(
        fmt::format(R"({{"name":"a","release":"1.37.0","steps":[{{"snapshot":{}}}]}})", snapshot)));
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(wrong(R"({"pods":[{"metadata":{}}],"events":[{}]})"), "");
  EXPECT_EQ(wrong(R"({"pods":[{}]})"), "/steps/0/snapshot/pods/0/metadata: is missing");
  EXPECT_EQ(wrong(R"({"pods":[{"metadata":{},"status":[]}]})"),
            "/steps/0/snapshot/pods/0/status: must be an object");
}

// ------------------------------------------------------------------------------------------------

/// A story that has `differences` in its plays, one after the other, and none later.
StoryPlay Plays(std::vector<std::string> differences, int& plays) {
  return [=, &plays]() -> Result<std::vector<std::string>> {
    const auto play = static_cast<size_t>(plays++);
    if (play >= differences.size() || differences[play].empty()) return std::vector<std::string>();
    return std::vector{differences[play]};
  };
}

TEST(StoryPlays, WhatDiffersOnceOfThreeTimesIsARemark) {
  int plays = 0;
  const Played equal = PlayUntilSure(Plays({}, plays));
  EXPECT_EQ(plays, 1);
  EXPECT_EQ(equal.differed_once, "");
  plays = 0;
  const Played once = PlayUntilSure(Plays({"a"}, plays));
  EXPECT_EQ(plays, 3);
  EXPECT_THAT(once.differences, IsEmpty());
  EXPECT_EQ(once.differed_once, "a");
}

TEST(StoryPlays, WhatDiffersTwiceFails) {
  for (const std::vector<std::string>& differences :
       {std::vector<std::string>{"a", "b"}, {"a", "", "b"}}) {
    int plays = 0;
    const Played played = PlayUntilSure(Plays(differences, plays));
    EXPECT_EQ(plays, differences.size());
    EXPECT_THAT(played.differences, ElementsAre("b"));
    EXPECT_EQ(played.differed_once, "");
  }
}

TEST(StoryPlays, ARaceIsPlayedUntilItGoesAsRecorded) {
  int plays = 0;
  EXPECT_THAT(PlayRace(Plays(std::vector<std::string>(99, "a"), plays)).differences, IsEmpty());
  plays = 0;
  EXPECT_THAT(PlayRace(Plays(std::vector<std::string>(100, "a"), plays)).differences,
              ElementsAre("a"));
  EXPECT_EQ(plays, 100);
}

TEST(StoryPlays, WhatCannotBePlayedIsNotPlayedAgain) {
  int plays = 0;
  const Played played = PlayUntilSure([&]() -> Result<std::vector<std::string>> {
    ++plays;
    return Fail(StatusReason::kServiceUnavailable, "no server");
  });
  EXPECT_EQ(plays, 1);
  EXPECT_EQ(played.not_played, "no server");
}

// ------------------------------------------------------------------------------------------------

TEST(StoryComparison, ReservationsAreASetAlsoOfTwoPodsWithOneName) {
  constexpr std::string_view kClaim =
      R"({{"metadata":{{"name":"gpu"}},"status":{{"reservedFor":[{},{}]}}}})";
  constexpr std::string_view kOld =
      R"({"resource":"pods","name":"worker","uid":"uid:Pod/worker#1"})";
  constexpr std::string_view kNew =
      R"({"resource":"pods","name":"worker","uid":"uid:Pod/worker#2"})";
  const auto claims = [&](std::string_view first, std::string_view second) {
    return json::array{json::parse(fmt::format(kClaim, first, second))};
  };
  const json::object story = {
      {"steps", {{{"snapshot", {{"resourceclaims", claims(kOld, kNew)}}}}}}};
  StepOutcome outcome;
  outcome.snapshot["resourceclaims"] = claims(kNew, kOld);
  EXPECT_THAT(Differences(story, 0, outcome), IsEmpty());
  outcome.snapshot["resourceclaims"] = claims(kNew, kNew);
  EXPECT_THAT(Differences(story, 0, outcome), ::testing::SizeIs(1));
}

// ------------------------------------------------------------------------------------------------

client::WatchEvent NodeAt(std::string revision) {
  api::core_v1::Node node;
  node.metadata.resource_version = std::move(revision);
  return {.type = client::WatchEventType::kAdded, .object = api::Object::Of(std::move(node))};
}

TEST(StorySightings, AComponentHasSeenWhatItListedOrReceived) {
  Sightings sightings;
  EXPECT_TRUE(sightings.Await({{"nodes", 7}}, milliseconds(0)));  // it will list them
  sightings.Note("nodes", "5");
  EXPECT_FALSE(sightings.Await({{"nodes", 7}}, milliseconds(0)));
  sightings.Note("nodes", {NodeAt("6"), NodeAt("7"), NodeAt("3")});
  EXPECT_TRUE(sightings.Await({{"nodes", 7}}, milliseconds(0)));
  EXPECT_TRUE(sightings.Await({{"nodes", 7}, {"pods", 9}}, milliseconds(0)));
  EXPECT_FALSE(sightings.Await({{"nodes", 8}}, milliseconds(0)));
}

}  // namespace
}  // namespace dray::stories
