// SPDX-License-Identifier: Apache-2.0
#include "api/validation/cluster/event.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/events_v1.h"

namespace dray::api::validation::inline cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

core_v1::Event ReadEvent(std::string_view json) {
  return DecodeJson(Reflected<core_v1::Event>::kKind, json, nullptr)->As<core_v1::Event>();
}

std::vector<std::string> EventCauses(const std::vector<ErrorCause>& causes) {
  std::vector<std::string> texts;
  for (const ErrorCause& cause : causes) texts.push_back(cause.field + ": " + cause.message);
  return texts;
}

/// `old` is empty for a new event.
std::vector<std::string> WrongEvent(std::string_view json,
                                    const KindInfo& version,
                                    std::string_view old = {}) {
  const Options options{.version = &version};
  if (old.empty()) return EventCauses(ValidateEvent(ReadEvent(json), nullptr, options));
  const core_v1::Event before = ReadEvent(old);
  return EventCauses(ValidateEvent(ReadEvent(json), &before, options));
}
std::vector<std::string> InCore(std::string_view json) {
  return WrongEvent(json, Reflected<core_v1::Event>::kKind);
}
std::vector<std::string> InEvents(std::string_view json, std::string_view old = {}) {
  return WrongEvent(json, Reflected<events_v1::Event>::kKind, old);
}

TEST(EventRules, EventsLieWhereTheirObjectDoes) {
  EXPECT_THAT(InCore(R"({"metadata":{"namespace":"a"},"involvedObject":{"namespace":"a"}})"),
              IsEmpty());
  EXPECT_THAT(InCore(R"({"metadata":{"namespace":"b"},"involvedObject":{"namespace":"a"}})"),
              ElementsAre("involvedObject.namespace: Invalid value: \"a\": does not match "
                          "event.namespace"));
  EXPECT_THAT(InCore(R"({"metadata":{"namespace":"default"},"involvedObject":{"name":"n"}})"),
              IsEmpty());
  EXPECT_EQ(InCore(R"({"metadata":{"namespace":"a"},"involvedObject":{"name":"n"}})").size(), 1U);
}

constexpr std::string_view kEventWhen = R"("eventTime":"2026-01-01T00:00:00.000000Z")";
constexpr std::string_view kEventWho =
    R"("metadata":{"namespace":"a","name":"e"},"involvedObject":{"namespace":"a","name":"p"},)"
    R"("reportingComponent":"d.example/c","reportingInstance":"i")";
constexpr std::string_view kEventWhat = R"("action":"Try","reason":"Failed","type":"Warning")";

std::string EventJson(std::string_view rest) {
  return fmt::format("{{{},{}}}", kEventWho, rest);
}

TEST(EventRules, AnEventWithATimeSaysWhoReportsWhat) {
  const std::string none = fmt::format(
      R"({{"metadata":{{"namespace":"a"}},"involvedObject":{{"namespace":"a"}},{}}})", kEventWhen);
  EXPECT_THAT(
      InCore(none),
      ElementsAre("reportingController: Required value",
                  ::testing::StartsWith("reportingController: Invalid value: \"\": name part"),
                  ::testing::StartsWith("reportingController: Invalid value: \"\": name part"),
                  "reportingInstance: Required value",
                  "action: Required value",
                  "reason: Required value"));
  const std::string long_ones =
      EventJson(fmt::format(R"({},"action":"{}","reason":"r","message":"{}")",
                            kEventWhen,
                            std::string(kEventWordMax + 1, 'a'),
                            std::string(kEventMessageMax + 1, 'm')));
  EXPECT_THAT(InCore(long_ones),
              ElementsAre("action: Invalid value: \"\": can have at most 128 characters",
                          "message: Invalid value: \"\": can have at most 1024 characters"));
  const std::string longest =
      EventJson(fmt::format(R"({},"action":"{}","reason":"r","message":"{}")",
                            kEventWhen,
                            std::string(kEventWordMax, 'a'),
                            std::string(kEventMessageMax, 'm')));
  EXPECT_THAT(InCore(longest), IsEmpty());
}

TEST(EventRules, TheNewerGroupWantsTheNewForm) {
  EXPECT_THAT(InEvents(EventJson(fmt::format("{},{}", kEventWhen, kEventWhat))), IsEmpty());
  EXPECT_THAT(InEvents(EventJson(kEventWhat)), ElementsAre("eventTime: Required value"));
  EXPECT_THAT(InCore(EventJson(kEventWhat)), IsEmpty());
  EXPECT_THAT(
      InEvents(EventJson(fmt::format(
          R"({},"action":"a","reason":"r","type":"Odd","count":1,"series":{{"count":1}},)"
          R"("firstTimestamp":"2026-01-01T00:00:00Z","lastTimestamp":"2026-01-01T00:00:00Z",)"
          R"("source":{{"host":"h"}})",
          kEventWhen))),
      ElementsAre("series.count: Invalid value: \"\": should be at least 2",
                  "series.lastObservedTime: Required value",
                  "type: Invalid value: \"\": has invalid value: Odd",
                  "firstTimestamp: Invalid value: \"\": needs to be unset",
                  "lastTimestamp: Invalid value: \"\": needs to be unset",
                  "count: Invalid value: \"\": needs to be unset",
                  "source: Invalid value: \"\": needs to be unset"));
}

TEST(EventRules, ThereOnlyTheSeriesChanges) {
  const std::string old = EventJson(fmt::format("{},{}", kEventWhen, kEventWhat));
  const std::string more = EventJson(fmt::format(
      R"({},{},"series":{{"count":2,"lastObservedTime":"2026-01-01T00:00:01.000000Z"}})",
      kEventWhen,
      kEventWhat));
  EXPECT_THAT(InEvents(more, old), IsEmpty());
  EXPECT_THAT(InEvents(EventJson(fmt::format(
                           R"({},"action":"Try","reason":"Other","type":"Warning")", kEventWhen)),
                       old),
              ElementsAre("reason: Invalid value: \"Other\": field is immutable",
                          "reason: Invalid value: \"Other\": field is immutable"));
}

}  // namespace
}  // namespace dray::api::validation::inline cluster
