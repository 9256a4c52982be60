// SPDX-License-Identifier: Apache-2.0
#include "client/event_recorder.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/core_v1/event.h"
#include "api/core_v1/pod.h"
#include "base/simulated_world.h"
#include "client/testing/memory_client.h"

namespace dray::client {
namespace {

using api::core_v1::Event;
using api::core_v1::Pod;

class EventRecorderTest : public ::testing::Test {
 protected:
  std::vector<Event> Events() {
    std::vector<Event> events;
    const auto list = client_.List(api::Reflected<Event>::kKind, {});
    for (const api::Object& object : list->items) events.push_back(object.As<Event>());
    return events;
  }
  static api::Object APod() {
    Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = "worker";
    pod.metadata.uid = "uid-7";
    return api::Object::Of(std::move(pod));
  }
  static EventText Text(std::string message) {
    return {.type = EventType::kWarning,
            .reason = "FailedScheduling",
            .message = std::move(message),
            .action = "Scheduling"};
  }

  SimulatedWorld world_{1};
  testing::MemoryClient client_;
  EventRecorder recorder_{client_,
                          world_.world(),
                          "default-scheduler",
                          Log::Silent(),
                          {.pending_max = 3, .burst = 5, .interval_seconds = 60}};
};

TEST_F(EventRecorderTest, SaysWhatHappenedToWhat) {
  recorder_.Record(APod(), Text("no room"));
  EXPECT_FALSE(recorder_.Send(10));
  ASSERT_EQ(Events().size(), 1U);
  const Event event = Events()[0];
  EXPECT_EQ(event.involved_object.kind, "Pod");
  EXPECT_EQ(event.involved_object.uid, "uid-7");
  EXPECT_EQ(event.type, "Warning");
  EXPECT_EQ(event.source.component, "default-scheduler");
  EXPECT_EQ(event.action, "Scheduling");
  EXPECT_EQ(event.count, 1);
}

TEST_F(EventRecorderTest, RepetitionIsACount) {
  for (int i = 0; i < 3; ++i) recorder_.Record(APod(), Text("no room"));
  EXPECT_TRUE(recorder_.Send(2));
  EXPECT_FALSE(recorder_.Send(2));
  ASSERT_EQ(Events().size(), 1U);
  EXPECT_EQ(Events()[0].count, 3);
}

TEST_F(EventRecorderTest, DropsWhatDoesNotFitTheQueue) {
  for (int i = 0; i < 4; ++i) recorder_.Record(APod(), Text(fmt::format("text {}", i)));
  recorder_.Send(10);
  EXPECT_EQ(Events().size(), 3U);
}

TEST_F(EventRecorderTest, ObjectHasABudgetThatRefills) {
  for (int i = 0; i < 8; ++i) {
    recorder_.Record(APod(), Text(fmt::format("text {}", i)));
    recorder_.Send(1);
  }
  EXPECT_EQ(Events().size(), 5U);
  world_.clock().Advance(std::chrono::seconds(60));
  recorder_.Record(APod(), Text("later"));
  recorder_.Record(APod(), Text("too much"));
  recorder_.Send(2);
  EXPECT_EQ(Events().size(), 6U);
}

TEST_F(EventRecorderTest, TextsAreCutAtTheLimitOfTheApi) {
  constexpr size_t kBytes = 1024;
  const std::string fits(kBytes, 'x');
  const std::string wide = std::string(kBytes - 2, 'x') + "\xE2\x82\xAC";  // of three bytes
  for (const std::string& text : {fits, fits + "x", wide}) recorder_.Record(APod(), Text(text));
  recorder_.Send(10);
  std::vector<std::string> kept;
  for (const Event& event : Events()) kept.push_back(event.message);
  EXPECT_EQ(kept.size(), 2U) << "two are the same";
  EXPECT_NE(std::ranges::find(kept, fits), kept.end());
  EXPECT_NE(std::ranges::find(kept, std::string(kBytes - 2, 'x')), kept.end());
}

TEST_F(EventRecorderTest, BudgetsOfSoManyObjectsAreRemembered) {
  const auto said = [this](const std::string& uid) {
    Pod pod;
    pod.metadata.name = uid;
    pod.metadata.uid = uid;
    const size_t before = client_.journal().size();
    recorder_.Record(api::Object::Of(std::move(pod)), Text(fmt::format("{}", before)));
    recorder_.Send(1);
    return client_.journal().size() > before;
  };
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(said("first"));
  constexpr int kObjects = 4096;
  for (int i = 1; i < kObjects; ++i) ASSERT_TRUE(said(fmt::format("other-{}", i)));
  EXPECT_FALSE(said("first")) << "its budget is used up";
  EXPECT_TRUE(said("one more"));
  EXPECT_TRUE(said("first")) << "all have started afresh";
}

TEST_F(EventRecorderTest, RefusedEventIsDropped) {
  client_.set_fault([](auto, const ObjectRef&, std::string_view) -> Result<> {
    return Fail(StatusReason::kForbidden, "no");
  });
  recorder_.Record(APod(), Text("no room"));
  EXPECT_FALSE(recorder_.Send(10));
}

}  // namespace
}  // namespace dray::client
